//! Questions: the first answer wins.

use chrono::Duration;
use domain::{event::questions::ResolvedHow, ids::ClarificationId, state::Status};
use forgeguard::store::{
    self, Db,
    builds::{self, NewBuild},
    clarifications::{self, Clarification, Cursor, Resolution},
};

use crate::rows::{self, add_build, question};

support::on_both! {
    async fn first_of_two_answers_counts(db: Db) {
        let build = add_build(&db).await;
        let asked = question(build);
        let mut tx = db.write().await.unwrap();
        clarifications::insert(&mut tx, &asked).await.unwrap();
        tx.commit().await.unwrap();

        let answer = async |text: &'static str| {
            let mut tx = db.write().await.unwrap();
            let resolution = Resolution {
                how: ResolvedHow::Answered,
                answer: Some(text),
                answered_by: None,
                resolved_at: store::now(),
                resolved_seq: None,
            };
            clarifications::resolve(&mut tx, asked.id, &resolution).await.unwrap();
            let stored = clarifications::get(&mut tx, build, asked.id).await.unwrap().unwrap();
            tx.commit().await.unwrap();
            stored.answer
        };
        let (red, blue) = tokio::join!(answer("red"), answer("blue"));
        assert_eq!(red, blue);
        let mut conn = db.read().await.unwrap();
        let stored = clarifications::get(&mut conn, build, asked.id).await.unwrap().unwrap();
        assert!(stored.answer == red && red.is_some());
        assert_eq!(stored.status, "answered");
        assert!(stored.resolved_at.is_some());
        assert_eq!(clarifications::open(&mut conn, build).await.unwrap(), []);
    }

    async fn open_question_is_found_and_counted(db: Db) {
        let (build, other) = (add_build(&db).await, add_build(&db).await);
        let asked = Clarification { expires_at: Some(store::now()), ..question(build) };
        let mut tx = db.write().await.unwrap();
        clarifications::insert(&mut tx, &asked).await.unwrap();
        let project = builds::get(&mut tx, build).await.unwrap().unwrap().project_id;
        let foreign = builds::get(&mut tx, other).await.unwrap().unwrap().project_id;

        assert_eq!(clarifications::open(&mut tx, build).await.unwrap(), std::slice::from_ref(&asked));
        assert_eq!(clarifications::count_open(&mut tx, project).await.unwrap(), 1);
        assert_eq!(clarifications::count_open(&mut tx, foreign).await.unwrap(), 0);
        assert_eq!(clarifications::get(&mut tx, other, asked.id).await.unwrap(), None);
        let skip = Resolution {
            how: ResolvedHow::TimedOut,
            answer: None,
            answered_by: None,
            resolved_at: store::now(),
            resolved_seq: None,
        };
        clarifications::resolve(&mut tx, store::new_id(), &skip).await.unwrap();
        assert_eq!(clarifications::count_open(&mut tx, project).await.unwrap(), 1);
        clarifications::resolve(&mut tx, asked.id, &skip).await.unwrap();
        assert_eq!(clarifications::count_open(&mut tx, project).await.unwrap(), 0);
        let stored = clarifications::get(&mut tx, build, asked.id).await.unwrap().unwrap();
        assert_eq!(stored.status, "timed_out");
    }

    async fn questions_are_listed_in_the_order_in_which_they_were_asked(db: Db) {
        let build = add_build(&db).await;
        let asked: Vec<_> = (0..5).map(|_| question(build)).collect();
        let ids: Vec<ClarificationId> = asked.iter().map(|question| question.id).collect();
        let mut tx = db.write().await.unwrap();
        for question in &asked {
            clarifications::insert(&mut tx, question).await.unwrap();
        }
        let page = clarifications::list(&mut tx, build, None, 3).await.unwrap();
        assert_eq!(page, asked[..3]);
        let page = clarifications::list(&mut tx, build, Some(ids[2]), 3).await.unwrap();
        assert_eq!(page, asked[3..]);
    }

    async fn questions_of_all_builds_are_listed_by_expiry(db: Db) {
        let (owner, project) = rows::add_project(&db).await;
        let (stranger, elsewhere) = rows::add_project(&db).await;
        let now = store::now();
        let mut tx = db.write().await.unwrap();
        let mut ask = async |owner, project, deadline: Option<i64>| {
            let build = rows::build(owner, project);
            // Only one build of a project may be under way.
            builds::insert(&mut tx, &NewBuild { status: Status::Sealed, ..build }).await.unwrap();
            let expires_at = deadline.map(|seconds| now + Duration::seconds(seconds));
            let asked = Clarification { expires_at, ..question(build.id) };
            clarifications::insert(&mut tx, &asked).await.unwrap();
            asked
        };
        let never = ask(owner, project, None).await;
        let late = ask(owner, project, Some(60)).await;
        let soon = ask(owner, project, Some(30)).await;
        let too = ask(owner, project, Some(30)).await;
        let foreign = ask(stranger, elsewhere, Some(1)).await;

        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = clarifications::list_of_owner(&mut tx, owner, Some("open"), after, 2);
            let page = page.await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(Cursor {
                expires_at: last.clarification.expires_at,
                id: last.clarification.id,
            });
            assert!(page.iter().all(|asked| asked.place.project_id == project));
            seen.extend(page.into_iter().map(|asked| asked.clarification));
        }
        assert_eq!(seen, [soon.clone(), too, late, never]);

        let answer = Resolution {
            how: ResolvedHow::Answered,
            answer: Some("red"),
            answered_by: Some(owner),
            resolved_at: now,
            resolved_seq: Some(9),
        };
        for id in [soon.id, foreign.id] {
            clarifications::resolve(&mut tx, id, &answer).await.unwrap();
        }
        let open = clarifications::list_of_owner(&mut tx, owner, Some("open"), None, 9).await.unwrap();
        assert!(open.iter().all(|asked| asked.clarification.id != soon.id) && open.len() == 3);
        let all = clarifications::list_of_owner(&mut tx, owner, None, None, 9).await.unwrap();
        assert_eq!(all.len(), 4);
        let answered = clarifications::list_answered(&mut tx, project, None, 9).await.unwrap();
        let [answered] = answered.as_slice() else { panic!("{answered:?}") };
        let asked = &answered.clarification;
        assert_eq!((asked.id, asked.answer.as_deref()), (soon.id, Some("red")));
        assert_eq!((asked.answered_by_name.as_deref(), asked.resolved_seq), (Some("Ada"), Some(9)));
        let before = Some(soon.id);
        let older = clarifications::list_answered(&mut tx, project, before, 9).await.unwrap();
        assert_eq!(older, []);
    }
}
