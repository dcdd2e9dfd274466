//! Identifiers and times, made in one place so that both databases store the same ones.

use chrono::{DateTime, SubsecRound, Utc};
use domain::ids::Id;
use uuid::Uuid;

/// A new identifier. Later ones sort after earlier ones, which is what lists page by.
pub fn new_id<I: Id>() -> I {
    I::from_uuid(Uuid::now_v7())
}

/// The present, cut to the milliseconds that events show.
pub fn now() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(3)
}
