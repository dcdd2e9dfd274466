//! Questions about builds: their answers, their order, and their usage.

use domain::{
    generation::{GenerationKind, GenerationStatus},
    ids::{BuildId, GenerationId, ProjectId, UserId},
};
use forgeguard::store::{
    self, Db, Tx,
    build_questions::{self, QuestionsUsage},
    builds,
    generations::{self, AnswerQueue, BuildQuestionQueue},
    interview_runs, leases, projects,
};

use crate::rows::add_build;

const KIND: GenerationKind = GenerationKind::BuildQuestion;

/// A build with its owner and project.
async fn add(db: &Db) -> (UserId, ProjectId, BuildId) {
    let id = add_build(db).await;
    let mut conn = db.read().await.unwrap();
    let build = builds::get(&mut conn, id).await.unwrap().unwrap();
    let project = projects::get(&mut conn, build.project_id).await.unwrap().unwrap();
    (project.owner_id, project.id, id)
}

async fn ask(tx: &mut Tx, by: UserId, project: ProjectId, build: BuildId) -> GenerationId {
    let id = store::new_id();
    generations::insert(tx, id, project, KIND, by, store::now()).await.unwrap();
    interview_runs::insert(tx, id).await.unwrap();
    build_questions::insert(tx, id, build, "Why?").await.unwrap();
    id
}

async fn spend(tx: &mut Tx, id: GenerationId, tokens: u64, cost: Option<u64>) {
    let mut run = interview_runs::get(tx, id).await.unwrap().unwrap();
    (run.tokens_in, run.tokens_out) = (tokens, 1);
    (run.cache_read, run.cache_write, run.cost_usd_micros) = (2, 3, cost);
    interview_runs::update(tx, id, &run).await.unwrap();
}

support::on_both! {
    async fn questions_of_a_project_are_answered_concurrently_by_their_own_queue(db: Db) {
        let (owner, project, build) = add(&db).await;
        let (now, mut tx) = (store::now(), db.write().await.unwrap());
        let asked = [ask(&mut tx, owner, project, build).await, ask(&mut tx, owner, project, build).await];
        let until = now + chrono::Duration::minutes(1);
        let other = leases::claim::<AnswerQueue>(&mut tx, "a", store::now(), until).await.unwrap();
        assert_eq!(other, None);
        let mut claimed = Vec::new();
        for _ in asked {
            let lease = leases::claim::<BuildQuestionQueue>(&mut tx, "a", store::now(), until).await;
            claimed.push(lease.unwrap().expect("it is due"));
        }
        assert!(claimed.iter().all(|lease| asked.contains(&lease.id)));
        let done = GenerationStatus::Done;
        assert!(generations::finish(&mut tx, &claimed[0], done, None, now).await.unwrap());
    }

    async fn answers_are_read_as_written_and_listed_newest_first(db: Db) {
        let (owner, project, build) = add(&db).await;
        let (other_owner, other_project, other) = add(&db).await;
        let mut tx = db.write().await.unwrap();
        let first = ask(&mut tx, owner, project, build).await;
        let second = ask(&mut tx, owner, project, build).await;
        ask(&mut tx, other_owner, other_project, other).await;
        build_questions::set_answer(&mut tx, first, "**Because.**", "[1]").await.unwrap();
        let row = build_questions::get(&mut tx, first).await.unwrap().unwrap();
        assert_eq!((row.answer.as_deref(), row.references.as_str()), (Some("**Because.**"), "[1]"));
        let ids = async |tx: &mut Tx, before| {
            let rows = build_questions::list(tx, build, before, 10).await.unwrap();
            rows.iter().map(|row| row.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(&mut tx, None).await, [second, first]);
        assert_eq!(ids(&mut tx, Some(second)).await, [first]);
        let unanswered = build_questions::get(&mut tx, second).await.unwrap().unwrap();
        assert_eq!((unanswered.answer, unanswered.references.as_str()), (None, "[]"));
    }

    async fn usage_sums_questions_and_counts_those_without_a_price(db: Db) {
        let (owner, project, build) = add(&db).await;
        let mut tx = db.write().await.unwrap();
        assert_eq!(build_questions::usage(&mut tx, build).await.unwrap(), None);
        for (tokens, cost) in [(100, Some(7)), (50, None)] {
            let id = ask(&mut tx, owner, project, build).await;
            spend(&mut tx, id, tokens, cost).await;
        }
        ask(&mut tx, owner, project, build).await;
        let expected = QuestionsUsage {
            question_count: 2,
            tokens_in: 150,
            tokens_out: 2,
            cache_read: 4,
            cache_write: 6,
            cost_usd_micros: 7,
            unpriced_count: 1,
        };
        assert_eq!(build_questions::usage(&mut tx, build).await.unwrap(), Some(expected));
    }
}
