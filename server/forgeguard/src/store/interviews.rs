//! Messages of interviews about projects.

use chrono::{DateTime, Utc};
use domain::{ids::ProjectId, interview::Author};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct Message {
        /// From 0.
        pub position: u32,
        pub author: Author,
        pub text: String,
        pub created_at: DateTime<Utc>,
    }
}

/// All messages of a project, oldest first.
pub async fn list(conn: &mut Conn, project: ProjectId) -> Result<Vec<Message>> {
    const SQL: &str = "SELECT position, author, text, created_at FROM interview_messages \
        WHERE project_id = $1 ORDER BY position";
    Ok(fetch!(conn, SQL, project))
}

/// Appends a message. `Error::AlreadyExists` if another one is appended concurrently.
pub async fn append(
    conn: &mut Conn,
    project: ProjectId,
    author: Author,
    text: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO interview_messages \
            (project_id, position, author, text, created_at) \
        SELECT $1, COALESCE(MAX(position) + 1, 0), $2, $3, $4 \
        FROM interview_messages WHERE project_id = $1";
    execute!(conn, SQL, project, author, text, now);
    Ok(())
}
