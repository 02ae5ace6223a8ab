//! Private servers (PostgreSQL, S3, SMTP, a language model, a receiver of webhooks) and temporary folders for tests, stopped and removed together with the test process. Independent of Keepclear's code.

mod folder;
mod model_server;
mod postgres;
mod s3;
mod smtp;
mod webhook_receiver;

pub use folder::temporary_folder;
pub use model_server::{Lie, ModelReply, ModelRequest, ModelServer};
pub use postgres::PostgresCluster;
pub use s3::S3Server;
pub use smtp::{ReceivedMessage, SmtpBehaviour, SmtpServer};
pub use webhook_receiver::{ReceivedCall, WebhookBehaviour, WebhookReceiver};
