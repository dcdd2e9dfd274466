//! The database of a node: SQLite in one file, or PostgreSQL.

use std::{
    io,
    path::Path,
    str::FromStr,
    time::{Duration, Instant},
};

use sqlx::{
    ConnectOptions, Connection, PgPool, SqlitePool,
    pool::PoolOptions,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::time::timeout;

use super::{
    conn::{Conn, Faults, Link, Tx},
    error::{Error, Result, timed_out},
    migrations, project_slugs, tcp_nodelay,
};

/// The time that a caller waits for a connection, and SQLite for another process's write.
const SQLITE_TIMEOUT: Duration = Duration::from_secs(30);

/// The time that a caller waits for a connection, which may have to be opened first.
const POSTGRES_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// Long enough for a server that is restarting, and short enough to report a wrong address soon.
const POSTGRES_START_TIMEOUT: Duration = Duration::from_millis(2_500);

/// Between attempts to open a database.
const REOPEN_INTERVAL: Duration = Duration::from_millis(20);

/// Prepared statements cached per connection: all statements of the service, and those that insert
/// many rows in each of their sizes.
const STATEMENT_CACHE_CAPACITY: usize = 512;

/// A connection that was idle for longer is pinged before it is used.
const MAX_UNCHECKED_IDLE: Duration = Duration::from_secs(10);

const PING_TIMEOUT: Duration = Duration::from_secs(2);

/// A handle to the database; clones share its connections.
///
/// Never request a second connection while holding one: pass the first one down.
#[derive(Clone, Debug)]
pub struct Db {
    pools: Pools,
    faults: Faults,
}

#[derive(Clone, Debug)]
enum Pools {
    /// A single writer, as SQLite has, with a fair queue.
    Sqlite {
        writer: SqlitePool,
        readers: SqlitePool,
    },
    Postgres(PgPool),
}

/// What a commit on SQLite waits for.
#[derive(Clone, Copy, Debug)]
enum Durability {
    /// It is on disk.
    Synced,
    /// It is in the write-ahead log, which the next synced commit writes to disk in order.
    WithNextSynced,
}

impl Db {
    /// Enough for a node; small, so that several nodes fit under PostgreSQL's default of 100.
    pub const DEFAULT_CONNECTIONS: u32 = 8;

    /// Opens the database at `sqlite:<path>` (created if missing) or `postgres://…` with at most
    /// `connections` connections (SQLite: that many readers in addition to the writer).
    /// [`Error::UnknownAddress`] for any other URL.
    pub async fn connect(url: &str, connections: u32) -> Result<Self> {
        if url.starts_with("sqlite:") {
            open_sqlite(SqliteConnectOptions::from_str(url)?, connections).await
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            open_postgres(PgConnectOptions::from_str(url)?, connections).await
        } else {
            Err(Error::UnknownAddress)
        }
    }

    /// Opens the SQLite database in `file`, created if missing. The path may contain any characters.
    pub async fn open_file(file: &Path, connections: u32) -> Result<Self> {
        open_sqlite(SqliteConnectOptions::new().filename(file), connections).await
    }

    /// Runs the migrations. Several nodes may do this concurrently.
    pub async fn migrate(&self) -> Result<()> {
        match &self.pools {
            Pools::Sqlite { writer, .. } => {
                let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
                migrations::migrate_sqlite(&mut tx).await?;
                tx.commit().await?;
            }
            Pools::Postgres(pool) => {
                let mut conn = pool.acquire().await?;
                migrations::migrate_postgres(&mut conn).await?;
            }
        }
        let mut tx = self.write().await?;
        project_slugs::assign_missing(&mut tx).await?;
        tx.commit().await
    }

    /// A connection for reading; every statement sees what was committed before it.
    pub async fn read(&self) -> Result<Conn> {
        let link = match &self.pools {
            Pools::Sqlite { readers, .. } => readers.acquire().await.map(Link::Sqlite),
            Pools::Postgres(pool) => pool.acquire().await.map(Link::Postgres),
        };
        self.conn(link)
    }

    /// A transaction for reading from one snapshot.
    pub async fn snapshot(&self) -> Result<Tx> {
        let conn = self.read().await?;
        if !conn.is_postgres() {
            return Ok(Tx::begin_later(conn, "BEGIN"));
        }
        const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
        match Tx::begin(conn, BEGIN).await {
            Err(Error::Unavailable(_)) => Tx::begin(self.read().await?, BEGIN).await,
            begun => begun,
        }
    }

    /// A transaction for writing. SQLite permits one at a time: keep it short.
    /// Fails with [`Error::Corrupt`] if the database is corrupt.
    pub async fn write(&self) -> Result<Tx> {
        self.write_with(Durability::Synced).await
    }

    /// A transaction for writing what concerns only processes of the machine that holds the data. On
    /// SQLite its commit does not wait for the disk: if the machine fails, it may be lost together with
    /// everything that was written after it. PostgreSQL may fail without its clients, and waits.
    pub async fn write_for_processes(&self) -> Result<Tx> {
        self.write_with(Durability::WithNextSynced).await
    }

    async fn write_with(&self, durability: Durability) -> Result<Tx> {
        self.faults.refuse_damaged()?;
        // A connection may have been lost since it was last used. Nothing was written on it, so that
        // another one can be used.
        match self.begin_writing(durability).await {
            Err(Error::Unavailable(_)) => self.begin_writing(durability).await,
            begun => begun,
        }
    }

    async fn begin_writing(&self, durability: Durability) -> Result<Tx> {
        let link = match &self.pools {
            Pools::Sqlite { writer, .. } => writer.acquire().await.map(Link::Sqlite),
            Pools::Postgres(pool) => pool.acquire().await.map(Link::Postgres),
        };
        let conn = self.conn(link)?;
        if conn.is_postgres() {
            return Tx::begin(conn, "BEGIN").await;
        }
        match durability {
            Durability::Synced => Ok(Tx::begin_later(conn, "BEGIN IMMEDIATE")),
            Durability::WithNextSynced => {
                let begin = "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE";
                Ok(Tx::begin(conn, begin).await?.finally("PRAGMA synchronous = FULL"))
            }
        }
    }

    fn conn(&self, link: sqlx::Result<Link>) -> Result<Conn> {
        let link = link.map_err(Error::from).inspect_err(|error| self.faults.note(error))?;
        Ok(Conn::new(link, self.faults.clone()))
    }

    /// Whether other nodes can use this database.
    pub fn is_shared(&self) -> bool {
        matches!(self.pools, Pools::Postgres(_))
    }

    /// A connection that receives notifications of [`super::notify`] on these channels, from any node.
    /// None on SQLite, which has one node.
    pub async fn listen(&self, channels: &[&str]) -> Result<Option<PgListener>> {
        let Pools::Postgres(pool) = &self.pools else { return Ok(None) };
        // A separate pool, because it occupies its connection permanently.
        let options = (*pool.connect_options()).clone();
        let own = PgPoolOptions::new().max_connections(1).connect_lazy_with(options);
        let mut listener = PgListener::connect_with(&own).await?;
        listener.listen_all(channels.iter().copied()).await?;
        Ok(Some(listener))
    }

    /// Waits for connections in use, then closes all. SQLite checkpoints its write-ahead log.
    pub async fn close(&self) {
        match &self.pools {
            Pools::Sqlite { writer, readers } => {
                readers.close().await;
                writer.close().await;
            }
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}

/// An empty in-memory database that exists as long as this connection, without foreign key checks.
pub async fn scratch() -> Result<Conn> {
    let options = SqliteConnectOptions::new().in_memory(true).foreign_keys(false);
    let pool = PoolOptions::new().max_connections(1).idle_timeout(None).max_lifetime(None);
    let mut conn = pool.connect_with(options).await?.acquire().await?;
    migrations::migrate_sqlite(&mut conn).await?;
    Ok(Conn::new(Link::Sqlite(conn), Faults::default()))
}

async fn open_sqlite(options: SqliteConnectOptions, readers: u32) -> Result<Db> {
    let options = options
        .create_if_missing(true)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(SQLITE_TIMEOUT)
        .statement_cache_capacity(STATEMENT_CACHE_CAPACITY)
        .pragma("journal_size_limit", "16777216");
    let pool: fn() -> SqlitePoolOptions = || {
        PoolOptions::new()
            .acquire_timeout(SQLITE_TIMEOUT)
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
    };
    // The writer is opened immediately, to report a wrong path now instead of at the first write.
    let writer = open_writer(|| pool().max_connections(1).connect_with(options.clone())).await?;
    let reading = options.pragma("query_only", "ON");
    let readers = pool().max_connections(readers).connect_lazy_with(reading);
    Ok(Db { pools: Pools::Sqlite { writer, readers }, faults: Faults::default() })
}

/// While another process initialises the write-ahead log of a new file, SQLite fails without
/// waiting: the opening is retried for as long as SQLite would wait.
async fn open_writer<F>(open: impl Fn() -> F) -> Result<SqlitePool>
where
    F: Future<Output = sqlx::Result<SqlitePool>>,
{
    let until = Instant::now() + SQLITE_TIMEOUT;
    loop {
        match open().await.map_err(Error::from) {
            Err(Error::Busy(_)) if Instant::now() < until => {
                tokio::time::sleep(REOPEN_INTERVAL).await
            }
            opened => return opened,
        }
    }
}

async fn open_postgres(options: PgConnectOptions, connections: u32) -> Result<Db> {
    let options = options.statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
    wait_for_postgres(&options).await?;
    let faults = Faults::default();
    let seen = faults.clone();
    let port = options.get_port();
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(POSTGRES_ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .after_connect(move |_, _| {
            tcp_nodelay::set_on_connections_to(port);
            Box::pin(async { Ok(()) })
        })
        .before_acquire(move |conn, meta| {
            let doubtful = meta.idle_for > MAX_UNCHECKED_IDLE || seen.cast_doubt_on(meta.idle_for);
            Box::pin(async move {
                if doubtful {
                    timeout(PING_TIMEOUT, conn.ping()).await.map_err(|_| timed_out())??;
                }
                Ok(true)
            })
        })
        .connect_with(options)
        .await?;
    Ok(Db { pools: Pools::Postgres(pool), faults })
}

/// The pool itself would retry until its callers time out, without reporting the cause.
async fn wait_for_postgres(options: &PgConnectOptions) -> Result<()> {
    let until = Instant::now() + POSTGRES_START_TIMEOUT;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let opened = timeout(left, options.connect()).await.unwrap_or_else(|_| Err(timed_out()));
        match opened {
            Ok(conn) => return Ok(conn.close().await?),
            Err(sqlx::Error::Io(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
                if Instant::now() + REOPEN_INTERVAL >= until {
                    let (host, port) = (options.get_host(), options.get_port());
                    return Err(Error::Refused(format!("{host}:{port}")));
                }
            }
            // It is starting up or shutting down.
            Err(sqlx::Error::Database(error))
                if error.is_transient_in_connect_phase() && Instant::now() < until => {}
            Err(error) => return Err(error.into()),
        }
        tokio::time::sleep(REOPEN_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::store::statement::fetch;

    #[tokio::test]
    async fn each_transaction_waits_for_the_disk_or_not_whatever_was_written_before_it() {
        const FULL: i64 = 2;
        const NORMAL: i64 = 1;
        async fn mode(tx: &mut Tx) -> Result<i64> {
            let modes: Vec<(i64,)> = fetch!(tx, "PRAGMA synchronous");
            Ok(modes[0].0)
        }
        let folder = TempDir::new().unwrap();
        let db = Db::open_file(&folder.path().join("modes.db"), 1).await.unwrap();
        for _ in 0..2 {
            let mut tx = db.write().await.unwrap();
            assert_eq!(mode(&mut tx).await.unwrap(), FULL);
            tx.commit().await.unwrap();
            let mut tx = db.write_for_processes().await.unwrap();
            assert_eq!(mode(&mut tx).await.unwrap(), NORMAL);
            // Rolled back: the connection returns to the pool in this mode.
            drop(tx);
        }
    }
}
