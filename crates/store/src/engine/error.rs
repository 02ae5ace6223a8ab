//! Errors of the store, and the classification of the errors that the engines report.

use std::io;

use sqlx::error::DatabaseError;
use sqlx::postgres::{PgDatabaseError, PgSeverity};
use sqlx::sqlite::SqliteError;

/// A failure of the store. Callers handle the first nine variants; the last two are for the log.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("a row with the same key exists already")]
    Duplicate(#[source] sqlx::Error),
    /// The cursor is damaged or belongs to another list, sort or filter.
    #[error("the cursor does not belong to this list")]
    InvalidCursor,
    /// A query did not finish within its time limit.
    #[error("the query exceeded its time limit")]
    TimedOut,
    /// A query has more groups than its limit, which is the number given.
    #[error("there are more than {0} groups")]
    TooManyGroups(usize),
    /// The caller has used up its share of the connections.
    #[error("the caller's share of the connections is used up")]
    Busy,
    /// The database cannot be reached, or no connection became free in time.
    #[error("the database cannot be reached: {0}")]
    Unavailable(#[source] sqlx::Error),
    /// The database did not answer a commit, so it is unknown whether the transaction took place. Earlier failures are never this one:
    /// without a commit nothing is written.
    #[error("it is unknown whether the transaction was committed: {0}")]
    OutcomeUnknown(#[source] sqlx::Error),
    /// The storage under the database failed: it is full, or cannot be read or written.
    #[error("the storage of the database failed: {}", .0.reason)]
    Storage(StorageFault),
    /// A statement of the transaction failed earlier, so it cannot be committed. The cause was reported by that statement.
    #[error("an earlier statement of this transaction failed")]
    Aborted,
    /// This program cannot work with the database, for the reason given.
    #[error("{0}")]
    Unusable(String),
    /// Any other error of the engine.
    #[error("the database reported an error: {0}")]
    Engine(#[source] sqlx::Error),
}

/// A failure of the storage under the database.
#[derive(Clone, Debug)]
pub struct StorageFault {
    /// Whether the disk is full or a quota is exceeded.
    pub is_full: bool,
    /// The message of the engine or of the operating system.
    pub reason: String,
}

impl StorageFault {
    pub(crate) fn from_io(error: &io::Error) -> Self {
        let is_full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
        Self { is_full, reason: error.to_string() }
    }
}

impl Error {
    /// Converts the failure of a commit. The server's own refusal says that nothing was committed; a connection that ended, or a server
    /// that ended itself, does not say whether the commit came first.
    pub(crate) fn of_commit(error: sqlx::Error) -> Self {
        let sqlx::Error::Database(database) = &error else { return Self::OutcomeUnknown(error) };
        // The transaction had been ended before its commit arrived.
        if database.code().is_some_and(|code| is_timeout_of_transaction(&code)) {
            return error.into();
        }
        match database.try_downcast_ref::<PgDatabaseError>().map(PgDatabaseError::severity) {
            None | Some(PgSeverity::Error) => error.into(),
            Some(_) => Self::OutcomeUnknown(error),
        }
    }

    /// Converts the failure to make a connection. What accepts it and says nothing that PostgreSQL would say, such as a balancer that closes
    /// it because there is no primary, is not the database.
    pub(crate) fn of_connecting(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::Protocol(_) => Self::Unavailable(error),
            other => other.into(),
        }
    }

    /// Whether PostgreSQL gave up waiting for a lock (lock_not_available), or ended a deadlock (deadlock_detected).
    pub(crate) fn is_lock_conflict(&self) -> bool {
        let Self::Unavailable(sqlx::Error::Database(database)) = self else { return false };
        database.code().is_some_and(|code| matches!(&*code, "55P03" | "40P01"))
    }
}

/// Whether a connection to PostgreSQL must not be used again after this error: it has ended, its state is unknown, or it leads to a server
/// that accepts no writes.
pub(crate) fn ends_connection(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(database) => database.code().is_some_and(|code| is_ending_code(&code)),
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => {
            true
        }
        _ => false,
    }
}

/// Whether such an error is about the server, so that other connections that exist have ended as well, or lead nowhere.
pub(crate) fn ends_other_connections(error: &sqlx::Error) -> bool {
    let is_of_transaction = matches!(error, sqlx::Error::Database(database)
        if database.code().is_some_and(|code| is_timeout_of_transaction(&code)));
    ends_connection(error) && !is_of_transaction
}

/// Whether the server has ended a transaction that was silent or open for too long, with its connection.
fn is_timeout_of_transaction(code: &str) -> bool {
    matches!(code, "25P03" | "25P04")
}

fn is_ending_code(code: &str) -> bool {
    // read_only_sql_transaction
    code == "25006"
        || is_timeout_of_transaction(code)
        // admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped; connection exceptions
        || code.starts_with("57P")
        || code.starts_with("08")
}

/// The class of an engine's error, which decides how callers treat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorClass {
    DiskFull,
    /// The storage, or another resource of the server, fails.
    StorageFailure,
    /// A retry may succeed: the server starts or stops, is about to be replaced, resolves a deadlock, or another process writes.
    Transient,
    /// The engine refused the statement, and a retry would not help.
    Permanent,
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        let sqlx::Error::Database(database) = &error else {
            return match error {
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed
                | sqlx::Error::BeginFailed
                | sqlx::Error::InvalidSavePointStatement => Self::Unavailable(error),
                _ => Self::Engine(error),
            };
        };
        if database.is_unique_violation() {
            return Self::Duplicate(error);
        }
        match classify(database.as_ref()) {
            ErrorClass::DiskFull => Self::Storage(StorageFault { is_full: true, reason: error.to_string() }),
            ErrorClass::StorageFailure => {
                Self::Storage(StorageFault { is_full: false, reason: error.to_string() })
            }
            ErrorClass::Transient => Self::Unavailable(error),
            ErrorClass::Permanent => Self::Engine(error),
        }
    }
}

/// Errors of a connection to SQLite that goes around sqlx.
impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let reason = error.to_string();
        let class = match &error {
            rusqlite::Error::SqliteFailure(failure, _) => classify_sqlite(failure.extended_code),
            _ => ErrorClass::Permanent,
        };
        match class {
            ErrorClass::DiskFull => Self::Storage(StorageFault { is_full: true, reason }),
            ErrorClass::StorageFailure => Self::Storage(StorageFault { is_full: false, reason }),
            ErrorClass::Transient => Self::Unavailable(sqlx::Error::Io(io::Error::other(error))),
            ErrorClass::Permanent => Self::Unusable(reason),
        }
    }
}

fn classify(error: &dyn DatabaseError) -> ErrorClass {
    let code = error.code().unwrap_or_default();
    if error.try_downcast_ref::<SqliteError>().is_some() {
        classify_sqlite(code.parse().unwrap_or(0))
    } else {
        classify_postgres(&code)
    }
}

/// The low byte of an extended result code is the primary code.
fn classify_sqlite(code: i32) -> ErrorClass {
    match code & 0xff {
        // SQLITE_FULL
        13 => ErrorClass::DiskFull,
        // SQLITE_NOMEM, SQLITE_READONLY (a disk that was remounted read-only), SQLITE_IOERR, SQLITE_CANTOPEN
        7 | 8 | 10 | 14 => ErrorClass::StorageFailure,
        // SQLITE_BUSY, SQLITE_PROTOCOL
        5 | 15 => ErrorClass::Transient,
        _ => ErrorClass::Permanent,
    }
}

fn classify_postgres(code: &str) -> ErrorClass {
    match code {
        // disk_full
        "53100" => ErrorClass::DiskFull,
        // too_many_connections; query_canceled; serialization_failure, deadlock_detected; lock_not_available
        "53300" | "57014" | "40001" | "40P01" | "55P03" => ErrorClass::Transient,
        // The server is a standby, or was made read-only: a retry reaches its successor.
        "25006" => ErrorClass::Transient,
        // The transaction was open for too long, and the server closed its connection.
        "25P03" | "25P04" => ErrorClass::Transient,
        // Insufficient resources, and system errors such as I/O errors.
        _ if code.starts_with("53") || code.starts_with("58") => ErrorClass::StorageFailure,
        // The server stops, starts or has closed this connection, or the connection failed.
        _ if code.starts_with("57P") || code.starts_with("08") => ErrorClass::Transient,
        _ => ErrorClass::Permanent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_extended_code_of_full_and_ioerr_is_the_storages() {
        for high in 0..40 {
            assert_eq!(classify_sqlite(13 | high << 8), ErrorClass::DiskFull);
            assert_eq!(classify_sqlite(10 | high << 8), ErrorClass::StorageFailure);
            assert_eq!(classify_sqlite(5 | high << 8), ErrorClass::Transient);
            // SQLITE_CONSTRAINT, SQLITE_CORRUPT
            assert_eq!(classify_sqlite(19 | high << 8), ErrorClass::Permanent);
            assert_eq!(classify_sqlite(11 | high << 8), ErrorClass::Permanent);
        }
    }

    #[test]
    fn postgresql_says_by_class_what_is_short() {
        let meanings =
            ["53100", "53200", "53300", "58030", "57P01", "25006", "40P01", "08006", "23503", "XX001"]
                .map(classify_postgres);
        use ErrorClass::{DiskFull, Permanent, StorageFailure, Transient};
        assert_eq!(
            meanings,
            [
                DiskFull,
                StorageFailure,
                Transient,
                StorageFailure,
                Transient,
                Transient,
                Transient,
                Transient,
                Permanent,
                Permanent
            ]
        );
    }

    #[test]
    fn a_connection_ends_with_its_server_and_not_with_a_statement() {
        for code in ["25006", "25P03", "57P01", "57P02", "57P03", "57P04", "08006"] {
            assert!(is_ending_code(code), "{code}");
        }
        for code in ["57014", "40001", "40P01", "23505", "53100", "22012"] {
            assert!(!is_ending_code(code), "{code}");
        }
        assert!(
            ends_connection(&io::Error::other("cut").into()) && !ends_connection(&sqlx::Error::RowNotFound)
        );
    }

    #[test]
    fn what_closes_a_connection_instead_of_the_database_cannot_be_reached() {
        let closed = || sqlx::Error::Protocol("unexpected response from SSLRequest: 0x00".to_owned());
        assert!(matches!(Error::of_connecting(closed()), Error::Unavailable(_)));
        assert!(matches!(Error::from(closed()), Error::Engine(_)));
    }

    #[test]
    fn a_commit_without_an_answer_has_an_unknown_outcome() {
        let cut = Error::of_commit(io::Error::from(io::ErrorKind::ConnectionReset).into());
        assert!(matches!(cut, Error::OutcomeUnknown(_)));
    }
}
