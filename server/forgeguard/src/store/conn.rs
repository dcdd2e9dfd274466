//! One connection to either database, and the transaction around one.

use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, Postgres, Sqlite, SqliteConnection, Transaction, pool::PoolConnection};

use super::error::Result;

/// What every function of the store runs its statements on: a connection that goes back to its
/// pool when dropped. It reads; to write, ask for a [`Tx`].
pub struct Conn(pub(super) Link);

/// A transaction, used wherever a [`Conn`] is. Dropped without [`Tx::commit`] it never happened.
pub struct Tx(pub(super) Conn);

pub(super) enum Link {
    Sqlite(PoolConnection<Sqlite>),
    SqliteTx(Transaction<'static, Sqlite>),
    Postgres(PoolConnection<Postgres>),
    PostgresTx(Transaction<'static, Postgres>),
}

/// The driver's own connection, for the statement macros.
pub(super) enum Driver<'c> {
    Sqlite(&'c mut SqliteConnection),
    Postgres(&'c mut PgConnection),
}

impl Conn {
    pub(super) fn driver(&mut self) -> Driver<'_> {
        match &mut self.0 {
            Link::Sqlite(conn) => Driver::Sqlite(conn),
            Link::SqliteTx(tx) => Driver::Sqlite(tx),
            Link::Postgres(conn) => Driver::Postgres(conn),
            Link::PostgresTx(tx) => Driver::Postgres(tx),
        }
    }
}

impl Tx {
    /// Makes everything done so far durable and visible, all of it or, on an error, none.
    pub async fn commit(self) -> Result<()> {
        match self.0.0 {
            Link::SqliteTx(tx) => tx.commit().await?,
            Link::PostgresTx(tx) => tx.commit().await?,
            Link::Sqlite(_) | Link::Postgres(_) => {}
        }
        Ok(())
    }

    /// Marks this point of the transaction for [`Tx::undo_to_mark`]; a later mark takes its place.
    pub async fn mark(&mut self) -> Result<()> {
        self.run("SAVEPOINT mark").await
    }

    /// Undoes what was done since the last mark, also after a refused statement.
    pub async fn undo_to_mark(&mut self) -> Result<()> {
        self.run("ROLLBACK TO SAVEPOINT mark").await
    }

    async fn run(&mut self, statement: &'static str) -> Result<()> {
        match self.driver() {
            Driver::Sqlite(conn) => sqlx::raw_sql(statement).execute(conn).await.map(drop)?,
            Driver::Postgres(conn) => sqlx::raw_sql(statement).execute(conn).await.map(drop)?,
        }
        Ok(())
    }

    /// Undoes everything done so far. Dropping does the same without saying how it went.
    pub async fn rollback(self) -> Result<()> {
        match self.0.0 {
            Link::SqliteTx(tx) => tx.rollback().await?,
            Link::PostgresTx(tx) => tx.rollback().await?,
            Link::Sqlite(_) | Link::Postgres(_) => {}
        }
        Ok(())
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
