//! The backlog of each project as a whole: the numbers of its items, the lock for changes, and the
//! queue of what starts items.

use chrono::{DateTime, Utc};
use domain::ids::{BuildId, ProjectId};

use super::{
    conn::Conn,
    error::Result,
    leases::{self, lease_holds, lease_queue},
    statement::{execute, fetch},
};

/// The right to start items of a project.
pub type Lease = leases::Lease<ProjectId>;

lease_queue! {
    /// Projects whose items may be startable.
    BacklogQueue: ProjectId, table "backlogs", id "id", claimed "claimed", rows "TRUE",
    on claim ", changed = FALSE", on own expiry ""
}

/// Locks the backlog of a project until the transaction ends, and returns how many items it has ever
/// had.
pub async fn lock(conn: &mut Conn, project: ProjectId, now: DateTime<Utc>) -> Result<u32> {
    const SQL: &str = "INSERT INTO backlogs (id, status, run_after) VALUES ($1, 'waiting', $2) \
        ON CONFLICT (id) DO UPDATE SET item_count = backlogs.item_count RETURNING item_count";
    let counts: Vec<(u32,)> = fetch!(conn, SQL, project, now);
    Ok(counts.first().map_or(0, |(count,)| *count))
}

/// Sets how many items it has ever had. The caller holds the lock.
pub async fn set_item_count(conn: &mut Conn, project: ProjectId, count: u32) -> Result<()> {
    execute!(conn, "UPDATE backlogs SET item_count = $2 WHERE id = $1", project, count);
    Ok(())
}

/// Lets a worker look for startable items: now, or again if one is looking.
pub async fn wake(conn: &mut Conn, project: ProjectId, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "UPDATE backlogs SET changed = TRUE, run_after = $2, \
        status = CASE WHEN status = 'waiting' THEN 'queued' ELSE status END WHERE id = $1";
    execute!(conn, SQL, project, now);
    Ok(())
}

/// The same for the project of a build that has ended.
pub async fn wake_after(conn: &mut Conn, build: BuildId, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "UPDATE backlogs SET changed = TRUE, run_after = $2, \
        status = CASE WHEN status = 'waiting' THEN 'queued' ELSE status END \
        WHERE id = (SELECT project_id FROM builds WHERE id = $1)";
    execute!(conn, SQL, build, now);
    Ok(())
}

/// Ends the lease: the next worker looks when something has changed, or at `next`. False if the lease
/// is lost.
pub async fn finish(
    conn: &mut Conn,
    lease: &Lease,
    next: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE backlogs SET lease_expires_at = NULL, \
         status = CASE WHEN changed OR $4 THEN 'queued' ELSE 'waiting' END, \
         run_after = CASE WHEN changed THEN $6 ELSE $5 END WHERE ",
        lease_holds!("id", "claimed")
    );
    let Lease { id, owner, fence } = lease;
    let at = next.unwrap_or(now);
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, next.is_some(), at, now) > 0)
}
