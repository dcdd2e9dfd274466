//! What can go wrong between us and the database, named by what a caller can do about it.

use sqlx::error::ErrorKind;

/// The result of every function of the store.
pub type Result<T> = std::result::Result<T, Error>;

/// A statement, a connection or a migration that failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A row with the same unique values exists. In PostgreSQL the transaction is over.
    #[error("such a row exists already")]
    AlreadyExists(#[source] sqlx::Error),
    /// The row names another row which does not exist.
    #[error("the row refers to something that does not exist")]
    MissingReference(#[source] sqlx::Error),
    /// No connection became free, or the database stayed locked, for too long. Try again later.
    #[error("the database is busy")]
    Busy(#[source] sqlx::Error),
    /// A stored value is none that this version can read.
    #[error("the database holds {value:?}, which is no {wanted}")]
    Unreadable {
        /// The name of the type that was expected.
        wanted: &'static str,
        /// What was found.
        value: String,
    },
    /// The address of the database names neither of the two kinds we speak.
    #[error("a database address begins with sqlite: or postgres://")]
    UnknownAddress,
    /// The tables could not be brought up to date.
    #[error("the database could not be migrated: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// Anything else that the database or the way to it reports.
    #[error("the database failed: {0}")]
    Database(#[source] sqlx::Error),
}

impl Error {
    /// Whether the database works and says no to this row, so that others may still be written.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::AlreadyExists(_) | Self::MissingReference(_) => true,
            Self::Database(error) => error.as_database_error().is_some_and(|e| {
                matches!(e.kind(), ErrorKind::NotNullViolation | ErrorKind::CheckViolation)
            }),
            _ => false,
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        let kind = error.as_database_error().map(|e| e.kind());
        match kind {
            Some(ErrorKind::UniqueViolation) => Self::AlreadyExists(error),
            Some(ErrorKind::ForeignKeyViolation) => Self::MissingReference(error),
            _ if is_busy(&error) => Self::Busy(error),
            _ => Self::Database(error),
        }
    }
}

/// SQLite reports BUSY (5) and LOCKED (6) in the low byte of an extended code.
fn is_busy(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(e) => e
            .try_downcast_ref::<sqlx::sqlite::SqliteError>()
            .and_then(|_| e.code()?.parse::<i64>().ok())
            .is_some_and(|code| matches!(code & 0xff, 5 | 6)),
        _ => false,
    }
}
