//! Generations: one at a time per project, and leases that expire.

use chrono::{DateTime, Duration, Utc};
use domain::{
    contract::{ContractType, VersionSource},
    generation::{DraftStatus, GenerationKind, GenerationStatus},
    ids::{GenerationId, ProjectId, UserId},
};
use forgeguard::store::{
    self, Db, Tx, generation_drafts,
    generations::{self, AnswerQueue, ContractQueue},
    leases::{self, Lease, LeaseQueue},
};

use crate::rows::add_project;

const KIND: GenerationKind = GenerationKind::Contracts;

async fn add(db: &Db, owner: UserId, project: ProjectId) -> store::Result<GenerationId> {
    let id = store::new_id();
    let mut tx = db.write().await.unwrap();
    generations::insert(&mut tx, id, project, KIND, owner, store::now()).await?;
    for (position, kind) in (0..).zip([ContractType::Stack, ContractType::Ui]) {
        generation_drafts::insert(&mut tx, id, position, kind).await.unwrap();
    }
    tx.commit().await.unwrap();
    Ok(id)
}

async fn claim<Q: LeaseQueue>(
    tx: &mut Tx,
    owner: &str,
    now: DateTime<Utc>,
) -> Option<Lease<Q::Id>> {
    leases::claim::<Q>(tx, owner, now, now + Duration::minutes(1)).await.unwrap()
}

support::on_both! {
    async fn concurrent_workers_never_claim_the_same_generation(db: Db) {
        let mut added = Vec::new();
        for _ in 0..12 {
            let (owner, project) = add_project(&db).await;
            added.push(add(&db, owner, project).await.unwrap());
        }
        let worker = |n: usize| {
            let db = db.clone();
            async move {
                let mut mine = Vec::new();
                loop {
                    let now = store::now();
                    let mut tx = db.write().await.unwrap();
                    let owner = format!("worker {n}");
                    let until = now + Duration::minutes(1);
                    let claimed = leases::claim::<ContractQueue>(&mut tx, &owner, now, until).await.unwrap();
                    tx.commit().await.unwrap();
                    let Some(claimed) = claimed else { return mine };
                    assert_eq!(claimed.fence, 1);
                    mine.push(claimed.id);
                }
            }
        };
        let workers: Vec<_> = (0..8).map(|n| tokio::spawn(worker(n))).collect();
        let mut claimed = Vec::new();
        for worker in workers {
            claimed.extend(worker.await.unwrap());
        }
        claimed.extend(worker(8).await);
        claimed.sort();
        assert_eq!(claimed, added);
    }

    async fn generation_cannot_be_changed_under_a_lost_lease(db: Db) {
        let (owner, project) = add_project(&db).await;
        let id = add(&db, owner, project).await.unwrap();
        let refused = add(&db, owner, project).await.unwrap_err();
        assert!(matches!(refused, store::Error::AlreadyExists(_)), "{refused}");

        let now = store::now();
        let later = now + Duration::minutes(2);
        let mut tx = db.write().await.unwrap();
        assert!(leases::is_any_due::<ContractQueue>(&mut tx, now).await.unwrap());
        assert!(!leases::is_any_due::<AnswerQueue>(&mut tx, now).await.unwrap());
        assert_eq!(claim::<AnswerQueue>(&mut tx, "a", now).await, None);
        let lost = claim::<ContractQueue>(&mut tx, "a", now).await.unwrap();
        let claimed = generations::get(&mut tx, id).await.unwrap().unwrap();
        assert_eq!(claimed.status, GenerationStatus::Running);
        assert_eq!(claim::<ContractQueue>(&mut tx, "b", now).await, None);
        assert!(!leases::is_any_due::<ContractQueue>(&mut tx, now).await.unwrap());
        let stored = leases::held::<ContractQueue>(&mut tx).await.unwrap();
        let expire = async |tx: &mut Tx| {
            leases::expire::<ContractQueue>(tx, &stored[0], "b", later).await.unwrap()
        };
        assert!(expire(&mut tx).await);
        assert!(!expire(&mut tx).await);
        let held = claim::<ContractQueue>(&mut tx, "b", later).await.unwrap();
        assert_eq!((held.id, held.fence), (id, 2));
        let again = generations::get(&mut tx, id).await.unwrap().unwrap();
        assert_eq!(again.started_at, claimed.started_at, "by the first claim");
        assert!(!generations::renew(&mut tx, &lost, later).await.unwrap());
        assert!(!generations::set_model(&mut tx, &lost, "m").await.unwrap());
        assert!(!generations::reset_failures(&mut tx, &lost).await.unwrap());
        assert!(!generations::postpone(&mut tx, &lost, now, 1, None).await.unwrap());
        let done = GenerationStatus::Done;
        assert!(!generations::finish(&mut tx, &lost, done, None, now).await.unwrap());

        assert!(generations::set_model(&mut tx, &held, "m").await.unwrap());
        assert!(generations::renew(&mut tx, &held, later).await.unwrap());
        generations::request_cancel(&mut tx, id, later).await.unwrap();
        assert!(generations::get(&mut tx, id).await.unwrap().unwrap().cancel_requested);
        assert!(!generations::resume(&mut tx, id, later).await.unwrap(), "it still runs");
        let failed = GenerationStatus::Failed;
        assert!(generations::finish(&mut tx, &held, failed, Some("why"), later).await.unwrap());
        assert!(generations::resume(&mut tx, id, later).await.unwrap());
        let row = generations::get(&mut tx, id).await.unwrap().unwrap();
        assert_eq!((row.status, row.failure, row.finished_at), (GenerationStatus::Queued, None, None));
        assert_eq!(row.model.as_deref(), Some("m"));
        generations::request_cancel(&mut tx, id, later).await.unwrap();
        tx.commit().await.unwrap();

        let next = add(&db, owner, project).await.unwrap();
        let mut tx = db.write().await.unwrap();
        assert!(matches!(
            generations::resume(&mut tx, id, later).await,
            Err(store::Error::AlreadyExists(_))
        ));
        drop(tx);
        let mut conn = db.read().await.unwrap();
        let list = |conn| generations::list(conn, project, KIND, None, 10);
        let ids: Vec<_> = list(&mut conn).await.unwrap().iter().map(|row| row.id).collect();
        assert_eq!(ids, [next, id], "newest first");
        let page = generations::list(&mut conn, project, KIND, Some(next), 10).await.unwrap();
        assert_eq!(page[0].id, id);
    }

    // The worker hands it back in a transaction that is still open when the user cancels.
    async fn cancellation_is_kept_when_the_generation_is_handed_back_concurrently(db: Db) {
        for _ in 0..5 {
            let (owner, project) = add_project(&db).await;
            let id = add(&db, owner, project).await.unwrap();
            let (now, mut tx) = (store::now(), db.write().await.unwrap());
            let lease = claim::<ContractQueue>(&mut tx, "worker", now).await.expect("it is due");
            tx.commit().await.unwrap();

            let mut handing_back = db.write().await.unwrap();
            generations::postpone(&mut handing_back, &lease, now, 0, None).await.unwrap();
            let cancelling = tokio::spawn({
                let db = db.clone();
                async move {
                    let mut tx = db.write().await.unwrap();
                    generations::request_cancel(&mut tx, id, store::now()).await.unwrap();
                    tx.commit().await.unwrap();
                }
            });
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            handing_back.commit().await.unwrap();
            cancelling.await.unwrap();
            let row = generations::get(&mut db.read().await.unwrap(), id).await.unwrap().unwrap();
            assert_eq!((row.status, row.cancel_requested), (GenerationStatus::Cancelled, true));
        }
    }

    async fn draft_reads_back_as_written(db: Db) {
        let (owner, project) = add_project(&db).await;
        let id = add(&db, owner, project).await.unwrap();
        let mut tx = db.write().await.unwrap();
        let drafts = generation_drafts::list(&mut tx, id).await.unwrap();
        let kinds: Vec<_> = drafts.iter().map(|draft| (draft.kind, draft.status)).collect();
        let waiting = DraftStatus::Waiting;
        assert_eq!(kinds, [(ContractType::Stack, waiting), (ContractType::Ui, waiting)]);
        let mut draft = drafts[1].clone();
        draft.status = DraftStatus::Writing;
        draft.turn = 3;
        draft.attempt = 2;
        draft.tool = Some("get_user_stories".into());
        draft.refusals = 1;
        draft.refusal = Some("line 1".into());
        draft.version = Some(7);
        draft.source = Some(VersionSource::Generated);
        draft.tokens_in = 1;
        draft.tokens_out = 2;
        draft.cache_read = 3;
        draft.cache_write = 4;
        draft.cost_usd_micros = Some(5);
        draft.sent_tokens = 6;
        draft.pasted_tokens = 7;
        generation_drafts::update(&mut tx, id, &draft, "[1]").await.unwrap();
        assert_eq!(generation_drafts::list(&mut tx, id).await.unwrap()[1], draft);
        let words = generation_drafts::conversation(&mut tx, id, 1).await.unwrap();
        assert_eq!(words.as_deref(), Some("[1]"));
        generation_drafts::reset_unfinished(&mut tx, id).await.unwrap();
        assert_eq!(generation_drafts::list(&mut tx, id).await.unwrap()[1].status, waiting);
    }
}
