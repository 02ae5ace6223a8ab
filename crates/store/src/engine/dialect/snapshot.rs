//! Read-only transactions whose statements all see the same rows: how they begin, are interrupted and end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{Executor, Sqlite};

use crate::Error;
use crate::engine::statement::sql;
use crate::engine::statement_limit::StatementLimit;
use crate::engine::tx::{Inner, Tx};

/// Begins a transaction on PostgreSQL whose statements all see what was committed before the first.
pub(crate) const BEGIN_SNAPSHOT: &str = "begin isolation level repeatable read read only";

/// SQLite's virtual machine steps between two checks of the interrupt flag: about a millisecond's worth.
const PROGRESS_STEPS: i32 = 10_000;

/// A read transaction on SQLite.
///
/// If it is dropped before its end, its connection is closed instead of reused: a statement may still be running, or a progress
/// handler be installed that would interrupt the next one.
pub(crate) struct SqliteSnapshot {
    pub connection: PoolConnection<Sqlite>,
    /// The database file.
    pub path: PathBuf,
    /// Interrupts the running statement; none unless a timeout was set.
    interrupt_flag: Option<Arc<AtomicBool>>,
    has_ended: bool,
}

impl SqliteSnapshot {
    pub async fn begin(connection: PoolConnection<Sqlite>, path: &Path) -> Result<Self, Error> {
        let path = path.to_owned();
        let mut snapshot = Self { connection, path, interrupt_flag: None, has_ended: false };
        (&mut *snapshot.connection).execute("begin").await?;
        Ok(snapshot)
    }

    async fn make_interruptible(&mut self) -> Result<(), Error> {
        let stop = Arc::new(AtomicBool::new(false));
        self.interrupt_flag = Some(Arc::clone(&stop));
        let mut handle = self.connection.lock_handle().await?;
        handle.set_progress_handler(PROGRESS_STEPS, move || !stop.load(Ordering::Relaxed));
        Ok(())
    }

    fn interrupt(&self) {
        if let Some(stop) = &self.interrupt_flag {
            stop.store(true, Ordering::Relaxed);
        }
    }

    pub async fn end(mut self) -> Result<(), Error> {
        if self.interrupt_flag.is_some() {
            self.connection.lock_handle().await?.remove_progress_handler();
        }
        (&mut *self.connection).execute("rollback").await?;
        self.has_ended = true;
        Ok(())
    }
}

impl Drop for SqliteSnapshot {
    fn drop(&mut self) {
        if !self.has_ended {
            self.interrupt();
            self.connection.close_on_drop();
        }
    }
}

impl Tx {
    /// Makes the rest of a snapshot prefer indexes. For a page of many rows in the order of an index, PostgreSQL estimates that
    /// sorting the whole table is cheaper, even more so without statistics, and then each page costs as much as the whole table.
    /// A sort that cannot be avoided then looks so expensive that it would be JIT-compiled, which takes longer than any page.
    pub(crate) async fn prefer_indexes(&mut self) -> Result<(), Error> {
        if let Inner::PostgresSnapshot(_) = &*self.inner {
            self.execute(sql!(
                "select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
                     set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
                     set_config('enable_sort', 'off', true), set_config('jit', 'off', true)"
            ))
            .await?;
        }
        Ok(())
    }

    /// Runs read-only work and interrupts it after the timeout. For snapshots only: on PostgreSQL the limit holds until the end of the
    /// transaction, and on SQLite only snapshots can be interrupted.
    pub(crate) async fn with_timeout<T>(
        &mut self,
        timeout: Duration,
        run: impl AsyncFnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.is_postgres() {
            // Only the server can stop a statement there; without a limit it would go on after its caller is gone.
            let timeout_ms = timeout.as_millis().max(1).to_string();
            self.execute(sql!("select set_config('statement_timeout', $1, true)", timeout_ms)).await?;
            self.set_statement_limit(StatementLimit::beyond_server(timeout));
        } else if let Inner::SqliteSnapshot(snapshot) = &mut *self.inner {
            snapshot.make_interruptible().await?;
        }
        let outcome = tokio::time::timeout(timeout, run(self)).await;
        match outcome {
            Ok(Err(Error::Unavailable(error) | Error::Engine(error))) if is_interrupted(&error) => {
                Err(Error::TimedOut)
            }
            Ok(outcome) => outcome,
            Err(_) => {
                if let Inner::SqliteSnapshot(snapshot) = &*self.inner {
                    snapshot.interrupt();
                }
                Err(Error::TimedOut)
            }
        }
    }
}

/// Whether the error means that the statement was interrupted.
fn is_interrupted(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    matches!(code.as_deref(), Some("57014" | "9"))
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;
    use crate::engine::page::Count;
    use crate::{Address, Config, Store};

    /// Never ends by itself and returns no row meanwhile.
    const ENDLESS: &str =
        "with recursive numbers (number) as (select 1 union all select (number + 1) % 1000 from numbers)
         select count(*) as count from numbers";

    async fn stopped_in_time(address: Address) {
        let config = Config {
            url: String::new(),
            max_connections: 2,
            max_connections_per_brand: 0,
            max_connections_per_caller: 0,
            acquire_timeout_s: 60,
            statement_timeout_s: 60,
            pg_bin_dir: PathBuf::new(),
        };
        let (store, _) = Store::open(&address, &config).await.unwrap();
        store.migrate(Timestamp::from_seconds(0)).await.unwrap();
        // More often than there are connections, with and without ending the snapshot.
        for round in 0..6 {
            let mut snapshot = store.snapshot().await.unwrap();
            let outcome = snapshot
                .with_timeout(Duration::from_millis(20), async |tx| tx.one::<Count>(sql!(ENDLESS)).await)
                .await;
            assert!(matches!(outcome.map(|Count(count)| count), Err(Error::TimedOut)));
            if round % 2 == 0 {
                snapshot.end().await.unwrap();
            }
        }
        // Cancelled by the caller before the timeout.
        for _ in 0..3 {
            let mut snapshot = store.snapshot().await.unwrap();
            let endless = snapshot
                .with_timeout(Duration::from_secs(2), async |tx| tx.one::<Count>(sql!(ENDLESS)).await);
            assert!(tokio::time::timeout(Duration::from_millis(20), endless).await.is_err());
        }
        // Later statements are not interrupted.
        for _ in 0..3 {
            let mut snapshot = store.snapshot().await.unwrap();
            let long = "with recursive numbers (number) as (select 1 union all select number + 1 from numbers
                 where number < 100000) select count(*) as count from numbers";
            let Count(count) = snapshot
                .with_timeout(Duration::from_secs(60), async |tx| tx.one::<Count>(sql!(long)).await)
                .await
                .unwrap();
            assert_eq!(count, 100_000);
            snapshot.end().await.unwrap();
            let Count(count) = store.read().await.unwrap().one(sql!(long)).await.unwrap();
            assert_eq!(count, 100_000);
        }
        store.close().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn sqlite_stops_what_takes_too_long() {
        let folder = testbed::temporary_folder();
        stopped_in_time(Address::Sqlite(folder.path().join("keepclear.db"))).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn postgres_stops_what_takes_too_long() {
        let cluster = tokio::task::spawn_blocking(testbed::PostgresCluster::start).await.unwrap().unwrap();
        cluster.create_database("keepclear", None).unwrap();
        stopped_in_time(Address::Postgres(cluster.url("keepclear"))).await;
    }
}
