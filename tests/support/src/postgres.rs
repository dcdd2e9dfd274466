//! A PostgreSQL database for one test, copied from a template that is migrated once.
//!
//! Advisory locks, which end with their process, show which databases are in use: each is locked
//! under its name while its test runs, so any process may drop one whose lock is free.

use std::{env, str::FromStr, time::Duration};

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row, postgres::PgConnectOptions,
};
use uuid::Uuid;

use crate::{cluster, template};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// The advisory lock held while the template is created or copied and leftovers are dropped.
const MAINTENANCE_LOCK_KEY: i64 = 0x666f_7267_6501;

/// A migrated database with a unique name. Call [`Postgres::remove`] at the end; after a crash the
/// next test removes it.
pub struct Postgres {
    name: String,
    url: String,
    /// Holds the lock of this database.
    admin: PgConnection,
}

impl Postgres {
    /// Creates the database on the first usable server. Panics with the reason if there is none.
    pub async fn create() -> Self {
        Self::create_on(server().await).await
    }

    /// Creates the database on a server that waits for the disk, as in production: the one at
    /// `DATABASE_URL`, otherwise the one at 127.0.0.1:5432. For measurements.
    pub async fn create_durable() -> Self {
        let server = match given_server().await {
            Some(given) => given,
            None => available(local().port(5432)).await.expect(
                "measurements need a PostgreSQL server: set DATABASE_URL, or start one at \
                 127.0.0.1:5432 whose user postgres needs no password",
            ),
        };
        Self::create_on(server).await
    }

    async fn create_on(server: PgConnectOptions) -> Self {
        let mut admin = server.connect().await.expect("the server answered a moment ago");
        lock(&mut admin, MAINTENANCE_LOCK_KEY).await;
        drop_leftovers(&mut admin).await;
        let template = template(&server, &mut admin).await;
        let name = new_database(&mut admin, &template).await;
        unlock(&mut admin, MAINTENANCE_LOCK_KEY).await;
        let url = server.database(&name).to_url_lossy().to_string();
        Self { name, url, admin }
    }

    /// The URL, as in `DATABASE_URL`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Drops the database, even if clients are connected.
    pub async fn remove(mut self) {
        run(&mut self.admin, format!("DROP DATABASE {} WITH (FORCE)", self.name)).await;
    }
}

/// The server at `DATABASE_URL`; otherwise a private one, which does not wait for the disk, where
/// PostgreSQL's programs are installed; otherwise the one at 127.0.0.1:5432.
async fn server() -> PgConnectOptions {
    if let Some(given) = given_server().await {
        return given;
    }
    if !cluster::can_start()
        && let Some(server) = available(local().port(5432)).await
    {
        return server;
    }
    let private = local().port(cluster::port());
    available(private).await.expect("the private server accepts connections once it has started")
}

/// The server at `DATABASE_URL`, if it is set.
async fn given_server() -> Option<PgConnectOptions> {
    let url = env::var("DATABASE_URL").ok().filter(|url| url.starts_with("postgres"))?;
    let given = PgConnectOptions::from_str(&url).expect("DATABASE_URL is a URL");
    // Advisory locks are per database, so all processes must connect to the same one.
    Some(available(given.database("postgres")).await.expect("DATABASE_URL can be used"))
}

fn local() -> PgConnectOptions {
    PgConnectOptions::new_without_pgpass()
        .host("127.0.0.1")
        .username("postgres")
        .database("postgres")
}

/// The server, if it is reachable and permits creating databases.
async fn available(server: PgConnectOptions) -> Option<PgConnectOptions> {
    may_create_databases(&server).await.then_some(server)
}

async fn may_create_databases(server: &PgConnectOptions) -> bool {
    const SQL: &str = "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user";
    let ask = async {
        let mut conn = server.connect().await?;
        let allowed = sqlx::query(SQL).fetch_one(&mut conn).await?.try_get::<bool, _>(0)?;
        conn.close().await?;
        Ok::<_, sqlx::Error>(allowed)
    };
    matches!(tokio::time::timeout(CONNECT_TIMEOUT, ask).await, Ok(Ok(true)))
}

/// The name of the template database with all migrations of this checkout, created by the first
/// caller.
async fn template(server: &PgConnectOptions, admin: &mut PgConnection) -> String {
    let (migrator, name) = template::migrations("postgres").await;
    let known = names(
        admin,
        "SELECT datname FROM pg_database WHERE datname LIKE 'forgeguard\\_template\\_%'",
    )
    .await;
    if known.contains(&name) {
        return name;
    }
    for old in known {
        run(admin, format!("DROP DATABASE IF EXISTS {old} WITH (FORCE)")).await;
    }
    // Renamed when complete; an incomplete one is dropped like other leftovers.
    let unfinished = new_database(admin, "template0").await;
    let mut conn = server.clone().database(&unfinished).connect().await.expect("it was just made");
    migrator.run(&mut conn).await.expect("the migrations run on an empty database");
    conn.close().await.expect("the connection closes");
    run(admin, format!("ALTER DATABASE {unfinished} RENAME TO {name}")).await;
    name
}

/// Copies `template` under a new name, which is locked as in use.
async fn new_database(admin: &mut PgConnection, template: &str) -> String {
    let name = format!("forgeguard_test_{}", Uuid::now_v7().simple());
    sqlx::query("SELECT pg_advisory_lock(hashtextextended($1, 0))")
        .bind(&name)
        .execute(&mut *admin)
        .await
        .expect("the lock of a new name is free");
    run(admin, format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
    name
}

async fn drop_leftovers(admin: &mut PgConnection) {
    const UNUSED: &str = "SELECT datname FROM pg_database WHERE datname LIKE 'forgeguard\\_test\\_%' \
        AND pg_try_advisory_lock(hashtextextended(datname, 0))";
    for name in names(admin, UNUSED).await {
        run(admin, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
    }
}

async fn lock(admin: &mut PgConnection, key: i64) {
    let query = sqlx::query("SELECT pg_advisory_lock($1)").bind(key);
    query.execute(admin).await.expect("the lock is granted");
}

async fn unlock(admin: &mut PgConnection, key: i64) {
    let query = sqlx::query("SELECT pg_advisory_unlock($1)").bind(key);
    query.execute(admin).await.expect("the lock is given back");
}

async fn names(admin: &mut PgConnection, sql: &'static str) -> Vec<String> {
    let rows = sqlx::query(sql).fetch_all(admin).await.expect("the catalogue can be read");
    rows.iter().map(|row| row.get(0)).collect()
}

/// Names cannot be bound as parameters; all of these are generated here.
async fn run(admin: &mut PgConnection, sql: String) {
    if let Err(error) = sqlx::raw_sql(AssertSqlSafe(sql.clone())).execute(admin).await {
        panic!("{sql}: {error}");
    }
}
