//! Values used by all areas.

pub mod change;
pub mod colour;
pub mod coordinates;
pub mod crc32;
pub mod day;
pub mod email_address;
pub mod hex;
pub mod ids;
pub mod invalid;
pub mod locale;
pub mod network;
pub mod page;
pub mod percent;
pub mod period;
pub mod period_bound;
pub mod png;
mod rfc3339;
pub mod row;
pub mod serial;
pub mod sorted;
pub mod text;
pub mod time;
pub mod time_zone;
pub mod window;
