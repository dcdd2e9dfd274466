//! A database with an administrator's access, without triggers and constraints.

use sqlx::{AssertSqlSafe, Connection, PgConnection, Row, SqliteConnection};

use super::columns::KEYS;

pub enum Database {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Database {
    pub async fn open(url: &str) -> Self {
        let mut database = if url.starts_with("sqlite:") {
            Self::Sqlite(SqliteConnection::connect(url).await.expect("a connection"))
        } else {
            Self::Postgres(PgConnection::connect(url).await.expect("a connection"))
        };
        for statement in match database {
            Self::Sqlite(_) => &[
                "PRAGMA foreign_keys = OFF",
                "PRAGMA busy_timeout = 30000",
                "DROP TRIGGER audit_log_not_updated",
                "DROP TRIGGER audit_log_not_deleted",
                "DROP TRIGGER audit_log_not_replaced",
            ][..],
            Self::Postgres(_) => &["SET session_replication_role = replica"][..],
        } {
            database.run(statement).await;
        }
        database
    }

    /// Runs a statement and returns the number of rows it changed.
    pub async fn run(&mut self, statement: &str) -> u64 {
        let sql = AssertSqlSafe(self.dialect(statement));
        match self {
            Self::Sqlite(conn) => {
                sqlx::raw_sql(sql).execute(conn).await.map(|done| done.rows_affected())
            }
            Self::Postgres(conn) => {
                sqlx::raw_sql(sql).execute(conn).await.map(|done| done.rows_affected())
            }
        }
        .unwrap_or_else(|error| panic!("{statement}: {error}"))
    }

    /// All columns of all tables of the service.
    pub async fn columns(&mut self) -> Vec<(String, String)> {
        const SQLITE: &str = "SELECT m.name, p.name FROM sqlite_master AS m \
            JOIN pragma_table_info(m.name) AS p WHERE m.type = 'table' \
            AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE '%sqlx%' AND m.name NOT LIKE 'kept_%'";
        const POSTGRES: &str = "SELECT table_name::text, column_name::text \
            FROM information_schema.columns WHERE table_schema = 'public' \
            AND table_name NOT LIKE '%sqlx%' AND table_name NOT LIKE 'kept_%'";
        match self {
            Self::Sqlite(conn) => {
                let rows = sqlx::query(SQLITE).fetch_all(conn).await.expect("the catalogue");
                rows.iter().map(|row| (row.get(0), row.get(1))).collect()
            }
            Self::Postgres(conn) => {
                let rows = sqlx::query(POSTGRES).fetch_all(conn).await.expect("the catalogue");
                rows.iter().map(|row| (row.get(0), row.get(1))).collect()
            }
        }
    }

    /// One text from the database.
    pub async fn text(&mut self, query: &str) -> String {
        let sql = AssertSqlSafe(query.to_owned());
        match self {
            Self::Sqlite(conn) => sqlx::query(sql).fetch_one(conn).await.map(|row| row.get(0)),
            Self::Postgres(conn) => sqlx::query(sql).fetch_one(conn).await.map(|row| row.get(0)),
        }
        .unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// Saves a copy of the tables.
    pub async fn keep(&mut self) {
        for (table, _) in KEYS {
            self.run(&format!("DROP TABLE IF EXISTS kept_{table}")).await;
            self.run(&format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}")).await;
        }
    }

    /// Restores a table from its copy.
    pub async fn restore(&mut self, table: &str) {
        self.run(&format!("DELETE FROM {table}")).await;
        self.run(&format!("INSERT INTO {table} SELECT * FROM kept_{table}")).await;
    }

    fn dialect(&self, statement: &str) -> String {
        let (later, bytes) = match self {
            Self::Sqlite(_) => ("+ 1000000", "X'00'"),
            Self::Postgres(_) => ("+ interval '1 second'", "'\\x00'::bytea"),
        };
        let mut statement = statement.replace("BYTES", bytes);
        while let Some((start, rest)) = statement.split_once("LATER(") {
            let (column, rest) = rest.split_once(')').expect("it is closed");
            statement = format!("{start}({column} {later}){rest}");
        }
        statement
    }
}
