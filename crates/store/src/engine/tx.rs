//! The transaction type, and the few primitives through which every statement runs.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::Opaque;
use domain::row::FromRow;
use futures_util::TryStreamExt;
use sqlx::{AssertSqlSafe, Executor, Postgres, SqlSafeStr, Sqlite};

use tokio::sync::OwnedSemaphorePermit;

use crate::engine::admission::{ActivePermit, Permits};
use crate::engine::dialect::{CurrentServer, SqliteSnapshot};
use crate::engine::error::{ends_connection, ends_other_connections};
use crate::engine::row::Row;
use crate::engine::statement::{Statement, Value};
use crate::engine::statement_limit::StatementLimit;
use crate::engine::transaction::{Guards, ReadConnection, Run, Transaction};
use crate::engine::write_health::WriteHealth;
use crate::engine::write_queue::WriteQueue;
use crate::{Error, Scope};

/// How often the server hears from a write that waits for something else, which is well within the limit of `BEGIN_WRITE`, and how long it
/// may take to answer.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(1);
const KEEP_ALIVE_LIMIT: StatementLimit = StatementLimit::of(Duration::from_secs(2));

/// A transaction, or a connection for single reads.
///
/// Dropping it without [`Tx::commit`] rolls everything back. While one is open, callers must await nothing but the store, because
/// SQLite has only one writer.
pub struct Tx {
    /// Opaque, because every crate above drops transactions.
    pub(crate) inner: Opaque<Inner>,
    statement_count: u64,
    /// The same counter for all transactions of the store.
    store_statement_count: Arc<AtomicU64>,
    after_commit: Vec<Box<dyn FnOnce() + Send>>,
    write_health: WriteHealth,
    /// The longest time that each statement may take.
    pub(crate) statement_limit: StatementLimit,
    /// None on SQLite.
    server: Option<CurrentServer>,
    /// Whether a statement failed. After that PostgreSQL would answer a commit as if it had succeeded, and SQLite may have rolled
    /// everything back by itself and would commit each later statement on its own.
    has_failed: bool,
    /// Markers that the task owner holds permits, for as long as the transaction is open.
    active_permits: Vec<ActivePermit>,
    /// The last field, so that it is dropped after the connection.
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

/// Which permits a write transaction on PostgreSQL has. They are guards of the transaction: after a caller was cancelled, the server may
/// still execute its statement.
pub(crate) struct WritePermits {
    write_queue: WriteQueue,
    has_brand_permit: bool,
}

impl Inner {
    /// A write transaction with its permit among all writers.
    pub(crate) fn postgres_write(
        mut transaction: Transaction<Postgres>,
        write_queue: WriteQueue,
        writer_permit: OwnedSemaphorePermit,
    ) -> Self {
        transaction.attach_guard(Box::new(writer_permit));
        Self::PostgresWrite(transaction, WritePermits { write_queue, has_brand_permit: false })
    }
}

/// Builds the sqlx query of a statement.
macro_rules! query {
    ($statement:expr) => {{
        let Statement { text, values, is_cached, packed: _ } = $statement;
        // The text consists of `&'static str` only; see `Statement`.
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

/// Evaluates an expression with the connection of either engine and the variant of [`Row`] that belongs to it.
macro_rules! on_engine {
    ($tx:expr, |$connection:ident, $row:ident| $run:expr) => {
        match &mut *$tx.inner {
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

#[macros::boxed]
impl Tx {
    pub(crate) fn new(inner: Inner, store_statement_count: Arc<AtomicU64>) -> Self {
        Self {
            inner: Opaque::new(inner),
            statement_count: 0,
            store_statement_count,
            after_commit: Vec::new(),
            write_health: WriteHealth::default(),
            statement_limit: StatementLimit::NONE,
            server: None,
            has_failed: false,
            active_permits: Vec::new(),
            guards: Guards::new(),
        }
    }

    /// Attaches the permits that the transaction took from its owner's shares.
    pub(crate) fn with_permits(mut self, permits: Permits) -> Self {
        let (grants, active) = permits.split();
        self.active_permits = active;
        self.attach_guard(grants);
        self
    }

    /// Attaches a value, such as a permit, that is dropped only once the connection is free again.
    pub fn attach_guard(&mut self, guard: impl Send + Sync + 'static) {
        match &mut *self.inner {
            Inner::PostgresSnapshot(transaction) | Inner::PostgresWrite(transaction, _) => {
                transaction.attach_guard(Box::new(guard));
            }
            Inner::PostgresRead(reading) => reading.attach_guard(Box::new(guard)),
            Inner::SqliteRead(reading) => reading.attach_guard(Box::new(guard)),
            Inner::SqliteWrite(_) | Inner::SqliteSnapshot(_) => self.guards.push(Box::new(guard)),
        }
    }

    /// Reports the outcome of the transaction to `write_health`.
    pub(crate) fn with_write_health(self, write_health: WriteHealth) -> Self {
        Self { write_health, ..self }
    }

    /// Reports connections that have ended to `server`.
    pub(crate) fn with_server(self, server: Option<CurrentServer>) -> Self {
        Self { server, ..self }
    }

    /// Lets no connection be used that was made before now.
    pub(crate) fn replace_connections(&self) {
        if let Some(server) = &self.server {
            server.replace_connections();
        }
    }

    /// Limits the time of each statement from here on.
    pub(crate) fn with_statement_limit(self, statement_limit: StatementLimit) -> Self {
        Self { statement_limit, ..self }
    }

    /// The same for the rest of a transaction.
    pub(crate) fn set_statement_limit(&mut self, limit: StatementLimit) {
        self.statement_limit = limit;
    }

    /// Converts an error of the engine. After a failed statement, a write transaction can only be dropped. A connection that the error
    /// has ended is closed.
    pub(crate) fn checked<T>(&mut self, outcome: Result<T, sqlx::Error>) -> Result<T, Error> {
        let (error, has_ended) = match outcome {
            Ok(value) => return Ok(value),
            Err(error) => {
                if ends_other_connections(&error) {
                    self.replace_connections();
                }
                let has_ended = ends_connection(&error);
                (Error::from(error), has_ended)
            }
        };
        match &mut *self.inner {
            Inner::SqliteWrite(transaction) => {
                self.has_failed = true;
                if !matches!(error, Error::Duplicate(_) | Error::Engine(_)) {
                    transaction.discard_connection();
                }
            }
            // Otherwise the rollback shows whether the connection is still usable.
            Inner::PostgresWrite(transaction, _) => {
                self.has_failed = true;
                if has_ended {
                    transaction.discard_connection();
                }
            }
            Inner::PostgresSnapshot(transaction) => {
                if has_ended {
                    transaction.discard_connection();
                }
                return Err(error);
            }
            Inner::PostgresRead(connection) => {
                if has_ended {
                    connection.discard_connection();
                }
                return Err(error);
            }
            Inner::SqliteRead(_) | Inner::SqliteSnapshot(_) => return Err(error),
        }
        self.write_health.record_error(&error);
        Err(error)
    }

    /// Registers a callback for after a successful commit. It may be lost, so it must only be a hint, such as waking a worker.
    pub fn after_commit(&mut self, run: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(run));
    }

    pub async fn commit(self) -> Result<(), Error> {
        if self.has_failed {
            return Err(Error::Aborted);
        }
        match self.inner.into_inner() {
            Inner::SqliteWrite(transaction) => self.write_health.record_commit(transaction.commit().await)?,
            Inner::PostgresWrite(transaction, _) => {
                let outcome = transaction.commit().await;
                if let (Err(Error::OutcomeUnknown(_)), Some(server)) = (&outcome, &self.server) {
                    server.replace_connections();
                }
                self.write_health.record_commit(outcome)?;
            }
            Inner::SqliteSnapshot(snapshot) => snapshot.end().await?,
            // A statement that was interrupted may still be pending, so this rolls back.
            Inner::PostgresSnapshot(transaction) => transaction.roll_back().await,
            Inner::SqliteRead(_) | Inner::PostgresRead(_) => {}
        }
        for run in self.after_commit {
            run();
        }
        Ok(())
    }

    /// Waits for the brand's write permit before its row is locked. SQLite has one writer anyway.
    pub(crate) async fn acquire_brand_permit(&mut self, scope: &Scope) -> Result<(), Error> {
        let queue = match &*self.inner {
            Inner::PostgresWrite(_, permits) if !permits.has_brand_permit => permits.write_queue.clone(),
            _ => return Ok(()),
        };
        let permit = self.keep_alive_while(queue.acquire_brand(scope.brand())).await??;
        if let Inner::PostgresWrite(transaction, permits) = &mut *self.inner {
            transaction.attach_guard(Box::new(permit));
            permits.has_brand_permit = true;
        }
        Ok(())
    }

    /// Awaits something that is not done by this transaction. The server hears from it meanwhile, because it ends a write whose client is
    /// silent for long.
    pub async fn keep_alive_while<T>(&mut self, awaited: impl Future<Output = T>) -> Result<T, Error> {
        let mut awaited = pin!(awaited);
        loop {
            tokio::select! {
                output = &mut awaited => return Ok(output),
                () = tokio::time::sleep(KEEP_ALIVE_INTERVAL) => self.keep_alive().await?,
            }
        }
    }

    async fn keep_alive(&mut self) -> Result<(), Error> {
        let Inner::PostgresWrite(transaction, _) = &mut *self.inner else { return Ok(()) };
        let outcome = KEEP_ALIVE_LIMIT.apply(<Postgres as Run>::run(transaction, "select 1")).await;
        self.checked(outcome)
    }

    pub(crate) fn is_postgres(&self) -> bool {
        matches!(&*self.inner, Inner::PostgresRead(_) | Inner::PostgresSnapshot(_) | Inner::PostgresWrite(..))
    }

    /// Number of statements that ran in this transaction, for tests. A statement over many rows counts once.
    pub fn statement_count(&self) -> u64 {
        self.statement_count
    }

    /// Counts a statement that is about to run. Fails if an earlier one failed.
    pub(crate) fn count_statement(&mut self) -> Result<(), Error> {
        if self.has_failed {
            return Err(Error::Aborted);
        }
        self.statement_count += 1;
        self.store_statement_count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Runs a statement and returns the number of rows it affected.
    pub(crate) async fn execute(&mut self, statement: Statement) -> Result<u64, Error> {
        self.count_statement()?;
        let limit = self.statement_limit;
        let touched = on_engine!(self, |connection, _row| {
            limit.apply(connection.execute(query!(statement))).await.map(|done| done.rows_affected())
        });
        self.checked(touched)
    }

    /// Returns the first row, if there is one.
    pub(crate) async fn optional<T: FromRow<Row>>(
        &mut self,
        statement: Statement,
    ) -> Result<Option<T>, Error> {
        self.optional_row(statement).await?.map(|row| T::from_row(&row)).transpose()
    }

    /// Returns the first row. A missing row is an error.
    pub(crate) async fn one<T: FromRow<Row>>(&mut self, statement: Statement) -> Result<T, Error> {
        self.optional(statement).await?.ok_or(Error::Engine(sqlx::Error::RowNotFound))
    }

    pub(crate) async fn all<T: FromRow<Row> + Send>(
        &mut self,
        statement: Statement,
    ) -> Result<Vec<T>, Error> {
        let mut read = Vec::new();
        self.take_rows(statement, &mut |row| {
            read.push(T::from_row(&row)?);
            Ok(())
        })
        .await?;
        Ok(read)
    }

    /// What [`Self::optional`] does for all types of records alike: the engines' code for it is compiled once, not for each type.
    async fn optional_row(&mut self, statement: Statement) -> Result<Option<Row>, Error> {
        self.count_statement()?;
        let (packed, limit) = (statement.packed.clone(), self.statement_limit);
        let found = on_engine!(self, |connection, row| {
            limit.apply(connection.fetch_optional(query!(statement))).await.map(|found| found.map(row))
        });
        self.checked(found)?.map(|row| row.unpack(packed.as_ref())).transpose()
    }

    /// What [`Self::all`] does for all types of records alike.
    async fn take_rows(
        &mut self,
        statement: Statement,
        take: &mut (dyn FnMut(Row) -> Result<(), Error> + Send),
    ) -> Result<(), Error> {
        self.count_statement()?;
        let (packed, limit) = (statement.packed.clone(), self.statement_limit);
        let taken: Result<Result<(), Error>, sqlx::Error> = on_engine!(self, |connection, row| {
            let rows = limit.apply(connection.fetch_all(query!(statement))).await;
            let mut take_one = |found| take(row(found).unpack(packed.as_ref())?);
            rows.map(|rows| rows.into_iter().try_for_each(&mut take_one))
        });
        self.checked(taken)?
    }

    /// Passes each row to `take` as it arrives, so that the rows are not all in memory. The limit holds for each row.
    pub(crate) async fn for_each_row<T: FromRow<Row>>(
        &mut self,
        statement: Statement,
        mut take: impl FnMut(T),
    ) -> Result<(), Error> {
        self.count_statement()?;
        let (packed, limit) = (statement.packed.clone(), self.statement_limit);
        let outcome = on_engine!(self, |connection, row| {
            let mut rows = connection.fetch(query!(statement));
            loop {
                match limit.apply(rows.try_next()).await {
                    Ok(Some(found)) => take(T::from_row(&row(found).unpack(packed.as_ref())?)?),
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                }
            }
        });
        self.checked(outcome)
    }

    /// Runs a script of several statements without values, such as a migration.
    pub(crate) async fn execute_script(&mut self, text: &'static str) -> Result<(), Error> {
        let limit = self.statement_limit;
        let outcome = on_engine!(self, |connection, _row| {
            limit.apply(connection.execute(sqlx::raw_sql(text.into_sql_str()))).await.map(drop)
        });
        self.checked(outcome)
    }
}
