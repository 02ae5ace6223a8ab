//! Private servers for tests (PostgreSQL, S3, SMTP), stopped together with the test process. Independent of Keepclear's code.

mod postgres;
mod s3;
mod smtp;

pub use postgres::PostgresCluster;
pub use s3::S3Server;
pub use smtp::{ReceivedMessage, SmtpBehaviour, SmtpServer};
