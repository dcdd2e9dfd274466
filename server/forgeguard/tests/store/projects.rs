//! Projects: paged from the newest, gone when removed.

use chrono::Duration;
use forgeguard::store::{self, Db, projects, users};

use crate::rows::{add_project, project, user};

support::on_both! {
    async fn projects_of_a_user_are_listed_newest_first(db: Db) {
        let (ada, eve) = (user("ada@example.org"), user("eve@example.org"));
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &ada).await.unwrap();
        users::insert(&mut tx, &eve).await.unwrap();
        let mut all = Vec::new();
        for n in 0..5 {
            let own = project(ada.id, &format!("Project {n}"));
            projects::insert(&mut tx, &own).await.unwrap();
            projects::insert(&mut tx, &project(eve.id, "Hers")).await.unwrap();
            all.insert(0, own);
        }
        assert!(projects::remove(&mut tx, all[1].id, store::now()).await.unwrap());
        all.remove(1);
        let page = projects::list(&mut tx, ada.id, None, 3).await.unwrap();
        assert_eq!(page, all[..3]);
        let page = projects::list(&mut tx, ada.id, Some(all[2].id), 3).await.unwrap();
        assert_eq!(page, all[3..]);
    }

    async fn project_is_renamed_and_deleted(db: Db) {
        let (_, id) = add_project(&db).await;
        let now = store::now() + Duration::seconds(3);
        let mut tx = db.write().await.unwrap();
        let changed = projects::describe(&mut tx, id, None, Some("About"), now).await.unwrap();
        let changed = changed.unwrap();
        assert_eq!((changed.name.as_str(), changed.description.as_str()), ("Demo", "About"));
        assert_eq!(changed.updated_at, now);
        assert!(projects::set_settings(&mut tx, id, r#"{"gates":[]}"#, now).await.unwrap());
        let stored = projects::get(&mut tx, id).await.unwrap().unwrap();
        assert_eq!(stored.settings, r#"{"gates":[]}"#);

        assert!(projects::remove(&mut tx, id, now).await.unwrap());
        assert!(!projects::remove(&mut tx, id, now).await.unwrap());
        assert_eq!(projects::get(&mut tx, id).await.unwrap(), None);
        assert!(!projects::set_settings(&mut tx, id, "{}", now).await.unwrap());
        let renamed = projects::describe(&mut tx, id, Some("Back"), None, now).await.unwrap();
        assert_eq!(renamed, None);
    }
}
