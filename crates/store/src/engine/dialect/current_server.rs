//! The PostgreSQL server that connections lead to: its timeline, whether it accepts writes, and whether its commits are on a standby.
//!
//! A server that is promoted, or recovered to a point in time, continues on a new timeline. Commits that only the server before had are
//! not on it, so that copies of rows must know on which timeline they were read (docs/decisions/0089-store-failover.md).

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::{Executor, PgConnection, Row as _};
use tokio::time::Instant;

use crate::Error;
use crate::engine::error::ends_other_connections;
use crate::engine::statement::sql;
use crate::engine::tx::{Inner, Tx};

/// The timeline of a server that does not report it, as some managed ones, and of SQLite. It never changes.
const UNKNOWN: i64 = 0;

/// The first eight digits of the name of the current log file. `pg_control_checkpoint()` has the timeline too, but only after the first
/// checkpoint of a promoted server, which may be minutes later.
const READ_TIMELINE: &str =
    "select ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint as timeline";

/// The server that connections lead to, as the newest one found it. Shared by all pools of a store.
#[derive(Clone, Debug, Default)]
pub struct CurrentServer(Arc<Mutex<Observed>>);

#[derive(Debug, Default)]
struct Observed {
    timeline: Option<i64>,
    /// When a connection failed, or found another timeline than those before.
    changed_at: Option<Instant>,
}

impl CurrentServer {
    fn state(&self) -> MutexGuard<'_, Observed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn timeline(&self) -> i64 {
        self.state().timeline.unwrap_or(UNKNOWN)
    }

    /// Looks where a new connection leads. One to a standby is refused: it cannot write, and it may lack the caller's own writes.
    pub(crate) async fn observe(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let is_standby: bool =
            (&mut *connection).fetch_one("select pg_is_in_recovery() as standby").await?.try_get(0)?;
        if is_standby {
            return Err(sqlx::Error::Io(io::Error::other(
                "the server is a standby, which accepts no writes",
            )));
        }
        let timeline: i64 = match (&mut *connection).fetch_one(READ_TIMELINE).await {
            Ok(row) => row.try_get(0)?,
            Err(sqlx::Error::Database(error)) if error.code().is_some_and(|code| is_refusal(&code)) => {
                UNKNOWN
            }
            Err(error) => return Err(error),
        };
        self.record(timeline);
        Ok(())
    }

    fn record(&self, timeline: i64) {
        let mut state = self.state();
        if state.timeline.is_some_and(|before| before != timeline) {
            state.changed_at = Some(Instant::now());
        }
        state.timeline = Some(timeline);
    }

    /// Notes that a statement failed. If its connection has ended, the others that exist lead to the same server, and are closed at their
    /// next use.
    pub(crate) fn note_failure(&self, error: &sqlx::Error) {
        if ends_other_connections(error) {
            self.replace_connections();
        }
    }

    /// Lets no connection be used that was made before.
    pub(crate) fn replace_connections(&self) {
        self.state().changed_at = Some(Instant::now());
    }

    /// Whether a connection of this age must not be used any more, because it may lead to a server that is gone.
    pub(crate) fn is_outdated(&self, age: Duration) -> bool {
        self.state().changed_at.is_some_and(|at| at.elapsed() < age)
    }
}

/// Whether a server that answers with this code never tells its timeline: insufficient_privilege, undefined_function,
/// feature_not_supported. After any other error, such as one of an overloaded server, the timeline is only not known yet.
fn is_refusal(code: &str) -> bool {
    matches!(code, "42501" | "42883" | "0A000")
}

impl Tx {
    /// Returns the condition that commits are on a synchronous standby before they are visible. A file has no standby that could take over
    /// without some of them.
    pub(crate) fn is_synchronous(&self) -> &'static str {
        if self.is_postgres() {
            "(current_setting('synchronous_standby_names') <> '' and
                 current_setting('synchronous_commit') not in ('off', 'local'))"
        } else {
            "(1 = 1)"
        }
    }

    /// Fails if the server accepts no writes. Beginning a transaction does not show it.
    pub(crate) async fn ensure_writable(&mut self) -> Result<(), Error> {
        #[derive(macros::FromRow)]
        struct Setting(#[row(column = "setting")] String);
        if !self.is_postgres() {
            return Ok(());
        }
        let read = sql!("select current_setting('transaction_read_only') as setting");
        let Setting(setting) = self.one(read).await?;
        if setting == "off" {
            return Ok(());
        }
        if let Inner::PostgresWrite(transaction, _) = &mut *self.inner {
            transaction.discard_connection();
        }
        self.replace_connections();
        Err(Error::Unavailable(sqlx::Error::Io(io::Error::other("the server accepts no writes"))))
    }

    /// Returns whether commits wait for a synchronous standby, or none on SQLite.
    pub(crate) async fn has_synchronous_standby(&mut self) -> Result<Option<bool>, Error> {
        #[derive(macros::FromRow)]
        struct Setting(#[row(column = "is_synchronous")] bool);
        if !self.is_postgres() {
            return Ok(None);
        }
        let read = sql!("select ").push(self.is_synchronous()).push(" as is_synchronous");
        let Setting(is_synchronous) = self.one(read).await?;
        Ok(Some(is_synchronous))
    }

    /// Returns whether commits wait for a standby although none is connected, or none on SQLite. Who may not see which standbys there are
    /// sees how many.
    pub(crate) async fn is_waiting_for_standby(&mut self) -> Result<Option<bool>, Error> {
        #[derive(macros::FromRow)]
        struct Waiting(#[row(column = "is_waiting")] bool);
        if !self.is_postgres() {
            return Ok(None);
        }
        let read = sql!("select ")
            .push(self.is_synchronous())
            .push(" and not exists (select 1 from pg_stat_replication) as is_waiting");
        let Waiting(is_waiting) = self.one(read).await?;
        Ok(Some(is_waiting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passing_error_is_not_a_server_without_a_timeline() {
        assert!(["42501", "42883", "0A000"].into_iter().all(is_refusal));
        assert!(!["57014", "53200", "40P01", "57P01", "55000"].into_iter().any(is_refusal));
    }

    #[tokio::test(start_paused = true)]
    async fn connections_from_before_a_change_are_outdated() {
        let (seconds, server) = (Duration::from_secs, CurrentServer::default());
        server.record(1);
        tokio::time::advance(seconds(5)).await;
        server.record(1);
        server.note_failure(&sqlx::Error::RowNotFound);
        assert!(server.timeline() == 1 && !server.is_outdated(seconds(5)));
        server.record(2);
        tokio::time::advance(seconds(2)).await;
        assert!(server.timeline() == 2 && server.is_outdated(seconds(3)) && !server.is_outdated(seconds(1)));
        server.note_failure(&io::Error::from(io::ErrorKind::ConnectionReset).into());
        tokio::time::advance(seconds(2)).await;
        assert!(server.is_outdated(seconds(3)) && !server.is_outdated(seconds(1)));
    }
}
