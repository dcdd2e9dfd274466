//! Versions of projects' specs.

use chrono::{DateTime, Utc};
use domain::ids::{ProjectId, UserId};

use super::{
    conn::Conn,
    error::Result,
    statement::{fetch, row},
};

row! {
    /// A version of a spec. Never changed.
    pub struct Spec {
        /// From 1, without gaps.
        pub version: u32,
        pub content: String,
        pub author_id: UserId,
        pub created_at: DateTime<Utc>,
    }
}

/// The newest version.
pub async fn current(conn: &mut Conn, project: ProjectId) -> Result<Option<Spec>> {
    const SQL: &str = "SELECT version, content, author_id, created_at FROM specs \
        WHERE project_id = $1 ORDER BY version DESC LIMIT 1";
    Ok(fetch!(conn, SQL, project).pop())
}

/// Adds the next version. `Error::AlreadyExists` if another one is added concurrently.
pub async fn insert(
    conn: &mut Conn,
    project: ProjectId,
    content: &str,
    author: UserId,
    now: DateTime<Utc>,
) -> Result<Spec> {
    const SQL: &str = "INSERT INTO specs (project_id, version, content, author_id, created_at) \
        SELECT $1, COALESCE(MAX(version), 0) + 1, $2, $3, $4 FROM specs WHERE project_id = $1 \
        RETURNING version, content, author_id, created_at";
    let mut written: Vec<Spec> = fetch!(conn, SQL, project, content, author, now);
    written.pop().ok_or_else(|| sqlx::Error::RowNotFound.into())
}
