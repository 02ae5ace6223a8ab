//! The two database engines: connections, transactions, statements, paging, migrations and backups.
//! Every statement of the crate runs through this module.

pub(crate) mod admission;
pub(crate) mod checksums;
pub(crate) mod config;
mod connection_limit;
pub(crate) mod database_copy;
pub(crate) mod dialect;
pub(crate) mod error;
pub(crate) mod migrate;
mod migration_marks;
pub(crate) mod page;
pub(crate) mod pool;
pub(crate) mod row;
pub(crate) mod scope;
pub(crate) mod shares;
pub(crate) mod snapshot;
pub(crate) mod statement;
pub(crate) mod statement_limit;
pub(crate) mod task_owner;
pub(crate) mod transaction;
pub(crate) mod tx;
pub(crate) mod window;
mod words;
pub(crate) mod write_health;
mod write_probe;
pub(crate) mod write_queue;
