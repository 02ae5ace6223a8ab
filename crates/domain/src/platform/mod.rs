//! The clock and the random source, the records of the audit log, of repeatable writes and of hosts, and values behind a vtable.

pub mod audit;
pub mod clock;
pub mod hosts;
pub mod idempotency;
pub mod opaque;
pub mod random;
