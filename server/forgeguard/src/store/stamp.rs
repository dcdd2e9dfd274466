//! New identifiers and timestamps, created in one place so that both databases store the same values.

use chrono::{DateTime, SubsecRound, Utc};
use domain::ids::Id;
use uuid::Uuid;

/// A new identifier. Later ones sort after earlier ones, as paging requires.
pub fn new_id<I: Id>() -> I {
    I::from_uuid(Uuid::now_v7())
}

/// The current time, truncated to the milliseconds that events contain.
pub fn now() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(3)
}
