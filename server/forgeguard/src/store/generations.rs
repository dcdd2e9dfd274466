//! Runs of a model that writes for a project: the queue of them, and who holds which under a lease.

use chrono::{DateTime, Utc};
use domain::{
    generation::{GenerationKind, GenerationStatus},
    ids::{GenerationId, Id, ProjectId, UserId},
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{Sql, execute, fetch, row},
};

row! {
    /// A generation.
    pub struct Generation {
        /// Its id.
        pub id: GenerationId,
        /// The project.
        pub project_id: ProjectId,
        /// Who asked for it.
        pub started_by: UserId,
        /// What is written.
        pub kind: GenerationKind,
        /// How it stands.
        pub status: GenerationStatus,
        /// Somebody wants it to stop.
        pub cancel_requested: bool,
        /// The model that writes, once one does.
        pub model: Option<String>,
        /// Why it stopped, or why it waits.
        pub failure: Option<String>,
        /// How often in a row the provider failed.
        pub failures: u32,
        /// Who holds the lease, or held it last.
        pub owner: Option<String>,
        /// The fencing token: one more with each claim.
        pub fence: u64,
        /// A queued one is not claimed before this.
        pub run_after: DateTime<Utc>,
        /// When it was asked for.
        pub created_at: DateTime<Utc>,
        /// When a worker first took it.
        pub started_at: Option<DateTime<Utc>>,
        /// When it ended.
        pub finished_at: Option<DateTime<Utc>>,
    }
}

/// The right to work on a generation, until somebody else claims it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The generation.
    pub id: GenerationId,
    /// Who holds it.
    pub owner: String,
    /// The fencing token.
    pub fence: u64,
}

impl Generation {
    /// The lease that a claim gave.
    pub fn lease(&self) -> Lease {
        let owner = self.owner.clone().unwrap_or_default();
        Lease { id: self.id, owner, fence: self.fence }
    }
}

macro_rules! columns {
    () => {
        "id, project_id, started_by, kind, status, cancel_requested, model, failure, failures, \
         owner, fence, run_after, created_at, started_at, finished_at"
    };
}

/// What a worker of the kind $4 may take at the time $2.
macro_rules! due {
    () => {
        "(kind = $4 AND ((status = 'queued' AND run_after <= $2) OR \
          (status = 'running' AND lease_expires_at <= $2)))"
    };
}

/// The outer condition is checked again on the locked row, so two never get the same.
macro_rules! claim_text {
    ($lock:literal) => {
        concat!(
            "UPDATE generations SET status = 'running', owner = $1, fence = fence + 1, \
             lease_expires_at = $3, started_at = COALESCE(started_at, $2) \
             WHERE id = (SELECT id FROM generations WHERE ",
            due!(),
            " ORDER BY run_after LIMIT 1",
            $lock,
            ") AND ",
            due!(),
            " RETURNING ",
            columns!()
        )
    };
}

macro_rules! held {
    () => {
        "id = $1 AND owner = $2 AND fence = $3 AND status = 'running'"
    };
}

/// Queues a new one. `Error::AlreadyExists` while another of this kind is unfinished.
pub async fn insert(
    conn: &mut Conn,
    id: GenerationId,
    project: ProjectId,
    kind: GenerationKind,
    started_by: UserId,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO generations \
        (id, project_id, kind, started_by, status, run_after, created_at) \
        VALUES ($1, $2, $3, $4, 'queued', $5, $5)";
    execute!(conn, SQL, id, project, kind, started_by, now);
    Ok(())
}

/// One of them.
pub async fn get(conn: &mut Conn, id: GenerationId) -> Result<Option<Generation>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM generations WHERE id = $1");
    Ok(fetch!(conn, SQL, id).pop())
}

/// The next `limit` of a project below `before`, newest first.
pub async fn list(
    conn: &mut Conn,
    project: ProjectId,
    kind: GenerationKind,
    before: Option<GenerationId>,
    limit: i64,
) -> Result<Vec<Generation>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM generations WHERE project_id = $1 AND kind = $2 AND id < $3 \
         ORDER BY id DESC LIMIT $4"
    );
    let before = before.unwrap_or(GenerationId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, project, kind, before, limit))
}

/// Whether a claim would find anything. A look, so that nobody waits for it.
pub async fn is_any_due(conn: &mut Conn, kind: GenerationKind, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "SELECT COUNT(*) FROM generations WHERE kind = $2 \
        AND ((status = 'queued' AND run_after <= $1) \
        OR (status = 'running' AND lease_expires_at <= $1))";
    let count: Vec<(i64,)> = fetch!(conn, SQL, now, kind);
    Ok(count.first().is_some_and(|(count,)| *count > 0))
}

/// Takes what of this kind has been due for longest at `now`: a queued one, or one whose lease has expired.
pub async fn claim(
    conn: &mut Conn,
    kind: GenerationKind,
    owner: &str,
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
) -> Result<Option<Generation>> {
    const SQL: Sql =
        Sql { sqlite: claim_text!(""), postgres: claim_text!(" FOR UPDATE SKIP LOCKED") };
    Ok(fetch!(conn, SQL, owner, now, lease_until, kind).pop())
}

/// Keeps the lease until `until`, and keeps others away until the transaction ends. `Some` tells
/// whether somebody wants it to stop; `None` that the lease is lost.
pub async fn renew(conn: &mut Conn, lease: &Lease, until: DateTime<Utc>) -> Result<Option<bool>> {
    const SQL: &str = concat!(
        "UPDATE generations SET lease_expires_at = $4 WHERE ",
        held!(),
        " RETURNING cancel_requested, fence"
    );
    let Lease { id, owner, fence } = lease;
    let rows: Vec<(bool, u64)> = fetch!(conn, SQL, *id, owner.as_str(), *fence, until);
    Ok(rows.first().map(|(cancel_requested, _)| *cancel_requested))
}

/// Notes which model writes. False if the lease is lost.
pub async fn note_model(conn: &mut Conn, lease: &Lease, model: &str) -> Result<bool> {
    const SQL: &str = concat!("UPDATE generations SET model = $4 WHERE ", held!());
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, model) > 0)
}

/// Notes that the model's provider answers. False if the lease is lost.
pub async fn note_answer(conn: &mut Conn, lease: &Lease) -> Result<bool> {
    const SQL: &str =
        concat!("UPDATE generations SET failures = 0, failure = NULL WHERE ", held!());
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence) > 0)
}

/// Hands it back until `run_after`, for this reason. False if the lease is lost.
pub async fn postpone(
    conn: &mut Conn,
    lease: &Lease,
    run_after: DateTime<Utc>,
    failures: u32,
    failure: Option<&str>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE generations SET status = 'queued', run_after = $4, failures = $5, failure = $6, \
         lease_expires_at = NULL WHERE ",
        held!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, run_after, failures, failure) > 0)
}

/// Ends it. False if the lease is lost.
pub async fn finish(
    conn: &mut Conn,
    lease: &Lease,
    status: GenerationStatus,
    failure: Option<&str>,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE generations SET status = $4, failure = $5, finished_at = $6, \
         lease_expires_at = NULL WHERE ",
        held!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, status, failure, now) > 0)
}

/// Asks whoever works on it to stop; one that waits has stopped at once.
pub async fn request_cancel(conn: &mut Conn, id: GenerationId, now: DateTime<Utc>) -> Result<()> {
    const WAITING: &str = "UPDATE generations SET status = 'cancelled', cancel_requested = TRUE, \
        finished_at = $2 WHERE id = $1 AND status = 'queued'";
    const RUNNING: &str =
        "UPDATE generations SET cancel_requested = TRUE WHERE id = $1 AND status = 'running'";
    if execute!(conn, WAITING, id, now) == 0 {
        execute!(conn, RUNNING, id);
    }
    Ok(())
}

/// Queues one that failed or was cancelled once more. False if it is neither; `Error::AlreadyExists`
/// while another of its kind is unfinished.
pub async fn resume(conn: &mut Conn, id: GenerationId, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "UPDATE generations SET status = 'queued', cancel_requested = FALSE, \
        failure = NULL, failures = 0, run_after = $2, finished_at = NULL \
        WHERE id = $1 AND (status = 'failed' OR status = 'cancelled')";
    Ok(execute!(conn, SQL, id, now) > 0)
}

/// Ends every lease of an owner that has none any more; says how many.
pub async fn release(conn: &mut Conn, owner: &str, now: DateTime<Utc>) -> Result<u64> {
    const SQL: &str = "UPDATE generations SET lease_expires_at = $2 \
        WHERE owner = $1 AND status = 'running'";
    Ok(execute!(conn, SQL, owner, now))
}
