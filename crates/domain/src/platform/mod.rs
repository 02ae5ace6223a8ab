//! The clock and the random source, and the records of the audit log, of repeatable writes and of hosts.

pub mod audit;
pub mod clock;
pub mod hosts;
pub mod idempotency;
pub mod random;
