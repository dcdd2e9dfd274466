//! Questions of builders to people.

use chrono::{DateTime, Utc};
use domain::{
    event::{agents::Role, questions::ResolvedHow},
    ids::{BuildId, ClarificationId, Id, ProjectId, RunId, UserId},
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A question, and what became of it.
    pub struct Clarification {
        /// The question's id.
        pub id: ClarificationId,
        /// The build that waits.
        pub build_id: BuildId,
        /// The run that waits.
        pub run_id: RunId,
        /// The tool call that waits.
        pub call_id: String,
        /// What is asked.
        pub question: String,
        /// Why it is asked.
        pub context: Option<String>,
        /// The choices, a JSON array of strings.
        pub options: String,
        /// The role that asks.
        pub asked_by: Role,
        /// When it was asked.
        pub asked_at: DateTime<Utc>,
        /// When the builder decides by itself; None is never.
        pub expires_at: Option<DateTime<Utc>>,
        /// `open`, `answered`, `timed_out`, `skipped` or `cancelled`.
        pub status: String,
        /// The answer, where there is one.
        pub answer: Option<String>,
        /// Who answered or skipped it.
        pub answered_by: Option<UserId>,
        /// When it was settled.
        pub resolved_at: Option<DateTime<Utc>>,
    }
}

/// How a question is settled.
#[derive(Clone, Debug)]
pub struct Resolution<'a> {
    /// How.
    pub how: ResolvedHow,
    /// The answer, where there is one.
    pub answer: Option<&'a str>,
    /// Who answered or skipped it.
    pub answered_by: Option<UserId>,
    /// When.
    pub resolved_at: DateTime<Utc>,
}

macro_rules! columns {
    () => {
        "id, build_id, run_id, call_id, question, context, options, asked_by, asked_at, \
         expires_at, status, answer, answered_by, resolved_at"
    };
}

/// Adds a question.
pub async fn insert(conn: &mut Conn, asked: &Clarification) -> Result<()> {
    const SQL: &str = concat!(
        "INSERT INTO clarifications (",
        columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
    );
    execute!(
        conn,
        SQL,
        asked.id,
        asked.build_id,
        asked.run_id,
        asked.call_id.as_str(),
        asked.question.as_str(),
        asked.context.as_deref(),
        asked.options.as_str(),
        asked.asked_by,
        asked.asked_at,
        asked.expires_at,
        asked.status.as_str(),
        asked.answer.as_deref(),
        asked.answered_by,
        asked.resolved_at,
    );
    Ok(())
}

/// The question with this id, if it is the build's.
pub async fn get(
    conn: &mut Conn,
    build: BuildId,
    id: ClarificationId,
) -> Result<Option<Clarification>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM clarifications WHERE build_id = $1 AND id = $2");
    Ok(fetch!(conn, SQL, build, id).pop())
}

/// Settles a question if it is open. False if somebody was faster, or there is none such.
pub async fn resolve(
    conn: &mut Conn,
    id: ClarificationId,
    resolution: &Resolution<'_>,
) -> Result<bool> {
    const SQL: &str = "UPDATE clarifications \
        SET status = $2, answer = $3, answered_by = $4, resolved_at = $5 \
        WHERE id = $1 AND status = 'open'";
    let Resolution { how, answer, answered_by, resolved_at } = *resolution;
    Ok(execute!(conn, SQL, id, how, answer, answered_by, resolved_at) > 0)
}

/// The next `limit` questions of a build after `after`, in the order they were asked.
pub async fn list(
    conn: &mut Conn,
    build: BuildId,
    after: Option<ClarificationId>,
    limit: i64,
) -> Result<Vec<Clarification>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM clarifications WHERE build_id = $1 AND id > $2 ORDER BY id LIMIT $3"
    );
    let after = after.unwrap_or(ClarificationId::from_uuid(Uuid::nil()));
    Ok(fetch!(conn, SQL, build, after, limit))
}

/// The open question of a build, the oldest if there were several.
pub async fn open(conn: &mut Conn, build: BuildId) -> Result<Option<Clarification>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM clarifications WHERE build_id = $1 AND status = 'open' ORDER BY id LIMIT 1"
    );
    Ok(fetch!(conn, SQL, build).pop())
}

/// How many questions of a project's builds are open.
pub async fn count_open(conn: &mut Conn, project: ProjectId) -> Result<u64> {
    const SQL: &str = "SELECT COUNT(*) FROM clarifications \
        JOIN builds ON builds.id = clarifications.build_id \
        WHERE clarifications.status = 'open' AND builds.project_id = $1";
    let counts: Vec<(u64,)> = fetch!(conn, SQL, project);
    Ok(counts.first().map_or(0, |(count,)| *count))
}
