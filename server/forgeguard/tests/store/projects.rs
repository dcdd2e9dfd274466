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
            all.insert(0, projects::insert(&mut tx, &own).await.unwrap());
            projects::insert(&mut tx, &project(eve.id, "Hers")).await.unwrap();
        }
        assert!(projects::remove(&mut tx, all[1].id, store::now()).await.unwrap());
        all.remove(1);
        let page = projects::list(&mut tx, ada.id, false, None, 3).await.unwrap();
        assert_eq!(page, all[..3]);
        let page = projects::list(&mut tx, ada.id, false, Some(all[2].id), 3).await.unwrap();
        assert_eq!(page, all[3..]);

        let archived = projects::set_archived(&mut tx, all[0].id, Some(store::now())).await.unwrap();
        let page = projects::list(&mut tx, ada.id, true, None, 3).await.unwrap();
        assert_eq!(page, Vec::from_iter(archived));
        let page = projects::list(&mut tx, ada.id, false, None, 3).await.unwrap();
        assert_eq!(page, all[1..]);
    }

    async fn slugs_are_unique_and_earlier_ones_still_lead_to_the_project(db: Db) {
        let owner = user("ada@example.org");
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &owner).await.unwrap();
        let id = "0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a";
        let mut made = Vec::new();
        for (name, slug) in [
            ("Shelf", "shelf"),
            ("shelf!", "shelf-2"),
            ("Shelf 2", "shelf-2-2"),
            ("!", "project"),
            (id, "project-0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a"),
        ] {
            let project = projects::insert(&mut tx, &project(owner.id, name)).await.unwrap();
            assert_eq!(project.slug, slug);
            assert_eq!(projects::by_slug(&mut tx, slug).await.unwrap(), Some(project.clone()));
            made.push(project.id);
        }
        let mut rename = async |at: usize, name| {
            let changed = projects::describe(&mut tx, made[at], Some(name), None, store::now());
            changed.await.unwrap().unwrap().slug
        };
        assert_eq!(rename(0, "Lists").await, "lists");
        assert_eq!(rename(1, "Shelf").await, "shelf-2");
        assert_eq!(rename(0, "SHELF").await, "shelf");
        let found = projects::by_slug(&mut tx, "lists").await.unwrap().unwrap();
        assert_eq!((found.id, found.slug.as_str()), (made[0], "shelf"));

        assert!(projects::remove(&mut tx, made[0], store::now()).await.unwrap());
        assert_eq!(projects::by_slug(&mut tx, "lists").await.unwrap(), None);
        let again = projects::insert(&mut tx, &project(owner.id, "Lists")).await.unwrap();
        assert_eq!(again.slug, "lists");
    }

    async fn projects_of_the_same_name_are_numbered(db: Db) {
        let owner = user("ada@example.org");
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &owner).await.unwrap();
        let mut made = Vec::new();
        for number in 1..=20 {
            let project = projects::insert(&mut tx, &project(owner.id, "Board")).await.unwrap();
            let number = if number == 1 { String::new() } else { format!("-{number}") };
            assert_eq!(project.slug, format!("board{number}"));
            made.push(project.id);
        }
        let rename = projects::describe(&mut tx, made[2], Some("Board 3D"), None, store::now());
        assert_eq!(rename.await.unwrap().unwrap().slug, "board-3d");
        let rename = projects::describe(&mut tx, made[2], Some("Board"), None, store::now());
        assert_eq!(rename.await.unwrap().unwrap().slug, "board-3");
    }

    async fn only_active_projects_are_locked_for_builds(db: Db) {
        let (_, id) = add_project(&db).await;
        let mut tx = db.write().await.unwrap();
        assert_eq!(projects::lock_active(&mut tx, id).await.unwrap(), Some(0));
        projects::set_build_count(&mut tx, id, 2).await.unwrap();
        projects::set_archived(&mut tx, id, Some(store::now())).await.unwrap();
        assert_eq!(projects::lock_active(&mut tx, id).await.unwrap(), None);
        projects::set_archived(&mut tx, id, None).await.unwrap();
        assert_eq!(projects::lock_active(&mut tx, id).await.unwrap(), Some(2));
        projects::remove(&mut tx, id, store::now()).await.unwrap();
        assert_eq!(projects::lock_active(&mut tx, id).await.unwrap(), None);
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
