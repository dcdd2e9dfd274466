//! Texts that agents of a build share, such as scratchpad pages and dossiers.

use chrono::{DateTime, Utc};
use domain::ids::BuildId;
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct Artifact {
        /// Such as `scratchpad`.
        pub kind: String,
        /// Unique within the kind.
        pub key: String,
        pub content: String,
        pub created_at: DateTime<Utc>,
        pub updated_at: DateTime<Utc>,
        /// Not returned after this time.
        pub expires_at: Option<DateTime<Utc>>,
    }
}

/// Identifies an artifact.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub build: BuildId,
    /// Such as `scratchpad`.
    pub kind: &'a str,
    /// Unique within the kind.
    pub key: &'a str,
}

macro_rules! columns {
    () => {
        "kind, key, content, created_at, updated_at, expires_at"
    };
}

macro_rules! insert {
    () => {
        "INSERT INTO artifacts \
         (id, build_id, kind, key, content, created_at, updated_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $6, $7) ON CONFLICT (build_id, kind, key) DO UPDATE SET "
    };
}

/// Inserts or replaces an artifact.
pub async fn put(
    conn: &mut Conn,
    place: Place<'_>,
    content: &str,
    now: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
) -> Result<()> {
    const SQL: &str = concat!(
        insert!(),
        "content = excluded.content, updated_at = excluded.updated_at, \
         expires_at = excluded.expires_at"
    );
    let Place { build, kind, key } = place;
    execute!(conn, SQL, Uuid::now_v7(), build, kind, key, content, now, expires_at);
    Ok(())
}

/// Appends to an artifact.
pub async fn append(
    conn: &mut Conn,
    place: Place<'_>,
    content: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = concat!(
        insert!(),
        "content = artifacts.content || excluded.content, updated_at = excluded.updated_at"
    );
    let Place { build, kind, key } = place;
    let never: Option<DateTime<Utc>> = None;
    execute!(conn, SQL, Uuid::now_v7(), build, kind, key, content, now, never);
    Ok(())
}

/// The artifact, unless it has expired at `now`.
pub async fn get(
    conn: &mut Conn,
    place: Place<'_>,
    now: DateTime<Utc>,
) -> Result<Option<Artifact>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM artifacts WHERE build_id = $1 AND kind = $2 AND key = $3 \
         AND (expires_at IS NULL OR expires_at > $4)"
    );
    Ok(fetch!(conn, SQL, place.build, place.kind, place.key, now).pop())
}

/// The next `limit` keys after `after` of a kind, without artifacts that have expired at `now`.
pub async fn keys(
    conn: &mut Conn,
    build: BuildId,
    kind: &str,
    after: Option<&str>,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<String>> {
    const SQL: &str = "SELECT key FROM artifacts WHERE build_id = $1 AND kind = $2 AND key > $3 \
        AND (expires_at IS NULL OR expires_at > $4) ORDER BY key LIMIT $5";
    let rows: Vec<(String,)> = fetch!(conn, SQL, build, kind, after.unwrap_or(""), now, limit);
    Ok(rows.into_iter().map(|(key,)| key).collect())
}

/// The keys of a kind with the first `max_chars` characters of each text.
pub async fn previews(
    conn: &mut Conn,
    build: BuildId,
    kind: &str,
    now: DateTime<Utc>,
    max_chars: i64,
    limit: i64,
) -> Result<Vec<(String, String)>> {
    const SQL: &str = "SELECT key, substr(content, 1, CAST($4 AS INTEGER)) FROM artifacts \
        WHERE build_id = $1 AND kind = $2 AND (expires_at IS NULL OR expires_at > $3) \
        ORDER BY key LIMIT $5";
    Ok(fetch!(conn, SQL, build, kind, now, max_chars, limit))
}

/// Removes the artifacts that have expired at `now`. Returns their number.
pub async fn remove_expired(conn: &mut Conn, now: DateTime<Utc>) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM artifacts WHERE expires_at <= $1", now))
}
