//! The clock and the random source.

pub mod clock;
pub mod random;
