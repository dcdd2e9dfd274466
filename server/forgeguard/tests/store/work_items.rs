//! The queue of builds: claims, leases, and waking builds that wait.

use std::collections::BTreeSet;

use chrono::{DateTime, Duration, Utc};
use domain::{ids::BuildId, state::Status};
use forgeguard::store::{
    self, Db, Tx,
    build_projection::{self, BuildProjection, BuildTotals},
    builds,
    builds_overview::{self, Viewer},
    events,
    leases::{self, StoredLease},
    work_items::{self, BuildQueue, Heartbeat, Lease, Parked},
};

use crate::rows::{add_build, claim, events as rows};

/// Appends the event after `head_seq`, as a command does.
async fn append(db: &Db, build: BuildId, head_seq: u64) {
    let mut tx = db.write().await.unwrap();
    builds::lock_head(&mut tx, build, false).await.unwrap();
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
        totals: BuildTotals::default(),
    };
    build_projection::append(&mut tx, build, &[], &to, &[]).await.unwrap();
    tx.commit().await.unwrap();
}

async fn claim_at(
    tx: &mut Tx,
    owner: &str,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Option<Lease> {
    leases::claim::<BuildQueue>(tx, owner, now, until).await.unwrap()
}

async fn held(tx: &mut Tx) -> Vec<StoredLease> {
    leases::held::<BuildQueue>(tx).await.unwrap()
}

async fn renew(tx: &mut Tx, lease: &Lease, until: DateTime<Utc>) -> bool {
    leases::renew::<BuildQueue>(tx, lease, until).await.unwrap()
}

async fn expire(tx: &mut Tx, stored: &StoredLease, own: &str, now: DateTime<Utc>) -> bool {
    leases::expire::<BuildQueue>(tx, stored, own, now).await.unwrap()
}

support::on_both! {
    async fn concurrent_workers_never_claim_the_same_build(db: Db) {
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
                    assert_eq!(lease.fence, 1);
                    mine.push(lease.id);
                }
            }
        };
        // A worker may find all remaining rows locked by others and stop early; another round claims
        // those rows.
        let workers: Vec<_> = (0..8).map(|n| tokio::spawn(worker(n))).collect();
        let mut claimed = Vec::new();
        for worker in workers {
            claimed.extend(worker.await.unwrap());
        }
        claimed.extend(worker(8).await);
        assert_eq!(claimed.len(), 24);
        assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), builds);
    }

    async fn expired_lease_is_claimed_by_another_worker_with_the_next_fence(db: Db) {
        let build = add_build(&db).await;
        let now = store::now();
        let soon = now + Duration::seconds(30);
        let mut tx = db.write().await.unwrap();
        let lost = claim_at(&mut tx, "a", now, soon).await.unwrap();
        assert_eq!((lost.id, lost.fence), (build, 1));
        let item = work_items::get(&mut tx, build).await.unwrap().unwrap();
        assert_eq!((item.is_claimed(), item.attempts), (true, 1));
        let stored = held(&mut tx).await;
        assert_eq!(stored.len(), 1);

        // A renewed lease is not lost, however far the clock of another node is ahead.
        let far = now + Duration::days(1);
        let later = soon + Duration::seconds(30);
        assert!(renew(&mut tx, &lost, later).await);
        assert_eq!(claim_at(&mut tx, "b", far, far).await, None);
        assert!(!expire(&mut tx, &stored[0], "b", far).await);
        assert!(renew(&mut tx, &lost, later).await);

        let stored = held(&mut tx).await;
        assert!(expire(&mut tx, &stored[0], "b", now).await);
        let lease = claim_at(&mut tx, "b", now, later).await.unwrap();
        assert_eq!((lease.id, lease.fence), (build, 2));
        let heartbeat = |step: &str| Heartbeat {
            at: now,
            step: step.to_owned(),
            progress_percent: 40,
            memory_bytes: 5 << 30,
            cpu_percent: 250,
        };
        work_items::record_heartbeat(&mut tx, &lease, &heartbeat("Gates")).await.unwrap();
        work_items::record_heartbeat(&mut tx, &lost, &heartbeat("Plan")).await.unwrap();
        let owner = builds::get(&mut tx, build).await.unwrap().unwrap().started_by;
        let viewer = Viewer { user: owner, required_approvals: 1, project: None };
        let listed = builds_overview::list(&mut tx, viewer, None, None, 2).await.unwrap();
        assert_eq!((listed.len(), listed[0].current_step.as_deref()), (1, Some("Gates")));
        let figures = (listed[0].progress_percent, listed[0].memory_bytes, listed[0].cpu_percent);
        assert_eq!(figures, (Some(40), Some(5 << 30), Some(250)));
        assert_eq!(listed[0].heartbeat_at, Some(now));
        assert!(!renew(&mut tx, &lost, later).await);
        assert!(!work_items::begin_step(&mut tx, &lost, "ran the gates").await.unwrap());
        assert_eq!(work_items::park(&mut tx, &lost, 0, None).await.unwrap(), Parked::LeaseLost);
        assert!(renew(&mut tx, &lease, later).await);
    }

    async fn step_is_kept_when_its_worker_ends_and_cleared_when_the_build_is_handed_back(db: Db) {
        let build = add_build(&db).await;
        let now = store::now();
        let mut tx = db.write().await.unwrap();
        let step = async |tx: &mut Tx| {
            work_items::get(tx, build).await.unwrap().unwrap().step
        };
        let begin = async |tx: &mut Tx, owner: &str| {
            let lease = claim(tx, owner).await.unwrap();
            assert!(work_items::begin_step(tx, &lease, "ran the gates").await.unwrap());
            lease
        };
        let end = async |tx: &mut Tx, owner: &str| {
            let stored = held(tx).await;
            assert!(expire(tx, &stored[0], owner, now).await);
        };
        let some = Some("ran the gates".to_owned());

        // Its process was restarted.
        begin(&mut tx, "a").await;
        assert_eq!(leases::release::<BuildQueue>(&mut tx, "a", now).await.unwrap(), 1);
        assert_eq!(step(&mut tx).await, some);
        // Another node continues.
        begin(&mut tx, "a").await;
        end(&mut tx, "b").await;
        assert_eq!(step(&mut tx).await, some);
        // Its worker panicked.
        let lease = begin(&mut tx, "a").await;
        assert!(leases::hand_back::<BuildQueue>(&mut tx, &lease, now).await.unwrap());
        assert_eq!(step(&mut tx).await, some);
        // It lost a lease that no other worker has claimed, and is alive.
        begin(&mut tx, "a").await;
        end(&mut tx, "a").await;
        assert_eq!(step(&mut tx).await, None);
        // It handed the build back.
        let lease = begin(&mut tx, "a").await;
        let parked = work_items::park(&mut tx, &lease, 0, Some(now)).await.unwrap();
        assert_eq!((parked, step(&mut tx).await), (Parked::Parked, None));

        let lease = begin(&mut tx, "a").await;
        assert!(work_items::count_interruption(&mut tx, &lease, "here", 2).await.unwrap());
        let item = work_items::get(&mut tx, build).await.unwrap().unwrap();
        let counted = (item.step, item.interrupted_step.as_deref(), item.interruptions);
        assert_eq!(counted, (None, Some("here"), 2));
    }

    async fn build_is_not_claimed_before_its_time(db: Db) {
        let build = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let lease = claim(&mut tx, "a").await.unwrap();
        let retry_at = store::now() + Duration::minutes(2);
        let parked = work_items::park(&mut tx, &lease, 0, Some(retry_at)).await.unwrap();
        assert_eq!(parked, Parked::Parked);
        assert_eq!(claim(&mut tx, "b").await, None);
        let end = retry_at + Duration::seconds(30);
        let lease = claim_at(&mut tx, "b", retry_at, end).await.unwrap();
        assert_eq!((lease.id, lease.fence), (build, 2));
    }

    async fn build_that_has_been_due_for_longest_is_claimed_first(db: Db) {
        let first = add_build(&db).await;
        let second = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let earlier = store::now() - Duration::hours(1);
        work_items::requeue(&mut tx, second, earlier).await.unwrap();
        assert_eq!(claim(&mut tx, "a").await.unwrap().id, second);
        assert_eq!(claim(&mut tx, "a").await.unwrap().id, first);
    }

    async fn build_is_not_parked_when_a_command_has_arrived(db: Db) {
        let build = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let lease = claim(&mut tx, "a").await.unwrap();
        tx.commit().await.unwrap();
        append(&db, build, 0).await;

        let mut tx = db.write().await.unwrap();
        work_items::requeue(&mut tx, build, store::now()).await.unwrap();
        assert_eq!(claim(&mut tx, "b").await, None, "it is claimed");
        assert_eq!(work_items::park(&mut tx, &lease, 0, None).await.unwrap(), Parked::NewEvents);
        assert!(renew(&mut tx, &lease, store::now()).await);
        assert_eq!(work_items::park(&mut tx, &lease, 1, None).await.unwrap(), Parked::Parked);
        let item = work_items::get(&mut tx, build).await.unwrap().unwrap();
        assert_eq!((item.status.as_str(), item.lease_expires_at), ("waiting", None));
        work_items::requeue(&mut tx, build, store::now()).await.unwrap();
        assert!(claim(&mut tx, "b").await.is_some());
    }

    async fn closed_build_leaves_the_queue(db: Db) {
        let build = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let lease = claim(&mut tx, "a").await.unwrap();
        work_items::close(&mut tx, build).await.unwrap();
        assert!(!renew(&mut tx, &lease, store::now()).await);
        work_items::requeue(&mut tx, build, store::now()).await.unwrap();
        let far = store::now() + Duration::days(365);
        assert_eq!(claim_at(&mut tx, "b", far, far).await, None);
    }
}
