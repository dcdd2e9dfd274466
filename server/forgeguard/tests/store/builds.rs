//! Builds: one unfinished per slot of a project, one writer of the head, all projected columns.

use std::time::Duration;

use domain::{
    chain, event::branch::BranchLife, gate::SandboxLevel, state::PhaseStatus, state::Status,
    verdict::Verdict,
};
use forgeguard::store::{
    self, Db, Error,
    build_phases::{self, Phase},
    build_projection::{self, BuildProjection, BuildTotals},
    builds::{self, Head, NewBuild},
    checkpoints::{self, Checkpoint},
    projects,
    seals::{self, Seal},
    work_items,
};

use crate::rows::{add_build, add_project, build, claim, project};

fn projection(status: Status, head_seq: u64) -> BuildProjection<'static> {
    BuildProjection {
        head_seq,
        head_hash: "head",
        status,
        verdict: None,
        branch: Some("forge/build-x"),
        baseline_sha: Some("base"),
        head_sha: Some("sha"),
        branch_status: Some(BranchLife::Active),
        commit_count: 3,
        model: Some("offline"),
        sandbox_level: Some(SandboxLevel::Landlock),
        node: Some("node-1"),
        attempt: 1,
        phase_count: 2,
        phases_done: 1,
        open_errors: 4,
        open_questions: 5,
        blocked_reason: None,
        started_at: Some(store::now()),
        finished_at: None,
        totals: BuildTotals::default(),
    }
}

support::on_both! {
    async fn slot_of_a_project_has_at_most_one_unfinished_build(db: Db) {
        let (owner, project) = add_project(&db).await;
        for last in [Status::Sealed, Status::Abandoned] {
            let first = build(owner, project);
            let mut tx = db.write().await.unwrap();
            builds::insert(&mut tx, &first).await.unwrap();
            tx.commit().await.unwrap();

            let mut tx = db.write().await.unwrap();
            let second = builds::insert(&mut tx, &build(owner, project)).await;
            assert!(matches!(second, Err(Error::AlreadyExists(_))), "{second:?}");
            tx.rollback().await.unwrap();

            let mut tx = db.write().await.unwrap();
            build_projection::append(&mut tx, first.id, &[], &projection(last, 1), &[]).await.unwrap();
            tx.commit().await.unwrap();
        }
        let mut tx = db.write().await.unwrap();
        builds::insert(&mut tx, &build(owner, project)).await.unwrap();
        assert_eq!(builds::count(&mut tx, Status::Sealed).await.unwrap(), 1);
        assert_eq!(builds::count(&mut tx, Status::Queued).await.unwrap(), 1);
    }

    async fn lowest_free_slot_is_found_below_the_limit(db: Db) {
        let (owner, project) = add_project(&db).await;
        let mut tx = db.write().await.unwrap();
        let mut ids = Vec::new();
        for slot in 0..3 {
            assert_eq!(builds::free_slot(&mut tx, project, 3).await.unwrap(), Some(slot));
            let next = NewBuild { slot, ..build(owner, project) };
            builds::insert(&mut tx, &next).await.unwrap();
            ids.push(next.id);
        }
        assert_eq!(builds::free_slot(&mut tx, project, 3).await.unwrap(), None);
        let end = projection(Status::Sealed, 1);
        build_projection::append(&mut tx, ids[0], &[], &end, &[]).await.unwrap();
        assert_eq!(builds::free_slot(&mut tx, project, 3).await.unwrap(), Some(0));
        // A limit that was reduced applies to builds in higher slots too.
        assert_eq!(builds::free_slot(&mut tx, project, 2).await.unwrap(), None);
        let unfinished = builds::list_unfinished(&mut tx, project).await.unwrap();
        assert_eq!(unfinished.iter().map(|it| it.id).collect::<Vec<_>>(), [ids[2], ids[1]]);
    }

    async fn build_of_an_unknown_project_is_rejected(db: Db) {
        let (owner, _) = add_project(&db).await;
        let mut tx = db.write().await.unwrap();
        let orphan = builds::insert(&mut tx, &build(owner, store::new_id())).await;
        assert!(matches!(orphan, Err(Error::MissingReference(_))), "{orphan:?}");
    }

    async fn build_is_read_together_with_its_project(db: Db) {
        let id = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let build = builds::get(&mut tx, id).await.unwrap().unwrap();
        let project = projects::get(&mut tx, build.project_id).await.unwrap().unwrap();
        let found = builds::get_with_project(&mut tx, id).await.unwrap();
        assert_eq!(found, Some((build, project.clone())));
        projects::remove(&mut tx, project.id, store::now()).await.unwrap();
        assert_eq!(builds::get_with_project(&mut tx, id).await.unwrap(), None);
    }

    async fn projected_columns_are_read_as_written(db: Db) {
        let id = add_build(&db).await;
        let to = projection(Status::Running, 7);
        let mut tx = db.write().await.unwrap();
        let before = builds::get(&mut tx, id).await.unwrap().unwrap();
        assert_eq!((before.head_seq, before.head_hash.as_str()), (0, chain::GENESIS));
        assert_eq!((before.status, before.verdict, before.started_at), (Status::Queued, None, None));
        build_projection::append(&mut tx, id, &[], &to, &[]).await.unwrap();

        let row = builds::get(&mut tx, id).await.unwrap().unwrap();
        assert_eq!((row.status, row.head_seq, row.head_hash.as_str()), (Status::Running, 7, "head"));
        assert_eq!(row.branch.as_deref(), to.branch);
        assert_eq!(row.baseline_sha.as_deref(), to.baseline_sha);
        assert_eq!(row.head_sha.as_deref(), to.head_sha);
        assert_eq!(row.branch_status, Some(BranchLife::Active));
        assert_eq!((row.commit_count, row.attempt), (3, 1));
        assert_eq!(row.model.as_deref(), to.model);
        assert_eq!(row.sandbox_level, Some(SandboxLevel::Landlock));
        assert_eq!(row.node.as_deref(), to.node);
        assert_eq!((row.phase_count, row.phases_done), (2, 1));
        assert_eq!((row.open_errors, row.open_questions), (4, 5));
        assert_eq!((row.started_at, row.finished_at), (to.started_at, None));

        let end = BuildProjection {
            model: None,
            node: None,
            sandbox_level: None,
            verdict: Some(Verdict::Certified),
            blocked_reason: Some("why"),
            started_at: None,
            finished_at: Some(store::now()),
            ..projection(Status::Sealed, 8)
        };
        build_projection::append(&mut tx, id, &[], &end, &[]).await.unwrap();
        let row = builds::get(&mut tx, id).await.unwrap().unwrap();
        assert_eq!((row.verdict, row.finished_at), (Some(Verdict::Certified), end.finished_at));
        assert_eq!(row.blocked_reason.as_deref(), Some("why"));
        assert_eq!((row.started_at, row.model.as_deref()), (to.started_at, Some("offline")));
        assert_eq!((row.node.as_deref(), row.sandbox_level), (to.node, to.sandbox_level));
        let head = builds::lock_head(&mut tx, id, false).await.unwrap();
        assert_eq!(head, Some(Head { head_seq: 8, fence: None, can_be_claimed: false }));
    }

    async fn checkpoint_replaces_the_previous_one(db: Db) {
        let id = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        assert_eq!(checkpoints::get(&mut tx, id).await.unwrap(), None);
        for (seq, state) in [(7, r#"{"n":1}"#), (9, "{}")] {
            checkpoints::put(&mut tx, id, seq, state).await.unwrap();
            let stored = Checkpoint { seq, state: state.to_owned() };
            assert_eq!(checkpoints::get(&mut tx, id).await.unwrap(), Some(stored));
        }
    }

    async fn head_contains_the_fence_of_the_lease_and_whether_it_is_free(db: Db) {
        let id = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let head = builds::lock_head(&mut tx, id, true).await.unwrap().unwrap();
        assert_eq!(head, Head { head_seq: 0, fence: Some(0), can_be_claimed: true });
        claim(&mut tx, "a").await.unwrap();
        let head = builds::lock_head(&mut tx, id, true).await.unwrap().unwrap();
        assert_eq!(head, Head { head_seq: 0, fence: Some(1), can_be_claimed: false });

        let (owner, project) = add_project_in(&mut tx).await;
        let unqueued = build(owner, project);
        builds::insert(&mut tx, &unqueued).await.unwrap();
        let head = builds::lock_head(&mut tx, unqueued.id, true).await.unwrap().unwrap();
        assert_eq!(head, Head { head_seq: 0, fence: None, can_be_claimed: false });
        assert_eq!(builds::lock_head(&mut tx, store::new_id(), true).await.unwrap(), None);
    }

    async fn locked_head_is_read_after_the_transaction_of_its_holder(db: Db) {
        let id = add_build(&db).await;
        let raise = || async {
            for _ in 0..5 {
                let mut tx = db.write().await.unwrap();
                let head = builds::lock_head(&mut tx, id, true).await.unwrap().unwrap();
                let to = projection(Status::Running, head.head_seq + 1);
                build_projection::append(&mut tx, id, &[], &to, &[]).await.unwrap();
                tx.commit().await.unwrap();
            }
        };
        futures::future::join_all((0..6).map(|_| raise())).await;
        let mut conn = db.read().await.unwrap();
        assert_eq!(builds::get(&mut conn, id).await.unwrap().unwrap().head_seq, 30);
    }

    async fn lease_cannot_be_claimed_while_the_head_is_locked(db: Db) {
        let id = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        builds::lock_head(&mut tx, id, true).await.unwrap();
        let other = db.clone();
        let rival = tokio::spawn(async move {
            let mut tx = other.write().await.unwrap();
            let lease = claim(&mut tx, "rival").await;
            tx.commit().await.unwrap();
            lease
        });
        // PostgreSQL passes the locked row over, SQLite makes the rival wait for the writer.
        let meanwhile = tokio::time::timeout(Duration::from_millis(300), rival).await;
        assert!(matches!(meanwhile, Err(_) | Ok(Ok(None))), "{meanwhile:?}");
        let item = work_items::get(&mut tx, id).await.unwrap().unwrap();
        assert_eq!(item.fence, 0);
    }

    async fn builds_are_listed_newest_first_by_page(db: Db) {
        let (owner, project) = add_project(&db).await;
        let mut tx = db.write().await.unwrap();
        let mut ids = Vec::new();
        for _ in 0..5 {
            let new = build(owner, project);
            builds::insert(&mut tx, &new).await.unwrap();
            let done = projection(Status::Abandoned, 1);
            build_projection::append(&mut tx, new.id, &[], &done, &[]).await.unwrap();
            ids.insert(0, new.id);
        }
        let mut seen = Vec::new();
        let mut before = None;
        loop {
            let page = builds::list(&mut tx, project, before, 2).await.unwrap();
            let Some(last) = page.last() else { break };
            before = Some(last.id);
            seen.extend(page.iter().map(|build| build.id));
        }
        assert_eq!(seen, ids);
    }

    async fn newest_builds_of_a_page_of_projects_are_found(db: Db) {
        let (owner, first) = add_project(&db).await;
        let (_, foreign) = add_project(&db).await;
        let mut tx = db.write().await.unwrap();
        let empty = project(owner, "Empty");
        projects::insert(&mut tx, &empty).await.unwrap();
        let old = build(owner, first);
        builds::insert(&mut tx, &old).await.unwrap();
        let done = projection(Status::Sealed, 1);
        build_projection::append(&mut tx, old.id, &[], &done, &[]).await.unwrap();
        let new = build(owner, first);
        builds::insert(&mut tx, &new).await.unwrap();
        builds::insert(&mut tx, &build(owner, foreign)).await.unwrap();

        let found = builds::newest_of_projects(&mut tx, owner, first, empty.id).await.unwrap();
        assert_eq!(found.iter().map(|b| (b.project_id, b.id)).collect::<Vec<_>>(), [(first, new.id)]);
        let found = builds::newest_of_projects(&mut tx, owner, empty.id, empty.id).await.unwrap();
        assert_eq!(found, []);
    }

    async fn phases_are_listed_in_order_with_their_first_start(db: Db) {
        let id = add_build(&db).await;
        let phase = |number| Phase {
            number,
            title: format!("Phase {number}"),
            status: PhaseStatus::Pending,
            started_at: None,
            completed_at: None,
        };
        let (first, later) = (store::now(), store::now() + Duration::from_secs(9));
        let mut tx = db.write().await.unwrap();
        build_phases::insert_batch(&mut tx, id, &[phase(1), phase(0)]).await.unwrap();
        build_phases::start(&mut tx, id, 0, first).await.unwrap();
        build_phases::start(&mut tx, id, 0, later).await.unwrap();
        build_phases::complete(&mut tx, id, 0, later).await.unwrap();
        let done = Phase {
            status: PhaseStatus::Complete,
            started_at: Some(first),
            completed_at: Some(later),
            ..phase(0)
        };
        build_phases::set_status(&mut tx, id, 1, PhaseStatus::Skipped).await.unwrap();
        let skipped = Phase { status: PhaseStatus::Skipped, ..phase(1) };
        assert_eq!(build_phases::list(&mut tx, id).await.unwrap(), [done, skipped]);
    }

    async fn second_seal_of_a_build_is_rejected(db: Db) {
        let id = add_build(&db).await;
        let seal = Seal {
            build_id: id,
            verdict: Verdict::Conditional,
            score: 87.25,
            seal_commit: "c0ffee".to_owned(),
            journal_head: "head".to_owned(),
            evidence: "{}".to_owned(),
            sealed_at: store::now(),
        };
        let mut tx = db.write().await.unwrap();
        assert_eq!(seals::get(&mut tx, id).await.unwrap(), None);
        seals::insert(&mut tx, &seal).await.unwrap();
        assert_eq!(seals::get(&mut tx, id).await.unwrap(), Some(seal.clone()));
        let again = seals::insert(&mut tx, &seal).await;
        assert!(matches!(again, Err(Error::AlreadyExists(_))), "{again:?}");
    }
}

async fn add_project_in(conn: &mut store::Conn) -> (domain::ids::UserId, domain::ids::ProjectId) {
    let owner = crate::rows::user("other@example.org");
    let project = project(owner.id, "Other");
    store::users::insert(conn, &owner).await.unwrap();
    projects::insert(conn, &project).await.unwrap();
    (owner.id, project.id)
}
