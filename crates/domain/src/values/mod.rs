//! Values used by all areas.

pub mod change;
pub mod coordinates;
pub mod day;
pub mod ids;
pub mod invalid;
pub mod locale;
pub mod network;
pub mod png;
pub mod text;
pub mod time;
pub mod time_zone;
