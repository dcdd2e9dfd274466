//! The queue: which builds want a worker, and who holds which under a lease.

use chrono::{DateTime, Utc};
use domain::ids::{BuildId, WorkItemId};

use super::{
    builds,
    conn::Conn,
    error::Result,
    statement::{Sql, execute, fetch, row},
};

row! {
    /// A build's place in the queue.
    pub struct WorkItem {
        /// The row's id.
        pub id: WorkItemId,
        /// The build.
        pub build_id: BuildId,
        /// `queued`, `claimed`, `waiting` or `done`.
        pub status: String,
        /// Who holds the lease, or held it last.
        pub owner: Option<String>,
        /// The fencing token: one more with each claim.
        pub generation: u64,
        /// When another may take a claimed one.
        pub lease_expires_at: Option<DateTime<Utc>>,
        /// A queued one is not claimed before this.
        pub run_after: DateTime<Utc>,
        /// How often it was claimed.
        pub attempts: u32,
        /// The class of the failure that led to the newest retry.
        pub last_verdict: Option<String>,
        /// What the next attempt should know of it.
        pub last_feedback: Option<String>,
    }
}

/// The right to run a build, until somebody else claims it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The build.
    pub build_id: BuildId,
    /// Who holds it.
    pub owner: String,
    /// The fencing token.
    pub generation: u64,
}

/// What came of handing a build back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parked {
    /// It waits, and the lease is over.
    Parked,
    /// The journal has grown since: read on, the lease still holds.
    NewEvents,
    /// Somebody else has it.
    LeaseLost,
}

impl WorkItem {
    /// The lease that a claim gave.
    pub fn lease(&self) -> Lease {
        Lease {
            build_id: self.build_id,
            owner: self.owner.clone().unwrap_or_default(),
            generation: self.generation,
        }
    }
}

macro_rules! columns {
    () => {
        "id, build_id, status, owner, generation, lease_expires_at, run_after, attempts, \
         last_verdict, last_feedback"
    };
}

/// Its last line is what makes the partial index fit.
macro_rules! due {
    () => {
        "((status = 'queued' AND run_after <= $2) \
         OR (status = 'claimed' AND lease_expires_at <= $2)) \
         AND (status = 'queued' OR status = 'claimed')"
    };
}

/// The outer condition is checked again on the locked row, so two never get the same.
macro_rules! claim_text {
    ($lock:literal) => {
        concat!(
            "UPDATE work_items SET status = 'claimed', owner = $1, generation = generation + 1, \
             lease_expires_at = $3, attempts = attempts + 1 WHERE id = (SELECT id FROM work_items \
             WHERE ",
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
        "build_id = $1 AND owner = $2 AND generation = $3 AND status = 'claimed'"
    };
}

/// Queues a new build, to be claimed from `run_after` on.
pub async fn enqueue(
    conn: &mut Conn,
    id: WorkItemId,
    build: BuildId,
    run_after: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "INSERT INTO work_items (id, build_id, status, run_after, created_at) \
        VALUES ($1, $2, 'queued', $3, $4)";
    execute!(conn, SQL, id, build, run_after, now);
    Ok(())
}

/// Takes the build that has been due for longest at `now`: a queued one, or one whose lease has
/// expired. None if nothing is due.
pub async fn claim(
    conn: &mut Conn,
    owner: &str,
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
) -> Result<Option<WorkItem>> {
    const SQL: Sql =
        Sql { sqlite: claim_text!(""), postgres: claim_text!(" FOR UPDATE SKIP LOCKED") };
    Ok(fetch!(conn, SQL, owner, now, lease_until).pop())
}

/// Keeps the lease until `until`. False if it is lost.
pub async fn renew(conn: &mut Conn, lease: &Lease, until: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = concat!("UPDATE work_items SET lease_expires_at = $4 WHERE ", held!());
    let Lease { build_id, owner, generation } = lease;
    Ok(execute!(conn, SQL, *build_id, owner.as_str(), *generation, until) > 0)
}

/// Notes why the next attempt is needed. False if the lease is lost.
pub async fn note_failure(
    conn: &mut Conn,
    lease: &Lease,
    verdict: &str,
    feedback: &str,
) -> Result<bool> {
    const SQL: &str =
        concat!("UPDATE work_items SET last_verdict = $4, last_feedback = $5 WHERE ", held!());
    let Lease { build_id, owner, generation } = lease;
    Ok(execute!(conn, SQL, *build_id, owner.as_str(), *generation, verdict, feedback) > 0)
}

/// Hands a build back until [`requeue`] or, if given, until `wake_at`; only if its journal ends
/// at `seen_seq`, so that no command slips in between reading it and waiting for it.
pub async fn park(
    conn: &mut Conn,
    lease: &Lease,
    seen_seq: u64,
    wake_at: Option<DateTime<Utc>>,
) -> Result<Parked> {
    const SQL: &str = concat!(
        "UPDATE work_items SET status = $4, run_after = COALESCE($5, run_after), \
         lease_expires_at = NULL WHERE ",
        held!()
    );
    let head = builds::lock_head(conn, lease.build_id).await?;
    if head.is_some_and(|head| head.head_seq != seen_seq) {
        return Ok(Parked::NewEvents);
    }
    let status = if wake_at.is_some() { "queued" } else { "waiting" };
    let Lease { build_id, owner, generation } = lease;
    let rows = execute!(conn, SQL, *build_id, owner.as_str(), *generation, status, wake_at);
    Ok(if rows > 0 { Parked::Parked } else { Parked::LeaseLost })
}

/// Lets a build that is handed back be claimed from `run_after` on, or earlier if it would be
/// anyway. False if it is claimed or done: then there is nobody to wake.
pub async fn requeue(conn: &mut Conn, build: BuildId, run_after: DateTime<Utc>) -> Result<bool> {
    const SQL: &str = "UPDATE work_items SET status = 'queued', run_after = $2 \
        WHERE build_id = $1 \
        AND (status = 'waiting' OR (status = 'queued' AND run_after > $2))";
    Ok(execute!(conn, SQL, build, run_after) > 0)
}

/// Ends every lease of an owner that has none any more; says how many.
pub async fn release(conn: &mut Conn, owner: &str, now: DateTime<Utc>) -> Result<u64> {
    const SQL: &str = "UPDATE work_items SET lease_expires_at = $2 \
        WHERE owner = $1 AND status = 'claimed'";
    Ok(execute!(conn, SQL, owner, now))
}

/// Takes a build that has ended off the queue, whoever holds it.
pub async fn close(conn: &mut Conn, build: BuildId, verdict: &str) -> Result<()> {
    const SQL: &str = "UPDATE work_items SET status = 'done', lease_expires_at = NULL, \
        last_verdict = $2 WHERE build_id = $1";
    execute!(conn, SQL, build, verdict);
    Ok(())
}

/// Takes a finished build out of the queue. False if the lease is lost.
pub async fn finish(conn: &mut Conn, lease: &Lease) -> Result<bool> {
    const SQL: &str =
        concat!("UPDATE work_items SET status = 'done', lease_expires_at = NULL WHERE ", held!());
    let Lease { build_id, owner, generation } = lease;
    Ok(execute!(conn, SQL, *build_id, owner.as_str(), *generation) > 0)
}

/// The place of a build in the queue.
pub async fn get(conn: &mut Conn, build: BuildId) -> Result<Option<WorkItem>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM work_items WHERE build_id = $1");
    Ok(fetch!(conn, SQL, build).pop())
}

/// When the next item is due: a worker that found nothing need not look before.
pub async fn next_due(conn: &mut Conn) -> Result<Option<DateTime<Utc>>> {
    const SQL: &str = "SELECT \
        MIN(CASE WHEN status = 'queued' THEN run_after ELSE lease_expires_at END) \
        FROM work_items WHERE status = 'queued' OR status = 'claimed'";
    let due: Vec<(Option<DateTime<Utc>>,)> = fetch!(conn, SQL);
    Ok(due.into_iter().next().and_then(|(due,)| due))
}
