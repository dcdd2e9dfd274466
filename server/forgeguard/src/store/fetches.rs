//! The current or last fetch of each remote, and the queue of those that are due.

use chrono::{DateTime, Utc};
use domain::{
    ids::{FetchId, ProjectId},
    remote::{FetchKind, FetchStatus, RemoteProblem},
};

use super::{
    conn::Conn,
    error::Result,
    leases::{self, lease_holds, lease_queue},
    statement::{execute, fetch, row},
};

row! {
    pub struct Fetch {
        pub id: FetchId,
        pub project_id: ProjectId,
        pub kind: FetchKind,
        pub status: FetchStatus,
        pub cancel_requested: bool,
        /// JSON of `FetchProgress`.
        pub progress: Option<String>,
        /// Why it failed.
        pub problem: Option<RemoteProblem>,
        /// The same in words.
        pub failure: Option<String>,
        /// The number of claims.
        pub attempts: u32,
        /// The fencing token: incremented by each claim.
        pub fence: u64,
        pub created_at: DateTime<Utc>,
        pub started_at: Option<DateTime<Utc>>,
        pub finished_at: Option<DateTime<Utc>>,
    }
}

/// The right to work on a fetch.
pub type Lease = leases::Lease<FetchId>;

lease_queue! {
    /// Remotes to be fetched.
    FetchQueue: FetchId, table "fetches", id "id", claimed "running", rows "TRUE",
    on claim ", attempts = attempts + 1, again = FALSE, started_at = COALESCE(started_at, $2)",
    on own expiry ""
}

macro_rules! columns {
    () => {
        "SELECT id, project_id, kind, status, cancel_requested, progress, problem, failure, \
         attempts, fence, created_at, started_at, finished_at FROM fetches WHERE "
    };
}

macro_rules! lease_holds_here {
    () => {
        lease_holds!("id", "running")
    };
}

/// Queues a fetch, due at `due`, in place of the last one. If one is queued or running, that one is
/// returned; a queued one is due no later, and a running one is repeated after it ends.
pub async fn request(
    conn: &mut Conn,
    id: FetchId,
    project: ProjectId,
    kind: FetchKind,
    due: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Option<Fetch>> {
    const AGAIN: &str = "UPDATE fetches SET again = TRUE, \
        run_after = CASE WHEN status = 'queued' AND run_after > $2 THEN $2 ELSE run_after END \
        WHERE project_id = $1 AND (status = 'queued' OR status = 'running') \
        AND NOT cancel_requested";
    const OLD: &str = "DELETE FROM fetches WHERE project_id = $1 \
        AND status IN ('done', 'failed', 'cancelled')";
    const NEW: &str = "INSERT INTO fetches (id, project_id, kind, status, run_after, created_at) \
        VALUES ($1, $2, $3, 'queued', $4, $5) ON CONFLICT (project_id) DO NOTHING";
    if execute!(conn, AGAIN, project, due) == 0 {
        execute!(conn, OLD, project);
        execute!(conn, NEW, id, project, kind, due, now);
    }
    of_project(conn, project).await
}

pub async fn get(conn: &mut Conn, id: FetchId) -> Result<Option<Fetch>> {
    Ok(fetch!(conn, concat!(columns!(), "id = $1"), id).pop())
}

/// The current or last one of a project.
pub async fn of_project(conn: &mut Conn, project: ProjectId) -> Result<Option<Fetch>> {
    Ok(fetch!(conn, concat!(columns!(), "project_id = $1"), project).pop())
}

/// False if the lease is lost.
pub async fn set_progress(conn: &mut Conn, lease: &Lease, progress: &str) -> Result<bool> {
    const SQL: &str = concat!("UPDATE fetches SET progress = $4 WHERE ", lease_holds_here!());
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, progress) > 0)
}

/// Ends it; or, if it succeeded and the remote has changed since it began, queues it again, due at
/// `again_at`. False if the lease is lost.
pub async fn finish(
    conn: &mut Conn,
    lease: &Lease,
    status: FetchStatus,
    failed: Option<(RemoteProblem, &str)>,
    again_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE fetches SET \
         status = CASE WHEN again AND $4 = 'done' THEN 'queued' ELSE $4 END, \
         kind = CASE WHEN $4 = 'done' THEN 'fetch' ELSE kind END, \
         problem = $5, failure = $6, run_after = $8, lease_expires_at = NULL, \
         finished_at = CASE WHEN again AND $4 = 'done' THEN NULL ELSE $7 END, \
         attempts = 0 WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    let (problem, failure) = failed.unzip();
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, status, problem, failure, now, again_at)
        > 0)
}

/// Cancels a queued one, and requests the worker of a running one to stop.
pub async fn request_cancel(conn: &mut Conn, project: ProjectId, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "UPDATE fetches SET cancel_requested = TRUE, \
        problem = CASE WHEN status = 'queued' THEN 'cancelled' ELSE problem END, \
        finished_at = CASE WHEN status = 'queued' THEN $2 ELSE finished_at END, \
        status = CASE WHEN status = 'queued' THEN 'cancelled' ELSE status END \
        WHERE project_id = $1 AND (status = 'queued' OR status = 'running')";
    execute!(conn, SQL, project, now);
    Ok(())
}
