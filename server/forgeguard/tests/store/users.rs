//! Accounts: unique addresses whatever their case, paging by key.

use forgeguard::store::{self, Db, Error, users};

use users::User;

use crate::rows::user;
support::on_both! {
    async fn user_is_read_as_written(db: Db) {
        let ada = user("Ada@Example.org");
        let mut tx = db.write().await.unwrap();
        assert!(users::is_empty(&mut tx).await.unwrap());
        users::insert(&mut tx, &ada).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = db.read().await.unwrap();
        let stored = User { email: "ada@example.org".to_owned(), ..ada };
        assert_eq!(users::get(&mut conn, stored.id).await.unwrap(), Some(stored.clone()));
        assert_eq!(users::by_email(&mut conn, "ADA@example.ORG").await.unwrap(), Some(stored));
        assert!(!users::is_empty(&mut conn).await.unwrap());
    }

    async fn address_is_unique_ignoring_case(db: Db) {
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &user("ada@example.org")).await.unwrap();
        let again = users::insert(&mut tx, &user("ADA@EXAMPLE.ORG")).await;
        assert!(matches!(again, Err(Error::AlreadyExists(_))), "{again:?}");
    }

    async fn dropped_transaction_is_rolled_back(db: Db) {
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &user("ada@example.org")).await.unwrap();
        drop(tx);
        let mut tx = db.write().await.unwrap();
        assert!(users::is_empty(&mut tx).await.unwrap());
    }

    async fn users_are_listed_by_page(db: Db) {
        let mut tx = db.write().await.unwrap();
        for n in 0..7 {
            users::insert(&mut tx, &user(&format!("user{n}@example.org"))).await.unwrap();
        }
        let mut emails = Vec::new();
        let mut after = None;
        loop {
            let page = users::list(&mut tx, after, 3).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            emails.extend(page.into_iter().map(|u| u.email));
        }
        let all: Vec<_> = (0..7).map(|n| format!("user{n}@example.org")).collect();
        assert_eq!(emails, all);
    }

    async fn account_can_be_deactivated_and_its_password_changed(db: Db) {
        let ada = user("ada@example.org");
        let at = store::now();
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &ada).await.unwrap();
        assert!(users::set_disabled(&mut tx, ada.id, Some(at)).await.unwrap());
        assert!(users::set_password(&mut tx, ada.id, "other").await.unwrap());
        assert!(!users::set_password(&mut tx, store::new_id(), "other").await.unwrap());
        let stored = users::get(&mut tx, ada.id).await.unwrap().unwrap();
        assert_eq!((stored.disabled_at, stored.password_hash.as_str()), (Some(at), "other"));
    }
}
