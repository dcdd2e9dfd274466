//! Errors of the database, by what a caller can do about them.

use std::io;

use sqlx::{error::ErrorKind, postgres::PgDatabaseError, sqlite::SqliteError};

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A row with the same unique values exists. PostgreSQL has aborted the transaction.
    #[error("such a row exists already")]
    AlreadyExists(#[source] sqlx::Error),
    /// The row references a row that does not exist.
    #[error("the row refers to something that does not exist")]
    MissingReference(#[source] sqlx::Error),
    /// No connection became available in time, or the database was locked for too long.
    #[error("the database is busy")]
    Busy(#[source] sqlx::Error),
    /// The disk is full. Succeeds once there is space again.
    #[error("there is no space left where the database is stored")]
    StorageFull(#[source] sqlx::Error),
    /// The connection was lost, or the database's files cannot be read or written. Whether a commit
    /// that failed this way has taken effect is unknown.
    #[error("the database cannot be reached, or not be read or written: {0}")]
    Unavailable(#[source] sqlx::Error),
    /// The database is corrupt. Nothing is written to it from then on.
    #[error(
        "the database is damaged ({0}); nothing is written to it any more: stop the service and \
         restore a backup"
    )]
    Corrupt(String),
    /// A stored value cannot be read by this version.
    #[error("the database holds {value:?}, which is no {wanted}")]
    Unreadable {
        /// The expected type.
        wanted: &'static str,
        value: String,
    },
    /// The URL is for neither of the two supported databases.
    #[error("a database address begins with sqlite: or postgres://")]
    UnknownAddress,
    /// The PostgreSQL server refuses connections.
    #[error("the PostgreSQL server at {0} refuses connections: start it, or correct DATABASE_URL")]
    Refused(String),
    /// A migration failed.
    #[error("the database could not be migrated: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// Any other error of the database or the connection.
    #[error("the database failed: {0}")]
    Database(#[source] sqlx::Error),
}

impl Error {
    /// Whether the database rejected only this row, so that others can be written.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::AlreadyExists(_) | Self::MissingReference(_) => true,
            Self::Database(error) => error.as_database_error().is_some_and(|e| {
                matches!(e.kind(), ErrorKind::NotNullViolation | ErrorKind::CheckViolation)
            }),
            _ => false,
        }
    }

    /// Whether a retry can succeed without any change.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::StorageFull(_) | Self::Unavailable(_))
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        use Failure::{Busy, Corrupt, Full, Other, Unavailable};
        match error.as_database_error().map(|e| e.kind()) {
            Some(ErrorKind::UniqueViolation) => return Self::AlreadyExists(error),
            Some(ErrorKind::ForeignKeyViolation) => return Self::MissingReference(error),
            _ => {}
        }
        match failure(&error) {
            Busy => Self::Busy(error),
            Full => Self::StorageFull(error),
            Unavailable => Self::Unavailable(error),
            Corrupt => Self::Corrupt(error.to_string()),
            Other => Self::Database(error),
        }
    }
}

#[derive(Debug, PartialEq)]
enum Failure {
    Busy,
    Full,
    Unavailable,
    Corrupt,
    Other,
}

fn failure(error: &sqlx::Error) -> Failure {
    match error {
        sqlx::Error::PoolTimedOut => Failure::Busy,
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::BeginFailed => Failure::Unavailable,
        sqlx::Error::Database(e) => {
            if e.try_downcast_ref::<SqliteError>().is_some() {
                let code = e.code().and_then(|code| code.parse().ok());
                code.map_or(Failure::Other, sqlite_failure)
            } else if let Some(e) = e.try_downcast_ref::<PgDatabaseError>() {
                postgres_failure(e.code())
            } else {
                Failure::Other
            }
        }
        _ => Failure::Other,
    }
}

/// SQLite's extended result codes carry the primary one in their low byte.
fn sqlite_failure(code: i32) -> Failure {
    const IOERR_DATA: i32 = 10 | 32 << 8;
    const IOERR_CORRUPTFS: i32 = 10 | 33 << 8;
    match (code, code & 0xff) {
        // CORRUPT and NOTADB; failed checksums are treated alike.
        (_, 11 | 26) | (IOERR_DATA | IOERR_CORRUPTFS, _) => Failure::Corrupt,
        // BUSY, LOCKED, and PROTOCOL (a lock that was contended for too long).
        (_, 5 | 6 | 15) => Failure::Busy,
        (_, 13) => Failure::Full,
        // NOMEM, READONLY (a file system that was remounted), INTERRUPT, IOERR, CANTOPEN.
        (_, 7 | 8 | 9 | 10 | 14) => Failure::Unavailable,
        _ => Failure::Other,
    }
}

/// By SQLSTATE, whose first two characters are the class.
fn postgres_failure(code: &str) -> Failure {
    match code {
        "53100" => Failure::Full,
        // data_corrupted, index_corrupted
        "XX001" | "XX002" => Failure::Corrupt,
        // serialization_failure, deadlock_detected, lock_not_available, too_many_connections
        "40001" | "40P01" | "55P03" | "53300" => Failure::Busy,
        // read_only_sql_transaction: a replica after a failover
        "25006" => Failure::Unavailable,
        // connection exceptions, insufficient resources, operator intervention, system errors
        _ if ["08", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => {
            Failure::Unavailable
        }
        _ => Failure::Other,
    }
}

/// The error of a statement that timed out.
pub(super) fn timed_out() -> sqlx::Error {
    io::Error::new(io::ErrorKind::TimedOut, "no answer within the time limit").into()
}

/// The error of a statement on a connection that failed before.
pub(super) fn failed_before() -> Error {
    Error::Unavailable(io::Error::other("an earlier statement on this connection failed").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_codes_are_told_apart() {
        let cases = [
            (5, Failure::Busy),
            (517, Failure::Busy),
            (13, Failure::Full),
            (10, Failure::Unavailable),
            (4874, Failure::Unavailable),
            (1032, Failure::Unavailable),
            (14, Failure::Unavailable),
            (11, Failure::Corrupt),
            (267, Failure::Corrupt),
            (26, Failure::Corrupt),
            (8458, Failure::Corrupt),
            (1, Failure::Other),
            (1811, Failure::Other),
        ];
        for (code, expected) in cases {
            assert_eq!(sqlite_failure(code), expected, "{code}");
        }
    }

    #[test]
    fn postgres_codes_are_told_apart() {
        let cases = [
            ("53100", Failure::Full),
            ("53300", Failure::Busy),
            ("53200", Failure::Unavailable),
            ("57P01", Failure::Unavailable),
            ("08006", Failure::Unavailable),
            ("58030", Failure::Unavailable),
            ("25006", Failure::Unavailable),
            ("XX001", Failure::Corrupt),
            ("40P01", Failure::Busy),
            ("42601", Failure::Other),
            ("22001", Failure::Other),
        ];
        for (code, expected) in cases {
            assert_eq!(postgres_failure(code), expected, "{code}");
        }
    }

    #[test]
    fn a_lost_connection_is_temporary_and_damage_is_not() {
        assert!(Error::from(timed_out()).is_temporary());
        assert!(Error::from(sqlx::Error::PoolTimedOut).is_temporary());
        assert!(!Error::Corrupt("a page".to_owned()).is_temporary());
    }
}
