//! Projects, their notepad, settings, contracts and builds.

use crate::harness::{Database, Instance, send, text};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

support::on_both! {
    async fn project_is_created_updated_and_deleted(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let (first, second) = (ada.project("First").await, ada.project("Second").await);
        let page = ada.get("/api/projects?limit=1").await.json();
        assert_eq!(page["items"][0]["id"], second.as_str());
        let rest = format!("/api/projects?limit=1&after={}", text(&page["next"]));
        let rest = ada.get(&rest).await.json();
        assert_eq!((&rest["items"][0]["id"], &rest["next"]), (&json!(first), &Value::Null));

        let path = format!("/api/projects/{first}");
        let changed = ada.patch(&path, json!({"description": "Mine."})).await.json();
        assert_eq!((&changed["name"], &changed["description"]), (&json!("First"), &json!("Mine.")));
        let build = instance.queue_build(&first, &ada.id).await;
        ada.delete(&path).await.problem(409);
        assert_eq!(ada.get(&path).await.json()["last_build"]["id"], build.to_string());
        ada.post(&format!("/api/builds/{build}/cancel"), json!({})).await;
        assert_eq!(ada.delete(&path).await.status, StatusCode::NO_CONTENT);
        ada.get(&path).await.problem(404);
        ada.get(&format!("/api/builds/{build}")).await.problem(404);
        instance.stop().await;
    }

    async fn note_is_not_overwritten_if_it_changed_since_it_was_read(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let path = format!("/api/projects/{}/notepad", ada.project("P").await);
        let empty = ada.get(&path).await.json();
        assert_eq!(empty, json!({"content": "", "updated_at": null, "version": 0}));
        let put = |content: &str, version: u32| ada.put(&path, json!({"content": content, "version": version}));
        assert_eq!(put("one", 0).await.json()["version"], 1);
        put("two", 0).await.problem(409);
        assert_eq!(put("two\nlines", 1).await.json()["version"], 2);
        assert_eq!(ada.get(&path).await.json()["content"], "two\nlines");
        put(&"x".repeat(20_001), 2).await.problem(422);
        instance.stop().await;
    }

    async fn settings_are_stored(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let path = format!("/api/projects/{}/settings", ada.project("P").await);
        let unlimited = json!({"iterations": null, "minutes": null, "tokens": null, "usd_micros": null, "clarifications": null});
        let defaults = json!({"gates": [], "detect_gates": true, "clarification_timeout_s": 600, "permissions": [], "red_check": true, "mutation_sample": {"max_mutants": 20, "min_killed_percent": 50}, "budgets": unlimited});
        assert_eq!(ada.get(&path).await.json(), defaults);
        let gate = json!({
            "name": "test", "command": "node --test", "timeout_s": 60, "required": true, "network": false,
        });
        let rule = json!({"permission": "bash", "pattern": "npm publish*", "action": "deny"});
        let limits = json!({"iterations": 3, "minutes": null, "tokens": 1000, "usd_micros": 5_000_000, "clarifications": 0});
        let settings = json!({"gates": [gate], "detect_gates": false, "clarification_timeout_s": null, "permissions": [rule], "red_check": false, "mutation_sample": null, "budgets": limits});
        assert_eq!(ada.put(&path, settings.clone()).await.json(), settings);
        assert_eq!(ada.get(&path).await.json(), settings);
        instance.stop().await;
    }

    async fn permission_preview_evaluates_rules(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = format!("/api/projects/{}", ada.project("P").await);
        let rules = ada.get(&format!("{project}/permissions")).await.json();
        assert!(rules["built_in"].as_array().unwrap().len() > 10, "{rules}");
        assert_eq!(rules["installation"], json!([]));

        let path = format!("{project}/permissions/try");
        let ask = |body: Value| async { ada.post(&path, body).await.json() };
        let usual = ask(json!({"permission": "bash", "subject": "ls; git push"})).await;
        assert_eq!((&usual["action"], &usual["layer"]), (&json!("deny"), &json!("built_in")));
        assert_eq!(usual["rule"]["pattern"], "git push*");
        let subjects: Vec<_> = usual["parts"].as_array().unwrap().iter().map(|p| text(&p["subject"])).collect();
        assert_eq!(subjects, ["ls; git push", "ls", "git push"]);

        let rule = json!({"permission": "bash", "pattern": "rm *", "action": "ask"});
        let tried = ask(json!({"permission": "bash", "subject": "rm -rf build", "rules": [rule]})).await;
        assert_eq!((&tried["action"], &tried["layer"], &tried["rule"]), (&json!("ask"), &json!("project"), &rule));
        let saved = json!({"gates": [], "clarification_timeout_s": 600, "permissions": [rule]});
        let before = ask(json!({"permission": "bash", "subject": "rm -rf build"})).await;
        assert_eq!(before["action"], "allow", "what is tried is not saved");
        assert_eq!(ada.put(&format!("{project}/settings"), saved).await.status, StatusCode::OK);
        let after = ask(json!({"permission": "bash", "subject": "rm -rf build"})).await;
        assert_eq!(after["action"], "ask");

        for (body, field) in [
            (json!({"permission": "fly", "subject": "x"}), "permission"),
            (json!({"permission": "bash"}), "subject"),
            (json!({"permission": "bash", "subject": " "}), "subject"),
            (json!({"permission": "bash", "subject": "x".repeat(8_193)}), "subject"),
            (json!({"permission": "bash", "subject": "x", "rules": [{"permission": "bash", "pattern": "", "action": "ask"}]}), "rules[0].pattern"),
            (json!({"permission": "bash", "subject": "x", "rules": vec![rule.clone(); 101]}), "rules"),
        ] {
            let problem = ada.post(&path, body.clone()).await.problem(422);
            assert!(problem["fields"][field].is_string(), "{body}: {problem}");
        }
        instance.stop().await;
    }

    async fn valid_contract_gets_a_new_version(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let contracts = format!("/api/projects/{}/contracts", ada.project("P").await);
        let list = ada.get(&contracts).await.json();
        let types: Vec<_> = list["items"].as_array().unwrap().iter().map(|c| text(&c["type"])).collect();
        assert_eq!(types.len(), 9);
        assert_eq!((types[0].as_str(), types[8].as_str()), ("manifesto", "builder_directive"));
        assert!(list["items"].as_array().unwrap().iter().all(|c| c["source"] == "template"));

        let phases = format!("{contracts}/phases");
        let refused = ada.put(&phases, json!({"content": "# No phase\n"})).await.problem(422);
        assert!(refused["fields"]["content"].as_str().unwrap().contains("line"), "{refused}");
        let content = "## Phase 0 — All\n\n**Deliverables:**\n- a thing\n\n**Exit criteria:** it works\n";
        let written = ada.put(&phases, json!({"content": content})).await.json();
        assert_eq!((&written["version"], &written["source"]), (&json!(1), &json!("project")));
        assert_eq!(ada.get(&phases).await.json()["content"], content);
        instance.stop().await;
    }

    async fn repeated_start_with_the_same_key_starts_one_build(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let demo = text(&admin.get("/api/projects").await.json()["items"][0]["id"]);
        let path = format!("/api/projects/{demo}/builds");
        let start = |key: &'static str| {
            let request = admin.request(Method::POST, &path).header("idempotency-key", key);
            send(request.json(&json!({})))
        };
        let first = start("one").await;
        assert_eq!(first.status, StatusCode::CREATED, "{}", first.text);
        let again = start("one").await;
        assert_eq!((again.status, &again.json()["id"]), (StatusCode::CREATED, &first.json()["id"]));
        let refused = start("two").await.problem(409);
        assert!(refused["detail"].as_str().unwrap().contains("unfinished"), "{refused}");
        let build = text(&first.json()["id"]);
        admin.post(&format!("/api/builds/{build}/cancel"), json!({"reason": "test"})).await;
        let next = start("two").await;
        assert_eq!(next.status, StatusCode::CREATED, "a refused start frees its key: {}", next.text);
        assert_ne!(next.json()["id"], first.json()["id"]);
        instance.stop().await;
    }

    async fn commands_append_events(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let build = instance.queue_build(&project, &ada.id).await;
        let path = format!("/api/builds/{build}");
        let response = ada.post(&format!("{path}/interject"), json!({"text": "Mind the gap."})).await;
        assert_eq!((response.status, response.json()), (StatusCode::ACCEPTED, json!({"seq": 2})));
        // A queued build cannot be paused, and no event was appended.
        ada.post(&format!("{path}/pause"), json!({})).await.problem(409);
        let ended = ada.post(&format!("{path}/cancel"), json!({"reason": "enough"})).await;
        assert_eq!(ended.status, StatusCode::ACCEPTED, "{}", ended.text);
        let events = ada.get(&format!("{path}/events")).await.json();
        let types: Vec<_> = events["items"].as_array().unwrap().iter().map(|e| text(&e["type"])).collect();
        let expected = ["build_queued", "build_interjected", "build_cancel_requested", "build_abandoned"];
        assert_eq!(types, expected);
        assert_eq!(ada.get(&path).await.json()["status"], "abandoned");
        assert_eq!(ada.get(&format!("{path}/verify")).await.json()["ok"], true);
        let report = ada.get(&format!("{path}/report")).await;
        assert!(report.text.starts_with("# P: abandoned"), "{}", report.text);
        let alias = ada.get(&format!("/api/build-cycles/{build}")).await.json();
        assert_eq!(alias["id"], build.to_string());
        instance.stop().await;
    }
}
