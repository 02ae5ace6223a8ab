//! GPS tracks of stations: fixes in compressed chunks of a quarter hour, and simplification of tracks.
//!
//! Pure and synchronous. A row stores one chunk for a station and a quarter hour. Fixes that arrive late or twice are merged
//! into it; the result does not depend on the order.

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
