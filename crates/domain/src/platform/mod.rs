//! What the installation itself needs: audit log, keys, jobs, housekeeping.

pub mod clock;
pub mod random;
