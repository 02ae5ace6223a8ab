//! Private servers (PostgreSQL, also with failover, HAProxy, ClickHouse, S3, SMTP, a language model, a receiver of webhooks), proxies that fail and temporary folders for tests, stopped and removed together with the test process. Independent of Keepclear's code.

mod certificate;
mod clickhouse;
mod folder;
mod haproxy;
mod model_server;
mod patroni;
mod postgres;
mod postgres_proxy;
mod s3;
mod seaweedfs;
mod smtp;
mod supervised;
mod tcp_proxy;
mod webhook_receiver;

pub use certificate::Certificate;
pub use clickhouse::ClickHouseNode;
pub use folder::temporary_folder;
pub use haproxy::HaProxy;
pub use model_server::{Lie, ModelReply, ModelRequest, ModelServer};
pub use patroni::PatroniCluster;
pub use postgres::PostgresCluster;
pub use postgres_proxy::{CommitCut, PostgresProxy};
pub use s3::S3Server;
pub use seaweedfs::SeaweedFs;
pub use smtp::{ReceivedMessage, SmtpBehaviour, SmtpServer};
pub use supervised::needs_fetched;
pub use tcp_proxy::TcpProxy;
pub use webhook_receiver::{ReceivedCall, WebhookBehaviour, WebhookReceiver};
