//! A PostgreSQL database for one test, copied from a template that is migrated once.
//!
//! Who lives is told by advisory locks, which end with their process: each database is locked
//! under its name for as long as its test runs, so anyone may drop one whose lock is free.

use std::{
    env,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
    str::FromStr,
    time::Duration,
};

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row, migrate::Migrator,
    postgres::PgConnectOptions,
};
use uuid::Uuid;

use crate::cluster;

const PATIENCE: Duration = Duration::from_secs(3);

/// The advisory lock held while the template is made or copied and leftovers are dropped.
const HOUSEKEEPING: i64 = 0x666f_7267_6501;

/// A migrated database of its own name. Call [`Postgres::remove`] at the end; after a crash the
/// next test does it.
pub struct Postgres {
    name: String,
    url: String,
    /// Holds the lock that says that this database is in use.
    admin: PgConnection,
}

impl Postgres {
    /// Makes the database: on the server at `DATABASE_URL` or 127.0.0.1:5432 if one answers and
    /// lets us, else on a private one. Panics with the reason where there can be none.
    pub async fn create() -> Self {
        let server = server().await;
        let mut admin = server.connect().await.expect("the server answered a moment ago");
        lock(&mut admin, HOUSEKEEPING).await;
        drop_leftovers(&mut admin).await;
        let template = template(&server, &mut admin).await;
        let name = new_database(&mut admin, &template).await;
        unlock(&mut admin, HOUSEKEEPING).await;
        let url = server.database(&name).to_url_lossy().to_string();
        Self { name, url, admin }
    }

    /// The address, as `DATABASE_URL` takes it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Drops the database, whoever is still connected.
    pub async fn remove(mut self) {
        run(&mut self.admin, format!("DROP DATABASE {} WITH (FORCE)", self.name)).await;
    }
}

/// The first server that lets us create databases.
async fn server() -> PgConnectOptions {
    let given = env::var("DATABASE_URL").ok().filter(|url| url.starts_with("postgres"));
    let given = given.map(|url| PgConnectOptions::from_str(&url).expect("DATABASE_URL is a URL"));
    // The locks count per database, so everyone has to meet in the same one.
    let given = given.map(|server| server.database("postgres"));
    let usual = PgConnectOptions::new_without_pgpass()
        .host("127.0.0.1")
        .port(5432)
        .username("postgres")
        .database("postgres");
    for server in given.into_iter().chain([usual.clone()]) {
        if may_create_databases(&server).await {
            return server;
        }
    }
    let private = usual.port(cluster::port());
    assert!(may_create_databases(&private).await, "the private server was started but is shut");
    private
}

async fn may_create_databases(server: &PgConnectOptions) -> bool {
    const SQL: &str = "SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user";
    let ask = async {
        let mut conn = server.connect().await?;
        let allowed = sqlx::query(SQL).fetch_one(&mut conn).await?.try_get::<bool, _>(0)?;
        conn.close().await?;
        Ok::<_, sqlx::Error>(allowed)
    };
    matches!(tokio::time::timeout(PATIENCE, ask).await, Ok(Ok(true)))
}

/// The name of a database with all migrations of this checkout, made by the first who asks.
async fn template(server: &PgConnectOptions, admin: &mut PgConnection) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/postgres");
    let migrator = Migrator::new(folder).await.expect("the migrations can be read");
    let mut hasher = DefaultHasher::new();
    migrator.iter().for_each(|m| (m.version, &m.checksum).hash(&mut hasher));
    let name = format!("forgeguard_template_{:016x}", hasher.finish());
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
    // Only a finished one gets the name; one that was left half-way is a leftover like others.
    let unfinished = new_database(admin, "template0").await;
    let mut conn = server.clone().database(&unfinished).connect().await.expect("it was just made");
    migrator.run(&mut conn).await.expect("the migrations run on an empty database");
    conn.close().await.expect("the connection closes");
    run(admin, format!("ALTER DATABASE {unfinished} RENAME TO {name}")).await;
    name
}

/// Copies `template` under a new name that is locked as in use.
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

/// Names cannot be bound, and all of these are made here.
async fn run(admin: &mut PgConnection, sql: String) {
    if let Err(error) = sqlx::raw_sql(AssertSqlSafe(sql.clone())).execute(admin).await {
        panic!("{sql}: {error}");
    }
}
