//! Copies the whole database while other processes write to it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{ConnectOptions, Connection};

use crate::engine::database_copy::DatabaseCopy;
use crate::engine::dialect::pg_tools::PgTools;
use crate::engine::statement::sql;
use crate::engine::statement_limit::StatementLimit;
use crate::engine::transaction::ReadConnection;
use crate::engine::transaction::Transaction;
use crate::engine::tx::{Inner, Tx};
use crate::{Address, Config, Error, Store};

/// Begins a transaction that sees one moment for as long as it takes. On PostgreSQL a reader blocks no writer; the cost is that
/// rows which die meanwhile are vacuumed later.
const BEGIN_BACKUP: &str = "begin isolation level repeatable read read only; set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0";

#[derive(macros::FromRow)]
struct ExportedSnapshot(#[row(column = "snapshot")] String);

#[macros::boxed]
impl DatabaseCopy {
    /// Copies a database into a file, which must exist and be empty, and opens the copy.
    ///
    /// SQLite reads the database in one pass without blocking writers, while its write-ahead log grows. Later reads use the copy and
    /// not the database. On PostgreSQL they use the snapshot from which the dump was made.
    pub async fn create(address: &Address, config: &Config, file: &Path) -> Result<Self, Error> {
        match address {
            Address::Sqlite(path) => {
                let name = file.to_str().ok_or_else(|| {
                    Error::Unusable(format!("SQLite cannot write to {}: it is not UTF-8", file.display()))
                })?;
                let mut connection = SqliteConnectOptions::new()
                    .filename(path)
                    .read_only(true)
                    .busy_timeout(Duration::from_secs(10))
                    .disable_statement_logging()
                    .connect()
                    .await?;
                sqlx::query("vacuum into $1").bind(name.to_owned()).execute(&mut connection).await?;
                connection.close().await?;
                Self::open_file(file).await
            }
            Address::Postgres(url) => {
                let mut snapshot = Self::open_server(url, config).await?;
                let ExportedSnapshot(id) =
                    snapshot.tx.one(sql!("select pg_export_snapshot() as snapshot")).await?;
                PgTools::for_database(config, url)?.dump(&id, file).await?;
                Ok(snapshot)
            }
        }
    }

    /// Opens a copy of a SQLite database.
    pub async fn open_file(file: &Path) -> Result<Self, Error> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .read_only(true)
            // No process writes to it, and no files may be left beside it.
            .immutable(true)
            .disable_statement_logging();
        let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await?;
        let connection = ReadConnection::new(pool.acquire().await?, StatementLimit::NONE);
        Ok(Self { tx: Tx::new(Inner::SqliteRead(connection), Arc::default()) })
    }

    /// Opens a snapshot of a PostgreSQL database as it is now.
    pub(crate) async fn open_server(url: &str, config: &Config) -> Result<Self, Error> {
        let Store::Postgres { pool, write_queue: turns, .. } = Store::open_postgres(url, config).await?
        else {
            return Err(Error::Unusable("the database is not PostgreSQL".to_owned()));
        };
        let turn = turns.acquire_writer().await?;
        // Reading a whole table takes as long as it takes.
        let limit = StatementLimit::NONE;
        let transaction = Transaction::begin(pool.acquire().await?, BEGIN_BACKUP, limit).await?;
        Ok(Self { tx: Tx::new(Inner::postgres_write(transaction, turns, turn), Arc::default()) })
    }
}
