//! Forge keys: shown once, valid until revoked, with limited permissions.

use crate::harness::{Database, Instance, PASSWORD, send, text};
use reqwest::StatusCode;
use serde_json::json;

support::on_both! {
    async fn key_is_valid_until_it_is_revoked(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let made = ada.post("/api/forge-keys", json!({"name": " laptop "})).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
        let (id, key) = (text(&made.json()["id"]), text(&made.json()["key"]));
        assert!(key.starts_with("fgk_") && key.len() == 47, "{key}");

        let listed = ada.get("/api/forge-keys").await;
        assert!(!listed.text.contains(&key), "the key is shown once");
        let listed = &listed.json()["items"][0];
        assert_eq!((listed["name"].as_str(), &listed["last_used_at"]), (Some("laptop"), &json!(null)));

        let whoami = || instance.client().get(format!("{}/api/session", instance.url)).bearer_auth(&key);
        assert_eq!(send(whoami()).await.json()["user"]["email"], "ada@example.org");
        let used = ada.get("/api/forge-keys").await.json()["items"][0]["last_used_at"].clone();
        assert!(used.is_string());
        send(whoami()).await;
        let again = ada.get("/api/forge-keys").await.json()["items"][0]["last_used_at"].clone();
        assert_eq!(used, again, "noted once a minute");

        let more = instance.client().post(format!("{}/api/forge-keys", instance.url));
        send(more.bearer_auth(&key).json(&json!({"name": "more"}))).await.problem(403);

        let path = format!("/api/forge-keys/{id}");
        instance.user("other@example.org").await.delete(&path).await.problem(404);
        assert_eq!(ada.delete(&path).await.status, StatusCode::NO_CONTENT);
        ada.delete(&path).await.problem(404);
        send(whoami()).await.problem(401);
        instance.stop().await;
    }

    async fn key_revokes_itself_and_no_other(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let make = async |name: &str| {
            let made = ada.post("/api/forge-keys", json!({"name": name})).await.json();
            (format!("/api/forge-keys/{}", text(&made["id"])), text(&made["key"]))
        };
        let ((own, key), (other, _)) = (make("own").await, make("other").await);
        let key = instance.bearer(&ada.id, &key);
        key.delete(&other).await.problem(403);
        assert_eq!(key.delete(&own).await.status, StatusCode::NO_CONTENT);
        key.get("/api/session").await.problem(401);
        assert_eq!(ada.delete(&other).await.status, StatusCode::NO_CONTENT);
        instance.stop().await;
    }

    async fn password_reset_revokes_keys_unless_disabled(database: Database) {
        let instance = Instance::start(&database).await;
        let (admin, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let made = ada.post("/api/forge-keys", json!({"name": "k"})).await.json();
        let key = instance.bearer(&ada.id, &text(&made["key"]));
        let reset = async |body: serde_json::Value| {
            let path = format!("/api/users/{}/invitation", ada.id);
            let path = text(&admin.post(&path, body).await.json()["path"]);
            let token = path.split_once("token=").unwrap().1;
            let body = json!({"token": token, "password": PASSWORD});
            assert_eq!(admin.post("/api/invitation", body).await.status, StatusCode::OK);
        };
        reset(json!({"revoke_keys": false})).await;
        assert_eq!(key.get("/api/session").await.status, StatusCode::OK);
        reset(json!({})).await;
        key.get("/api/session").await.problem(401);
        let log = admin.get("/api/audit-log?action=forge_key_revoked").await.json();
        assert_eq!(log["items"][0]["subject"], format!("forge_key/{}", text(&made["id"])));

        // Likewise for a password change by the user, if requested.
        let ada = instance.sign_in("ada@example.org").await;
        let made = ada.post("/api/forge-keys", json!({"name": "k"})).await.json();
        let key = instance.bearer(&ada.id, &text(&made["key"]));
        let change = |revoke_keys: bool| {
            json!({"current": PASSWORD, "new": PASSWORD, "revoke_keys": revoke_keys})
        };
        assert_eq!(ada.post("/api/me/password", change(false)).await.status, 204);
        assert_eq!(key.get("/api/session").await.status, StatusCode::OK);
        assert_eq!(ada.post("/api/me/password", change(true)).await.status, 204);
        key.get("/api/session").await.problem(401);
        instance.stop().await;
    }
}
