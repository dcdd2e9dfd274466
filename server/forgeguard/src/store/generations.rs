//! Generations of contracts and answers by a model, and the queues of each kind.

use chrono::{DateTime, Utc};
use domain::{
    generation::{GenerationKind, GenerationStatus},
    ids::{GenerationId, Id, ProjectId, UserId},
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    leases::{self, lease_holds, lease_queue},
    statement::{execute, fetch, row},
};

row! {
    pub struct Generation {
        pub id: GenerationId,
        pub project_id: ProjectId,
        pub started_by: UserId,
        pub kind: GenerationKind,
        pub status: GenerationStatus,
        pub cancel_requested: bool,
        /// The model, once a worker has started.
        pub model: Option<String>,
        /// What a user wants to be changed in existing contracts.
        pub note: Option<String>,
        /// Why it failed, or waits.
        pub failure: Option<String>,
        /// Consecutive failures of the provider.
        pub failures: u32,
        /// The current or last holder of the lease.
        pub owner: Option<String>,
        /// The fencing token: incremented by each claim.
        pub fence: u64,
        /// A queued generation is not claimed earlier.
        pub run_after: DateTime<Utc>,
        pub created_at: DateTime<Utc>,
        /// The time of the first claim.
        pub started_at: Option<DateTime<Utc>>,
        pub finished_at: Option<DateTime<Utc>>,
    }
}

/// The right to work on a generation.
pub type Lease = leases::Lease<GenerationId>;

lease_queue! {
    /// Contracts to be generated.
    ContractQueue: GenerationId, table "generations", id "id", claimed "running",
    rows "kind = 'contracts'", on claim ", started_at = COALESCE(started_at, $2)", on own expiry ""
}

lease_queue! {
    /// Answers to be given in interviews.
    AnswerQueue: GenerationId, table "generations", id "id", claimed "running",
    rows "kind = 'answers'", on claim ", started_at = COALESCE(started_at, $2)", on own expiry ""
}

lease_queue! {
    /// Questions about builds to be answered.
    BuildQuestionQueue: GenerationId, table "generations", id "id", claimed "running",
    rows "kind = 'build_question'", on claim ", started_at = COALESCE(started_at, $2)",
    on own expiry ""
}

macro_rules! columns {
    () => {
        "id, project_id, started_by, kind, status, cancel_requested, model, note, failure, \
         failures, \
         owner, fence, run_after, created_at, started_at, finished_at"
    };
}

macro_rules! lease_holds_here {
    () => {
        lease_holds!("id", "running")
    };
}

/// Queues a new one. `Error::AlreadyExists` if the project has an unfinished one of this kind;
/// questions about builds are not limited.
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

/// Records what to change in existing contracts.
pub async fn set_note(conn: &mut Conn, id: GenerationId, note: Option<&str>) -> Result<()> {
    const SQL: &str = "UPDATE generations SET note = $2 WHERE id = $1";
    execute!(conn, SQL, id, note);
    Ok(())
}

pub async fn get(conn: &mut Conn, id: GenerationId) -> Result<Option<Generation>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM generations WHERE id = $1");
    Ok(fetch!(conn, SQL, id).pop())
}

/// The next `limit` generations of a project with an id below `before`, newest first.
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

/// Extends the lease of a generation of any kind until `until`, and locks its row until the
/// transaction ends. False if the lease is lost.
pub async fn renew(conn: &mut Conn, lease: &Lease, until: DateTime<Utc>) -> Result<bool> {
    // All queues are parts of one table, in which the id is unique.
    leases::renew::<ContractQueue>(conn, lease, until).await
}

/// Records the model. False if the lease is lost.
pub async fn set_model(conn: &mut Conn, lease: &Lease, model: &str) -> Result<bool> {
    const SQL: &str = concat!("UPDATE generations SET model = $4 WHERE ", lease_holds_here!());
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, model) > 0)
}

/// Resets the failures after an answer of the provider. False if the lease is lost.
pub async fn reset_failures(conn: &mut Conn, lease: &Lease) -> Result<bool> {
    const SQL: &str =
        concat!("UPDATE generations SET failures = 0, failure = NULL WHERE ", lease_holds_here!());
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence) > 0)
}

/// Hands it back until `run_after`. False if the lease is lost.
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
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, run_after, failures, failure) > 0)
}

/// False if the lease is lost.
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
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, status, failure, now) > 0)
}

/// Cancels a queued generation, and requests the worker of a running one to stop. One statement, so
/// that a generation that is handed back or claimed concurrently is not missed.
pub async fn request_cancel(conn: &mut Conn, id: GenerationId, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "UPDATE generations SET cancel_requested = TRUE, \
        status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END, \
        finished_at = CASE WHEN status = 'queued' THEN $2 ELSE finished_at END \
        WHERE id = $1 AND (status = 'queued' OR status = 'running')";
    execute!(conn, SQL, id, now);
    Ok(())
}

/// Queues a failed or cancelled one again. False if it is neither; `Error::AlreadyExists` if the
/// project has an unfinished one of this kind.
pub async fn resume(conn: &mut Conn, id: GenerationId, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "UPDATE generations SET status = 'queued', cancel_requested = FALSE, \
        failure = NULL, failures = 0, run_after = $2, finished_at = NULL \
        WHERE id = $1 AND (status = 'failed' OR status = 'cancelled')";
    Ok(execute!(conn, SQL, id, now) > 0)
}
