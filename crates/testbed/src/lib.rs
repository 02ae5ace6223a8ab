//! Servers that tests need, started privately and stopped with the test process. Knows nothing of Keepclear.

mod postgres;
mod s3;
mod smtp;

pub use postgres::Postgres;
pub use s3::S3;
pub use smtp::{Conduct, Received, Smtp};
