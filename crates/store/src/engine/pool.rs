//! Opens a database and hands out its connections as transactions, single reads and snapshots.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::{Opaque, Timestamp};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, PgPool, Postgres, SqlitePool};

use crate::engine::admission::Admission;
use crate::engine::dialect::{BEGIN_SNAPSHOT, ColumnShape, CurrentServer, SqliteSnapshot};
use crate::engine::migrate::{self, ReportWait, SchemaState};
use crate::engine::statement::sql;
use crate::engine::statement_limit::StatementLimit;
use crate::engine::transaction::{ReadConnection, Transaction};
use crate::engine::tx::{Inner, Tx};
use crate::engine::write_health::WriteHealth;
use crate::engine::write_queue::WriteQueue;
use crate::{Address, Config, Error, Platform, Snapshot};

/// The oldest SQLite without the bug that can corrupt a write-ahead log on concurrent checkpoints.
const MIN_SQLITE_VERSION: (i64, i64, i64) = (3, 51, 3);

/// Prepared statements cached per connection. Bulk inserts come in a few fixed sizes, so this is never reached.
const STATEMENT_CACHE_CAPACITY: usize = 1_000;

/// Time that a PostgreSQL connection may be idle before it is pinged on its next use.
const MAX_IDLE_WITHOUT_PING: Duration = Duration::from_secs(2);

/// Time that such a ping may take. It is short, so that a caller whose connection leads nowhere still has time to make another.
const PING_LIMIT: StatementLimit = StatementLimit::of(Duration::from_secs(2));

/// Time between two attempts of a migration that others hold up, in which they get on with their work.
const MIGRATION_PAUSE: Duration = Duration::from_secs(3);

/// Begins a write transaction on PostgreSQL. Its statements always touch a few rows through indexes. A plan made while a table
/// was nearly empty would scan it, and be cached for as long as the connection lives: that reduced 726 assignments a second to
/// 384 once there were a few thousand.
///
/// A host that freezes in the midst of one keeps its locks, for which all others wait: with the limit of reads, ingest stood still for a
/// minute. What waits for something else in the midst of a write does so with [`Tx::keep_alive_while`].
const BEGIN_WRITE: &str =
    "begin; set local enable_seqscan = off; set local idle_in_transaction_session_timeout = '3s'";

/// Rows that SQLite's thread may read ahead: a whole page of a list, so that it does not stop in the middle of one.
const ROW_BUFFER_SIZE: usize = 512;

/// Page cache of the write connection, in -KiB. Ingested rows touch indexes all over, and an evicted page has to be read and
/// written again. The memory is allocated as needed.
const WRITER_CACHE_SIZE: &str = "-40960";

/// Size of the write-ahead log, in pages, that triggers a checkpoint. It holds several large commits, which touch the same index
/// pages repeatedly, so that each page is written to the database once.
const WAL_AUTOCHECKPOINT_PAGES: &str = "8000";

/// Connections beside the pool of the requests, for work that must make progress under any load; see
/// [`Store::with_reserved_connections`].
const RESERVED_CONNECTIONS: u32 = 3;

/// A database on one of the two engines.
#[derive(Clone, Debug)]
pub enum Store {
    /// A file with one writer and many readers.
    Sqlite {
        /// Read-only connections.
        read: Arc<Opaque<SqlitePool>>,
        /// The single write connection.
        write: Arc<Opaque<SqlitePool>>,
        /// Read-only connections that requests do not use.
        reserved: Arc<Opaque<SqlitePool>>,
        admission: Admission,
        write_health: WriteHealth,
        /// The database file.
        path: PathBuf,
        /// Number of statements that ran.
        statement_count: Arc<AtomicU64>,
    },
    /// A PostgreSQL server.
    Postgres {
        /// Connections for reads and writes.
        pool: Arc<Opaque<PgPool>>,
        /// Connections that requests do not use.
        reserved: Arc<Opaque<PgPool>>,
        admission: Admission,
        write_queue: WriteQueue,
        write_health: WriteHealth,
        /// The longest time that the client waits for a statement.
        statement_limit: StatementLimit,
        server: CurrentServer,
        /// Number of statements that ran.
        statement_count: Arc<AtomicU64>,
    },
}

/// Utilisation of the connections, for /metrics.
#[derive(Clone, Copy, Debug)]
pub struct PoolState {
    pub open: u32,
    /// Open connections that are not in use.
    pub idle: u32,
}

#[macros::boxed]
impl Store {
    /// Opens the database. The schema may still be behind; see [`Store::migrate`].
    pub async fn open(address: &Address, config: &Config) -> Result<(Self, Platform), Error> {
        let store = match address {
            Address::Sqlite(path) => Self::open_sqlite(path, config).await?,
            Address::Postgres(url) => Self::open_postgres(url, config).await?,
        };
        Ok((store, Platform(())))
    }

    async fn open_sqlite(path: &Path, config: &Config) -> Result<Self, Error> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .statement_cache_capacity(STATEMENT_CACHE_CAPACITY)
            .row_buffer_size(ROW_BUFFER_SIZE)
            // The command line is a second process on the same file.
            .busy_timeout(Duration::from_secs(10))
            .disable_statement_logging();
        let pool = |size| {
            SqlitePoolOptions::new()
                .max_connections(size)
                .acquire_timeout(Duration::from_secs(config.acquire_timeout_s.into()))
                .idle_timeout(None)
                .max_lifetime(None)
        };
        let write = pool(1)
            .connect_with(
                options
                    .clone()
                    .create_if_missing(true)
                    .pragma("cache_size", WRITER_CACHE_SIZE)
                    .pragma("wal_autocheckpoint", WAL_AUTOCHECKPOINT_PAGES)
                    // Replaced and deleted content is overwritten where that costs no additional page.
                    .pragma("secure_delete", "fast"),
            )
            .await
            .map_err(|error| Error::Unusable(format!("{}: {error}", path.display())))?;
        let read_only = options.read_only(true).pragma("query_only", "1");
        let read = pool(config.max_connections).connect_lazy_with(read_only.clone());
        let reserved = pool(RESERVED_CONNECTIONS).connect_lazy_with(read_only);
        let (admission, write_health) = (Admission::for_sqlite(config), WriteHealth::default());
        let (path, statements) = (path.to_owned(), Arc::default());
        let store = Self::Sqlite {
            read: Arc::new(Opaque::new(read)),
            write: Arc::new(Opaque::new(write)),
            reserved: Arc::new(Opaque::new(reserved)),
            admission,
            write_health,
            path,
            statement_count: statements,
        };
        store.check_sqlite_version().await?;
        Ok(store)
    }

    async fn check_sqlite_version(&self) -> Result<(), Error> {
        #[derive(macros::FromRow)]
        struct Version(#[row(column = "version")] String);
        let Version(text) = self.read().await?.one(sql!("select sqlite_version() as version")).await?;
        check_version(&text)
    }

    pub(crate) async fn open_postgres(url: &str, config: &Config) -> Result<Self, Error> {
        let statement_timeout = Duration::from_secs(config.statement_timeout_s.into());
        let options = PgConnectOptions::from_str(url)
            .map_err(|error| Error::Unusable(format!("the database address is invalid: {error}")))?
            .application_name("keepclear")
            // No statement takes long by design. One that does is stuck, and would hold its connection. Reads may wait for whoever
            // receives their rows; writes have a limit of their own.
            .options([
                ("statement_timeout", format!("{}s", config.statement_timeout_s)),
                ("idle_in_transaction_session_timeout", "60s".to_owned()),
            ])
            .statement_cache_capacity(STATEMENT_CACHE_CAPACITY)
            .disable_statement_logging();
        let timeout = Duration::from_secs(config.acquire_timeout_s.into());
        let write_queue = WriteQueue::new(config.max_writers(), timeout);
        let server = CurrentServer::default();
        let (of_new, of_idle) = (server.clone(), server.clone());
        let pools = PgPoolOptions::new()
            .acquire_timeout(timeout)
            .after_connect(move |connection, _| {
                let server = of_new.clone();
                Box::pin(async move { server.observe(connection).await })
            })
            // A round trip for each use is expensive, and a connection that was just used is alive.
            .test_before_acquire(false)
            .before_acquire(move |connection, meta| {
                let is_outdated = of_idle.is_outdated(meta.age);
                Box::pin(async move {
                    if meta.idle_for > MAX_IDLE_WITHOUT_PING && !is_outdated {
                        PING_LIMIT.apply(connection.ping()).await?;
                    }
                    Ok(!is_outdated)
                })
            });
        let reserved = pools.clone().max_connections(RESERVED_CONNECTIONS).connect_lazy_with(options.clone());
        // Ingest and reattribution may read boundaries while their transaction is open.
        let pool = pools
            .max_connections(config.max_connections.max(2))
            .connect_with(options)
            .await
            .map_err(Error::of_connecting)?;
        let (admission, write_health) = (Admission::for_postgres(config), WriteHealth::default());
        Ok(Self::Postgres {
            pool: Arc::new(Opaque::new(pool)),
            reserved: Arc::new(Opaque::new(reserved)),
            admission,
            write_queue,
            write_health,
            statement_limit: StatementLimit::beyond_server(statement_timeout),
            server,
            statement_count: Arc::default(),
        })
    }

    /// Begins a transaction that may write.
    pub async fn begin(&self) -> Result<Tx, Error> {
        let permits = self.admission().acquire_write(matches!(self, Self::Postgres { .. })).await?;
        let inner = self.begin_inner().await.inspect_err(|error| self.write_health().record_error(error))?;
        Ok(Tx::new(inner, self.statement_counter())
            .with_statement_limit(self.statement_limit())
            .with_server(self.server())
            .with_write_health(self.write_health())
            .with_permits(permits))
    }

    async fn begin_inner(&self) -> Result<Inner, Error> {
        let limit = self.statement_limit();
        Ok(match self {
            Self::Sqlite { write, .. } => Inner::SqliteWrite(
                Transaction::begin(write.acquire().await?, "begin immediate", limit).await?,
            ),
            Self::Postgres { pool, write_queue, server, .. } => {
                let permit = write_queue.acquire_writer().await?;
                let begun = Transaction::begin(acquire(pool).await?, BEGIN_WRITE, limit).await;
                let transaction = begun.inspect_err(|error| server.note_failure(error))?;
                Inner::postgres_write(transaction, write_queue.clone(), permit)
            }
        })
    }

    /// Returns a connection for single reads. Each statement sees what was committed before it.
    pub async fn read(&self) -> Result<Tx, Error> {
        let (permits, limit) = (self.admission().acquire_read().await?, self.statement_limit());
        let inner = match self {
            Self::Sqlite { read, .. } => Inner::SqliteRead(ReadConnection::new(read.acquire().await?, limit)),
            Self::Postgres { pool, .. } => {
                Inner::PostgresRead(ReadConnection::new(acquire(pool).await?, limit))
            }
        };
        let tx =
            Tx::new(inner, self.statement_counter()).with_statement_limit(limit).with_server(self.server());
        Ok(tx.with_permits(permits))
    }

    /// Begins a read-only transaction whose statements all see the same rows.
    pub async fn snapshot(&self) -> Result<Snapshot, Error> {
        let (permits, limit) = (self.admission().acquire_read().await?, self.statement_limit());
        let inner = match self {
            Self::Sqlite { read, path, .. } => {
                Inner::SqliteSnapshot(SqliteSnapshot::begin(read.acquire().await?, path).await?)
            }
            Self::Postgres { pool, server, .. } => {
                let begun = Transaction::begin(acquire(pool).await?, BEGIN_SNAPSHOT, limit).await;
                Inner::PostgresSnapshot(begun.inspect_err(|error| server.note_failure(error))?)
            }
        };
        let tx =
            Tx::new(inner, self.statement_counter()).with_statement_limit(limit).with_server(self.server());
        Ok(Snapshot::new(tx.with_permits(permits)))
    }

    /// Returns the same database on connections that requests do not use, for work that must make progress while all others are in
    /// use. Callers must limit themselves to a few connections at a time.
    pub fn with_reserved_connections(&self) -> Self {
        let mut store = self.clone();
        match &mut store {
            Self::Sqlite { read, reserved, .. } => *read = reserved.clone(),
            Self::Postgres { pool, reserved, .. } => *pool = reserved.clone(),
        }
        store
    }

    fn statement_limit(&self) -> StatementLimit {
        match self {
            Self::Sqlite { .. } => StatementLimit::NONE,
            Self::Postgres { statement_limit, .. } => *statement_limit,
        }
    }

    fn server(&self) -> Option<CurrentServer> {
        match self {
            Self::Sqlite { .. } => None,
            Self::Postgres { server, .. } => Some(server.clone()),
        }
    }

    /// Returns the timeline of the server that connections lead to, or 0 if it is unknown. After a fail-over or a recovery it is another
    /// one, and what copies of rows were made before may not be there any more. If it is the same before a connection was acquired and
    /// after it was used, that connection led to it.
    pub fn server_timeline(&self) -> i64 {
        match self {
            Self::Sqlite { .. } => 0,
            Self::Postgres { server, .. } => server.timeline(),
        }
    }

    fn admission(&self) -> &Admission {
        match self {
            Self::Sqlite { admission, .. } | Self::Postgres { admission, .. } => admission,
        }
    }

    /// Runs the pending migrations and returns their names.
    pub async fn migrate(&self, now: Timestamp) -> Result<Vec<&'static str>, Error> {
        self.migrate_and_report(now, |_| {}).await
    }

    /// The same. The migrations begin again for as long as others hold a lock on a table that one of them changes: its name is reported
    /// each time.
    pub async fn migrate_and_report(
        &self,
        now: Timestamp,
        report_wait: ReportWait,
    ) -> Result<Vec<&'static str>, Error> {
        loop {
            match migrate::run(self.begin().await?, now, report_wait).await {
                Err(error) if error.is_lock_conflict() => tokio::time::sleep(MIGRATION_PAUSE).await,
                outcome => return outcome,
            }
        }
    }

    /// Compares the schema with the one of this program.
    pub async fn schema(&self) -> Result<SchemaState, Error> {
        migrate::state(&mut self.read().await?).await
    }

    /// Lists every column of every table, in the same form for both engines.
    pub async fn columns(&self) -> Result<Vec<ColumnShape>, Error> {
        self.read().await?.columns().await
    }

    /// Checks SQLite's file for damage. With `deep`, every page is read and references are checked; otherwise only checks run whose
    /// time does not depend on the size of the file. On PostgreSQL nothing is checked.
    pub async fn check_integrity(&self, deep: bool) -> Result<(), Error> {
        let Self::Sqlite { path, .. } = self else { return Ok(()) };
        let mut tx = self.read().await?;
        let faults = if deep {
            match tx.integrity_faults().await {
                // The statements are fixed: if the engine cannot run them, the file is damaged.
                Err(Error::Engine(error)) => vec![error.to_string()],
                looked => looked?,
            }
        } else {
            // The newest pages may be in the write-ahead log only.
            let length = std::fs::metadata(path).map_err(|error| Error::Unusable(error.to_string()))?.len();
            tx.quick_integrity_faults(length + self.wal_bytes().unwrap_or(0)).await?
        };
        if faults.is_empty() {
            return Ok(());
        }
        Err(Error::Unusable(format!("the database file is damaged: {}", faults.join("; "))))
    }

    /// Returns whether PostgreSQL verifies page checksums, or none on SQLite, which has no such setting.
    pub async fn has_data_checksums(&self) -> Result<Option<bool>, Error> {
        self.read().await?.has_data_checksums().await
    }

    /// Returns whether commits of PostgreSQL wait for a synchronous standby, or none on SQLite, which has no standby.
    pub async fn has_synchronous_standby(&self) -> Result<Option<bool>, Error> {
        self.read().await?.has_synchronous_standby().await
    }

    /// Returns whether commits of PostgreSQL wait for a standby although none is connected, or none on SQLite.
    pub async fn is_waiting_for_standby(&self) -> Result<Option<bool>, Error> {
        self.read().await?.is_waiting_for_standby().await
    }

    /// Returns the settings of the connections, for tests of durability.
    pub async fn settings(&self) -> Result<[String; 2], Error> {
        let write = self.begin().await?.settings().await?;
        let read = self.read().await?.settings().await?;
        Ok([format!("write: {write}"), format!("read: {read}")])
    }

    /// Number of statements that ran in all transactions. A statement over many rows counts once.
    pub fn statement_count(&self) -> u64 {
        self.statement_counter().load(Ordering::Relaxed)
    }

    fn statement_counter(&self) -> Arc<AtomicU64> {
        match self {
            Self::Sqlite { statement_count: statements, .. }
            | Self::Postgres { statement_count: statements, .. } => Arc::clone(statements),
        }
    }

    pub(crate) fn write_health(&self) -> WriteHealth {
        match self {
            Self::Sqlite { write_health, .. } | Self::Postgres { write_health, .. } => write_health.clone(),
        }
    }

    /// Utilisation of the read connections (on PostgreSQL, of all connections).
    pub fn pool_state(&self) -> PoolState {
        let state =
            |open: u32, idle: usize| PoolState { open, idle: u32::try_from(idle).unwrap_or(u32::MAX) };
        match self {
            Self::Sqlite { read, .. } => state(read.size(), read.num_idle()),
            Self::Postgres { pool, .. } => state(pool.size(), pool.num_idle()),
        }
    }

    /// Size of SQLite's write-ahead log in bytes, or none on PostgreSQL.
    pub fn wal_bytes(&self) -> Option<u64> {
        let Self::Sqlite { path, .. } = self else { return None };
        let mut wal = path.clone().into_os_string();
        wal.push("-wal");
        std::fs::metadata(wal).ok().map(|file| file.len())
    }

    /// Returns the name of the engine.
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "SQLite",
            Self::Postgres { .. } => "PostgreSQL",
        }
    }

    /// Closes all connections after their current work.
    pub async fn close(&self) {
        match self {
            Self::Sqlite { read, write, reserved, .. } => {
                read.close().await;
                reserved.close().await;
                write.close().await;
            }
            Self::Postgres { pool, reserved, .. } => {
                reserved.close().await;
                pool.close().await;
            }
        }
    }
}

fn check_version(text: &str) -> Result<(), Error> {
    let mut parts = text.split('.').map(|part| part.parse::<i64>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    if (next(), next(), next()) >= MIN_SQLITE_VERSION {
        return Ok(());
    }
    let (major, minor, patch) = MIN_SQLITE_VERSION;
    let reason = "can corrupt a write-ahead log";
    Err(Error::Unusable(format!("SQLite {text} {reason}; {major}.{minor}.{patch} or newer is needed")))
}

/// Takes a connection to PostgreSQL from its pool.
async fn acquire(pool: &PgPool) -> Result<PoolConnection<Postgres>, Error> {
    pool.acquire().await.map_err(Error::of_connecting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sqlite_that_can_corrupt_its_log_is_refused() {
        for (text, fits) in [
            ("3.51.3", true),
            ("3.52", true),
            ("4.0.0", true),
            ("3.51.2", false),
            ("3.9.99", false),
            ("", false),
        ] {
            assert_eq!(check_version(text).is_ok(), fits, "{text}");
        }
    }
}
