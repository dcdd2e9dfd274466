//! The audit log has an entry for each action on accounts, keys and reviews.

use std::time::Duration;

use domain::event::questions::ClarificationKind;
use forgeguard::store::builds::lock_head;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::{
    clarifications::asking_for,
    harness::{ADMIN, Database, Instance, PASSWORD, send, text},
    sealed_build::{FILE, sealed_build},
};

const RECORD_TIMEOUT: Duration = Duration::from_secs(30);

fn actions(log: &Value) -> Vec<String> {
    log["items"].as_array().unwrap().iter().map(|entry| text(&entry["action"])).collect()
}

/// The same without sign-ins.
fn changes(log: &Value) -> Vec<String> {
    let mut actions = actions(log);
    actions.retain(|action| action != "signed_in");
    actions
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
        assert_eq!(changes(&log), expected);
        let items = log["items"].as_array().unwrap();
        let seqs: Vec<_> = items.iter().map(|entry| entry["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, (1..=items.len() as u64).rev().collect::<Vec<_>>());
        let (decided, first) = (&items[0], &items[items.len() - 1]);
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
        assert_eq!(actions(&root.get(&next).await.json()), ["forge_key_created", "signed_in"]);
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
        assert_eq!(changes(&log.json()), expected);
        assert!(!log.text.contains(token), "the link opens an account");
        let (signed_in, set) = (&log.json()["items"][0], &log.json()["items"][1]);
        for newest in [signed_in, set] {
            assert_eq!((&newest["actor_id"], &newest["detail"]["by"]), (&json!(ada.id), &json!("invitation")));
        }
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
        assert_eq!(actions(&log), ["signed_in", "signed_in", "setup_completed"]);
        let by: Vec<_> = log["items"].as_array().unwrap()[..2].iter().map(|entry| &entry["detail"]["by"]).collect();
        assert_eq!(by, ["password", "setup"]);
        assert_eq!((&log["items"][2]["actor_id"], &log["items"][2]["actor_name"]), (&json!(ada.id), &json!("Ada")));
        instance.stop().await;
    }

    async fn sessions_are_recorded_without_passwords(database: Database) {
        let instance = Instance::start(&database).await;
        let root = instance.admin().await;
        let ada = instance.user("ada@example.org").await;
        let again = instance.sign_in("ada@example.org").await;
        assert_eq!(ada.delete("/api/sessions").await.status, StatusCode::NO_CONTENT);
        again.get("/api/session").await.problem(401);
        assert_eq!(ada.delete("/api/session").await.status, StatusCode::NO_CONTENT);
        let attempt = async |email: &str| {
            let body = json!({"email": email, "password": "a wrong password"});
            let request = instance.client().post(format!("{}/api/session", instance.url));
            send(request.json(&body)).await.status
        };
        assert_eq!(attempt("ada@example.org").await, StatusCode::UNAUTHORIZED);
        // A password that was entered as the address is not recorded.
        assert_eq!(attempt("my secret passphrase").await, StatusCode::UNAUTHORIZED);

        let log = root.get("/api/audit-log?limit=7").await;
        let expected = [
            "sign_in_failed", "sign_in_failed", "signed_out", "sessions_ended", "signed_in", "signed_in", "user_created",
        ];
        assert_eq!(actions(&log.json()), expected);
        let whole = log.text.clone();
        assert!(!whole.contains("a wrong password") && !whole.contains("my secret"), "{whole}");
        let log = log.json();
        assert_eq!(log["items"][0]["detail"]["email"], json!(null));
        assert_eq!((&log["items"][1]["detail"]["email"], &log["items"][1]["detail"]["address"]), (&json!("ada@example.org"), &json!("127.0.0.1")));
        assert_eq!(log["items"][1]["subject"], format!("user/{}", ada.id));

        // An attack cannot fill the log: the others are counted.
        for n in 0..25 {
            attempt(&format!("unknown-{n}@example.org")).await;
        }
        let failed = root.get("/api/audit-log?action=sign_in_failed&limit=200").await.json();
        assert_eq!(failed["items"].as_array().unwrap().len(), 10, "entries of one address in an hour");
        assert_eq!(root.get("/api/audit-log/verify").await.json()["ok"], true);
        instance.stop().await;
    }

    async fn answer_is_recorded_although_its_client_disconnects(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let (build, question) = asking_for(&instance, &ada, "Lists", &[], None, ClarificationKind::Permission).await;
        // The answer waits for this transaction.
        let mut tx = instance.app.journal.db().write().await.unwrap();
        lock_head(&mut tx, build, false).await.unwrap();
        let address = instance.direct_url.trim_start_matches("http://");
        let body = json!({"question_id": question, "answer": "Two weeks"}).to_string();
        let head = format!(
            "POST /api/builds/{build}/clarify HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
            ada.token, body.len(),
        );
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(head.as_bytes()).await.unwrap();
        let mut reading = [0; "HTTP/1.1 100 Continue\r\n\r\n".len()];
        client.read_exact(&mut reading).await.unwrap();
        assert!(reading.starts_with(b"HTTP/1.1 100 "), "the handler reads the body");
        client.write_all(body.as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        let mut received = Vec::new();
        client.read_to_end(&mut received).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&received), "", "the server closes the connection");
        tx.commit().await.unwrap();
        let recorded = async {
            while actions(&root.get("/api/audit-log?action=permission_answered").await.json()).is_empty() {}
        };
        timeout(RECORD_TIMEOUT, recorded).await.expect("the rest of the request is done");
        instance.stop().await;
    }

    async fn builds_settings_and_permissions_are_recorded_and_filtered_by_project(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let (build, question) = asking_for(&instance, &ada, "Lists", &[], None, ClarificationKind::Permission).await;
        let project = text(&ada.get(&format!("/api/builds/{build}")).await.json()["project_id"]);
        let answer = json!({"question_id": question, "answer": "Two weeks"});
        assert_eq!(ada.post(&format!("/api/builds/{build}/clarify"), answer.clone()).await.status, StatusCode::OK);
        // Rejected requests leave no entry.
        ada.post(&format!("/api/builds/{build}/clarify"), answer).await.problem(409);
        let cancel = json!({"reason": "Enough"});
        assert_eq!(ada.post(&format!("/api/builds/{build}/cancel"), cancel).await.status, StatusCode::ACCEPTED);
        let path = format!("/api/projects/{project}/settings");
        let mut settings = ada.get(&path).await.json();
        assert_eq!(ada.put(&path, settings.clone()).await.status, StatusCode::OK);
        settings["clarification_timeout_s"] = json!(60);
        assert_eq!(ada.put(&path, settings).await.status, StatusCode::OK);
        sealed_build(&instance, &ada).await;

        let log = root.get(&format!("/api/audit-log?project={project}")).await.json();
        assert_eq!(actions(&log), ["project_settings_changed", "build_cancelled", "permission_answered"]);
        let [changed, cancelled, answered] = [0, 1, 2].map(|n| &log["items"][n]["detail"]);
        assert_eq!(changed["changed"], json!({"clarification_timeout_s": 60}));
        assert_eq!((&cancelled["reason"], &cancelled["project"]), (&json!("Enough"), &json!("Lists")));
        assert_eq!(answered["answer"], "Two weeks");
        let both = format!("/api/audit-log?project={project}&action=build_cancelled&actor={}", ada.id);
        assert_eq!(actions(&root.get(&both).await.json()), ["build_cancelled"]);
        let other = format!("/api/audit-log?project={project}&actor={}", root.id);
        assert_eq!(actions(&root.get(&other).await.json()), [""; 0]);
        instance.stop().await;
    }

    async fn log_is_filtered_by_time_and_exported_for_administrators_only(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let whole = root.get("/api/audit-log").await.json();
        let items = whole["items"].as_array().unwrap();
        let at = |n: usize| text(&items[n]["at"]);
        let seqs = |log: &Value| log["items"].as_array().unwrap().iter().map(|it| it["seq"].clone()).collect::<Vec<_>>();
        let since = root.get(&format!("/api/audit-log?from={}", at(0))).await.json();
        assert_eq!(seqs(&since)[0], items[0]["seq"]);
        let until = root.get(&format!("/api/audit-log?until={}", at(0))).await.json();
        assert!(!seqs(&until).contains(&items[0]["seq"]), "the end does not belong to the period");
        assert_eq!(seqs(&root.get("/api/audit-log?until=2001-01-01T00:00:00Z").await.json()), [Value::Null; 0]);
        root.get("/api/audit-log?from=yesterday").await.problem(422);

        let jsonl = root.get("/api/audit-log/export?format=jsonl").await;
        assert_eq!(jsonl.headers["content-type"], "application/x-ndjson");
        let lines: Vec<Value> = jsonl.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), items.len());
        for (line, item) in lines.iter().zip(items) {
            assert_eq!((&line["seq"], &line["action"], &line["detail"]), (&item["seq"], &item["action"], &item["detail"]));
            assert_eq!(line["hash"].as_str().map(str::len), Some(64));
        }
        let csv = root.get("/api/audit-log/export?format=csv&action=user_created").await;
        assert!(csv.headers["content-disposition"].to_str().unwrap().contains("audit-log.csv"));
        assert_eq!(csv.text.lines().count(), 3, "{}", csv.text);
        assert!(csv.text.starts_with("seq,at,actor_id,actor_name,action,subject,detail,hash\r\n"));
        root.get("/api/audit-log/export?format=xml").await.problem(422);
        ada.get("/api/audit-log/export?format=csv").await.problem(403);
        instance.stop().await;
    }
}
