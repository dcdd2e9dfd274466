//! The queue of fetches: webhooks wait for the end of the interval, users do not.

use chrono::TimeDelta;
use domain::{
    ids::ProjectId,
    remote::{FetchKind, FetchStatus},
};
use forgeguard::store::{
    self, Db,
    fetches::{self, FetchQueue, Lease},
    leases,
};

use crate::rows::add_project_with_remote;

/// Requests a fetch that is due after so many seconds.
async fn request(db: &Db, project: ProjectId, after_s: i64) {
    let (now, kind) = (store::now(), FetchKind::Fetch);
    let due = now + TimeDelta::seconds(after_s);
    let mut tx = db.write().await.unwrap();
    fetches::request(&mut tx, store::new_id(), project, kind, due, now).await.unwrap();
    tx.commit().await.unwrap();
}

/// The fetch that is due after so many seconds.
async fn claim(db: &Db, after_s: i64) -> Option<Lease> {
    let now = store::now() + TimeDelta::seconds(after_s);
    let until = now + TimeDelta::minutes(1);
    let mut tx = db.write().await.unwrap();
    let lease = leases::claim::<FetchQueue>(&mut tx, "node", now, until).await.unwrap();
    tx.commit().await.unwrap();
    lease
}

/// Ends a fetch, which may be repeated after a minute.
async fn finish(db: &Db, lease: &Lease) {
    let now = store::now();
    let again_at = now + TimeDelta::minutes(1);
    let mut tx = db.write().await.unwrap();
    let done = FetchStatus::Done;
    assert!(fetches::finish(&mut tx, lease, done, None, again_at, now).await.unwrap());
    tx.commit().await.unwrap();
}

support::on_both! {
    async fn later_fetch_waits_unless_another_is_requested_now(db: Db) {
        let (_, project) = add_project_with_remote(&db).await;
        request(&db, project, 60).await;
        assert!(claim(&db, 0).await.is_none());
        // A later one does not postpone it.
        request(&db, project, 120).await;
        assert!(claim(&db, 0).await.is_none());
        request(&db, project, 0).await;
        let lease = claim(&db, 1).await.expect("it is due");

        // One that is requested meanwhile follows once, after the interval.
        request(&db, project, 0).await;
        request(&db, project, 0).await;
        assert!(claim(&db, 1).await.is_none());
        finish(&db, &lease).await;
        assert!(claim(&db, 1).await.is_none());
        let lease = claim(&db, 61).await.expect("it is repeated");
        finish(&db, &lease).await;
        assert!(claim(&db, 600).await.is_none());
    }
}
