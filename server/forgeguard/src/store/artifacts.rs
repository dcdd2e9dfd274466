//! What agents of a build leave for each other: scratchpad pages, dossiers and the like.

use chrono::{DateTime, Utc};
use domain::ids::BuildId;
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A text under a kind and a key.
    pub struct Artifact {
        /// Such as `scratchpad`.
        pub kind: String,
        /// Its name within the kind.
        pub key: String,
        /// The text.
        pub content: String,
        /// When it was first written.
        pub created_at: DateTime<Utc>,
        /// When it was last written.
        pub updated_at: DateTime<Utc>,
        /// From when on it is not found any more.
        pub expires_at: Option<DateTime<Utc>>,
    }
}

/// The place of an artifact.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The build.
    pub build: BuildId,
    /// Such as `scratchpad`.
    pub kind: &'a str,
    /// Its name within the kind.
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

/// Writes the text, over an older one if there is one.
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

/// Writes the text behind what is there.
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

/// The artifact at this place, unless it has expired at `now`.
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

/// The keys of a kind that have not expired at `now`, the next `limit` after `after` in order.
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

/// Removes what has expired at `now` and says how many.
pub async fn remove_expired(conn: &mut Conn, now: DateTime<Utc>) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM artifacts WHERE expires_at <= $1", now))
}
