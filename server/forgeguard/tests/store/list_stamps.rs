//! Stamps of what a user may list.

use domain::contract::ContractType;
use forgeguard::store::{self, Db, list_stamps, project_viewers, projects};

use crate::{contracts::write, rows::add_project};

support::on_both! {
    async fn stamp_changes_with_the_projects_that_a_user_may_view_only(db: Db) {
        let (ada, project) = add_project(&db).await;
        let (_, other) = add_project(&db).await;
        let stamp = async |project| {
            let mut conn = db.read().await.unwrap();
            list_stamps::get(&mut conn, ada, project).await.unwrap().unwrap()
        };
        let (first, bound) = (stamp(None).await, stamp(Some(project)).await);
        assert_eq!((first.project_count, first.contract_count, first.build_count), (1, 0, 0));

        let write = async |project| {
            let mut tx = db.write().await.unwrap();
            write(&mut tx, project, ContractType::Stack, "text").await;
            tx.commit().await.unwrap();
        };
        write(other).await;
        assert_eq!(stamp(None).await, first, "of another user");
        write(project).await;
        let second = stamp(None).await;
        assert_eq!(second.contract_count, 1);

        let mut tx = db.write().await.unwrap();
        project_viewers::add(&mut tx, other, ada, store::now()).await.unwrap();
        tx.commit().await.unwrap();
        let shared = stamp(None).await;
        assert_eq!((shared.project_count, shared.contract_count), (2, 2));
        assert_eq!(stamp(Some(project)).await.contract_count, 1, "a key of one project");
        assert_ne!(stamp(Some(project)).await, bound);

        let mut tx = db.write().await.unwrap();
        projects::set_archived(&mut tx, other, Some(store::now())).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(stamp(None).await.project_count, 1);
    }
}
