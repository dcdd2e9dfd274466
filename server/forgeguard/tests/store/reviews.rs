//! Decisions about sealed builds, and the queue: one decision at a time, the newest counts.

use domain::{
    ids::{BuildId, ReviewCommentId, UserId},
    review::{DiffSide, ReviewDecision},
    state::Status,
    verdict::Verdict,
};
use forgeguard::store::{
    self, Db, Error, builds, projects,
    review_comments::{self, ReviewComment},
    reviews::{self, NewReview},
    seals::{self, Seal},
    users,
    viewed_files::{self, ViewedFile},
};

use crate::rows;

/// A sealed build of a new project of this person.
async fn sealed(db: &Db, owner: UserId) -> BuildId {
    let project = rows::project(owner, "Demo");
    let mut build = rows::build(owner, project.id);
    build.status = Status::Sealed;
    let seal = Seal {
        build_id: build.id,
        verdict: Verdict::Certified,
        score: 97.5,
        seal_commit: "2".repeat(40),
        journal_head: "0".repeat(64),
        evidence: "{}".to_owned(),
        sealed_at: store::now(),
    };
    let mut tx = db.write().await.unwrap();
    projects::insert(&mut tx, &project).await.unwrap();
    builds::insert(&mut tx, &build).await.unwrap();
    seals::insert(&mut tx, &seal).await.unwrap();
    tx.commit().await.unwrap();
    build.id
}

async fn person(db: &Db, email: &str) -> UserId {
    let person = rows::user(email);
    let mut tx = db.write().await.unwrap();
    users::insert(&mut tx, &person).await.unwrap();
    tx.commit().await.unwrap();
    person.id
}

async fn decide(db: &Db, build: BuildId, number: u32, by: UserId) -> store::Result<()> {
    let (id, reason) = (store::new_id(), "because");
    let decision = ReviewDecision::ChangesRequested;
    let created_at = store::now();
    let review =
        NewReview { id, build_id: build, number, reviewer_id: by, decision, reason, created_at };
    let mut tx = db.write().await.unwrap();
    reviews::insert(&mut tx, &review).await?;
    tx.commit().await
}

async fn queue(
    db: &Db,
    decided: Option<bool>,
    before: Option<BuildId>,
    limit: i64,
) -> Vec<BuildId> {
    let mut conn = db.read().await.unwrap();
    let rows = reviews::queue(&mut conn, decided, 1, before, limit).await.unwrap();
    rows.iter().map(|row| row.build_id).collect()
}

fn comment(build: BuildId, author: UserId, parent_id: Option<ReviewCommentId>) -> ReviewComment {
    ReviewComment {
        id: store::new_id(),
        build_id: build,
        author_id: author,
        author_name: rows::user("x@example.org").name,
        path: "src/list.js".to_owned(),
        side: DiffSide::Old,
        first_line: None,
        line: 3,
        line_text: "return ✓;".to_owned(),
        text: "Why?".to_owned(),
        parent_id,
        created_at: store::now(),
        resolved_at: None,
        resolved_by: None,
        suggestion_accepted_at: None,
        suggestion_accepted_by: None,
    }
}

support::on_both! {
    async fn viewed_files_belong_to_a_user_and_keep_the_newest_content(db: Db) {
        let (ada, eve) = (person(&db, "ada@example.org").await, person(&db, "eve@example.org").await);
        let build = sealed(&db, ada).await;
        let file = |path: &str, content: char| ViewedFile {
            path: path.to_owned(),
            content_id: content.to_string().repeat(40),
        };
        let mut tx = db.write().await.unwrap();
        for seen in [file("b.js", '1'), file("a.js", '1'), file("b.js", '2')] {
            viewed_files::add(&mut tx, ada, build, &seen).await.unwrap();
        }
        viewed_files::add(&mut tx, eve, build, &file("a.js", '3')).await.unwrap();
        viewed_files::remove(&mut tx, eve, build, "b.js").await.unwrap();
        let seen = viewed_files::list(&mut tx, ada, build).await.unwrap();
        assert_eq!(seen, [file("a.js", '1'), file("b.js", '2')]);
        viewed_files::remove(&mut tx, ada, build, "a.js").await.unwrap();
        let seen = viewed_files::list(&mut tx, ada, build).await.unwrap();
        assert_eq!(seen, [file("b.js", '2')]);
        let seen = viewed_files::list(&mut tx, eve, build).await.unwrap();
        assert_eq!(seen, [file("a.js", '3')]);
    }

    async fn acceptance_of_a_suggestion_can_be_withdrawn(db: Db) {
        let ada = person(&db, "ada@example.org").await;
        let build = sealed(&db, ada).await;
        let comment = comment(build, ada, None);
        let (id, now) = (comment.id, store::now());
        let mut tx = db.write().await.unwrap();
        review_comments::insert(&mut tx, &comment).await.unwrap();
        for accepted in [Some((ada, now)), None] {
            review_comments::set_acceptance(&mut tx, id, accepted).await.unwrap();
            let found = review_comments::get(&mut tx, id).await.unwrap().unwrap();
            assert_eq!(found.suggestion_accepted_by.zip(found.suggestion_accepted_at), accepted);
        }
    }

    async fn queue_lists_sealed_builds_of_all_users_by_decision(db: Db) {
        let (ada, eve) = (person(&db, "ada@example.org").await, person(&db, "eve@example.org").await);
        let unsealed = rows::add_build(&db).await;
        let (first, second, third) =
            (sealed(&db, ada).await, sealed(&db, eve).await, sealed(&db, ada).await);
        assert_eq!(queue(&db, None, None, 10).await, [third, second, first]);
        assert_eq!(queue(&db, None, Some(third), 1).await, [second]);
        decide(&db, second, 1, ada).await.unwrap();
        decide(&db, second, 2, eve).await.unwrap();
        assert_eq!(queue(&db, Some(false), None, 10).await, [third, first]);
        assert_eq!(queue(&db, Some(true), None, 10).await, [second]);

        let mut conn = db.read().await.unwrap();
        assert_eq!(reviews::count_open(&mut conn, 1).await.unwrap(), 2);
        assert_eq!(reviews::queued(&mut conn, unsealed).await.unwrap(), None);
        let newest = reviews::queued(&mut conn, second).await.unwrap().unwrap();
        assert_eq!((newest.owner_id, newest.started_by), (eve, eve));
        let decided = reviews::list(&mut conn, second).await.unwrap();
        assert_eq!(decided.iter().map(|d| d.reviewer_id).collect::<Vec<_>>(), [eve, ada]);
        assert_eq!(newest.review_id, Some(decided[0].id));
    }

    async fn builds_of_a_deleted_project_leave_the_queue(db: Db) {
        let ada = person(&db, "ada@example.org").await;
        let build = sealed(&db, ada).await;
        let mut tx = db.write().await.unwrap();
        let project = reviews::queued(&mut tx, build).await.unwrap().unwrap().project_id;
        projects::remove(&mut tx, project, store::now()).await.unwrap();
        tx.commit().await.unwrap();
        assert!(queue(&db, None, None, 10).await.is_empty());
        assert_eq!(reviews::count_open(&mut db.read().await.unwrap(), 1).await.unwrap(), 0);
    }

    async fn second_decision_with_a_number_is_rejected(db: Db) {
        let ada = person(&db, "ada@example.org").await;
        let build = sealed(&db, ada).await;
        let tries = [decide(&db, build, 1, ada), decide(&db, build, 1, ada)];
        let (mut won, mut lost) = (0, 0);
        for tried in futures::future::join_all(tries).await {
            match tried {
                Ok(()) => won += 1,
                Err(Error::AlreadyExists(_)) => lost += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!((won, lost), (1, 1));
    }

    async fn thread_is_resolved_once_by_its_first_comment(db: Db) {
        let ada = person(&db, "ada@example.org").await;
        let build = sealed(&db, ada).await;
        let first = comment(build, ada, None);
        let answer = comment(build, ada, Some(first.id));
        let mut tx = db.write().await.unwrap();
        review_comments::insert(&mut tx, &first).await.unwrap();
        review_comments::insert(&mut tx, &answer).await.unwrap();
        let open = reviews::queued(&mut tx, build).await.unwrap().unwrap().open_comments;
        assert_eq!(open, 1);
        let now = first.created_at;
        assert!(!review_comments::resolve(&mut tx, answer.id, ada, now).await.unwrap());
        assert!(review_comments::resolve(&mut tx, first.id, ada, now).await.unwrap());
        assert!(!review_comments::resolve(&mut tx, first.id, ada, now).await.unwrap());
        let open = reviews::queued(&mut tx, build).await.unwrap().unwrap().open_comments;
        assert_eq!(open, 0);
        let resolved =
            ReviewComment { resolved_at: Some(now), resolved_by: Some(ada), ..first };
        assert_eq!(review_comments::get(&mut tx, resolved.id).await.unwrap(), Some(resolved.clone()));
        assert_eq!(review_comments::list(&mut tx, build).await.unwrap(), [resolved, answer]);
    }
}
