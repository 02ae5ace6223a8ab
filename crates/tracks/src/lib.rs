//! Where stations were: fixes in compressed chunks of a quarter hour, and tracks drawn with fewer of them.
//!
//! Pure and synchronous. A chunk is what a row keeps of one station and one quarter hour; fixes that come late or twice are
//! merged into it, in any order, to the same outcome.

mod checksum;
mod chunk;
mod column;
mod error;
mod merge;
mod predictor;
mod simplify;
#[cfg(test)]
mod size;

pub use chunk::{decode, encode};
pub use error::Error;
pub use merge::{Merged, QUARTER_HOUR_MS, by_quarter_hour, merge, quarter_hour};
pub use simplify::simplify;
