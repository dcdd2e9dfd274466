//! Notepads: one per person and project, never overwritten unseen.

use forgeguard::store::{self, Db, notes, users};

use crate::rows::{add_project, user};

support::on_both! {
    async fn note_is_written_only_over_the_version_that_was_read(db: Db) {
        let (ada, project) = add_project(&db).await;
        let eve = user("eve@example.org");
        let now = store::now();
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &eve).await.unwrap();
        assert_eq!(notes::get(&mut tx, project, ada).await.unwrap(), None);
        let mut put = async |who, text, seen| {
            let note = notes::put(&mut tx, project, who, text, seen, now).await.unwrap();
            note.map(|note| (note.content, note.version))
        };
        assert_eq!(put(ada, "too soon", 1).await, None);
        assert_eq!(put(ada, "first", 0).await, Some(("first".to_owned(), 1)));
        assert_eq!(put(ada, "again", 0).await, None);
        assert_eq!(put(ada, "second", 1).await, Some(("second".to_owned(), 2)));
        assert_eq!(put(ada, "late", 1).await, None);
        assert_eq!(put(eve.id, "mine", 0).await, Some(("mine".to_owned(), 1)));
        let stored = notes::get(&mut tx, project, ada).await.unwrap().unwrap();
        assert_eq!((stored.content.as_str(), stored.version, stored.updated_at), ("second", 2, now));
    }
}
