//! The clock and the random source, and the records of the audit log and of repeatable writes.

pub mod audit;
pub mod clock;
pub mod idempotency;
pub mod random;
