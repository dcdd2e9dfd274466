//! Backlogs: items start once, after those that they depend on, whatever workers do at the same time.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    backlog::cycle,
    ids::{BacklogItemId, BuildId, ProjectId, UserId},
    state::Status,
    verdict::Verdict,
};
use forgeguard::store::{
    self, Conn, Db, Result,
    backlog_items::{self, ItemContent, NewItem},
    backlogs::{self, BacklogQueue},
    build_projection::{self, BuildProjection, BuildTotals},
    builds, leases,
};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::rows::{add_project, build};

const ITEMS: usize = 30;
const WORKERS: usize = 3;

async fn add_item(db: &Db, project: ProjectId, owner: UserId, title: &str) -> BacklogItemId {
    let id = store::new_id();
    let content =
        ItemContent { title: title.to_owned(), scope: "[]".to_owned(), ..Default::default() };
    let mut tx = db.write().await.unwrap();
    let count = backlogs::lock(&mut tx, project, store::now()).await.unwrap();
    let new = NewItem {
        id,
        project_id: project,
        number: count + 1,
        content: &content,
        external_id: None,
        created_by: owner,
        created_at: store::now(),
    };
    backlog_items::insert(&mut tx, &new).await.unwrap();
    backlogs::set_item_count(&mut tx, project, count + 1).await.unwrap();
    tx.commit().await.unwrap();
    id
}

async fn request_starts(db: &Db, items: &[BacklogItemId], by: UserId) {
    let mut tx = db.write().await.unwrap();
    for item in items {
        backlog_items::request_start(&mut tx, *item, Some(by)).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// Opens a build of the item, as the journal does. None if another worker was faster.
async fn open(db: &Db, project: ProjectId, owner: UserId, item: BacklogItemId) -> Option<BuildId> {
    let new = build(owner, project);
    let mut tx = db.write().await.unwrap();
    if !backlog_items::record_build(&mut tx, item, new.id).await.unwrap() {
        tx.rollback().await.unwrap();
        return None;
    }
    match builds::insert(&mut tx, &new).await {
        Ok(()) => tx.commit().await.unwrap(),
        Err(error) => {
            assert!(matches!(error, store::Error::AlreadyExists(_)), "{error:?}");
            tx.rollback().await.unwrap();
            return None;
        }
    }
    Some(new.id)
}

async fn end(db: &Db, build: BuildId, status: Status, verdict: Option<Verdict>) {
    let row = BuildProjection {
        head_seq: 1,
        head_hash: "head",
        status,
        verdict,
        branch: Some("forge/build-1"),
        baseline_sha: None,
        head_sha: Some("sha"),
        branch_status: None,
        commit_count: 1,
        model: None,
        sandbox_level: None,
        node: None,
        attempt: 1,
        phase_count: 1,
        phases_done: 1,
        open_errors: 0,
        open_questions: 0,
        blocked_reason: None,
        started_at: None,
        finished_at: None,
        totals: BuildTotals::default(),
    };
    let mut tx = db.write().await.unwrap();
    build_projection::append(&mut tx, build, &[], &row, &[]).await.unwrap();
    tx.commit().await.unwrap();
}

/// The first startable item of a project with one build at a time.
async fn next_startable(conn: &mut Conn, project: ProjectId) -> Option<BacklogItemId> {
    builds::free_slot(conn, project, 1).await.unwrap()?;
    let items = backlog_items::list_startable(conn, project, store::now()).await.unwrap();
    items.first().map(|(id, _)| *id)
}

/// Starts and builds items until none is left. Now and then it is killed before its commit.
async fn work(
    db: Db,
    (owner, project): (UserId, ProjectId),
    mut random: StdRng,
) -> Vec<(BacklogItemId, BuildId)> {
    let mut built = Vec::new();
    loop {
        let mut conn = db.read().await.unwrap();
        let left = backlog_items::list(&mut conn, project).await.unwrap();
        let next = next_startable(&mut conn, project).await;
        drop(conn);
        if left.iter().all(|item| item.start_requested_by.is_none()) {
            return built;
        }
        let Some(item) = next else {
            tokio::task::yield_now().await;
            continue;
        };
        if random.random_bool(0.2) {
            let mut tx = db.write().await.unwrap();
            backlog_items::record_build(&mut tx, item, store::new_id()).await.unwrap();
            tx.rollback().await.unwrap();
            continue;
        }
        if let Some(build) = open(&db, project, owner, item).await {
            built.push((item, build));
            tokio::task::yield_now().await;
            end(&db, build, Status::Sealed, Some(Verdict::Certified)).await;
        }
    }
}

support::on_both! {
    async fn every_item_is_built_once_and_after_its_dependencies(db: Db) {
        let (owner, project) = add_project(&db).await;
        let seed = rand::random();
        println!("seed {seed}");
        let mut random = StdRng::seed_from_u64(seed);
        let mut items = Vec::new();
        for number in 0..ITEMS {
            items.push(add_item(&db, project, owner, &format!("Item {number}")).await);
        }
        let mut edges: Vec<(BacklogItemId, BacklogItemId)> = Vec::new();
        for _ in 0..ITEMS * 2 {
            let pair = (items[random.random_range(0..ITEMS)], items[random.random_range(0..ITEMS)]);
            let own = edges.iter().filter(|(from, _)| *from == pair.0).map(|(_, to)| *to);
            let wanted: BTreeSet<_> = own.chain([pair.1]).collect();
            let wanted: Vec<_> = wanted.into_iter().collect();
            if cycle(pair.0, &wanted, edges.iter().copied()).is_none() {
                let mut tx = db.write().await.unwrap();
                backlog_items::set_dependencies(&mut tx, pair.0, &wanted).await.unwrap();
                tx.commit().await.unwrap();
                edges.retain(|edge| *edge != pair);
                edges.push(pair);
            }
        }
        request_starts(&db, &items, owner).await;
        let workers = (0..WORKERS).map(|worker| {
            let random = StdRng::seed_from_u64(seed.wrapping_add(worker as u64));
            tokio::spawn(work(db.clone(), (owner, project), random))
        });
        let mut built = Vec::new();
        for worker in workers.collect::<Vec<_>>() {
            built.extend(worker.await.unwrap());
        }
        let rows = backlog_items::list(&mut db.read().await.unwrap(), project).await.unwrap();
        assert!(rows.iter().all(|row| row.attempts == 1), "{rows:?}");
        assert_eq!(built.len(), ITEMS);
        // Builds are numbered in the order of their rows.
        let number: BTreeMap<_, _> = rows.iter().map(|row| (row.id, row.build_number)).collect();
        assert!(edges.iter().all(|(from, to)| number[from] > number[to]), "{edges:?} {number:?}");
    }

    async fn order_and_dependencies_decide_what_starts_next(db: Db) {
        let (owner, project) = add_project(&db).await;
        let mut items = Vec::new();
        for title in ["First", "Second", "Third"] {
            items.push(add_item(&db, project, owner, title).await);
        }
        let [first, second, third] = items[..] else { panic!("{items:?}") };
        let next = async || {
            let mut conn = db.read().await.unwrap();
            next_startable(&mut conn, project).await
        };
        assert_eq!(next().await, None);
        request_starts(&db, &items, owner).await;
        assert_eq!(next().await, Some(first));
        let mut tx = db.write().await.unwrap();
        backlog_items::set_order(&mut tx, &[third, first, second]).await.unwrap();
        backlog_items::set_dependencies(&mut tx, third, &[second]).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(next().await, Some(first));
        assert!(open(&db, project, owner, third).await.is_none(), "it is blocked");
        let build = open(&db, project, owner, first).await.unwrap();
        assert_eq!(next().await, None);
        assert!(open(&db, project, owner, first).await.is_none(), "it is started");
        end(&db, build, Status::Abandoned, None).await;
        let build = open(&db, project, owner, second).await.unwrap();
        end(&db, build, Status::Sealed, Some(Verdict::Flagged)).await;
        assert_eq!(next().await, None, "what it depends on is not certified");
        request_starts(&db, &[second], owner).await;
        let build = open(&db, project, owner, second).await.unwrap();
        end(&db, build, Status::Sealed, Some(Verdict::Conditional)).await;
        assert_eq!(next().await, Some(third));

        // After a failed start the next attempt waits, and a withdrawn request has none.
        let mut tx = db.write().await.unwrap();
        let later = store::now() + chrono::TimeDelta::seconds(30);
        backlog_items::set_start_error(&mut tx, third, "no model", later).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(next().await, None);
        let mut conn = db.read().await.unwrap();
        assert!(backlog_items::next_retry(&mut conn, project).await.unwrap().is_some());
        drop(conn);
        let mut tx = db.write().await.unwrap();
        backlog_items::request_start(&mut tx, third, None).await.unwrap();
        tx.commit().await.unwrap();
        let mut conn = db.read().await.unwrap();
        assert_eq!(backlog_items::next_retry(&mut conn, project).await.unwrap(), None);
    }

    async fn change_while_a_worker_looks_leads_to_another_look(db: Db) {
        let (_, project) = add_project(&db).await;
        let claim = async || -> Result<_> {
            let mut tx = db.write().await?;
            let now = store::now();
            let lease = leases::claim::<BacklogQueue>(&mut tx, "node", now, now).await?;
            tx.commit().await?;
            Ok(lease)
        };
        let mut tx = db.write().await.unwrap();
        backlogs::lock(&mut tx, project, store::now()).await.unwrap();
        backlogs::wake(&mut tx, project, store::now()).await.unwrap();
        tx.commit().await.unwrap();
        let lease = claim().await.unwrap().expect("it is due");
        assert_eq!(claim().await.unwrap(), None);
        let mut tx = db.write().await.unwrap();
        backlogs::wake(&mut tx, project, store::now()).await.unwrap();
        assert!(backlogs::finish(&mut tx, &lease, None, store::now()).await.unwrap());
        tx.commit().await.unwrap();
        let again = claim().await.unwrap().expect("something has changed");
        let mut tx = db.write().await.unwrap();
        assert!(!backlogs::finish(&mut tx, &lease, None, store::now()).await.unwrap(), "lost");
        assert!(backlogs::finish(&mut tx, &again, None, store::now()).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(claim().await.unwrap(), None);
    }
}
