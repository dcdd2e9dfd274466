//! Questions of builders to people.

use chrono::{DateTime, Utc};
use domain::{
    contract::ContractType,
    event::{agents::Role, questions::ResolvedHow},
    ids::{BuildId, ClarificationId, Id, ProjectId, RunId, UserId},
    state::Status,
};
use sqlx::{postgres::PgRow, sqlite::SqliteRow};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{Record, execute, fetch, row},
};

/// The year 9999: what never expires comes after all that does.
const MOST_SECONDS: i64 = 253_370_764_800;

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
        /// The name of that person, as it is now.
        pub answered_by_name: Option<String>,
        /// When it was settled.
        pub resolved_at: Option<DateTime<Utc>>,
        /// The event that asks; None where it was not found for an old question.
        pub asked_seq: Option<u64>,
        /// The event that settles it.
        pub resolved_seq: Option<u64>,
        /// What the asking agent had read last; None where it had read nothing, or that is not known.
        pub contract: Option<ContractType>,
    }
}

row! {
    /// Where a question comes from.
    pub struct Place {
        /// The project.
        pub project_id: ProjectId,
        /// Its name.
        pub project_name: String,
        /// When the build was queued.
        pub build_created_at: DateTime<Utc>,
        /// Where the build is in its life.
        pub build_status: Status,
    }
}

/// A question among those of many builds.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedClarification {
    /// The question.
    pub clarification: Clarification,
    /// Where it comes from.
    pub place: Place,
}

impl Record for PlacedClarification {
    fn sqlite(row: &SqliteRow) -> Result<Self> {
        Ok(Self { clarification: Record::sqlite(row)?, place: Record::sqlite(row)? })
    }

    fn postgres(row: &PgRow) -> Result<Self> {
        Ok(Self { clarification: Record::postgres(row)?, place: Record::postgres(row)? })
    }
}

/// Where a page of questions by deadline begins: behind this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Its deadline; None is never.
    pub expires_at: Option<DateTime<Utc>>,
    /// Its id.
    pub id: ClarificationId,
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
    /// The event that says so.
    pub resolved_seq: Option<u64>,
}

macro_rules! columns {
    () => {
        "clarifications.id, build_id, run_id, call_id, question, context, options, asked_by, \
         asked_at, expires_at, clarifications.status, answer, answered_by, \
         (SELECT name FROM users WHERE users.id = answered_by) AS answered_by_name, \
         resolved_at, asked_seq, resolved_seq, contract"
    };
}

macro_rules! placed {
    () => {
        concat!(
            "SELECT ",
            columns!(),
            ", projects.id AS project_id, projects.name AS project_name, \
             builds.created_at AS build_created_at, builds.status AS build_status \
             FROM clarifications JOIN builds ON builds.id = build_id \
             JOIN projects ON projects.id = builds.project_id "
        )
    };
}

/// Adds a question.
pub async fn insert(conn: &mut Conn, asked: &Clarification) -> Result<()> {
    const SQL: &str = "INSERT INTO clarifications (id, build_id, run_id, call_id, question, \
        context, options, asked_by, asked_at, expires_at, status, answer, answered_by, \
        resolved_at, asked_seq, resolved_seq, contract) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";
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
        asked.asked_seq,
        asked.resolved_seq,
        asked.contract,
    );
    Ok(())
}

/// The question with this id, if it is the build's.
pub async fn get(
    conn: &mut Conn,
    build: BuildId,
    id: ClarificationId,
) -> Result<Option<Clarification>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM clarifications WHERE build_id = $1 AND clarifications.id = $2"
    );
    Ok(fetch!(conn, SQL, build, id).pop())
}

/// Settles a question if it is open. False if somebody was faster, or there is none such.
pub async fn resolve(
    conn: &mut Conn,
    id: ClarificationId,
    resolution: &Resolution<'_>,
) -> Result<bool> {
    const SQL: &str = "UPDATE clarifications \
        SET status = $2, answer = $3, answered_by = $4, resolved_at = $5, resolved_seq = $6 \
        WHERE id = $1 AND status = 'open'";
    let Resolution { how, answer, answered_by, resolved_at, resolved_seq } = *resolution;
    Ok(execute!(conn, SQL, id, how, answer, answered_by, resolved_at, resolved_seq) > 0)
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
        " FROM clarifications WHERE build_id = $1 AND clarifications.id > $2 ORDER BY clarifications.id LIMIT $3"
    );
    let after = after.unwrap_or(ClarificationId::from_uuid(Uuid::nil()));
    Ok(fetch!(conn, SQL, build, after, limit))
}

/// The next `limit` questions to a person about any of their projects, with this status, those that
/// wait no longer than others first.
pub async fn list_of_owner(
    conn: &mut Conn,
    owner: UserId,
    status: Option<&str>,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<PlacedClarification>> {
    const SQL: &str = concat!(
        placed!(),
        "WHERE projects.owner_id = $1 AND projects.deleted_at IS NULL \
         AND ($2 IS NULL OR clarifications.status = $2) \
         AND (COALESCE(expires_at, $3), clarifications.id) > ($4, $5) \
         ORDER BY COALESCE(expires_at, $3), clarifications.id LIMIT $6"
    );
    let never = DateTime::from_timestamp(MOST_SECONDS, 0).unwrap_or(DateTime::<Utc>::MAX_UTC);
    let first = Cursor {
        expires_at: Some(DateTime::UNIX_EPOCH),
        id: ClarificationId::from_uuid(Uuid::nil()),
    };
    let Cursor { expires_at, id } = after.unwrap_or(first);
    Ok(fetch!(conn, SQL, owner, status, never, expires_at.unwrap_or(never), id, limit))
}

/// The next `limit` questions of a project's builds that a person answered, newest first.
pub async fn list_answered(
    conn: &mut Conn,
    project: ProjectId,
    before: Option<ClarificationId>,
    limit: i64,
) -> Result<Vec<PlacedClarification>> {
    const SQL: &str = concat!(
        placed!(),
        "WHERE projects.id = $1 AND clarifications.status = 'answered' \
         AND clarifications.id < $2 ORDER BY clarifications.id DESC LIMIT $3"
    );
    let before = before.unwrap_or(ClarificationId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, project, before, limit))
}

/// The open question of a build, the oldest if there were several.
pub async fn open(conn: &mut Conn, build: BuildId) -> Result<Option<Clarification>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM clarifications WHERE build_id = $1 AND clarifications.status = 'open' \
         ORDER BY clarifications.id LIMIT 1"
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
