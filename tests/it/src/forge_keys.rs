//! Forge keys: shown once, usable until revoked, and not for everything.

use crate::harness::{Database, Instance, send, text};
use reqwest::StatusCode;
use serde_json::json;

support::on_both! {
    async fn a_key_acts_for_its_owner_until_it_is_revoked(database: Database) {
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
}
