//! Generations: one at a time, leases that end, and nothing written by whoever lost one.

use chrono::Duration;
use domain::{
    contract::{ContractType, VersionSource},
    generation::{DraftStatus, GenerationKind, GenerationStatus},
    ids::{GenerationId, ProjectId, UserId},
};
use forgeguard::store::{self, Db, Tx, generation_drafts, generations};

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

support::on_both! {
    async fn eight_claimers_never_get_the_same_generation(db: Db) {
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
                    let claimed = generations::claim(&mut tx, KIND, &owner, now, until).await.unwrap();
                    tx.commit().await.unwrap();
                    let Some(claimed) = claimed else { return mine };
                    assert_eq!((claimed.fence, claimed.status), (1, GenerationStatus::Running));
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

    async fn a_project_has_one_and_whoever_lost_the_lease_writes_nothing(db: Db) {
        let (owner, project) = add_project(&db).await;
        let id = add(&db, owner, project).await.unwrap();
        let refused = add(&db, owner, project).await.unwrap_err();
        assert!(matches!(refused, store::Error::AlreadyExists(_)), "{refused}");

        let now = store::now();
        let later = now + Duration::minutes(2);
        let mut tx = db.write().await.unwrap();
        assert!(generations::is_any_due(&mut tx, KIND, now).await.unwrap());
        let minute = Duration::minutes(1);
        let claim = async |tx: &mut Tx, kind, owner, now| {
            generations::claim(tx, kind, owner, now, now + minute).await.unwrap()
        };
        let other = GenerationKind::Answers;
        assert!(!generations::is_any_due(&mut tx, other, now).await.unwrap());
        assert_eq!(claim(&mut tx, other, "a", now).await, None, "that is for others");
        let first = claim(&mut tx, KIND, "a", now).await.unwrap();
        assert_eq!(claim(&mut tx, KIND, "b", now).await, None);
        assert!(!generations::is_any_due(&mut tx, KIND, now).await.unwrap());
        let second = claim(&mut tx, KIND, "b", later).await.unwrap();
        assert_eq!((second.id, second.fence, second.started_at), (id, 2, first.started_at));
        let (lost, held) = (first.lease(), second.lease());
        assert_eq!(generations::renew(&mut tx, &lost, later).await.unwrap(), None);
        assert!(!generations::note_model(&mut tx, &lost, "m").await.unwrap());
        assert!(!generations::note_answer(&mut tx, &lost).await.unwrap());
        assert!(!generations::postpone(&mut tx, &lost, now, 1, None).await.unwrap());
        let done = GenerationStatus::Done;
        assert!(!generations::finish(&mut tx, &lost, done, None, now).await.unwrap());

        assert!(generations::note_model(&mut tx, &held, "m").await.unwrap());
        assert_eq!(generations::renew(&mut tx, &held, later).await.unwrap(), Some(false));
        generations::request_cancel(&mut tx, id, later).await.unwrap();
        assert_eq!(generations::renew(&mut tx, &held, later).await.unwrap(), Some(true));
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

    async fn a_draft_reads_back_as_it_was_written(db: Db) {
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
        generation_drafts::lay_down(&mut tx, id).await.unwrap();
        assert_eq!(generation_drafts::list(&mut tx, id).await.unwrap()[1].status, waiting);
    }
}
