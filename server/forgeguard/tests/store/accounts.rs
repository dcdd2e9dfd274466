//! Sessions, keys and repeated requests: what must be usable once, and only by its owner.

use chrono::Duration;
use forgeguard::store::{
    self, Db,
    forge_keys::{self, ForgeKey},
    idempotency::{self, Reservation},
    sessions::{self, Session},
    users,
};

use crate::rows::user;

support::on_both! {
    async fn refresh_token_is_exchanged_once_by_concurrent_requests(db: Db) {
        let ada = user("ada@example.org");
        let now = store::now();
        let later = now + Duration::days(30);
        let session = Session {
            id: store::new_id(),
            user_id: ada.id,
            refresh_hash: "first".to_owned(),
            user_agent: "test".to_owned(),
            created_at: now,
            last_used_at: now,
            expires_at: later,
        };
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &ada).await.unwrap();
        sessions::insert(&mut tx, &session).await.unwrap();
        tx.commit().await.unwrap();

        let exchange = async |next: &str| {
            let mut tx = db.write().await.unwrap();
            let got = sessions::rotate(&mut tx, "first", next, now, later).await.unwrap();
            tx.commit().await.unwrap();
            got
        };
        let (a, b) = tokio::join!(exchange("a"), exchange("b"));
        assert_eq!(a.is_some() as u8 + b.is_some() as u8, 1, "{a:?} {b:?}");

        let mut tx = db.write().await.unwrap();
        let winner = a.or(b).unwrap();
        let expired = sessions::rotate(&mut tx, &winner.refresh_hash, "c", later, later).await;
        assert_eq!(expired.unwrap(), None);
        assert_eq!(sessions::get(&mut tx, session.id, now).await.unwrap(), Some(winner));
        assert_eq!(sessions::get(&mut tx, session.id, later).await.unwrap(), None);
        assert_eq!(sessions::remove_expired(&mut tx, now).await.unwrap(), 0);
        assert_eq!(sessions::remove_expired(&mut tx, later).await.unwrap(), 1);
        assert!(!sessions::remove(&mut tx, session.id).await.unwrap());
    }

    async fn other_sessions_can_be_ended(db: Db) {
        let ada = user("ada@example.org");
        let now = store::now();
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &ada).await.unwrap();
        let mut ids = Vec::new();
        for n in 0..3 {
            let session = Session {
                id: store::new_id(),
                user_id: ada.id,
                refresh_hash: format!("hash {n}"),
                user_agent: String::new(),
                created_at: now,
                last_used_at: now,
                expires_at: now + Duration::days(1),
            };
            sessions::insert(&mut tx, &session).await.unwrap();
            ids.push(session.id);
        }
        assert_eq!(sessions::remove_others(&mut tx, ada.id, ids[1]).await.unwrap(), 2);
        assert!(sessions::get(&mut tx, ids[0], now).await.unwrap().is_none());
        assert!(sessions::get(&mut tx, ids[1], now).await.unwrap().is_some());
        assert!(sessions::remove(&mut tx, ids[1]).await.unwrap());
    }

    async fn session_identifies_its_active_user_until_it_expires(db: Db) {
        let (ada, eve) = (user("ada@example.org"), user("eve@example.org"));
        let now = store::now();
        let session = Session {
            id: store::new_id(),
            user_id: ada.id,
            refresh_hash: "hash".to_owned(),
            user_agent: String::new(),
            created_at: now,
            last_used_at: now,
            expires_at: now + Duration::days(1),
        };
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &ada).await.unwrap();
        users::insert(&mut tx, &eve).await.unwrap();
        sessions::insert(&mut tx, &session).await.unwrap();
        let found = users::of_session(&mut tx, ada.id, session.id, now).await.unwrap();
        assert_eq!(found, Some(ada.clone()));
        let other = users::of_session(&mut tx, eve.id, session.id, now).await.unwrap();
        assert_eq!(other, None, "another user's session");
        let expired = users::of_session(&mut tx, ada.id, session.id, session.expires_at).await;
        assert_eq!(expired.unwrap(), None);
        assert!(users::set_disabled(&mut tx, ada.id, Some(now)).await.unwrap());
        let disabled = users::of_session(&mut tx, ada.id, session.id, now).await.unwrap();
        assert_eq!(disabled, None, "deactivated account");
    }

    async fn key_is_valid_until_it_expires_or_is_revoked(db: Db) {
        let (ada, eve) = (user("ada@example.org"), user("eve@example.org"));
        let now = store::now();
        let key = ForgeKey {
            id: store::new_id(),
            user_id: ada.id,
            name: "laptop".to_owned(),
            prefix: "fgk_abcd".to_owned(),
            key_hash: "hash".to_owned(),
            created_at: now,
            last_used_at: None,
            expires_at: Some(now + Duration::hours(1)),
            revoked_at: None,
            scopes: None,
            project_id: None,
            build_id: None,
            last_call: None,
            last_call_at: None,
        };
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &ada).await.unwrap();
        users::insert(&mut tx, &eve).await.unwrap();
        forge_keys::insert(&mut tx, &key).await.unwrap();

        assert_eq!(forge_keys::usable(&mut tx, "hash", now).await.unwrap(), Some(key.clone()));
        let expired = now + Duration::hours(1);
        assert_eq!(forge_keys::usable(&mut tx, "hash", expired).await.unwrap(), None);
        assert_eq!(forge_keys::usable(&mut tx, "other", now).await.unwrap(), None);

        let minute = Duration::minutes(1);
        assert!(forge_keys::touch(&mut tx, key.id, now, now - minute).await.unwrap());
        assert!(!forge_keys::touch(&mut tx, key.id, now, now - minute).await.unwrap());

        assert!(!forge_keys::revoke(&mut tx, eve.id, key.id, now).await.unwrap());
        assert!(forge_keys::revoke(&mut tx, ada.id, key.id, now).await.unwrap());
        assert!(!forge_keys::revoke(&mut tx, ada.id, key.id, now).await.unwrap());
        assert_eq!(forge_keys::usable(&mut tx, "hash", now).await.unwrap(), None);
        let listed = forge_keys::list(&mut tx, ada.id, None, 10).await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!((listed[0].last_used_at, listed[0].revoked_at), (Some(now), Some(now)));
        assert_eq!(forge_keys::list(&mut tx, ada.id, Some(key.id), 10).await.unwrap(), []);
        assert_eq!(forge_keys::list(&mut tx, eve.id, None, 10).await.unwrap(), []);
    }

    async fn repeated_request_returns_the_first_response(db: Db) {
        let (ada, eve) = (user("ada@example.org"), user("eve@example.org"));
        let now = store::now();
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &ada).await.unwrap();
        users::insert(&mut tx, &eve).await.unwrap();
        let mut reserve = async |who, key| {
            idempotency::reserve(&mut tx, who, "POST builds", key, now).await.unwrap()
        };
        assert_eq!(reserve(ada.id, "k").await, Reservation::New);
        assert_eq!(reserve(ada.id, "k").await, Reservation::Unfinished);
        assert_eq!(reserve(eve.id, "k").await, Reservation::New);
        idempotency::complete(&mut tx, ada.id, "POST builds", "k", 201, "{}").await.unwrap();
        let again = idempotency::reserve(&mut tx, ada.id, "POST builds", "k", now).await.unwrap();
        assert_eq!(again, Reservation::Done { status: 201, body: "{}".to_owned() });
        assert_eq!(idempotency::remove_older(&mut tx, now).await.unwrap(), 0);
        let later = now + Duration::seconds(1);
        assert_eq!(idempotency::remove_older(&mut tx, later).await.unwrap(), 2);
    }
}
