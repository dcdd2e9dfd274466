//! Rows that workers claim under leases: the statements that all such tables share.
//!
//! A claim increments the row's fence. Every later statement of a worker compares owner and fence,
//! so that a worker whose lease was given to another one changes nothing.

use std::hash::Hash;

use chrono::{DateTime, Utc};
use domain::ids::Id;
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{Sql, execute, fetch, row},
};

/// The right to work on a row until another worker claims it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease<I> {
    /// A build or a generation.
    pub id: I,
    pub owner: String,
    /// The fencing token: incremented by each claim.
    pub fence: u64,
}

row! {
    /// A lease as stored. Each renewal changes it.
    pub struct StoredLease {
        pub id: Uuid,
        pub owner: String,
        pub fence: u64,
        /// Written by the newest renewal, by the holder's clock.
        pub lease_expires_at: Option<DateTime<Utc>>,
    }
}

/// A table, or a part of one, from which workers claim rows.
pub trait LeaseQueue: Send + Sync + 'static {
    type Id: Id + Hash;
    const SQL: Statements;
}

/// The texts of a queue's statements, written by `lease_queue!`.
pub struct Statements {
    pub(super) is_any_due: &'static str,
    pub(super) claim: Sql,
    pub(super) held: &'static str,
    pub(super) renew: &'static str,
    pub(super) hand_back: &'static str,
    pub(super) expire: &'static str,
    pub(super) expire_own: &'static str,
    pub(super) release: &'static str,
}

/// The condition that the lease ($1, $2, $3) still holds.
macro_rules! lease_holds {
    ($id:literal, $claimed:literal) => {
        concat!($id, " = $1 AND owner = $2 AND fence = $3 AND status = '", $claimed, "'")
    };
}

/// Declares a queue: the name of its type, the table, the column of the id, the status of a claimed
/// row, a condition on the rows, and what a claim and the expiry of an own lease change in addition.
macro_rules! lease_queue {
    (
        $(#[$doc:meta])*
        $queue:ident: $type:ty, table $table:literal, id $id:literal, claimed $claimed:literal,
        rows $rows:literal, on claim $on_claim:literal, on own expiry $on_own_expiry:literal
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $queue;

        impl $crate::store::leases::LeaseQueue for $queue {
            type Id = $type;
            const SQL: $crate::store::leases::Statements = $crate::store::leases::Statements {
                is_any_due: concat!(
                    "SELECT id FROM ", $table, " WHERE ", $rows,
                    " AND status = 'queued' AND run_after <= $1 LIMIT 1"
                ),
                claim: $crate::store::statement::Sql {
                    sqlite: $crate::store::leases::claim_text!($table, $id, $claimed, $rows, $on_claim, ""),
                    postgres: $crate::store::leases::claim_text!(
                        $table, $id, $claimed, $rows, $on_claim, " FOR UPDATE SKIP LOCKED"
                    ),
                },
                held: concat!(
                    "SELECT ", $id, " AS id, owner, fence, lease_expires_at FROM ", $table,
                    " WHERE ", $rows, " AND status = '", $claimed, "'"
                ),
                renew: concat!(
                    "UPDATE ", $table, " SET lease_expires_at = $4 WHERE ",
                    $crate::store::leases::lease_holds!($id, $claimed)
                ),
                hand_back: concat!(
                    "UPDATE ", $table, " SET status = 'queued', run_after = $4, \
                     lease_expires_at = NULL WHERE ",
                    $crate::store::leases::lease_holds!($id, $claimed)
                ),
                expire: concat!(
                    "UPDATE ", $table, " SET status = 'queued', run_after = $5, \
                     lease_expires_at = NULL WHERE ",
                    $crate::store::leases::lease_holds!($id, $claimed),
                    " AND lease_expires_at = $4"
                ),
                expire_own: concat!(
                    "UPDATE ", $table, " SET status = 'queued', run_after = $5, \
                     lease_expires_at = NULL", $on_own_expiry, " WHERE ",
                    $crate::store::leases::lease_holds!($id, $claimed),
                    " AND lease_expires_at = $4"
                ),
                release: concat!(
                    "UPDATE ", $table, " SET status = 'queued', run_after = $2, \
                     lease_expires_at = NULL WHERE ", $rows, " AND owner = $1 AND status = '",
                    $claimed, "'"
                ),
            };
        }
    };
}

/// The outer condition is checked again on the locked row, so that two workers never claim the same.
macro_rules! claim_text {
    ($table:literal, $id:literal, $claimed:literal, $rows:literal, $on_claim:literal, $lock:literal) => {
        concat!(
            "UPDATE ",
            $table,
            " SET status = '",
            $claimed,
            "', owner = $1, fence = fence + 1, \
             lease_expires_at = $3",
            $on_claim,
            " WHERE id = (SELECT id FROM ",
            $table,
            " WHERE ",
            $rows,
            " AND status = 'queued' AND run_after <= $2 ORDER BY run_after LIMIT 1",
            $lock,
            ") AND status = 'queued' AND run_after <= $2 RETURNING ",
            $id,
            ", fence"
        )
    };
}

pub(super) use {claim_text, lease_holds, lease_queue};

/// Whether [`claim`] would find a row. Unlike a claim it does not wait for writers.
pub async fn is_any_due<Q: LeaseQueue>(conn: &mut Conn, now: DateTime<Utc>) -> Result<bool> {
    let rows: Vec<(Uuid,)> = fetch!(conn, Q::SQL.is_any_due, now);
    Ok(!rows.is_empty())
}

/// Claims the queued row that has been due for longest at `now`; None if no row is due. Leases of
/// workers that are gone end by [`expire`].
pub async fn claim<Q: LeaseQueue>(
    conn: &mut Conn,
    owner: &str,
    now: DateTime<Utc>,
    lease_until: DateTime<Utc>,
) -> Result<Option<Lease<Q::Id>>> {
    let rows: Vec<(Uuid, u64)> = fetch!(conn, Q::SQL.claim, owner, now, lease_until);
    let lease = |(id, fence)| Lease { id: Q::Id::from_uuid(id), owner: owner.to_owned(), fence };
    Ok(rows.into_iter().next().map(lease))
}

/// The leases that are held.
pub async fn held<Q: LeaseQueue>(conn: &mut Conn) -> Result<Vec<StoredLease>> {
    Ok(fetch!(conn, Q::SQL.held))
}

/// Extends the lease until `until`, and locks the row until the transaction ends. False if the
/// lease is lost.
pub async fn renew<Q: LeaseQueue>(
    conn: &mut Conn,
    lease: &Lease<Q::Id>,
    until: DateTime<Utc>,
) -> Result<bool> {
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, Q::SQL.renew, id.uuid(), owner.as_str(), *fence, until) > 0)
}

/// Ends the lease: the row can be claimed from `run_after` on. False if the lease is lost.
pub async fn hand_back<Q: LeaseQueue>(
    conn: &mut Conn,
    lease: &Lease<Q::Id>,
    run_after: DateTime<Utc>,
) -> Result<bool> {
    let Lease { id, owner, fence } = lease;
    Ok(execute!(conn, Q::SQL.hand_back, id.uuid(), owner.as_str(), *fence, run_after) > 0)
}

/// Ends a lease that its holder has not renewed since it was read. False if it has. `own` is the
/// caller: the process that holds a lease of its own is alive.
pub async fn expire<Q: LeaseQueue>(
    conn: &mut Conn,
    stored: &StoredLease,
    own: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    let StoredLease { id, owner, fence, lease_expires_at } = stored;
    let sql = if owner == own { Q::SQL.expire_own } else { Q::SQL.expire };
    Ok(execute!(conn, sql, *id, owner.as_str(), *fence, *lease_expires_at, now) > 0)
}

/// Ends all leases of an owner whose process has ended. Returns their number.
pub async fn release<Q: LeaseQueue>(
    conn: &mut Conn,
    owner: &str,
    now: DateTime<Utc>,
) -> Result<u64> {
    Ok(execute!(conn, Q::SQL.release, owner, now))
}
