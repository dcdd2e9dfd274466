//! Questions: the first answer wins.

use domain::{event::questions::ResolvedHow, ids::ClarificationId};
use forgeguard::store::{
    self, Db, builds,
    clarifications::{self, Clarification, Resolution},
};

use crate::rows::{add_build, question};

support::on_both! {
    async fn of_two_answers_the_first_wins(db: Db) {
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
            };
            let won = clarifications::resolve(&mut tx, asked.id, &resolution).await.unwrap();
            tx.commit().await.unwrap();
            won.then_some(text)
        };
        let (red, blue) = tokio::join!(answer("red"), answer("blue"));
        assert!(red.is_some() != blue.is_some(), "{red:?} {blue:?}");
        let mut conn = db.read().await.unwrap();
        let stored = clarifications::get(&mut conn, build, asked.id).await.unwrap().unwrap();
        assert_eq!(stored.answer.as_deref(), red.or(blue));
        assert_eq!(stored.status, "answered");
        assert!(stored.resolved_at.is_some());
        assert_eq!(clarifications::open(&mut conn, build).await.unwrap(), None);
    }

    async fn an_open_question_is_found_and_counted(db: Db) {
        let (build, other) = (add_build(&db).await, add_build(&db).await);
        let asked = Clarification { expires_at: Some(store::now()), ..question(build) };
        let mut tx = db.write().await.unwrap();
        clarifications::insert(&mut tx, &asked).await.unwrap();
        let project = builds::get(&mut tx, build).await.unwrap().unwrap().project_id;
        let foreign = builds::get(&mut tx, other).await.unwrap().unwrap().project_id;

        assert_eq!(clarifications::open(&mut tx, build).await.unwrap(), Some(asked.clone()));
        assert_eq!(clarifications::count_open(&mut tx, project).await.unwrap(), 1);
        assert_eq!(clarifications::count_open(&mut tx, foreign).await.unwrap(), 0);
        assert_eq!(clarifications::get(&mut tx, other, asked.id).await.unwrap(), None);
        let skip = Resolution {
            how: ResolvedHow::TimedOut,
            answer: None,
            answered_by: None,
            resolved_at: store::now(),
        };
        assert!(clarifications::resolve(&mut tx, asked.id, &skip).await.unwrap());
        assert!(!clarifications::resolve(&mut tx, store::new_id(), &skip).await.unwrap());
        assert_eq!(clarifications::count_open(&mut tx, project).await.unwrap(), 0);
        let stored = clarifications::get(&mut tx, build, asked.id).await.unwrap().unwrap();
        assert_eq!(stored.status, "timed_out");
    }

    async fn questions_page_in_the_order_they_were_asked(db: Db) {
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
}
