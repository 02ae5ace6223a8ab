//! What can go wrong with rows.

/// A failure of the store. Callers act on the first six; the last two are for the log.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A unique constraint refused the row.
    #[error("a row with the same key exists already")]
    Duplicate(#[source] sqlx::Error),
    /// The cursor is damaged or belongs to another list, sort or filter.
    #[error("the cursor does not belong to this list")]
    Cursor,
    /// A question was not answered within its time.
    #[error("it took longer than it may")]
    Deadline,
    /// A question has more groups than may be held; so many.
    #[error("there are more than {0} groups")]
    TooManyGroups(usize),
    /// The one on whose behalf it is has used up its share of the connections.
    #[error("the share of the connections is used up")]
    Busy,
    /// The database cannot be reached, or no connection came free in time.
    #[error("the database cannot be reached: {0}")]
    Unavailable(#[source] sqlx::Error),
    /// The database is not one this program can work with; the text says why.
    #[error("{0}")]
    Unfit(String),
    /// Anything else the engine reported.
    #[error("the database refused: {0}")]
    Engine(#[source] sqlx::Error),
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(database) if database.is_unique_violation() => Self::Duplicate(error),
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::Unavailable(error),
            sqlx::Error::Database(database) if is_passing(database.as_ref()) => Self::Unavailable(error),
            _ => Self::Engine(error),
        }
    }
}

/// Whether the engine says "not now": PostgreSQL starting, stopping, out of connections,
/// or breaking a deadlock; SQLite locked by another process.
fn is_passing(error: &dyn sqlx::error::DatabaseError) -> bool {
    matches!(
        error.code().as_deref(),
        Some("57P01" | "57P02" | "57P03" | "57014" | "53300" | "40001" | "40P01" | "5" | "517")
    )
}
