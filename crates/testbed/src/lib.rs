//! Private servers (PostgreSQL, S3, SMTP) and temporary folders for tests, stopped and removed together with the test process. Independent of Keepclear's code.

mod folder;
mod postgres;
mod s3;
mod smtp;

pub use folder::temporary_folder;
pub use postgres::PostgresCluster;
pub use s3::S3Server;
pub use smtp::{ReceivedMessage, SmtpBehaviour, SmtpServer};
