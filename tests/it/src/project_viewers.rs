//! Viewers of a project: added and removed by its owner, and what they see.

use reqwest::StatusCode;
use serde_json::json;

use crate::harness::{Database, Instance, text};

support::on_both! {
    async fn viewer_can_read_until_removed(database: Database) {
        let instance = Instance::start(&database).await;
        let root = instance.admin().await;
        let ada = instance.user("ada@example.org").await;
        let bob = instance.user("bob@example.org").await;
        let own = bob.project("Of Bob").await;
        let project = ada.project("Of Ada").await;
        let viewers = format!("/api/projects/{project}/viewers");
        assert_eq!(bob.get(&viewers).await.status, 404);

        let added = ada.post(&viewers, json!({"email": " BOB@example.org"})).await;
        assert_eq!(added.status, StatusCode::CREATED, "{}", added.text);
        let again = ada.post(&viewers, json!({"email": "bob@example.org"})).await.json();
        assert_eq!(again["items"][0]["id"], json!(bob.id));
        assert_eq!(again["items"].as_array().unwrap().len(), 1);
        assert_eq!(bob.get(&viewers).await.json(), again);

        let list = bob.get("/api/projects").await.json();
        let seen: Vec<_> = list["items"].as_array().unwrap().iter()
            .map(|item| (text(&item["id"]), text(&item["role"]), text(&item["owner"]["id"])))
            .collect();
        assert_eq!(seen, [
            (project.clone(), "viewer".to_owned(), ada.id.clone()),
            (own.clone(), "owner".to_owned(), bob.id.clone()),
        ]);
        let one = bob.get(&format!("/api/projects/{project}")).await.json();
        assert_eq!(one, list["items"][0]);
        let refused = bob.delete(&format!("/api/projects/{project}")).await.problem(403);
        assert!(text(&refused["detail"]).contains("owner"), "{refused}");
        // The list of viewers is not visible to other users.
        assert_eq!(root.get(&viewers).await.status, 404);

        let of_bob = format!("{viewers}/{}", bob.id);
        assert_eq!(bob.delete(&of_bob).await.status, StatusCode::FORBIDDEN);
        assert_eq!(ada.delete(&of_bob).await.status, StatusCode::NO_CONTENT);
        ada.delete(&of_bob).await.problem(404);
        assert_eq!(bob.get(&viewers).await.status, 404);
        assert_eq!(bob.get("/api/projects").await.json()["items"].as_array().unwrap().len(), 1);

        let log = root.get("/api/audit-log?limit=2").await.json();
        let last: Vec<_> = log["items"].as_array().unwrap().iter()
            .map(|entry| (text(&entry["action"]), text(&entry["subject"]))).collect();
        let subject = format!("user/{}", bob.id);
        assert_eq!(last, [
            ("viewer_removed".to_owned(), subject.clone()),
            ("viewer_added".to_owned(), subject),
        ]);
        instance.stop().await;
    }

    async fn only_existing_accounts_can_be_added_as_viewers(database: Database) {
        let instance = Instance::start(&database).await;
        let root = instance.admin().await;
        let ada = instance.user("ada@example.org").await;
        let bob = instance.user("bob@example.org").await;
        let shut = root.patch(&format!("/api/users/{}", bob.id), json!({"disabled": true})).await;
        assert_eq!(shut.status, 200, "{}", shut.text);
        let viewers = format!("/api/projects/{}/viewers", ada.project("Of Ada").await);
        for email in ["ada@example.org", "bob@example.org", "unknown@example.org", ""] {
            let problem = ada.post(&viewers, json!({"email": email})).await.problem(422);
            assert!(problem["fields"]["email"].is_string() || problem["fields"][0].is_object(), "{problem}");
        }
        assert_eq!(ada.get(&viewers).await.json()["items"], json!([]));
        instance.stop().await;
    }
}
