//! The database that a node works on: SQLite in one file, or PostgreSQL.

use std::{
    path::Path,
    str::FromStr,
    time::{Duration, Instant},
};

use sqlx::{
    Connection, PgPool, SqlitePool,
    pool::PoolOptions,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use super::{
    conn::{Conn, Link, Tx},
    error::{Error, Result},
    migrations,
};

/// How long a caller waits for a connection, and SQLite for another process's write.
const PATIENCE: Duration = Duration::from_secs(30);

/// Before a file that is just being made is opened again.
const AGAIN: Duration = Duration::from_millis(20);

/// Prepared statements that a connection keeps: all that the service has, and those that insert
/// many rows in each of their sizes.
const STATEMENTS: usize = 512;

/// A connection idle for longer is asked whether it still lives before it is handed out.
const TRUSTED_IDLE: Duration = Duration::from_secs(10);

/// A handle to the database; clones share its connections.
///
/// Never ask for a second connection while holding one: pass the first down.
#[derive(Clone, Debug)]
pub struct Db(Pools);

#[derive(Clone, Debug)]
enum Pools {
    /// One writer, because SQLite has one, and a queue for it that is fair.
    Sqlite {
        writer: SqlitePool,
        readers: SqlitePool,
    },
    Postgres(PgPool),
}

impl Db {
    /// Enough connections for a node; small, so that several fit under PostgreSQL's usual 100.
    pub const CONNECTIONS: u32 = 8;

    /// Opens the database at `sqlite:<path>` (made if missing) or `postgres://…` with at most
    /// `connections` connections (SQLite: that many readers beside the one writer). Fails with
    /// [`Error::UnknownAddress`] on anything else.
    pub async fn connect(url: &str, connections: u32) -> Result<Self> {
        if url.starts_with("sqlite:") {
            open_sqlite(SqliteConnectOptions::from_str(url)?, connections).await
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            open_postgres(PgConnectOptions::from_str(url)?, connections).await
        } else {
            Err(Error::UnknownAddress)
        }
    }

    /// Opens the SQLite database in `file`, made if missing, whatever characters its path has.
    pub async fn open_file(file: &Path, connections: u32) -> Result<Self> {
        open_sqlite(SqliteConnectOptions::new().filename(file), connections).await
    }

    /// Brings the tables up to date. Any number of nodes may do this at once.
    pub async fn migrate(&self) -> Result<()> {
        match &self.0 {
            Pools::Sqlite { writer, .. } => {
                let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
                migrations::sqlite().run_direct(None, &mut *tx, false).await?;
                tx.commit().await?;
            }
            Pools::Postgres(pool) => {
                let mut conn = pool.acquire().await?;
                migrations::postgres().run_direct(None, &mut *conn, false).await?;
            }
        }
        Ok(())
    }

    /// A connection for reading; every statement sees what was committed before it.
    pub async fn read(&self) -> Result<Conn> {
        Ok(Conn(match &self.0 {
            Pools::Sqlite { readers, .. } => Link::Sqlite(readers.acquire().await?),
            Pools::Postgres(pool) => Link::Postgres(pool.acquire().await?),
        }))
    }

    /// A transaction for reading: all its statements see the same moment.
    pub async fn snapshot(&self) -> Result<Tx> {
        Ok(Tx(Conn(match &self.0 {
            Pools::Sqlite { readers, .. } => Link::SqliteTx(readers.begin().await?),
            Pools::Postgres(pool) => Link::PostgresTx(
                pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY").await?,
            ),
        })))
    }

    /// A transaction for writing. On SQLite it is the only one at that moment: keep it short.
    pub async fn write(&self) -> Result<Tx> {
        Ok(Tx(Conn(match &self.0 {
            Pools::Sqlite { writer, .. } => {
                Link::SqliteTx(writer.begin_with("BEGIN IMMEDIATE").await?)
            }
            Pools::Postgres(pool) => Link::PostgresTx(pool.begin().await?),
        })))
    }

    /// A connection that hears what [`super::notify`] says on `channel`, on any node. None on
    /// SQLite, where there is one node.
    pub async fn listen(&self, channel: &str) -> Result<Option<PgListener>> {
        let Pools::Postgres(pool) = &self.0 else { return Ok(None) };
        // A pool of its own: it holds its connection for good.
        let options = (*pool.connect_options()).clone();
        let own = PgPoolOptions::new().max_connections(1).connect_lazy_with(options);
        let mut listener = PgListener::connect_with(&own).await?;
        listener.listen(channel).await?;
        Ok(Some(listener))
    }

    /// Waits for the connections that are out, then closes all. SQLite folds its log back.
    pub async fn close(&self) {
        match &self.0 {
            Pools::Sqlite { writer, readers } => {
                readers.close().await;
                writer.close().await;
            }
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}

async fn open_sqlite(options: SqliteConnectOptions, readers: u32) -> Result<Db> {
    let options = options
        .create_if_missing(true)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(PATIENCE)
        .statement_cache_capacity(STATEMENTS)
        .pragma("journal_size_limit", "16777216");
    let pool: fn() -> SqlitePoolOptions = || {
        PoolOptions::new()
            .acquire_timeout(PATIENCE)
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
    };
    // The writer is opened at once, so that a wrong path shows now and not at the first write.
    let writer = open_writer(|| pool().max_connections(1).connect_with(options.clone())).await?;
    let reading = options.pragma("query_only", "ON");
    let readers = pool().max_connections(readers).connect_lazy_with(reading);
    Ok(Db(Pools::Sqlite { writer, readers }))
}

/// While another process gives a new file its log, SQLite refuses without waiting for it: then it is
/// tried again, as long as one would have waited.
async fn open_writer<F>(open: impl Fn() -> F) -> Result<SqlitePool>
where
    F: Future<Output = sqlx::Result<SqlitePool>>,
{
    let until = Instant::now() + PATIENCE;
    loop {
        match open().await.map_err(Error::from) {
            Err(Error::Busy(_)) if Instant::now() < until => tokio::time::sleep(AGAIN).await,
            opened => return opened,
        }
    }
}

async fn open_postgres(options: PgConnectOptions, connections: u32) -> Result<Db> {
    let options = options.statement_cache_capacity(STATEMENTS);
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(PATIENCE)
        .test_before_acquire(false)
        .before_acquire(|conn, meta| {
            Box::pin(async move {
                if meta.idle_for > TRUSTED_IDLE {
                    conn.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_with(options)
        .await?;
    Ok(Db(Pools::Postgres(pool)))
}
