//! The audit log has an entry for each action on accounts, keys and reviews.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    harness::{ADMIN, Database, Instance, PASSWORD, send, text},
    sealed_build::{FILE, sealed_build},
};

fn actions(log: &Value) -> Vec<String> {
    log["items"].as_array().unwrap().iter().map(|entry| text(&entry["action"])).collect()
}

support::on_both! {
    async fn actions_of_users_are_recorded(database: Database) {
        let instance = Instance::start(&database).await;
        let root = instance.admin().await;
        let ada = instance.user("ada@example.org").await;
        let key = ada.post("/api/forge-keys", json!({"name": "laptop"})).await.json();
        let id = text(&key["id"]);
        assert_eq!(ada.delete(&format!("/api/forge-keys/{id}")).await.status, StatusCode::NO_CONTENT);
        let passwords = json!({"current": PASSWORD, "new": "another good password"});
        assert_eq!(ada.post("/api/me/password", passwords).await.status, StatusCode::NO_CONTENT);
        let build = sealed_build(&instance, &ada).await;
        let line = json!({"path": FILE, "side": "new", "number": 2});
        let comment = json!({"text": "0 is wrong", "line": line});
        let comment = root.post(&format!("/api/reviews/{build}/comments"), comment).await.json();
        let resolve = format!("/api/review-comments/{}/resolve", text(&comment["id"]));
        root.post(&resolve, json!({})).await;
        root.post(&resolve, json!({})).await;
        let decision = json!({"decision": "approved", "reason": "Fine"});
        root.post(&format!("/api/reviews/{build}/decision"), decision).await;

        let log = root.get("/api/audit-log").await.json();
        let expected = [
            "review_decided", "review_comment_resolved", "review_commented", "password_changed",
            "forge_key_revoked", "forge_key_created", "user_created", "user_created",
        ];
        assert_eq!(actions(&log), expected);
        let items = log["items"].as_array().unwrap();
        let seqs: Vec<_> = items.iter().map(|entry| entry["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, [8, 7, 6, 5, 4, 3, 2, 1]);
        let (decided, first) = (&items[0], &items[7]);
        assert_eq!((&decided["actor_id"], &decided["subject"]), (&json!(root.id), &json!(format!("build/{build}"))));
        assert_eq!((&decided["detail"]["decision"], &decided["detail"]["reason"]), (&json!("approved"), &json!("Fine")));
        assert_eq!((&first["actor_id"], &first["actor_name"]), (&json!(null), &json!("settings")));
        assert_eq!(first["detail"]["email"], ADMIN);
        // It contains no secrets.
        let whole = root.get("/api/audit-log").await.text;
        assert!(!whole.contains(&text(&key["key"])) && !whole.contains("another good"), "{whole}");

        let of_ada = root.get(&format!("/api/audit-log?actor={}&limit=2", ada.id)).await.json();
        assert_eq!(actions(&of_ada), ["password_changed", "forge_key_revoked"]);
        let next = format!("/api/audit-log?actor={}&after={}", ada.id, text(&of_ada["next"]));
        assert_eq!(actions(&root.get(&next).await.json()), ["forge_key_created"]);
        let made = root.get("/api/audit-log?action=user_created").await.json();
        assert_eq!(actions(&made), ["user_created", "user_created"]);
        root.get("/api/audit-log?action=everything").await.problem(422);
        instance.stop().await;
    }

    async fn actions_of_administrators_on_accounts_are_recorded(database: Database) {
        let instance = Instance::start(&database).await;
        let root = instance.admin().await;
        let ada = instance.user("ada@example.org").await;
        let path = format!("/api/users/{}", ada.id);
        for change in [
            json!({"role": "admin"}),
            json!({"role": "user", "disabled": true}),
            json!({"disabled": true}),
            json!({"disabled": false}),
        ] {
            assert_eq!(root.patch(&path, change).await.status, StatusCode::OK);
        }
        let link = root.post(&format!("{path}/invitation"), json!({})).await.json();
        let link = text(&link["path"]);
        let (_, token) = link.split_once("token=").expect("the link has a secret");
        let body = json!({"token": token, "password": PASSWORD});
        let accepted = instance.client().post(format!("{}/api/invitation", instance.url));
        assert_eq!(send(accepted.json(&body)).await.status, StatusCode::OK);
        let log = root.get("/api/audit-log").await;
        let expected = [
            "password_changed", "user_invited", "user_enabled", "user_disabled",
            "user_role_changed", "user_role_changed", "user_created", "user_created",
        ];
        assert_eq!(actions(&log.json()), expected);
        assert!(!log.text.contains(token), "the link opens an account");
        let newest = &log.json()["items"][0];
        assert_eq!((&newest["actor_id"], &newest["detail"]["by"]), (&json!(ada.id), &json!("invitation")));
        instance.stop().await;
    }

    async fn rejected_actions_are_not_recorded(database: Database) {
        let instance = Instance::start(&database).await;
        let root = instance.admin().await;
        let count = || async { actions(&root.get("/api/audit-log").await.json()).len() };
        let before = count().await;
        let again = json!({"email": ADMIN, "name": "A", "password": PASSWORD, "role": "user"});
        root.post("/api/users", again).await.problem(409);
        let wrong = json!({"current": "not my password", "new": "another good password"});
        root.post("/api/me/password", wrong).await.problem(422);
        let nothing = "/api/forge-keys/00000000-0000-7000-8000-000000000000";
        root.delete(nothing).await.problem(404);
        assert_eq!(count().await, before);
        instance.stop().await;
    }

    async fn setup_is_the_first_entry(database: Database) {
        let without_admin = |config| forgeguard::config::Config { first_admin: None, ..config };
        let instance = Instance::start_with(&database, without_admin).await;
        let token = instance.setup_token.clone().expect("a link is printed");
        let body = json!({"token": token, "email": "ada@example.org", "name": "Ada", "password": PASSWORD});
        let done = send(instance.client().post(format!("{}/api/setup", instance.url)).json(&body)).await;
        assert_eq!(done.status, StatusCode::CREATED, "{}", done.text);
        let ada = instance.sign_in("ada@example.org").await;
        let log = ada.get("/api/audit-log").await.json();
        assert_eq!(actions(&log), ["setup_completed"]);
        assert_eq!((&log["items"][0]["actor_id"], &log["items"][0]["actor_name"]), (&json!(ada.id), &json!("Ada")));
        instance.stop().await;
    }
}
