//! Values that every area uses.

pub mod change;
pub mod day;
pub mod ids;
pub mod invalid;
pub mod locale;
pub mod network;
pub mod picture;
pub mod place;
pub mod text;
pub mod time;
pub mod zone;
