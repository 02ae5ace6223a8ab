//! Servers that tests need, started privately and stopped with the test process. Knows nothing of Keepclear.

mod postgres;
mod s3;
mod smtp;

pub use postgres::PostgresCluster;
pub use s3::S3Server;
pub use smtp::{ReceivedMessage, SmtpBehaviour, SmtpServer};
