//! The queue: nothing claimed twice, leases that end, no wake-up lost.

use std::collections::BTreeSet;

use chrono::Duration;
use domain::{ids::BuildId, state::Status};
use forgeguard::store::{
    self, Db,
    builds::{self, BuildProjection},
    events,
    work_items::{self, Parked},
};

use crate::rows::{add_build, claim, events as rows};

/// Appends the event after `head_seq`, as a person's command does.
async fn append(db: &Db, build: BuildId, head_seq: u64) {
    let mut tx = db.write().await.unwrap();
    builds::lock_head(&mut tx, build).await.unwrap();
    let event = rows(head_seq + 1, head_seq + 1);
    events::insert_batch(&mut tx, build, &event).await.unwrap();
    let to = BuildProjection {
        head_seq: head_seq + 1,
        head_hash: &event[0].hash,
        status: Status::Running,
        verdict: None,
        branch: None,
        baseline_sha: None,
        head_sha: None,
        branch_status: None,
        commit_count: 0,
        model: None,
        sandbox_level: None,
        node: None,
        attempt: 0,
        phase_count: 0,
        phases_done: 0,
        open_errors: 0,
        open_questions: 0,
        blocked_reason: None,
        started_at: None,
        finished_at: None,
    };
    builds::update_projection(&mut tx, build, &to).await.unwrap();
    tx.commit().await.unwrap();
}

support::on_both! {
    async fn eight_claimers_never_get_the_same_build(db: Db) {
        let mut builds = BTreeSet::new();
        for _ in 0..24 {
            builds.insert(add_build(&db).await);
        }
        let worker = |n: usize| {
            let db = db.clone();
            async move {
                let mut mine = Vec::new();
                loop {
                    let mut tx = db.write().await.unwrap();
                    let lease = claim(&mut tx, &format!("worker {n}")).await;
                    tx.commit().await.unwrap();
                    let Some(lease) = lease else { return mine };
                    assert_eq!(lease.generation, 1);
                    mine.push(lease.build_id);
                }
            }
        };
        // A claimer may find all that is left locked by others, so some leave early; one more
        // round takes what they passed over.
        let workers: Vec<_> = (0..8).map(|n| tokio::spawn(worker(n))).collect();
        let mut claimed = Vec::new();
        for worker in workers {
            claimed.extend(worker.await.unwrap());
        }
        claimed.extend(worker(8).await);
        assert_eq!(claimed.len(), 24);
        assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), builds);
    }

    async fn an_expired_lease_is_taken_over_with_the_next_token(db: Db) {
        let build = add_build(&db).await;
        let now = store::now();
        let soon = now + Duration::seconds(30);
        let mut tx = db.write().await.unwrap();
        let first = work_items::claim(&mut tx, "a", now, soon).await.unwrap().unwrap();
        assert_eq!((first.build_id, first.generation, first.attempts), (build, 1, 1));
        assert_eq!((first.status.as_str(), first.lease_expires_at), ("claimed", Some(soon)));
        assert_eq!(work_items::claim(&mut tx, "b", now, soon).await.unwrap(), None);

        let later = soon + Duration::seconds(30);
        assert!(work_items::renew(&mut tx, &first.lease(), later).await.unwrap());
        assert_eq!(work_items::claim(&mut tx, "b", soon, later).await.unwrap(), None);
        assert_eq!(work_items::next_due(&mut tx).await.unwrap(), Some(later));

        let end = later + Duration::seconds(30);
        let second = work_items::claim(&mut tx, "b", later, end).await.unwrap().unwrap();
        assert_eq!((second.build_id, second.generation, second.attempts), (build, 2, 2));
        let old = first.lease();
        assert!(!work_items::renew(&mut tx, &old, end).await.unwrap());
        assert!(!work_items::note_failure(&mut tx, &old, "transient", "503").await.unwrap());
        assert!(!work_items::finish(&mut tx, &old).await.unwrap());
        assert_eq!(work_items::park(&mut tx, &old, 0, None).await.unwrap(), Parked::LeaseLost);
        assert!(work_items::renew(&mut tx, &second.lease(), end).await.unwrap());
    }

    async fn a_build_is_not_claimed_before_its_time(db: Db) {
        let build = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let lease = claim(&mut tx, "a").await.unwrap();
        assert!(work_items::note_failure(&mut tx, &lease, "transient", "503").await.unwrap());
        let retry_at = store::now() + Duration::minutes(2);
        let parked = work_items::park(&mut tx, &lease, 0, Some(retry_at)).await.unwrap();
        assert_eq!(parked, Parked::Parked);
        assert_eq!(claim(&mut tx, "b").await, None);
        assert_eq!(work_items::next_due(&mut tx).await.unwrap(), Some(retry_at));
        let end = retry_at + Duration::seconds(30);
        let item = work_items::claim(&mut tx, "b", retry_at, end).await.unwrap().unwrap();
        assert_eq!((item.build_id, item.generation), (build, 2));
        assert_eq!(item.last_verdict.as_deref(), Some("transient"));
        assert_eq!(item.last_feedback.as_deref(), Some("503"));
    }

    async fn whoever_has_waited_longest_is_next(db: Db) {
        let first = add_build(&db).await;
        let second = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let earlier = store::now() - Duration::hours(1);
        assert!(work_items::requeue(&mut tx, second, earlier).await.unwrap());
        assert_eq!(claim(&mut tx, "a").await.unwrap().build_id, second);
        assert_eq!(claim(&mut tx, "a").await.unwrap().build_id, first);
    }

    async fn a_command_that_arrives_before_parking_is_not_slept_over(db: Db) {
        let build = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let lease = claim(&mut tx, "a").await.unwrap();
        tx.commit().await.unwrap();
        append(&db, build, 0).await;

        let mut tx = db.write().await.unwrap();
        assert!(!work_items::requeue(&mut tx, build, store::now()).await.unwrap(), "it is claimed");
        assert_eq!(work_items::park(&mut tx, &lease, 0, None).await.unwrap(), Parked::NewEvents);
        assert!(work_items::renew(&mut tx, &lease, store::now()).await.unwrap());
        assert_eq!(work_items::park(&mut tx, &lease, 1, None).await.unwrap(), Parked::Parked);
        let item = work_items::get(&mut tx, build).await.unwrap().unwrap();
        assert_eq!((item.status.as_str(), item.lease_expires_at), ("waiting", None));
        assert_eq!(work_items::next_due(&mut tx).await.unwrap(), None);
        assert!(work_items::requeue(&mut tx, build, store::now()).await.unwrap());
        assert!(claim(&mut tx, "b").await.is_some());
    }

    async fn a_finished_build_leaves_the_queue(db: Db) {
        let build = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let lease = claim(&mut tx, "a").await.unwrap();
        assert!(work_items::finish(&mut tx, &lease).await.unwrap());
        assert!(!work_items::requeue(&mut tx, build, store::now()).await.unwrap());
        let far = store::now() + Duration::days(365);
        assert_eq!(work_items::claim(&mut tx, "b", far, far).await.unwrap(), None);
        assert_eq!(work_items::next_due(&mut tx).await.unwrap(), None);
    }
}
