//! A transaction on a pooled connection: it either ends cleanly, or its connection is closed and never used again.
//!
//! sqlx's own `Transaction` counts its nesting depth. When the disk is full, SQLite rolls back a transaction by itself; the count
//! then stays wrong, and the connection refuses every later transaction. On PostgreSQL it also misses a `begin` whose caller was
//! dropped. This one does not count: a connection returns to its pool only after the engine has confirmed `commit` or `rollback`.

use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{Database, Executor, Postgres, Sqlite};
use tokio::task::JoinHandle;

use crate::Error;
use crate::engine::statement_limit::StatementLimit;

/// Time for which a confirmed commit waits until its connection is free.
const RELEASE_LIMIT: StatementLimit = StatementLimit::of(Duration::from_secs(2));

/// Runs a statement without values on a connection of either engine.
pub(crate) trait Run: Database {
    fn run(
        connection: &mut Self::Connection,
        text: &'static str,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;
}

impl Run for Sqlite {
    async fn run(connection: &mut Self::Connection, text: &'static str) -> Result<(), sqlx::Error> {
        connection.execute(text).await.map(drop)
    }
}

impl Run for Postgres {
    async fn run(connection: &mut Self::Connection, text: &'static str) -> Result<(), sqlx::Error> {
        connection.execute(text).await.map(drop)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Begun and not ended. Dropping the transaction rolls it back.
    Open,
    /// `commit` was sent and has no answer yet. If the caller goes away, the connection stays in use until there is one: a server whose
    /// commit waits for a standby does not notice that its client has gone, and another connection would be one more.
    Committing,
    /// `begin` or `commit` was not confirmed, or a statement failed in a way that may have ended the transaction.
    Unknown,
    /// The engine has confirmed the end.
    Ended,
}

/// A transaction. If it is dropped while open, it is rolled back; if it is dropped in an unknown state, its connection is closed.
pub(crate) struct Transaction<DB: Run> {
    /// None once it has been dropped.
    connection: Option<PoolConnection<DB>>,
    stage: Stage,
    /// Also holds for the rollback, and for the ping with which the pool takes the connection back.
    limit: StatementLimit,
    /// Released after the connection is free again. A caller that is cancelled drops the transaction immediately, while PostgreSQL
    /// may still execute its statement. Until that has ended, the connection is in use, and so are the guards. Those of a connection that
    /// is closed in an unknown state are released immediately.
    guards: Guards,
}

/// A connection for single reads. A caller that is cancelled drops it while the engine may still execute its statement; the pool
/// gets it back when that has ended, and its guards are released then. Those of a connection that is discarded are released immediately.
pub(crate) struct ReadConnection<DB: Database> {
    /// None once it has been dropped.
    connection: Option<PoolConnection<DB>>,
    /// Whether the connection is closed at the end instead of returned to the pool.
    is_discarded: bool,
    /// Also holds for the ping with which the pool takes the connection back.
    limit: StatementLimit,
    guards: Guards,
}

impl<DB: Database> ReadConnection<DB> {
    pub fn new(connection: PoolConnection<DB>, limit: StatementLimit) -> Self {
        Self { connection: Some(connection), is_discarded: false, limit, guards: Guards::new() }
    }

    /// Closes the connection at the end instead of returning it to the pool.
    pub fn discard_connection(&mut self) {
        self.is_discarded = true;
    }

    /// Attaches a value that is dropped only once the connection is free again.
    pub fn attach_guard(&mut self, guard: Box<dyn Send + Sync>) {
        self.guards.push(guard);
    }
}

#[expect(clippy::expect_used, reason = "it is taken out by the drop alone")]
impl<DB: Database> Deref for ReadConnection<DB> {
    type Target = DB::Connection;

    fn deref(&self) -> &Self::Target {
        self.connection.as_ref().expect("a connection until the drop")
    }
}

#[expect(clippy::expect_used, reason = "it is taken out by the drop alone")]
impl<DB: Database> DerefMut for ReadConnection<DB> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.connection.as_mut().expect("a connection until the drop")
    }
}

impl<DB: Database> Drop for ReadConnection<DB> {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        let guards = std::mem::take(&mut self.guards);
        if self.is_discarded {
            connection.close_on_drop();
            return;
        }
        // Dropping the connection would do the same, but without a way to wait for it.
        let (limit, returned) = (self.limit, connection.return_to_pool());
        tokio::spawn(async move {
            // One that does not answer is closed.
            limit.wait(returned).await;
            drop(guards);
        });
    }
}

/// Values that live for as long as a connection is in use, such as permits.
pub(crate) type Guards = Vec<Box<dyn Send + Sync>>;

impl<DB: Run> Transaction<DB> {
    /// Begins a transaction with the given statement.
    pub async fn begin(
        connection: PoolConnection<DB>,
        begin: &'static str,
        limit: StatementLimit,
    ) -> Result<Self, sqlx::Error> {
        let mut transaction =
            Self { connection: Some(connection), stage: Stage::Unknown, limit, guards: Guards::new() };
        limit.apply(DB::run(&mut transaction, begin)).await?;
        transaction.stage = Stage::Open;
        Ok(transaction)
    }

    pub async fn commit(mut self) -> Result<(), Error> {
        self.stage = Stage::Committing;
        let limit = self.limit;
        let outcome = limit.apply(DB::run(&mut self, "commit")).await;
        self.stage = if outcome.is_ok() { Stage::Ended } else { Stage::Unknown };
        outcome.map_err(Error::of_commit)?;
        // It is done: a server that does not answer any more must not make a caller believe that it is not.
        RELEASE_LIMIT.wait(self.release_and_wait()).await;
        Ok(())
    }

    /// Rolls the transaction back and waits until its connection is free.
    pub async fn roll_back(mut self) {
        self.release_and_wait().await;
    }

    /// Releases the connection as a drop does, and waits for it, so that the caller's next request finds its permits free.
    async fn release_and_wait(&mut self) {
        if let Some(freed) = self.release() {
            let _ = freed.await;
        }
    }

    /// Releases the connection and its guards on a separate task, which finishes even if no caller waits for it.
    fn release(&mut self) -> Option<JoinHandle<()>> {
        let mut connection = self.connection.take()?;
        let guards = std::mem::take(&mut self.guards);
        let limit = self.limit;
        match self.stage {
            Stage::Ended => Some(tokio::spawn(async move {
                limit.wait(connection.return_to_pool()).await;
                drop(guards);
            })),
            Stage::Unknown => {
                connection.close_on_drop();
                None
            }
            // The pool counts the connection as in use until this task ends. After a commit, the rollback waits for its answer and changes
            // nothing.
            Stage::Open | Stage::Committing => Some(tokio::spawn(async move {
                if limit.apply(DB::run(&mut connection, "rollback")).await.is_err() {
                    connection.close_on_drop();
                    drop(connection);
                } else {
                    limit.wait(connection.return_to_pool()).await;
                }
                drop(guards);
            })),
        }
    }

    /// Attaches a value that is dropped only once the connection is free again.
    pub fn attach_guard(&mut self, guard: Box<dyn Send + Sync>) {
        self.guards.push(guard);
    }

    /// Closes the connection at the end instead of returning it to the pool.
    pub fn discard_connection(&mut self) {
        self.stage = Stage::Unknown;
    }

    /// Takes that back, once it is certain that the engine has answered everything and the transaction is open.
    pub fn keep_connection(&mut self) {
        self.stage = Stage::Open;
    }
}

#[expect(clippy::expect_used, reason = "it is taken out by the drop alone")]
impl<DB: Run> Deref for Transaction<DB> {
    type Target = DB::Connection;

    fn deref(&self) -> &Self::Target {
        self.connection.as_ref().expect("a connection until the drop")
    }
}

#[expect(clippy::expect_used, reason = "it is taken out by the drop alone")]
impl<DB: Run> DerefMut for Transaction<DB> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.connection.as_mut().expect("a connection until the drop")
    }
}

impl<DB: Run> Drop for Transaction<DB> {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use sqlx::SqlitePool;
    use sqlx::sqlite::SqlitePoolOptions;

    use super::*;

    /// A pool of one connection to an in-memory database with a table, which another connection would not have.
    async fn marked() -> SqlitePool {
        let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
        pool.execute("create table mark (id integer)").await.unwrap();
        pool
    }

    async fn begin(pool: &SqlitePool) -> Transaction<Sqlite> {
        Transaction::begin(pool.acquire().await.unwrap(), "begin", StatementLimit::NONE).await.unwrap()
    }

    async fn is_the_same_connection(pool: &SqlitePool) -> bool {
        pool.execute("select id from mark").await.is_ok()
    }

    #[tokio::test]
    async fn a_transaction_that_ended_cleanly_gives_its_connection_back() {
        let pool = marked().await;
        begin(&pool).await.commit().await.unwrap();
        assert!(is_the_same_connection(&pool).await);
        drop(begin(&pool).await);
        assert!(is_the_same_connection(&pool).await);
    }

    #[tokio::test]
    async fn a_connection_whose_transaction_did_not_end_cleanly_is_thrown_away() {
        // SQLite ends a transaction by itself when the disk is full.
        let pool = marked().await;
        let mut ended = begin(&pool).await;
        Sqlite::run(&mut ended, "rollback").await.unwrap();
        ended.commit().await.unwrap_err();
        assert!(!is_the_same_connection(&pool).await);

        let pool = marked().await;
        let mut ended = begin(&pool).await;
        Sqlite::run(&mut ended, "rollback").await.unwrap();
        drop(ended);
        assert!(!is_the_same_connection(&pool).await);

        let pool = marked().await;
        let mut given_up = begin(&pool).await;
        given_up.discard_connection();
        drop(given_up);
        assert!(!is_the_same_connection(&pool).await);
    }
}
