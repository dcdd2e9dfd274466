//! `Idempotency-Key`: a repeated request gets the first one's result and starts nothing twice.

use axum::http::HeaderMap;
use chrono::TimeDelta;
use domain::ids::UserId;

use super::{check::Check, problem::Problem};
use crate::store::{
    self, Db,
    idempotency::{self, Reservation},
};

/// How long a key is remembered.
const REMEMBERED: TimeDelta = TimeDelta::hours(24);

/// What to do with a request that may be a repetition.
pub enum Claim {
    /// Do the work, then settle.
    First(First),
    /// It was done; this is what the first one left behind.
    Repeated(String),
}

/// A request that is the first with its key, or that has none.
pub struct First {
    user: UserId,
    route: String,
    key: Option<String>,
}

/// Takes the key that the request carries, if it carries one.
pub async fn claim(
    db: &Db,
    user: UserId,
    route: String,
    headers: &HeaderMap,
) -> Result<Claim, Problem> {
    let Some(header) = headers.get("idempotency-key") else {
        return Ok(Claim::First(First { user, route, key: None }));
    };
    let mut check = Check::new();
    let key = check.line("Idempotency-Key", header.to_str().unwrap_or_default(), 200);
    check.done()?;
    let (now, mut tx) = (store::now(), db.write().await?);
    idempotency::remove_older(&mut tx, now - REMEMBERED).await?;
    let reservation = idempotency::reserve(&mut tx, user, &route, &key, now).await?;
    tx.commit().await?;
    match reservation {
        Reservation::New => Ok(Claim::First(First { user, route, key: Some(key) })),
        Reservation::Done { body, .. } => Ok(Claim::Repeated(body)),
        Reservation::Unfinished => {
            Err(Problem::conflict("A request with this Idempotency-Key is being worked on."))
        }
    }
}

impl First {
    /// Remembers the result for repetitions; after a failure the key is free again.
    pub async fn settle(self, db: &Db, result: Option<String>) -> Result<(), Problem> {
        let Self { user, route, key: Some(key) } = self else { return Ok(()) };
        let mut tx = db.write().await?;
        match result {
            Some(result) => {
                idempotency::complete(&mut tx, user, &route, &key, 201, &result).await?;
            }
            None => idempotency::release(&mut tx, user, &route, &key).await?,
        }
        tx.commit().await?;
        Ok(())
    }
}
