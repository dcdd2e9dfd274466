//! What tracking errors is compared with: single-row upserts, one after another.

use std::time::Instant;

use chrono::Utc;
use domain::ids::{BuildId, Id};
use sqlx::{Connection, PgConnection, SqliteConnection};
use uuid::Uuid;

use crate::{Result, figures};

/// Kinds of errors that come again and again.
const KINDS: u64 = 40;

/// One connection of its own to the database.
pub enum BareLoop {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl BareLoop {
    /// Opens the connection.
    pub async fn connect(url: &str) -> Result<Self> {
        Ok(match url.starts_with("sqlite:") {
            true => Self::Sqlite(SqliteConnection::connect(url).await?),
            false => Self::Postgres(PgConnection::connect(url).await?),
        })
    }

    /// Upserts a second. Each is a prepared statement that commits by itself.
    pub async fn rate(&mut self, build: BuildId, count: u64) -> Result<f64> {
        const UPSERT: &str = "INSERT INTO build_errors (id, build_id, fingerprint, first_seen, \
            last_seen, source, severity, message, created_at) \
            VALUES ($1, $2, $3, $4, $4, 'bare', 'error', $5, $4) \
            ON CONFLICT (build_id, fingerprint) DO UPDATE SET \
            occurrence_count = build_errors.occurrence_count + 1, \
            last_seen = excluded.last_seen, message = excluded.message";
        let begun = Instant::now();
        for number in 0..count {
            let (id, fingerprint) = (Uuid::now_v7(), format!("bare-{}", number % KINDS));
            let message = format!("src/report.js:{number}: expected '1 day', got '1 days'");
            match self {
                Self::Sqlite(conn) => {
                    let query = sqlx::query(UPSERT).bind(id.hyphenated());
                    let query = query.bind(build.uuid().hyphenated()).bind(fingerprint);
                    let query = query.bind(Utc::now().timestamp_micros()).bind(message);
                    query.execute(conn).await?;
                }
                Self::Postgres(conn) => {
                    let query = sqlx::query(UPSERT).bind(id).bind(build.uuid()).bind(fingerprint);
                    query.bind(Utc::now()).bind(message).execute(conn).await?;
                }
            }
        }
        Ok(figures::per_second(count, begun.elapsed()))
    }

    /// Closes the connection.
    pub async fn close(self) -> Result<()> {
        match self {
            Self::Sqlite(conn) => conn.close().await?,
            Self::Postgres(conn) => conn.close().await?,
        }
        Ok(())
    }
}
