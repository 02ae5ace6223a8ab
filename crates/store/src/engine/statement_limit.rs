//! The client's own limit on what it waits for from PostgreSQL: a server that is gone without a word never answers.

use std::io;
use std::time::Duration;

/// Time beyond the server's own limit, within which it reports that it has cancelled a statement.
const GRACE: Duration = Duration::from_secs(2);

/// The longest time that a statement may take. SQLite has no limit: its file is either there, or its errors are immediate.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatementLimit(Option<Duration>);

impl StatementLimit {
    pub(crate) const NONE: Self = Self(None);

    pub(crate) const fn of(limit: Duration) -> Self {
        Self(Some(limit))
    }

    /// The limit for statements that the server cancels after this time.
    pub(crate) fn beyond_server(timeout: Duration) -> Self {
        Self(Some(timeout + GRACE))
    }

    /// Runs a statement. One that exceeds the limit fails as if its connection had been cut, and leaves it unusable.
    pub(crate) async fn apply<T>(
        self,
        work: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, sqlx::Error> {
        let Some(limit) = self.0 else { return work.await };
        tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(silent_server()))
    }

    /// Waits for work that reports nothing, and drops it when it exceeds the limit.
    pub(crate) async fn wait(self, work: impl Future<Output = ()>) {
        let Some(limit) = self.0 else { return work.await };
        let _ = tokio::time::timeout(limit, work).await;
    }
}

fn silent_server() -> sqlx::Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, "the server did not answer in time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_never_answers_is_given_up() {
        let limit = StatementLimit::beyond_server(Duration::from_secs(60));
        let outcome = limit.apply(std::future::pending::<Result<(), sqlx::Error>>()).await;
        let Err(sqlx::Error::Io(error)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        limit.wait(std::future::pending()).await;
        assert_eq!(StatementLimit::NONE.apply(async { Ok(7) }).await.unwrap(), 7);
    }
}
