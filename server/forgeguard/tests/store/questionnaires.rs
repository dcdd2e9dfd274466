//! Answers about a project: one set, never overwritten unseen.

use domain::questionnaire::Size;
use forgeguard::store::{self, Db, questionnaires};

use crate::rows::add_project;

support::on_both! {
    async fn answers_are_written_only_over_the_version_that_was_read(db: Db) {
        let (_, project) = add_project(&db).await;
        let now = store::now();
        let mut tx = db.write().await.unwrap();
        assert_eq!(questionnaires::get(&mut tx, project).await.unwrap(), None);
        let mut put = async |size, text, seen| {
            let row = questionnaires::put(&mut tx, project, size, text, seen, now).await.unwrap();
            row.map(|row| (row.size, row.answers, row.version))
        };
        assert_eq!(put(Size::Full, "too soon", 1).await, None);
        let first = Some((Size::Full, "first".to_owned(), 1));
        assert_eq!(put(Size::Full, "first", 0).await, first);
        assert_eq!(put(Size::Full, "again", 0).await, None);
        let second = Some((Size::Mini, "second".to_owned(), 2));
        assert_eq!(put(Size::Mini, "second", 1).await, second);
        assert_eq!(put(Size::Mini, "late", 1).await, None);
        let stored = questionnaires::get(&mut tx, project).await.unwrap().unwrap();
        assert_eq!((stored.answers.as_str(), stored.version, stored.updated_at), ("second", 2, now));
    }
}
