//! Texts that clients store for a project, for a limited time.

use chrono::{DateTime, Utc};
use domain::ids::ProjectId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch},
};

/// Inserts or replaces a text.
pub async fn put(
    conn: &mut Conn,
    project: ProjectId,
    key: &str,
    content: &str,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO project_artifacts \
        (project_id, key, content, updated_at, expires_at) VALUES ($1, $2, $3, $4, $5) \
        ON CONFLICT (project_id, key) DO UPDATE SET content = excluded.content, \
        updated_at = excluded.updated_at, expires_at = excluded.expires_at";
    execute!(conn, SQL, project, key, content, now, expires_at);
    Ok(())
}

/// The text, unless it has expired at `now`.
pub async fn get(
    conn: &mut Conn,
    project: ProjectId,
    key: &str,
    now: DateTime<Utc>,
) -> Result<Option<String>> {
    const SQL: &str = "SELECT content FROM project_artifacts \
        WHERE project_id = $1 AND key = $2 AND expires_at > $3";
    let rows: Vec<(String,)> = fetch!(conn, SQL, project, key, now);
    Ok(rows.into_iter().next().map(|(content,)| content))
}

/// The keys of texts that have not expired at `now`, in order.
pub async fn keys(
    conn: &mut Conn,
    project: ProjectId,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<String>> {
    const SQL: &str = "SELECT key FROM project_artifacts \
        WHERE project_id = $1 AND expires_at > $2 ORDER BY key LIMIT $3";
    let rows: Vec<(String,)> = fetch!(conn, SQL, project, now, limit);
    Ok(rows.into_iter().map(|(key,)| key).collect())
}

/// Removes the texts that have expired at `now`. Returns their number.
pub async fn remove_expired(conn: &mut Conn, now: DateTime<Utc>) -> Result<u64> {
    Ok(execute!(conn, "DELETE FROM project_artifacts WHERE expires_at <= $1", now))
}
