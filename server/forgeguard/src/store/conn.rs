//! A connection to either database, and its transactions.
//!
//! A connection on which a statement failed for any reason but a constraint, or was abandoned, is
//! closed and never returned to its pool: after a full disk SQLite has ended the transaction by
//! itself, and the next response of an interrupted PostgreSQL connection is undefined.

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use sqlx::{
    AssertSqlSafe, PgConnection, Postgres, SqlSafeStr, SqlStr, Sqlite, SqliteConnection,
    pool::PoolConnection,
};
use tokio::time::timeout;

use super::{
    deferred::{Deferred, Values},
    error::{Error, Result, failed_before, timed_out},
};

/// A PostgreSQL statement that takes longer indicates a lost connection.
const QUERY_TIMEOUT: Duration = Duration::from_secs(15);

/// A connection on which the store's functions run their statements. It is returned to its pool when
/// dropped. For reading; use a [`Tx`] to write.
pub struct Conn {
    /// None only during drop.
    link: Option<Link>,
    state: State,
    in_transaction: bool,
    /// Begins the transaction, together with its first statement. None if that was sent.
    begin: Option<&'static str>,
    /// To be sent before the next statement.
    deferred: Deferred,
    /// To be run after the transaction.
    after: Option<&'static str>,
    faults: Faults,
}

/// A transaction, used in place of a [`Conn`]. Rolled back if dropped without [`Tx::commit`].
pub struct Tx(Conn);

pub(super) enum Link {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Idle,
    /// A statement is in progress.
    Busy,
    Failed,
}

/// The driver's own connection, for the statement macros.
pub(super) enum Driver<'c> {
    Sqlite(&'c mut SqliteConnection),
    Postgres(&'c mut PgConnection),
}

/// Faults of a database that later calls must know about. Shared by all connections.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults(Arc<FaultRecord>);

#[derive(Debug, Default)]
struct FaultRecord {
    /// The first report of corruption.
    damage: OnceLock<String>,
    /// The time at which a connection was last lost.
    lost_at: Mutex<Option<Instant>>,
}

impl Faults {
    /// Fails if the database is corrupt.
    pub(super) fn refuse_damaged(&self) -> Result<()> {
        self.0.damage.get().map_or(Ok(()), |what| Err(Error::Corrupt(what.clone())))
    }

    /// Whether a connection that has been idle for this time may be lost, because another one was
    /// lost in the meantime.
    pub(super) fn cast_doubt_on(&self, idle_for: Duration) -> bool {
        self.lost_at().is_some_and(|at| at.elapsed() <= idle_for)
    }

    /// Records an error.
    pub(super) fn note(&self, error: &Error) {
        match error {
            Error::Corrupt(what) if self.0.damage.set(what.clone()).is_ok() => {
                tracing::error!(%error, "no more writes are accepted");
            }
            Error::Unavailable(_) => *self.lost_at() = Some(Instant::now()),
            _ => {}
        }
    }

    fn lost_at(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lost_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Conn {
    pub(super) fn new(link: Link, faults: Faults) -> Self {
        Self {
            link: Some(link),
            state: State::Idle,
            in_transaction: false,
            begin: None,
            deferred: Deferred::default(),
            after: None,
            faults,
        }
    }

    /// Whether this is PostgreSQL.
    pub(super) fn is_postgres(&self) -> bool {
        matches!(self.link, Some(Link::Postgres(_)))
    }

    /// The connection for one statement, and the text to send; the result must be passed to
    /// [`Conn::checked`]. What was deferred is sent before it.
    pub(super) async fn driver(&mut self, text: impl SqlSafeStr) -> Result<(Driver<'_>, SqlStr)> {
        self.send_deferred().await?;
        let text = text.into_sql_str();
        let text = match self.begin.take() {
            Some(begin) => {
                self.in_transaction = true;
                AssertSqlSafe(format!("{begin}; {}", text.as_str())).into_sql_str()
            }
            None => text,
        };
        Ok((self.begin_statement()?, text))
    }

    /// Lets a statement of a SQLite transaction be sent together with the next one or the commit, which
    /// fail if it fails.
    pub(super) async fn defer(&mut self, statement: &str, values: Values) -> Result<()> {
        if self.deferred.is_full() {
            self.send_deferred().await?;
        }
        self.deferred.push(statement, values);
        Ok(())
    }

    /// Sends the statements that were deferred, and returns the error of the first one that fails.
    pub async fn send_deferred(&mut self) -> Result<()> {
        if self.deferred.is_empty() {
            return Ok(());
        }
        let begin = self.begin.take();
        self.in_transaction |= begin.is_some();
        let query = std::mem::take(&mut self.deferred).into_query(begin);
        let outcome = match self.begin_statement()? {
            Driver::Sqlite(conn) => query.execute(conn).await.map(drop),
            Driver::Postgres(_) => unreachable!("only statements for SQLite are deferred"),
        };
        self.checked(outcome)
    }

    fn begin_statement(&mut self) -> Result<Driver<'_>> {
        if self.state != State::Idle {
            return Err(failed_before());
        }
        self.state = State::Busy;
        match &mut self.link {
            Some(Link::Sqlite(conn)) => Ok(Driver::Sqlite(conn)),
            Some(Link::Postgres(conn)) => Ok(Driver::Postgres(conn)),
            None => Err(failed_before()),
        }
    }

    /// Records the result of a statement.
    pub(super) fn checked<T>(&mut self, outcome: sqlx::Result<T>) -> Result<T> {
        let outcome = outcome.map_err(Error::from);
        self.state = match &outcome {
            Err(error) if !error.is_refusal() => {
                self.faults.note(error);
                State::Failed
            }
            _ => State::Idle,
        };
        outcome
    }

    async fn run(&mut self, statement: impl SqlSafeStr) -> Result<()> {
        let outcome = match self.driver(statement).await? {
            (Driver::Sqlite(conn), text) => sqlx::raw_sql(text).execute(conn).await.map(drop),
            (Driver::Postgres(conn), text) => {
                in_time(sqlx::raw_sql(text).execute(conn)).await.map(drop)
            }
        };
        self.checked(outcome)
    }

    /// Ends the transaction with this statement.
    async fn end(&mut self, statement: &'static str) -> Result<()> {
        match self.after.take() {
            // As one text that is not kept: SQLite applies a PRAGMA when it prepares it.
            Some(after) => self.run(AssertSqlSafe(format!("{statement}; {after}"))).await?,
            None => self.run(statement).await?,
        }
        self.in_transaction = false;
        Ok(())
    }
}

impl Drop for Conn {
    fn drop(&mut self) {
        let Some(link) = self.link.take() else { return };
        if self.state != State::Idle {
            link.close();
        } else if self.in_transaction {
            let mut left = Self::new(link, self.faults.clone());
            left.after = self.after;
            tokio::spawn(async move {
                if let Err(error) = left.end("ROLLBACK").await {
                    tracing::warn!(%error, "a transaction could not be undone; its connection is closed");
                }
            });
        }
    }
}

impl Link {
    fn close(self) {
        match self {
            Self::Sqlite(mut conn) => conn.close_on_drop(),
            Self::Postgres(mut conn) => conn.close_on_drop(),
        }
    }
}

impl Tx {
    /// Begins a transaction with this statement.
    pub(super) async fn begin(mut conn: Conn, statement: &'static str) -> Result<Self> {
        conn.run(statement).await?;
        conn.in_transaction = true;
        Ok(Self(conn))
    }

    /// A transaction on SQLite that begins with its first statement.
    pub(super) fn begin_later(mut conn: Conn, statement: &'static str) -> Self {
        conn.begin = Some(statement);
        Self(conn)
    }

    /// Lets the connection run a statement after the transaction, however that ends.
    pub(super) fn finally(mut self, statement: &'static str) -> Self {
        self.0.after = Some(statement);
        self
    }

    /// Commits. After [`Error::Unavailable`] it is unknown whether the transaction was committed.
    pub async fn commit(mut self) -> Result<()> {
        if self.0.begin.is_some() && self.0.deferred.is_empty() {
            // Nothing was sent.
            return Ok(());
        }
        if self.0.is_postgres() || self.0.after.is_some() {
            return self.0.end("COMMIT").await;
        }
        self.0.deferred.push("COMMIT", Values::default());
        self.0.send_deferred().await?;
        self.0.in_transaction = false;
        Ok(())
    }

    /// Commits by statements of which the last one is `COMMIT`.
    pub(super) async fn commit_by(mut self, statements: impl SqlSafeStr) -> Result<()> {
        self.0.run(statements).await?;
        self.0.in_transaction = false;
        Ok(())
    }

    /// Sets a savepoint for [`Tx::undo_to_mark`]; a later one replaces it.
    pub async fn mark(&mut self) -> Result<()> {
        self.0.run("SAVEPOINT mark").await
    }

    /// Rolls back to the last savepoint, even after a failed statement.
    pub async fn undo_to_mark(&mut self) -> Result<()> {
        self.0.deferred = Deferred::default();
        self.0.run("ROLLBACK TO SAVEPOINT mark").await
    }

    /// Rolls back. Dropping does the same without reporting errors.
    pub async fn rollback(mut self) -> Result<()> {
        self.0.deferred = Deferred::default();
        self.0.end("ROLLBACK").await
    }
}

impl Deref for Tx {
    type Target = Conn;
    fn deref(&self) -> &Conn {
        &self.0
    }
}

impl DerefMut for Tx {
    fn deref_mut(&mut self) -> &mut Conn {
        &mut self.0
    }
}

/// Fails if PostgreSQL does not respond: TCP alone would wait for a quarter of an hour.
pub(super) async fn in_time<T>(
    statement: impl Future<Output = sqlx::Result<T>>,
) -> sqlx::Result<T> {
    timeout(QUERY_TIMEOUT, statement).await.unwrap_or_else(|_| Err(timed_out()))
}
