//! Servers that tests need, started privately and stopped with the test process. Knows nothing of Keepclear.

mod postgres;

pub use postgres::Postgres;
