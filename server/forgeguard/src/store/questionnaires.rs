//! The answers to projects' questionnaires.

use chrono::{DateTime, Utc};
use domain::{ids::ProjectId, questionnaire::Size};

use super::{
    conn::Conn,
    error::Result,
    statement::{fetch, row},
};

row! {
    pub struct Questionnaire {
        pub size: Size,
        /// JSON.
        pub answers: String,
        /// From 1, incremented by each change.
        pub version: u32,
        pub updated_at: DateTime<Utc>,
    }
}

/// None if there never were any.
pub async fn get(conn: &mut Conn, project: ProjectId) -> Result<Option<Questionnaire>> {
    const SQL: &str = "SELECT size, answers, version, updated_at FROM questionnaires \
        WHERE project_id = $1";
    Ok(fetch!(conn, SQL, project).pop())
}

/// Writes the answers if their version is still the one that the writer saw (0: none). None if they
/// have changed; then nothing is written.
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
