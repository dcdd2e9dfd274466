//! Interviews: messages in their order, and how far a run of the model is.

use domain::{generation::GenerationKind, interview::Author};
use forgeguard::store::{
    self, Db, generations,
    interview_runs::{self, InterviewRun},
    interviews,
};

use crate::rows::add_project;

support::on_both! {
    async fn messages_are_ordered_within_each_project(db: Db) {
        let (_, project) = add_project(&db).await;
        let (_, other) = add_project(&db).await;
        let now = store::now();
        let mut tx = db.write().await.unwrap();
        assert_eq!(interviews::list(&mut tx, project).await.unwrap(), []);
        for (project, author, text) in [
            (project, Author::Person, "Sheep"),
            (other, Author::Person, "Goats"),
            (project, Author::Model, "How many? 🐑\n\u{202e}"),
            (project, Author::Person, ""),
        ] {
            interviews::append(&mut tx, project, author, text, now).await.unwrap();
        }
        let all = interviews::list(&mut tx, project).await.unwrap();
        let told: Vec<_> = all.iter().map(|m| (m.position, m.author, m.text.as_str())).collect();
        let expected = [
            (0, Author::Person, "Sheep"),
            (1, Author::Model, "How many? 🐑\n\u{202e}"),
            (2, Author::Person, ""),
        ];
        assert_eq!(told, expected);
        assert!(all.iter().all(|message| message.created_at == now));
        assert_eq!(interviews::list(&mut tx, other).await.unwrap()[0].position, 0);
    }

    async fn run_is_read_as_written(db: Db) {
        let (owner, project) = add_project(&db).await;
        let (id, now) = (store::new_id(), store::now());
        let mut tx = db.write().await.unwrap();
        let kind = GenerationKind::Answers;
        generations::insert(&mut tx, id, project, kind, owner, now).await.unwrap();
        assert_eq!(interview_runs::get(&mut tx, id).await.unwrap(), None);
        interview_runs::insert(&mut tx, id).await.unwrap();
        let begun = interview_runs::get(&mut tx, id).await.unwrap().unwrap();
        let nothing = InterviewRun {
            turn: 0,
            version: None,
            tokens_in: 0,
            tokens_out: 0,
            cache_read: 0,
            cache_write: 0,
            cost_usd_micros: None,
            conversation: None,
        };
        assert_eq!(begun, nothing);
        let run = InterviewRun {
            turn: 1,
            version: Some(2),
            tokens_in: 3,
            tokens_out: 4,
            cache_read: 5,
            cache_write: 6,
            cost_usd_micros: Some(7),
            conversation: Some("{}".to_owned()),
        };
        interview_runs::update(&mut tx, id, &run).await.unwrap();
        assert_eq!(interview_runs::get(&mut tx, id).await.unwrap(), Some(run));
    }
}
