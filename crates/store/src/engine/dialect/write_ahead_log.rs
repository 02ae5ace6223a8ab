//! SQLite's write-ahead log, which contains what was replaced or deleted until it is written over.

use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, Row as _};

use crate::{Error, Store};

/// How long to wait for readers. Writers wait meanwhile, and no reader of the service takes so long.
const WAIT: Duration = Duration::from_secs(1);

#[macros::boxed]
impl Store {
    /// Writes SQLite's write-ahead log to the database and empties it. Returns whether it did: a reader of an earlier state prevents it, such
    /// as a backup. On PostgreSQL nothing is done, because the server decides for how long it keeps its log.
    pub async fn empty_write_ahead_log(&self) -> Result<bool, Error> {
        let Self::Sqlite { path, .. } = self else { return Ok(false) };
        let options =
            SqliteConnectOptions::new().filename(path).busy_timeout(WAIT).disable_statement_logging();
        let mut connection = options.connect().await?;
        // A row with whether it was prevented, the number of pages in the log, and of those that were written.
        let row = (&mut connection).fetch_one("pragma wal_checkpoint(truncate)").await?;
        let prevented: i64 = row.try_get(0)?;
        connection.close().await?;
        Ok(prevented == 0)
    }
}
