//! Servers that tests need, started privately and stopped with the test process. Knows nothing of Keepclear.

mod postgres;
mod smtp;

pub use postgres::Postgres;
pub use smtp::{Conduct, Received, Smtp};
