//! What people answered about a project.

use chrono::{DateTime, Utc};
use domain::{ids::ProjectId, questionnaire::Size};

use super::{
    conn::Conn,
    error::Result,
    statement::{fetch, row},
};

row! {
    /// The answers of a project.
    pub struct Questionnaire {
        /// How much is asked.
        pub size: Size,
        /// The answers as JSON text.
        pub answers: String,
        /// Grows by one with each change, from 1.
        pub version: u32,
        /// When it last changed.
        pub updated_at: DateTime<Utc>,
    }
}

/// The answers, if there ever were any.
pub async fn get(conn: &mut Conn, project: ProjectId) -> Result<Option<Questionnaire>> {
    const SQL: &str = "SELECT size, answers, version, updated_at FROM questionnaires \
        WHERE project_id = $1";
    Ok(fetch!(conn, SQL, project).pop())
}

/// Writes the answers over the version that the writer saw (0: none yet). None if they have
/// changed since, and then nothing is written.
pub async fn put(
    conn: &mut Conn,
    project: ProjectId,
    size: Size,
    answers: &str,
    seen_version: u32,
    now: DateTime<Utc>,
) -> Result<Option<Questionnaire>> {
    const FIRST: &str = "INSERT INTO questionnaires \
        (project_id, size, answers, version, updated_at) VALUES ($1, $2, $3, 1, $4) \
        ON CONFLICT (project_id) DO NOTHING RETURNING size, answers, version, updated_at";
    const NEXT: &str = "UPDATE questionnaires \
        SET size = $2, answers = $3, version = version + 1, updated_at = $5 \
        WHERE project_id = $1 AND version = $4 RETURNING size, answers, version, updated_at";
    let mut written = match seen_version {
        0 => fetch!(conn, FIRST, project, size, answers, now),
        seen => fetch!(conn, NEXT, project, size, answers, seen, now),
    };
    Ok(written.pop())
}
