//! Questions of agents to users.

use chrono::{DateTime, Utc};
use domain::{
    contract::ContractType,
    event::{
        agents::Role,
        questions::{ClarificationKind, ResolvedHow},
    },
    ids::{BuildId, ClarificationId, Id, ProjectId, RunId, UserId},
    state::Status,
};
use sqlx::{postgres::PgRow, sqlite::SqliteRow};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{Record, execute_later, fetch, row},
};

/// The year 9999: questions without an expiry are sorted last.
const MAX_UNIX_SECONDS: i64 = 253_370_764_800;

row! {
    pub struct Clarification {
        pub id: ClarificationId,
        pub build_id: BuildId,
        pub kind: ClarificationKind,
        /// The waiting run.
        pub run_id: RunId,
        /// The waiting tool call.
        pub call_id: String,
        pub question: String,
        pub context: Option<String>,
        /// A JSON array of strings.
        pub options: String,
        /// Whether several options may be chosen; the answer then has one line for each choice.
        pub multiple: bool,
        pub asked_by: Role,
        pub asked_at: DateTime<Utc>,
        /// When the agent decides without an answer; None: never.
        pub expires_at: Option<DateTime<Utc>>,
        /// `open`, `answered`, `timed_out`, `skipped` or `cancelled`.
        pub status: String,
        pub answer: Option<String>,
        /// Who answered or skipped it.
        pub answered_by: Option<UserId>,
        /// The current name of that user.
        pub answered_by_name: Option<String>,
        pub resolved_at: Option<DateTime<Utc>>,
        /// The event of the request; None if it was not found for an old question.
        pub asked_seq: Option<u64>,
        /// The event of the resolution.
        pub resolved_seq: Option<u64>,
        /// The contract that the agent read last; None if it read none, or if it is unknown.
        pub contract: Option<ContractType>,
    }
}

row! {
    /// The project and build of a question.
    pub struct Place {
        pub project_id: ProjectId,
        pub project_name: String,
        pub project_slug: String,
        pub build_number: u32,
        pub build_title: Option<String>,
        pub build_created_at: DateTime<Utc>,
        pub build_status: Status,
    }
}

/// A question with its project and build.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedClarification {
    pub clarification: Clarification,
    pub place: Place,
}

impl Clarification {
    /// The answer, with the choices of a question with several on one line.
    pub fn shown_answer(&self) -> Option<String> {
        let answer = self.answer.as_deref()?;
        Some(if self.multiple { answer.replace('\n', "; ") } else { answer.to_owned() })
    }
}

impl Record for PlacedClarification {
    fn sqlite(row: &SqliteRow) -> Result<Self> {
        Ok(Self { clarification: Record::sqlite(row)?, place: Record::sqlite(row)? })
    }

    fn postgres(row: &PgRow) -> Result<Self> {
        Ok(Self { clarification: Record::postgres(row)?, place: Record::postgres(row)? })
    }
}

/// The position of a page in questions by expiry: after this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// None: never.
    pub expires_at: Option<DateTime<Utc>>,
    pub id: ClarificationId,
}

#[derive(Clone, Debug)]
pub struct Resolution<'a> {
    pub how: ResolvedHow,
    pub answer: Option<&'a str>,
    /// Who answered or skipped it.
    pub answered_by: Option<UserId>,
    pub resolved_at: DateTime<Utc>,
    /// The event of the resolution.
    pub resolved_seq: Option<u64>,
}

macro_rules! columns {
    () => {
        "clarifications.id, build_id, clarifications.kind, run_id, call_id, question, context, \
         options, multiple, asked_by, asked_at, expires_at, clarifications.status, answer, answered_by, \
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
             projects.slug AS project_slug, builds.number AS build_number, \
             builds.title AS build_title, builds.created_at AS build_created_at, builds.status AS build_status \
             FROM clarifications JOIN builds ON builds.id = build_id \
             JOIN projects ON projects.id = builds.project_id "
        )
    };
}

pub async fn insert(conn: &mut Conn, asked: &Clarification) -> Result<()> {
    const SQL: &str = "INSERT INTO clarifications (id, build_id, kind, run_id, call_id, question, \
        context, options, multiple, asked_by, asked_at, expires_at, status, answer, answered_by, \
        resolved_at, asked_seq, resolved_seq, contract) VALUES \
        ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";
    execute_later!(
        conn,
        SQL,
        asked.id,
        asked.build_id,
        asked.kind,
        asked.run_id,
        asked.call_id.as_str(),
        asked.question.as_str(),
        asked.context.as_deref(),
        asked.options.as_str(),
        asked.multiple,
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

/// The question with this id, if it belongs to the build.
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

/// Resolves a question if it is open.
pub async fn resolve(
    conn: &mut Conn,
    id: ClarificationId,
    resolution: &Resolution<'_>,
) -> Result<()> {
    const SQL: &str = "UPDATE clarifications \
        SET status = $2, answer = $3, answered_by = $4, resolved_at = $5, resolved_seq = $6 \
        WHERE id = $1 AND status = 'open'";
    let Resolution { how, answer, answered_by, resolved_at, resolved_seq } = *resolution;
    execute_later!(conn, SQL, id, how, answer, answered_by, resolved_at, resolved_seq);
    Ok(())
}

/// Sets the expiry of all open questions of a build.
pub async fn set_expiries(
    conn: &mut Conn,
    build: BuildId,
    expires_at: Option<DateTime<Utc>>,
) -> Result<()> {
    const SQL: &str =
        "UPDATE clarifications SET expires_at = $2 WHERE build_id = $1 AND status = 'open'";
    execute_later!(conn, SQL, build, expires_at);
    Ok(())
}

/// Sets the expiry of a question if it is open.
pub async fn set_expiry(
    conn: &mut Conn,
    id: ClarificationId,
    expires_at: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "UPDATE clarifications SET expires_at = $2 WHERE id = $1 AND status = 'open'";
    execute_later!(conn, SQL, id, expires_at);
    Ok(())
}

/// The next `limit` questions of a build after `after`, in the order in which they were asked.
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

/// The next `limit` questions of a user's projects with this status, those that expire first being
/// first.
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
    let never = DateTime::from_timestamp(MAX_UNIX_SECONDS, 0).unwrap_or(DateTime::<Utc>::MAX_UTC);
    let first = Cursor {
        expires_at: Some(DateTime::UNIX_EPOCH),
        id: ClarificationId::from_uuid(Uuid::nil()),
    };
    let Cursor { expires_at, id } = after.unwrap_or(first);
    Ok(fetch!(conn, SQL, owner, status, never, expires_at.unwrap_or(never), id, limit))
}

/// The next `limit` answered questions of agents in a project's builds, newest first.
pub async fn list_answered(
    conn: &mut Conn,
    project: ProjectId,
    before: Option<ClarificationId>,
    limit: i64,
) -> Result<Vec<PlacedClarification>> {
    const SQL: &str = concat!(
        placed!(),
        "WHERE projects.id = $1 AND clarifications.status = 'answered' \
         AND clarifications.kind IN ('question', 'permission') AND clarifications.id < $2 \
         ORDER BY clarifications.id DESC LIMIT $3"
    );
    let before = before.unwrap_or(ClarificationId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, project, before, limit))
}

/// The last question that an agent run of a build has asked.
pub async fn newest_of_run(
    conn: &mut Conn,
    build: BuildId,
    run: RunId,
) -> Result<Option<Clarification>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM clarifications WHERE build_id = $1 AND run_id = $2 ORDER BY asked_seq DESC LIMIT 1"
    );
    Ok(fetch!(conn, SQL, build, run).pop())
}

/// The open questions of a build in the order in which they were asked.
pub async fn open(conn: &mut Conn, build: BuildId) -> Result<Vec<Clarification>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM clarifications WHERE build_id = $1 AND clarifications.status = 'open' \
         ORDER BY asked_seq, clarifications.id"
    );
    Ok(fetch!(conn, SQL, build))
}

/// The number of open questions of a project's builds.
pub async fn count_open(conn: &mut Conn, project: ProjectId) -> Result<u64> {
    const SQL: &str = "SELECT COUNT(*) FROM clarifications \
        JOIN builds ON builds.id = clarifications.build_id \
        WHERE clarifications.status = 'open' AND builds.project_id = $1";
    let counts: Vec<(u64,)> = fetch!(conn, SQL, project);
    Ok(counts.first().map_or(0, |(count,)| *count))
}
