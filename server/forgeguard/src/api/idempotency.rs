//! `Idempotency-Key`: a repeated request returns the first one's result without repeating the work.

use std::{
    fmt::Display,
    panic::{AssertUnwindSafe, resume_unwind},
    str::FromStr,
};

use axum::http::HeaderMap;
use chrono::TimeDelta;
use domain::ids::UserId;
use futures::FutureExt;

use super::{api_error::ApiError, check::Check};
use crate::store::{
    self, Db,
    idempotency::{self, Reservation},
};

/// How long a result is stored.
const RESULT_LIFETIME: TimeDelta = TimeDelta::hours(24);
/// After this time a request without a result is assumed to have ended with its process.
const RESERVATION_LIFETIME: TimeDelta = TimeDelta::minutes(15);

/// A key reserved by a request.
struct ReservedKey {
    user: UserId,
    route: String,
    key: String,
}

/// Runs the work of a request, unless a request with the same key has done it: then its result is
/// returned. If the work fails or panics, the key is released.
///
/// # Errors
/// The error of the work; 409 while another request with the key is in progress.
pub async fn run_once<T>(
    db: &Db,
    user: UserId,
    route: String,
    headers: &HeaderMap,
    work: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError>
where
    T: Display + FromStr<Err: Display>,
{
    let Some(header) = headers.get("idempotency-key") else { return work.await };
    let mut check = Check::new();
    let key = check.line("Idempotency-Key", header.to_str().unwrap_or_default(), 200);
    check.done()?;
    let reserved = ReservedKey { user, route, key };
    if let Some(result) = reserved.take(db).await? {
        return result.parse().map_err(ApiError::internal);
    }
    let done = AssertUnwindSafe(work).catch_unwind().await;
    let result = done.as_ref().ok().and_then(|done| done.as_ref().ok());
    let settled = reserved.settle(db, result.map(T::to_string)).await;
    let done = done.unwrap_or_else(|panic| resume_unwind(panic));
    settled.and(done)
}

impl ReservedKey {
    /// Reserves the key, or returns the result of an earlier request with it.
    async fn take(&self, db: &Db) -> Result<Option<String>, ApiError> {
        let Self { user, route, key } = self;
        let (now, mut tx) = (store::now(), db.write().await?);
        idempotency::remove_older(&mut tx, now - RESULT_LIFETIME).await?;
        idempotency::release_older(&mut tx, now - RESERVATION_LIFETIME).await?;
        let reservation = idempotency::reserve(&mut tx, *user, route, key, now).await?;
        tx.commit().await?;
        match reservation {
            Reservation::New => Ok(None),
            Reservation::Done { body, .. } => Ok(Some(body)),
            Reservation::Unfinished => {
                Err(ApiError::conflict("A request with this Idempotency-Key is in progress."))
            }
        }
    }

    /// Stores the result for repetitions, or releases the key if there is none.
    async fn settle(&self, db: &Db, result: Option<String>) -> Result<(), ApiError> {
        let Self { user, route, key } = self;
        let mut tx = db.write().await?;
        match result {
            Some(result) => {
                idempotency::complete(&mut tx, *user, route, key, 201, &result).await?;
            }
            None => idempotency::release(&mut tx, *user, route, key).await?,
        }
        Ok(tx.commit().await?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use axum::http::HeaderValue;
    use tempfile::TempDir;
    use tokio::sync::Notify;

    use super::*;
    use crate::store::users::{self, User};

    /// A database with a user, and work that counts how often it is started.
    struct Site {
        _folder: TempDir,
        db: Db,
        user: UserId,
        started: AtomicU64,
    }

    impl Site {
        async fn new() -> Self {
            let folder = TempDir::new().unwrap();
            let db = Db::open_file(&folder.path().join("keys.db"), 2).await.unwrap();
            db.migrate().await.unwrap();
            let user = User {
                id: store::new_id(),
                email: "ada@example.org".into(),
                name: "Ada".into(),
                role: domain::user_role::UserRole::User,
                password_hash: String::new(),
                created_at: store::now(),
                disabled_at: None,
            };
            let mut tx = db.write().await.unwrap();
            users::insert(&mut tx, &user).await.unwrap();
            tx.commit().await.unwrap();
            Self { _folder: folder, db, user: user.id, started: AtomicU64::new(0) }
        }

        async fn run(
            &self,
            work: impl Future<Output = Result<(), ApiError>>,
        ) -> Result<u64, ApiError> {
            let mut headers = HeaderMap::new();
            headers.insert("idempotency-key", HeaderValue::from_static("k"));
            let work = async {
                let number = self.started.fetch_add(1, Ordering::SeqCst) + 1;
                work.await.map(|()| number)
            };
            run_once(&self.db, self.user, "route".into(), &headers, work).await
        }
    }

    #[tokio::test]
    async fn key_is_reserved_while_the_work_is_in_progress() {
        let site = Site::new().await;
        let (reached, go_on) = (Notify::new(), Notify::new());
        let work = async {
            reached.notify_one();
            go_on.notified().await;
            Ok(())
        };
        let repeat = async {
            reached.notified().await;
            let repeated = site.run(async { Ok(()) }).await;
            go_on.notify_one();
            repeated
        };
        let (first, repeated) = tokio::join!(site.run(work), repeat);
        assert!(repeated.is_err(), "the first request is in progress");
        assert_eq!(first.ok(), Some(1));
        assert_eq!(site.run(async { Ok(()) }).await.ok(), Some(1), "the first request's result");
        assert_eq!(site.started.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn key_is_released_when_the_work_panics_or_fails() {
        let site = Site::new().await;
        let panics = AssertUnwindSafe(site.run(async { panic!("a defect") })).catch_unwind().await;
        assert!(panics.is_err(), "the request panics too");
        let failed = site.run(async { Err(ApiError::conflict("Not now.")) }).await;
        assert!(failed.is_err());
        assert_eq!(site.run(async { Ok(()) }).await.ok(), Some(3));
        assert_eq!(site.run(async { Ok(()) }).await.ok(), Some(3), "the same result again");
    }
}
