//! The life of one build, from account to seal, as the floors above will write it.

use domain::{
    errors::ResolutionMethod,
    event::{branch::BranchLife, questions::ResolvedHow},
    state::Status,
    verdict::Verdict,
};
use forgeguard::store::{
    self, Db, build_errors,
    build_projection::{self, BuildProjection, BuildTotals},
    builds,
    clarifications::{self, Resolution},
    events, projects,
    seals::{self, Seal},
    users,
    work_items::{self, Parked},
};

use crate::rows::{
    build, claim, events as rows, project, question, resolve_error, track_error, tracked_error,
    user,
};

fn projection(status: Status, head_seq: u64, head_hash: &str) -> BuildProjection<'_> {
    BuildProjection {
        head_seq,
        head_hash,
        status,
        verdict: None,
        branch: None,
        baseline_sha: None,
        head_sha: None,
        branch_status: Some(BranchLife::Active),
        commit_count: 0,
        model: None,
        sandbox_level: None,
        node: Some("node-1"),
        attempt: 1,
        phase_count: 1,
        phases_done: 0,
        open_errors: 0,
        open_questions: 0,
        blocked_reason: None,
        started_at: None,
        finished_at: None,
        totals: BuildTotals::default(),
    }
}

support::on_both! {
    async fn build_is_queued_run_interrupted_by_a_question_and_sealed(db: Db) {
        // A user signs up, creates a project and starts a build.
        let ada = user("ada@example.org");
        let list = project(ada.id, "List");
        let new = build(ada.id, list.id);
        let id = new.id;
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &ada).await.unwrap();
        projects::insert(&mut tx, &list).await.unwrap();
        builds::insert(&mut tx, &new).await.unwrap();
        work_items::enqueue(&mut tx, store::new_id(), id, store::now(), store::now())
            .await
            .unwrap();
        tx.commit().await.unwrap();

        // A worker claims it and appends under its lease.
        let mut tx = db.write().await.unwrap();
        let lease = claim(&mut tx, "node-1").await.unwrap();
        tx.commit().await.unwrap();
        let mut tx = db.write().await.unwrap();
        let head = builds::lock_head(&mut tx, id, true).await.unwrap();
        assert_eq!(head.map(|head| (head.head_seq, head.fence)), Some((0, Some(lease.fence))));
        let batch = rows(1, 10);
        events::insert_batch(&mut tx, id, &batch).await.unwrap();
        let running = projection(Status::Running, 10, &batch[9].hash);
        build_projection::append(&mut tx, id, &[], &running, &[]).await.unwrap();
        tx.commit().await.unwrap();

        // It meets an error, asks a question and waits.
        let mut tx = db.write().await.unwrap();
        let seen = tracked_error(id, "f", "1 test failed");
        let error = track_error(&mut tx, seen).await;
        let asked = question(id);
        clarifications::insert(&mut tx, &asked).await.unwrap();
        assert_eq!(work_items::park(&mut tx, &lease, 10, None).await.unwrap(), Parked::Parked);
        tx.commit().await.unwrap();

        // The answer wakes it.
        let mut tx = db.write().await.unwrap();
        assert_eq!(claim(&mut tx, "node-2").await, None, "it waits for an answer");
        let answer = Resolution {
            how: ResolvedHow::Answered,
            answer: Some("red"),
            answered_by: Some(ada.id),
            resolved_at: store::now(),
            resolved_seq: None,
        };
        clarifications::resolve(&mut tx, asked.id, &answer).await.unwrap();
        work_items::requeue(&mut tx, id, store::now()).await.unwrap();
        tx.commit().await.unwrap();

        // Another worker fixes the error and seals the build.
        let mut tx = db.write().await.unwrap();
        let next = claim(&mut tx, "node-2").await.unwrap();
        assert_eq!(next.fence, lease.fence + 1);
        let method = ResolutionMethod::AutoFix;
        resolve_error(&mut tx, error.id, method, Some("off by one"), store::now()).await;
        let seal = Seal {
            build_id: id,
            verdict: Verdict::Certified,
            score: 100.0,
            seal_commit: "c0ffee".to_owned(),
            journal_head: batch[9].hash.clone(),
            evidence: "{}".to_owned(),
            sealed_at: store::now(),
        };
        seals::insert(&mut tx, &seal).await.unwrap();
        let sealed = BuildProjection {
            verdict: Some(Verdict::Certified),
            branch_status: Some(BranchLife::Sealed),
            finished_at: Some(store::now()),
            ..projection(Status::Sealed, 10, &batch[9].hash)
        };
        build_projection::append(&mut tx, id, &[], &sealed, &[]).await.unwrap();
        assert!(!work_items::begin_step(&mut tx, &lease, "sealed").await.unwrap(), "it is lost");
        work_items::close(&mut tx, id).await.unwrap();
        tx.commit().await.unwrap();

        // A reader finds it all, and the project is free for the next build.
        let mut view = db.snapshot().await.unwrap();
        let row = builds::get(&mut view, id).await.unwrap().unwrap();
        assert_eq!((row.status, row.verdict), (Status::Sealed, Some(Verdict::Certified)));
        assert_eq!(events::after(&mut view, id, 0, 100).await.unwrap(), batch);
        assert_eq!(build_errors::count_open(&mut view, id).await.unwrap(), 0);
        drop(view);
        let mut tx = db.write().await.unwrap();
        builds::insert(&mut tx, &build(ada.id, list.id)).await.unwrap();
    }
}
