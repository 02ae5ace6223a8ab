//! Transactions, and the handful of primitives through which every statement runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::TryStreamExt;
use sqlx::{AssertSqlSafe, Executor, Postgres, SqlSafeStr, Sqlite};

use tokio::sync::OwnedSemaphorePermit;

use crate::engine::admission::{ActivePermit, Permits};
use crate::engine::dialect::SqliteSnapshot;
use crate::engine::row::{FromRow, Row};
use crate::engine::statement::{Statement, Value};
use crate::engine::transaction::{Guards, ReadConnection, Transaction};
use crate::engine::write_health::WriteHealth;
use crate::engine::write_queue::WriteQueue;
use crate::{Error, Scope};

/// Work on the rows of one database: a transaction, or a connection for single reads.
///
/// Dropped without [`Tx::commit`], everything done through it is undone. While one is open, nothing but the
/// store is awaited: SQLite has one writer.
pub struct Tx {
    pub(crate) inner: Inner,
    statement_count: u64,
    /// The same, of all transactions of the store.
    store_statement_count: Arc<AtomicU64>,
    after_commit: Vec<Box<dyn FnOnce() + Send>>,
    /// What writes of the store have shown.
    write_health: WriteHealth,
    /// A statement failed: PostgreSQL would answer a commit as if it had worked, and SQLite may have undone everything by itself
    /// and write each later statement on its own.
    has_failed: bool,
    /// Says that its holder has a place, for as long as this is open.
    active_permits: Vec<ActivePermit>,
    /// Last, so that it is given back after the connection.
    guards: Guards,
}

pub(crate) enum Inner {
    SqliteRead(ReadConnection<Sqlite>),
    SqliteWrite(Transaction<Sqlite>),
    SqliteSnapshot(SqliteSnapshot),
    PostgresRead(ReadConnection<Postgres>),
    PostgresSnapshot(Transaction<Postgres>),
    PostgresWrite(Transaction<Postgres>, WritePermits),
}

/// The turns a transaction has, which end with it.
pub(crate) struct WritePermits {
    write_queue: WriteQueue,
    brand_permit: Option<OwnedSemaphorePermit>,
    _writer_permit: OwnedSemaphorePermit,
}

impl WritePermits {
    pub(crate) fn new(turns: WriteQueue, of_writers: OwnedSemaphorePermit) -> Self {
        Self { write_queue: turns, brand_permit: None, _writer_permit: of_writers }
    }
}

/// Builds the engine's own query of a statement.
macro_rules! query {
    ($statement:expr) => {{
        let Statement { text, values, is_cached } = $statement;
        // Statements are made of `&'static str` only; see `Statement`.
        let mut query = sqlx::query(AssertSqlSafe(text)).persistent(is_cached);
        for value in values {
            query = match value {
                Value::Int(value) => query.bind(value),
                Value::Text(value) => query.bind(value),
                Value::Bytes(value) => query.bind(value),
                Value::Bool(value) => query.bind(value),
            };
        }
        query
    }};
}

/// Runs one expression against whichever connection this is, with the variant of [`Row`] that fits it.
macro_rules! on_engine {
    ($tx:expr, |$connection:ident, $row:ident| $run:expr) => {
        match &mut $tx.inner {
            Inner::SqliteRead($connection) => {
                let ($connection, $row) = (&mut **$connection, Row::Sqlite);
                $run
            }
            Inner::SqliteWrite($connection) => {
                let ($connection, $row) = (&mut **$connection, Row::Sqlite);
                $run
            }
            Inner::SqliteSnapshot(snapshot) => {
                let ($connection, $row) = (&mut *snapshot.connection, Row::Sqlite);
                $run
            }
            Inner::PostgresRead($connection) => {
                let ($connection, $row) = (&mut **$connection, Row::Postgres);
                $run
            }
            Inner::PostgresSnapshot($connection) => {
                let ($connection, $row) = (&mut **$connection, Row::Postgres);
                $run
            }
            Inner::PostgresWrite($connection, _) => {
                let ($connection, $row) = (&mut **$connection, Row::Postgres);
                $run
            }
        }
    };
}

impl Tx {
    pub(crate) fn new(inner: Inner, of_store: Arc<AtomicU64>) -> Self {
        Self {
            inner,
            statement_count: 0,
            store_statement_count: of_store,
            after_commit: Vec::new(),
            write_health: WriteHealth::default(),
            has_failed: false,
            active_permits: Vec::new(),
            guards: Guards::new(),
        }
    }

    /// The same, with what it takes of its holder's shares.
    pub(crate) fn with_permits(mut self, places: Permits) -> Self {
        let (grants, open) = places.split();
        self.active_permits = open;
        self.attach_guard(grants);
        self
    }

    /// Has something dropped only once the connection is free again: a place among those who may use one for long.
    pub fn attach_guard(&mut self, what: impl Send + Sync + 'static) {
        match &mut self.inner {
            Inner::PostgresSnapshot(transaction) | Inner::PostgresWrite(transaction, _) => {
                transaction.attach_guard(Box::new(what));
            }
            Inner::PostgresRead(reading) => reading.attach_guard(Box::new(what)),
            Inner::SqliteRead(reading) => reading.attach_guard(Box::new(what)),
            Inner::SqliteWrite(_) | Inner::SqliteSnapshot(_) => self.guards.push(Box::new(what)),
        }
    }

    /// The same, and what becomes of it is told there.
    pub(crate) fn with_write_health(self, writes: WriteHealth) -> Self {
        Self { write_health: writes, ..self }
    }

    /// Turns an engine's error into ours. A write transaction in which a statement failed can only be dropped.
    pub(crate) fn checked<T>(&mut self, outcome: Result<T, sqlx::Error>) -> Result<T, Error> {
        let error = match outcome {
            Ok(value) => return Ok(value),
            Err(error) => Error::from(error),
        };
        match &mut self.inner {
            Inner::SqliteWrite(transaction) => {
                self.has_failed = true;
                if !matches!(error, Error::Duplicate(_) | Error::Engine(_)) {
                    transaction.discard_connection();
                }
            }
            // A rollback tells whether the connection is still good.
            Inner::PostgresWrite(..) => self.has_failed = true,
            Inner::SqliteRead(_)
            | Inner::SqliteSnapshot(_)
            | Inner::PostgresRead(_)
            | Inner::PostgresSnapshot(_) => return Err(error),
        }
        self.write_health.record_error(&error);
        Err(error)
    }

    /// Has something done once everything is lasting: a nudge, never an effect that must not be lost.
    pub fn after_commit(&mut self, run: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(run));
    }

    /// Makes everything done so far lasting.
    pub async fn commit(self) -> Result<(), Error> {
        if self.has_failed {
            return Err(Error::Aborted);
        }
        match self.inner {
            Inner::SqliteWrite(transaction) => self.write_health.record_commit(transaction.commit().await)?,
            Inner::PostgresWrite(transaction, _turn) => {
                self.write_health.record_commit(transaction.commit().await)?
            }
            Inner::SqliteSnapshot(snapshot) => snapshot.end().await?,
            // Rolled back, whatever is still to come from a statement that was stopped.
            Inner::PostgresSnapshot(transaction) => transaction.roll_back().await,
            Inner::SqliteRead(_) | Inner::PostgresRead(_) => {}
        }
        for run in self.after_commit {
            run();
        }
        Ok(())
    }

    /// Waits for the brand's turn, before its row is locked. SQLite has one writer anyway.
    pub(crate) async fn acquire_brand_permit(&mut self, scope: &Scope) -> Result<(), Error> {
        if let Inner::PostgresWrite(_, turn) = &mut self.inner
            && turn.brand_permit.is_none()
        {
            turn.brand_permit = Some(turn.write_queue.acquire_brand(scope.brand()).await?);
        }
        Ok(())
    }

    pub(crate) fn is_postgres(&self) -> bool {
        matches!(self.inner, Inner::PostgresRead(_) | Inner::PostgresSnapshot(_) | Inner::PostgresWrite(..))
    }

    /// How many statements ran through it: what a test of their number looks at. One over many rows counts once.
    pub fn statement_count(&self) -> u64 {
        self.statement_count
    }

    /// Counts a statement that is about to run; refuses it after one that failed.
    pub(crate) fn count_statement(&mut self) -> Result<(), Error> {
        if self.has_failed {
            return Err(Error::Aborted);
        }
        self.statement_count += 1;
        self.store_statement_count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Runs a statement and tells how many rows it touched.
    pub(crate) async fn execute(&mut self, statement: Statement) -> Result<u64, Error> {
        self.count_statement()?;
        let touched = on_engine!(self, |connection, _row| {
            connection.execute(query!(statement)).await.map(|done| done.rows_affected())
        });
        self.checked(touched)
    }

    /// The first row, if there is one.
    pub(crate) async fn optional<T: FromRow>(&mut self, statement: Statement) -> Result<Option<T>, Error> {
        self.count_statement()?;
        let found = on_engine!(self, |connection, row| {
            connection.fetch_optional(query!(statement)).await.map(|found| found.map(row))
        });
        self.checked(found)?.map(|row| T::from_row(&row)).transpose()
    }

    /// The row that must be there.
    pub(crate) async fn one<T: FromRow>(&mut self, statement: Statement) -> Result<T, Error> {
        self.optional(statement).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    /// All rows.
    pub(crate) async fn all<T: FromRow>(&mut self, statement: Statement) -> Result<Vec<T>, Error> {
        self.count_statement()?;
        let rows: Result<Result<Vec<T>, Error>, sqlx::Error> = on_engine!(self, |connection, row| {
            let rows = connection.fetch_all(query!(statement)).await;
            rows.map(|rows| rows.into_iter().map(|found| T::from_row(&row(found))).collect())
        });
        self.checked(rows)?
    }

    /// Gives each row to `take` as it comes, so that many are not held twice.
    pub(crate) async fn for_each_row<T: FromRow>(
        &mut self,
        statement: Statement,
        mut take: impl FnMut(T),
    ) -> Result<(), Error> {
        self.count_statement()?;
        let outcome = on_engine!(self, |connection, row| {
            let mut rows = connection.fetch(query!(statement));
            loop {
                match rows.try_next().await {
                    Ok(Some(found)) => take(T::from_row(&row(found))?),
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                }
            }
        });
        self.checked(outcome)
    }

    /// Runs a script of several statements without values: a migration.
    pub(crate) async fn execute_script(&mut self, text: &'static str) -> Result<(), Error> {
        let outcome = on_engine!(self, |connection, _row| {
            connection.execute(sqlx::raw_sql(text.into_sql_str())).await.map(drop)
        });
        self.checked(outcome)
    }
}
