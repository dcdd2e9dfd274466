//! The queue of deliveries: a request is kept while an earlier one is worked on.

use chrono::TimeDelta;
use domain::{
    branch_delivery::{DeliveryState, PullRequestState},
    ids::{BuildId, UserId},
};
use forgeguard::store::{
    self, Db,
    branch_deliveries::{self, BranchDelivery, DeliveryQueue, Lease, PullRequestRow},
    builds, leases,
};

use crate::rows::{add_project_with_remote, build};

/// A build whose delivery its seal has queued.
async fn sealed(db: &Db) -> (UserId, BuildId) {
    let (owner, project) = add_project_with_remote(db).await;
    let build = build(owner, project);
    let mut tx = db.write().await.unwrap();
    builds::insert(&mut tx, &build).await.unwrap();
    branch_deliveries::queue_sealed(&mut tx, store::new_id(), build.id, store::now())
        .await
        .unwrap();
    tx.commit().await.unwrap();
    (owner, build.id)
}

async fn request(db: &Db, build: BuildId, by: UserId) {
    let mut tx = db.write().await.unwrap();
    branch_deliveries::request(&mut tx, store::new_id(), build, by, store::now()).await.unwrap();
    tx.commit().await.unwrap();
}

async fn claim(db: &Db) -> Option<Lease> {
    let now = store::now();
    let mut tx = db.write().await.unwrap();
    let until = now + TimeDelta::minutes(1);
    let lease = leases::claim::<DeliveryQueue>(&mut tx, "node", now, until).await.unwrap();
    tx.commit().await.unwrap();
    lease
}

async fn deliver(db: &Db, lease: &Lease) {
    let pull = PullRequestRow {
        number: 1,
        url: "https://git.example.org/a/pulls/1".to_owned(),
        state: PullRequestState::Closed,
        draft: false,
    };
    let mut tx = db.write().await.unwrap();
    let now = store::now();
    assert!(branch_deliveries::set_pull_request(&mut tx, lease, &pull, now).await.unwrap());
    assert!(branch_deliveries::set_delivered(&mut tx, lease, None, now).await.unwrap());
    tx.commit().await.unwrap();
}

async fn finish(db: &Db, lease: &Lease, state: DeliveryState) {
    let mut tx = db.write().await.unwrap();
    let now = store::now();
    assert!(branch_deliveries::finish(&mut tx, lease, state, None, now).await.unwrap());
    tx.commit().await.unwrap();
}

/// Lets an attempt fail.
async fn retry_after(db: &Db, lease: &Lease, wait: TimeDelta) {
    let mut tx = db.write().await.unwrap();
    let now = store::now();
    let next = now + wait;
    assert!(branch_deliveries::retry_later(&mut tx, lease, "refused", now, next).await.unwrap());
    tx.commit().await.unwrap();
}

async fn remove(db: &Db, lease: &Lease) {
    let mut tx = db.write().await.unwrap();
    branch_deliveries::remove(&mut tx, lease, store::now()).await.unwrap();
    tx.commit().await.unwrap();
}

async fn get(db: &Db, build: BuildId) -> Option<BranchDelivery> {
    branch_deliveries::get(&mut db.read().await.unwrap(), build).await.unwrap()
}

support::on_both! {
    async fn delivery_that_is_requested_while_its_worker_removes_it_is_kept(db: Db) {
        let (owner, build) = sealed(&db).await;
        let lease = claim(&db).await.expect("the seal queued it");
        assert_eq!(get(&db, build).await.unwrap().requested_by, None);
        request(&db, build, owner).await;
        remove(&db, &lease).await;
        assert_eq!(get(&db, build).await.unwrap().requested_by, Some(owner));
        assert!(claim(&db).await.is_some());
    }

    async fn delivery_that_nobody_requests_is_removed(db: Db) {
        let (_, build) = sealed(&db).await;
        let lease = claim(&db).await.expect("the seal queued it");
        remove(&db, &lease).await;
        assert!(get(&db, build).await.is_none());
    }

    async fn delivery_that_is_requested_while_it_fails_is_tried_again(db: Db) {
        let (owner, build) = sealed(&db).await;
        let lease = claim(&db).await.expect("the seal queued it");
        request(&db, build, owner).await;
        finish(&db, &lease, DeliveryState::Failed).await;
        assert_eq!(get(&db, build).await.unwrap().state, DeliveryState::Waiting);

        let lease = claim(&db).await.expect("it was requested");
        finish(&db, &lease, DeliveryState::Failed).await;
        assert_eq!(get(&db, build).await.unwrap().state, DeliveryState::Failed);
        assert!(claim(&db).await.is_none());
    }

    async fn attempt_that_fails_after_another_request_is_followed_at_once(db: Db) {
        let (owner, build) = sealed(&db).await;
        let lease = claim(&db).await.expect("the seal queued it");
        request(&db, build, owner).await;
        retry_after(&db, &lease, TimeDelta::hours(1)).await;
        assert_eq!(get(&db, build).await.unwrap().attempts, 0);

        let lease = claim(&db).await.expect("it was requested");
        retry_after(&db, &lease, TimeDelta::hours(1)).await;
        assert_eq!(get(&db, build).await.unwrap().attempts, 1);
        assert!(claim(&db).await.is_none());
        request(&db, build, owner).await;
        assert!(claim(&db).await.is_some());
    }

    async fn failures_before_a_request_do_not_count_for_it(db: Db) {
        let (owner, build) = sealed(&db).await;
        let lease = claim(&db).await.expect("the seal queued it");
        retry_after(&db, &lease, TimeDelta::zero()).await;
        assert_eq!(get(&db, build).await.unwrap().attempts, 1);
        let lease = claim(&db).await.expect("the next attempt is due");
        request(&db, build, owner).await;
        finish(&db, &lease, DeliveryState::Failed).await;
        assert_eq!(get(&db, build).await.unwrap().attempts, 0);
    }

    async fn closed_pull_request_is_read_again_if_that_is_requested_meanwhile(db: Db) {
        let (owner, build) = sealed(&db).await;
        let lease = claim(&db).await.expect("the seal queued it");
        deliver(&db, &lease).await;
        let lease = claim(&db).await.expect("its pull request is read");
        request(&db, build, owner).await;
        finish(&db, &lease, DeliveryState::Delivered).await;
        assert_eq!(get(&db, build).await.unwrap().state, DeliveryState::Delivered);
        assert!(claim(&db).await.is_some());
    }
}
