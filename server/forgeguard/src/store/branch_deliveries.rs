//! Deliveries of sealed builds to the remotes of their projects, and their queue.

use chrono::{DateTime, Utc};
use domain::{
    branch_delivery::{DeliveryState, PullRequestState},
    ids::{BranchDeliveryId, BuildId, ProjectId, UserId},
};

use super::{
    conn::Conn,
    error::Result,
    leases::{self, lease_holds, lease_queue},
    statement::{execute, fetch, row},
};

row! {
    pub struct BranchDelivery {
        pub build_id: BuildId,
        /// None if the seal requested it.
        pub requested_by: Option<UserId>,
        pub state: DeliveryState,
        /// The next attempt, or the next time that the pull request is read.
        pub run_after: DateTime<Utc>,
        /// Failed attempts since it was last requested.
        pub attempts: u32,
        /// Why the last attempt failed.
        pub failure: Option<String>,
        /// What the forge did not accept of a pull request that exists.
        pub note: Option<String>,
        /// None until the pull request exists, like the following.
        pub pr_number: Option<u64>,
        pub pr_url: Option<String>,
        pub pr_state: Option<PullRequestState>,
        pub pr_draft: bool,
        pub checks_passed: u32,
        pub checks_failed: u32,
        pub checks_pending: u32,
        /// JSON of a list of `PullRequestComment`.
        pub pr_comments: String,
        /// When the pull request was last read.
        pub read_at: Option<DateTime<Utc>>,
        pub delivered_at: Option<DateTime<Utc>>,
    }
}

/// A pull request as it was last read.
#[derive(Clone, Debug)]
pub struct PullRequestRow {
    pub number: u64,
    pub url: String,
    pub state: PullRequestState,
    pub draft: bool,
}

/// What others have done to a pull request.
#[derive(Clone, Debug)]
pub struct Reactions {
    pub checks: CheckCounts,
    /// JSON of a list of `PullRequestComment`; those that were read before remain without it.
    pub comments: Option<String>,
}

/// The numbers of checks of the sealed commit.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckCounts {
    pub passed: u32,
    pub failed: u32,
    pub pending: u32,
}

/// The right to deliver a build.
pub type Lease = leases::Lease<BuildId>;

lease_queue! {
    /// Builds to be delivered, and open pull requests to be read.
    DeliveryQueue: BuildId, table "branch_deliveries", id "build_id", claimed "claimed",
    rows "TRUE", on claim ", again = FALSE", on own expiry ""
}

macro_rules! lease_holds_here {
    () => {
        lease_holds!("build_id", "claimed")
    };
}

/// Queues the delivery of a build that is being sealed, if its project has a remote.
pub async fn queue_sealed(
    conn: &mut Conn,
    id: BranchDeliveryId,
    build: BuildId,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO branch_deliveries \
        (id, build_id, status, state, run_after, created_at, updated_at) \
        SELECT $1, builds.id, 'queued', 'waiting', $3, $3, $3 FROM builds \
        JOIN remotes ON remotes.project_id = builds.project_id WHERE builds.id = $2 \
        ON CONFLICT (build_id) DO NOTHING";
    execute!(conn, SQL, id, build, now);
    Ok(())
}

/// Queues a delivery that a user requests, or its next attempt. One that is in progress continues, and
/// another attempt or reading follows.
pub async fn request(
    conn: &mut Conn,
    id: BranchDeliveryId,
    build: BuildId,
    by: UserId,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO branch_deliveries \
        (id, build_id, requested_by, status, state, run_after, created_at, updated_at) \
        VALUES ($1, $2, $3, 'queued', 'waiting', $4, $4, $4) \
        ON CONFLICT (build_id) DO UPDATE SET requested_by = $3, run_after = $4, updated_at = $4, \
        status = 'queued', attempts = 0, failure = NULL, state = CASE WHEN branch_deliveries.state = 'delivered' \
        THEN 'delivered' ELSE 'waiting' END WHERE branch_deliveries.status <> 'claimed'";
    const AGAIN: &str = "UPDATE branch_deliveries SET requested_by = $2, again = TRUE \
        WHERE build_id = $1 AND status = 'claimed'";
    if execute!(conn, SQL, id, build, by, now) == 0 {
        execute!(conn, AGAIN, build, by);
    }
    Ok(())
}

/// Has the open pull requests of a project read again now. One that is being read is read again
/// afterwards, because it may have been read before it changed.
pub async fn read_soon(conn: &mut Conn, project: ProjectId, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "UPDATE branch_deliveries SET again = TRUE, run_after = $2, updated_at = $2 \
        WHERE (status = 'claimed' OR (status = 'queued' AND run_after > $2)) \
        AND state = 'delivered' AND pr_state = 'open' \
        AND build_id IN (SELECT id FROM builds WHERE project_id = $1)";
    execute!(conn, SQL, project, now);
    Ok(())
}

pub async fn get(conn: &mut Conn, build: BuildId) -> Result<Option<BranchDelivery>> {
    const SQL: &str = "SELECT build_id, requested_by, state, run_after, attempts, failure, note, \
        pr_number, pr_url, pr_state, pr_draft, checks_passed, checks_failed, checks_pending, \
        pr_comments, read_at, delivered_at FROM branch_deliveries WHERE build_id = $1";
    Ok(fetch!(conn, SQL, build).pop())
}

/// Records the step that begins. False if the lease is lost.
pub async fn begin(
    conn: &mut Conn,
    lease: &Lease,
    state: DeliveryState,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE branch_deliveries SET state = $4, updated_at = $5 WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, state, now) > 0)
}

/// Records the pull request as it was just read. False if the lease is lost.
pub async fn set_pull_request(
    conn: &mut Conn,
    lease: &Lease,
    pull: &PullRequestRow,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE branch_deliveries SET pr_number = $4, pr_url = $5, pr_state = $6, pr_draft = $7, \
         read_at = $8, updated_at = $8 WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    let rows = execute!(
        conn,
        SQL,
        *id,
        owner.as_str(),
        *fence,
        pull.number,
        pull.url.as_str(),
        pull.state,
        pull.draft,
        now,
    );
    Ok(rows > 0)
}

/// Records the checks and comments of the pull request. False if the lease is lost.
pub async fn set_reactions(conn: &mut Conn, lease: &Lease, reactions: &Reactions) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE branch_deliveries SET checks_passed = $4, checks_failed = $5, \
         checks_pending = $6, pr_comments = COALESCE($7, pr_comments) WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    let Reactions { checks: CheckCounts { passed, failed, pending }, comments } = reactions;
    let comments = comments.as_deref();
    let rows =
        execute!(conn, SQL, *id, owner.as_str(), *fence, *passed, *failed, *pending, comments);
    Ok(rows > 0)
}

/// Records that the pull request, which is stored, is complete but for what `note` says, and hands
/// it back to be read. False if the lease is lost.
pub async fn set_delivered(
    conn: &mut Conn,
    lease: &Lease,
    note: Option<&str>,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE branch_deliveries SET state = 'delivered', status = 'queued', attempts = 0, \
         failure = NULL, note = $4, updated_at = $5, \
         delivered_at = COALESCE(delivered_at, $5), run_after = $5, lease_expires_at = NULL \
         WHERE pr_url IS NOT NULL AND ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, note, now) > 0)
}

/// Records that the pull request was read, and hands it back until `next`, or until now if another
/// reading was requested meanwhile. False if the lease is lost.
pub async fn set_read(
    conn: &mut Conn,
    lease: &Lease,
    now: DateTime<Utc>,
    next: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE branch_deliveries SET status = 'queued', attempts = 0, failure = NULL, \
         updated_at = $4, run_after = CASE WHEN again THEN $4 ELSE $5 END, \
         lease_expires_at = NULL WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, now, next) > 0)
}

/// Records a failed attempt, and hands it back until `next`, or until now if it was requested again
/// meanwhile. False if the lease is lost.
pub async fn retry_later(
    conn: &mut Conn,
    lease: &Lease,
    failure: &str,
    now: DateTime<Utc>,
    next: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE branch_deliveries SET status = 'queued', \
         attempts = CASE WHEN again THEN 0 ELSE attempts + 1 END, failure = $4, \
         state = CASE WHEN state = 'delivered' THEN state ELSE 'waiting' END, updated_at = $5, \
         run_after = CASE WHEN again THEN $5 ELSE $6 END, lease_expires_at = NULL WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, failure, now, next) > 0)
}

/// Ends the work in this state, until a user requests it again, or hands it back if it was requested
/// meanwhile. False if the lease is lost.
pub async fn finish(
    conn: &mut Conn,
    lease: &Lease,
    state: DeliveryState,
    failure: Option<&str>,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = concat!(
        "UPDATE branch_deliveries SET status = CASE WHEN again THEN 'queued' ELSE 'done' END, \
         state = CASE WHEN again AND $4 <> 'delivered' THEN 'waiting' ELSE $4 END, \
         attempts = CASE WHEN again THEN 0 ELSE attempts END, failure = $5, updated_at = $6, \
         lease_expires_at = NULL WHERE ",
        lease_holds_here!()
    );
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, SQL, *id, owner.as_str(), *fence, state, failure, now) > 0)
}

/// Removes one that is not wanted, or hands it back if it was requested meanwhile.
pub async fn remove(conn: &mut Conn, lease: &Lease, now: DateTime<Utc>) -> Result<()> {
    const SQL: &str =
        concat!("DELETE FROM branch_deliveries WHERE NOT again AND ", lease_holds_here!());
    let Lease { id, owner, fence } = lease;
    if execute!(conn, SQL, *id, owner.as_str(), *fence) == 0 {
        leases::hand_back::<DeliveryQueue>(conn, lease, now).await?;
    }
    Ok(())
}
