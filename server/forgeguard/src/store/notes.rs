//! Users' notes on projects.

use chrono::{DateTime, Utc};
use domain::ids::{ProjectId, UserId};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{fetch, row},
};

row! {
    pub struct Note {
        pub content: String,
        /// From 1, incremented by each change.
        pub version: u32,
        pub updated_at: DateTime<Utc>,
    }
}

pub async fn get(conn: &mut Conn, project: ProjectId, user: UserId) -> Result<Option<Note>> {
    const SQL: &str = "SELECT content, version, updated_at FROM project_notes \
        WHERE project_id = $1 AND user_id = $2";
    Ok(fetch!(conn, SQL, project, user).pop())
}

/// The note of the project's owner.
pub async fn of_owner(conn: &mut Conn, project: ProjectId) -> Result<Option<Note>> {
    const SQL: &str = "SELECT content, version, project_notes.updated_at FROM project_notes \
        JOIN projects ON projects.id = project_id AND owner_id = user_id WHERE project_id = $1";
    Ok(fetch!(conn, SQL, project).pop())
}

/// Writes the note if its version is still the one that the writer saw (0: none). None if it has
/// changed; then nothing is written.
pub async fn put(
    conn: &mut Conn,
    project: ProjectId,
    user: UserId,
    content: &str,
    seen_version: u32,
    now: DateTime<Utc>,
) -> Result<Option<Note>> {
    const FIRST: &str = "INSERT INTO project_notes \
        (id, project_id, user_id, content, version, updated_at) VALUES ($1, $2, $3, $4, 1, $5) \
        ON CONFLICT (project_id, user_id) DO NOTHING RETURNING content, version, updated_at";
    const NEXT: &str = "UPDATE project_notes \
        SET content = $3, version = version + 1, updated_at = $5 \
        WHERE project_id = $1 AND user_id = $2 AND version = $4 \
        RETURNING content, version, updated_at";
    let mut written = match seen_version {
        0 => fetch!(conn, FIRST, Uuid::now_v7(), project, user, content, now),
        seen => fetch!(conn, NEXT, project, user, content, seen, now),
    };
    Ok(written.pop())
}
