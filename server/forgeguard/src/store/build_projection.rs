//! The columns of builds that are derived from events, written together with the events.

use chrono::{DateTime, Utc};
use domain::{
    event::branch::BranchLife, gate::SandboxLevel, ids::BuildId, state::Status, verdict::Verdict,
};

use super::{
    build_errors::{self, TrackedError, update_known_text},
    conn::{Conn, Driver, in_time},
    deferred::Values,
    error::Result,
    events::{self, EventRow},
    statement::{bind, bind_arrays},
};

/// What a build has used and may use, for lists.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildTotals {
    pub working_ms: i64,
    /// Sent and received.
    pub tokens: u64,
    pub usd_micros: u64,
    /// None is no limit.
    pub budget_tokens: Option<u64>,
    /// None is no limit.
    pub budget_usd_micros: Option<u64>,
    pub running_agents: u32,
}

/// The columns of a build that are derived from events.
#[derive(Clone, Debug)]
pub struct BuildProjection<'a> {
    /// Number of the newest event.
    pub head_seq: u64,
    /// Hash of the newest event.
    pub head_hash: &'a str,
    pub status: Status,
    /// Set when it is sealed.
    pub verdict: Option<Verdict>,
    pub branch: Option<&'a str>,
    /// The commit that the branch started from.
    pub baseline_sha: Option<&'a str>,
    /// The newest commit.
    pub head_sha: Option<&'a str>,
    pub branch_status: Option<BranchLife>,
    /// On the branch.
    pub commit_count: u32,
    /// None keeps the stored one.
    pub model: Option<&'a str>,
    /// None keeps the stored one.
    pub sandbox_level: Option<SandboxLevel>,
    /// None keeps the stored one.
    pub node: Option<&'a str>,
    /// Number of the lease.
    pub attempt: u32,
    pub phase_count: u32,
    pub phases_done: u32,
    pub open_errors: u32,
    pub open_questions: u32,
    /// For display.
    pub blocked_reason: Option<&'a str>,
    /// None keeps the stored time.
    pub started_at: Option<DateTime<Utc>>,
    /// None keeps the stored time.
    pub finished_at: Option<DateTime<Utc>>,
    pub totals: BuildTotals,
}

macro_rules! update_text {
    () => {
        "UPDATE builds SET head_seq = $2, head_hash = $3, \
         status = $4, verdict = $5, branch = $6, \
         baseline_sha = $7, head_sha = $8, branch_status = $9, commit_count = $10, \
         model = COALESCE($11, model), sandbox_level = COALESCE($12, sandbox_level), \
         node = COALESCE($13, node), attempt = $14, phase_count = $15, phases_done = $16, \
         open_errors = $17, open_questions = $18, blocked_reason = $19, \
         started_at = COALESCE($20, started_at), finished_at = COALESCE($21, finished_at), \
         working_ms = $22, tokens = $23, usd_micros = $24, budget_tokens = $25, \
         budget_usd_micros = $26, running_agents = $27 WHERE id = $1"
    };
}

macro_rules! bind_update {
    ($query:expr, $database:ident, $id:ident, $to:ident) => {
        bind!(
            $query,
            $database,
            $id,
            $to.head_seq,
            $to.head_hash,
            $to.status,
            $to.verdict,
            $to.branch,
            $to.baseline_sha,
            $to.head_sha,
            $to.branch_status,
            $to.commit_count,
            $to.model,
            $to.sandbox_level,
            $to.node,
            $to.attempt,
            $to.phase_count,
            $to.phases_done,
            $to.open_errors,
            $to.open_questions,
            $to.blocked_reason,
            $to.started_at,
            $to.finished_at,
            $to.totals.working_ms,
            $to.totals.tokens,
            $to.totals.usd_micros,
            $to.totals.budget_tokens,
            $to.totals.budget_usd_micros,
            $to.totals.running_agents,
        )
    };
}

/// Adds the newest events of a build, and writes the derived columns and the errors that occurred
/// again. The caller has locked the head. On PostgreSQL, this is one round trip.
pub async fn append(
    conn: &mut Conn,
    id: BuildId,
    events: &[EventRow],
    to: &BuildProjection<'_>,
    known: &[&TrackedError<'_>],
) -> Result<()> {
    const UPDATE: &str = update_text!();
    const UPDATE_AND_INSERT: &str = concat!(
        "WITH head AS (",
        update_text!(),
        "), errors AS (",
        update_known_text!(),
        "UNNEST($33, $34, $35, $36, $37, $38, $39) \
         AS known (column1, column2, column3, column4, column5, column6, column7) \
         WHERE build_errors.id = column1) \
         INSERT INTO build_events (build_id, seq, type, at, body, hash) \
         SELECT $1, given.* FROM UNNEST($28, $29, $30, $31, $32) AS given"
    );
    if !conn.is_postgres() {
        events::insert_batch(conn, id, events).await?;
        build_errors::update_batch(conn, known).await?;
        return conn.defer(UPDATE, bind_update!(Values::default(), sqlite, id, to)).await;
    }
    let (Driver::Postgres(driver), text) = conn.driver(UPDATE_AND_INSERT).await? else {
        unreachable!("SQLite was handled above")
    };
    let query = bind_update!(sqlx::query::<sqlx::Postgres>(text), postgres, id, to);
    let query = bind_arrays!(
        query,
        events,
        |event| event.seq,
        event.kind.as_str(),
        event.at,
        event.body.as_str(),
        event.hash.as_str(),
    );
    let query = bind_arrays!(
        query,
        known,
        |error| error.id,
        error.last_seen,
        error.occurrence_count,
        error.phase,
        error.file_path,
        &*error.message,
        error.regression,
    );
    let written = in_time(query.execute(driver)).await.map(drop);
    conn.checked(written)
}
