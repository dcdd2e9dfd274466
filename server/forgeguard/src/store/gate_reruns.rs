//! Runs of the gates of sealed builds for reviewers, and their queue.

use chrono::{DateTime, Utc};
use domain::{
    gate_rerun::RerunStatus,
    ids::{BuildId, GateRerunId, UserId},
};

use super::{
    conn::Conn,
    error::Result,
    leases::{self, lease_holds, lease_queue},
    statement::{execute, fetch, row},
};

row! {
    pub struct GateRerun {
        pub id: GateRerunId,
        pub build_id: BuildId,
        pub requested_by: UserId,
        pub requested_by_name: String,
        pub status: RerunStatus,
        /// Attempts that have begun.
        pub attempts: u32,
        /// Why it has no results, or not all of them.
        pub failure: Option<String>,
        /// A JSON array of `RerunGate`.
        pub results: String,
        pub created_at: DateTime<Utc>,
        pub finished_at: Option<DateTime<Utc>>,
    }
}

/// The right to run the gates.
pub type Lease = leases::Lease<GateRerunId>;

lease_queue! {
    /// Gates of sealed builds to be run again.
    RerunQueue: GateRerunId, table "gate_reruns", id "id", claimed "claimed",
    rows "TRUE", on claim "", on own expiry ""
}

macro_rules! lease_holds_here {
    () => {
        lease_holds!("id", "claimed")
    };
}

/// Queues a run. `Error::AlreadyExists` if the build has one that is not finished.
pub async fn insert(
    conn: &mut Conn,
    id: GateRerunId,
    build: BuildId,
    by: UserId,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO gate_reruns \
        (id, build_id, requested_by, status, run_after, created_at) \
        VALUES ($1, $2, $3, 'queued', $4, $4)";
    execute!(conn, SQL, id, build, by, now);
    Ok(())
}

pub async fn get(conn: &mut Conn, id: GateRerunId) -> Result<Option<GateRerun>> {
    const SQL: &str = "SELECT gate_reruns.id, build_id, requested_by, \
        users.name AS requested_by_name, status, attempts, failure, results, \
        gate_reruns.created_at, finished_at FROM gate_reruns \
        JOIN users ON users.id = requested_by WHERE gate_reruns.id = $1";
    Ok(fetch!(conn, SQL, id).pop())
}

/// The newest runs of a build, newest first.
pub async fn newest(conn: &mut Conn, build: BuildId, limit: i64) -> Result<Vec<GateRerun>> {
    const SQL: &str = "SELECT gate_reruns.id, build_id, requested_by, \
        users.name AS requested_by_name, status, attempts, failure, results, \
        gate_reruns.created_at, finished_at FROM gate_reruns \
        JOIN users ON users.id = requested_by WHERE build_id = $1 \
        ORDER BY gate_reruns.created_at DESC, gate_reruns.id DESC LIMIT $2";
    Ok(fetch!(conn, SQL, build, limit))
}

/// Records that an attempt begins, without results. False if the lease is lost.
pub async fn begin(conn: &mut Conn, lease: &Lease) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE gate_reruns SET attempts = attempts + 1, results = '[]' WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence) > 0)
}

/// Records the results so far. False if the lease is lost.
pub async fn set_results(conn: &mut Conn, lease: &Lease, results: &str) -> Result<bool> {
    const SQL: &str = concat!("UPDATE gate_reruns SET results = $4 WHERE ", lease_holds_here!());
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, results) > 0)
}

/// Ends the run. False if the lease is lost.
pub async fn finish(
    conn: &mut Conn,
    lease: &Lease,
    failure: Option<&str>,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE gate_reruns SET status = 'done', failure = $4, finished_at = $5, \
         lease_expires_at = NULL WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, failure, now) > 0)
}
