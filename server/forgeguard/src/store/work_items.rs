//! The queue of builds, and what is known about the work on each.

use chrono::{DateTime, Utc};
use domain::ids::{BuildId, WorkItemId};

use super::{
    builds,
    conn::Conn,
    error::Result,
    leases::{self, lease_holds, lease_queue},
    statement::{execute, execute_later, fetch, row},
};

/// Statuses of a work item.
const QUEUED: &str = "queued";
const CLAIMED: &str = "claimed";
const WAITING: &str = "waiting";

row! {
    /// A build's row in the queue.
    pub struct WorkItem {
        pub id: WorkItemId,
        pub build_id: BuildId,
        /// `queued`, `claimed`, `waiting` or `done`.
        pub status: String,
        /// The current or last holder of the lease.
        pub owner: Option<String>,
        /// The fencing token: incremented by each claim.
        pub fence: u64,
        pub lease_expires_at: Option<DateTime<Utc>>,
        /// A queued item is not claimed earlier.
        pub run_after: DateTime<Utc>,
        /// The number of claims.
        pub attempts: u32,
        /// The step that the worker performs, or performed when it ended without handing the build
        /// back.
        pub step: Option<String>,
        /// The last step during which a worker ended, with its position in the journal.
        pub interrupted_step: Option<String>,
        /// The number of workers that ended during it.
        pub interruptions: u32,
    }
}

impl WorkItem {
    /// Whether a worker holds it, or held it when its process ended.
    pub fn is_claimed(&self) -> bool {
        self.status == CLAIMED
    }
}

/// What the holder of a lease reports about its work.
#[derive(Clone, Debug, PartialEq)]
pub struct Heartbeat {
    pub at: DateTime<Utc>,
    pub step: String,
    pub progress_percent: u32,
    /// Of the commands that run.
    pub memory_bytes: u64,
    /// Of one CPU.
    pub cpu_percent: u32,
}

/// The right to run a build.
pub type Lease = leases::Lease<BuildId>;

lease_queue! {
    /// Builds to be run.
    BuildQueue: BuildId, table "work_items", id "build_id", claimed "claimed", rows "TRUE",
    on claim ", attempts = attempts + 1", on own expiry ", step = NULL"
}

/// The result of handing a build back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parked {
    /// The build waits, and the lease has ended.
    Parked,
    /// The journal has new events; the lease still holds.
    NewEvents,
    /// Another worker has claimed the build.
    LeaseLost,
}

macro_rules! columns {
    () => {
        "id, build_id, status, owner, fence, lease_expires_at, run_after, attempts, \
         step, interrupted_step, interruptions"
    };
}

macro_rules! lease_holds_here {
    () => {
        lease_holds!("build_id", "claimed")
    };
}

/// Queues a new build, which can be claimed from `run_after` on.
pub async fn enqueue(
    conn: &mut Conn,
    id: WorkItemId,
    build: BuildId,
    run_after: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO work_items (id, build_id, status, run_after, created_at) \
        VALUES ($1, $2, 'queued', $3, $4)";
    execute_later!(conn, SQL, id, build, run_after, now);
    Ok(())
}

/// Gives the lease to its owner. The caller has locked the previous one, which does not hold, and has
/// incremented its fence.
pub async fn claim(conn: &mut Conn, lease: &Lease, lease_until: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "UPDATE work_items SET status = 'claimed', owner = $2, fence = $3, \
        lease_expires_at = $4, attempts = attempts + 1 WHERE build_id = $1";
    let Lease { id, owner, fence } = lease;
    execute_later!(conn, SQL, *id, owner.as_str(), *fence, lease_until);
    Ok(())
}

/// Records the step that the worker begins. False if the lease is lost.
pub async fn begin_step(conn: &mut Conn, lease: &Lease, step: &str) -> Result<bool> {
    const SQL: &str = concat!("UPDATE work_items SET step = $4 WHERE ", lease_holds_here!());
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, step) > 0)
}

/// Does nothing if the lease is lost.
pub async fn record_heartbeat(conn: &mut Conn, lease: &Lease, heartbeat: &Heartbeat) -> Result<()> {
    const SQL: &str = concat!(
        "UPDATE work_items SET heartbeat_at = $4, current_step = $5, progress_percent = $6, \
         memory_bytes = $7, cpu_percent = $8 WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    let Heartbeat { at, step, progress_percent, memory_bytes, cpu_percent } = heartbeat;
    let (owner, step) = (owner.as_str(), step.as_str());
    let figures = (*progress_percent, *memory_bytes, *cpu_percent);
    execute!(conn, SQL, *id, owner, *fence, *at, step, figures.0, figures.1, figures.2);
    Ok(())
}

/// Records that a worker ended during a step. False if the lease is lost.
pub async fn count_interruption(
    conn: &mut Conn,
    lease: &Lease,
    interrupted_step: &str,
    interruptions: u32,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE work_items SET step = NULL, interrupted_step = $4, interruptions = $5 WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    let key = (*id, owner.as_str(), *fence);
    Ok(execute!(conn, SQL, key.0, key.1, key.2, interrupted_step, interruptions) > 0)
}

/// Hands a build back until [`requeue`] or, if given, until `wake_at`; only if its journal ends
/// at `seen_seq`, so that no command is missed between reading the journal and waiting.
pub async fn park(
    conn: &mut Conn,
    lease: &Lease,
    seen_seq: u64,
    wake_at: Option<DateTime<Utc>>,
) -> Result<Parked> {
    const SQL: &str = concat!(
        "UPDATE work_items SET status = $4, run_after = COALESCE($5, run_after), \
         lease_expires_at = NULL, step = NULL WHERE ",
        lease_holds_here!()
    );
    let head = builds::lock_head(conn, lease.id, false).await?;
    if head.is_some_and(|head| head.head_seq != seen_seq) {
        return Ok(Parked::NewEvents);
    }
    let status = if wake_at.is_some() { QUEUED } else { WAITING };
    let Lease { id, owner, fence } = lease;
    let rows = execute!(conn, SQL, *id, owner.as_str(), *fence, status, wake_at);
    Ok(if rows > 0 { Parked::Parked } else { Parked::LeaseLost })
}

/// Lets a build that was handed back be claimed from `run_after` on, or earlier if it is due
/// earlier; not if it is claimed or done.
pub async fn requeue(conn: &mut Conn, build: BuildId, run_after: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "UPDATE work_items SET status = 'queued', run_after = $2 \
        WHERE build_id = $1 \
        AND (status = 'waiting' OR (status = 'queued' AND run_after > $2))";
    execute_later!(conn, SQL, build, run_after);
    Ok(())
}

/// Removes a build that has ended from the queue, even if a worker holds it.
pub async fn close(conn: &mut Conn, build: BuildId) -> Result<()> {
    const SQL: &str =
        "UPDATE work_items SET status = 'done', lease_expires_at = NULL WHERE build_id = $1";
    execute_later!(conn, SQL, build);
    Ok(())
}

pub async fn get(conn: &mut Conn, build: BuildId) -> Result<Option<WorkItem>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM work_items WHERE build_id = $1");
    Ok(fetch!(conn, SQL, build).pop())
}
