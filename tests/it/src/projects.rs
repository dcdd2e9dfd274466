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

    async fn project_and_build_are_found_by_slug_and_number(database: Database) {
        let instance = Instance::start(&database).await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let id = ada.project("Book lists").await;
        let build = instance.queue_build(&id, &ada.id).await;
        let found = ada.get("/api/projects/book-lists").await.json();
        assert_eq!((&found["id"], &found["slug"]), (&json!(id), &json!("book-lists")));
        for path in [
            "/api/projects/book-lists/builds/1".to_owned(),
            format!("/api/projects/{id}/builds/1"),
            format!("/api/projects/book-lists/builds/{build}"),
        ] {
            let found = ada.get(&path).await.json();
            assert_eq!(found["id"], build.to_string(), "{path}");
            assert_eq!((&found["number"], &found["branch"]), (&json!(1), &json!("forge/build-1")));
            assert_eq!(found["project_slug"], "book-lists");
            eve.get(&path).await.problem(404);
        }
        let other = ada.project("Book lists").await;
        assert_eq!(ada.get(&format!("/api/projects/{other}")).await.json()["slug"], "book-lists-2");
        for missing in ["book-lists/builds/2".to_owned(), format!("book-lists-2/builds/{build}"), "book-lists-3".to_owned()] {
            ada.get(&format!("/api/projects/{missing}")).await.problem(404);
        }

        let renamed = ada.patch("/api/projects/book-lists", json!({"name": "Reading"})).await.json();
        assert_eq!(renamed["slug"], "reading");
        assert_eq!(ada.get("/api/projects/book-lists").await.json()["slug"], "reading");
        let refs = ada.get("/git/reading.git/info/refs?service=git-upload-pack").await;
        assert_eq!(refs.status, StatusCode::OK);
        instance.stop().await;
    }

    async fn archived_project_is_read_only_and_not_listed(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("Lists").await;
        let path = format!("/api/projects/{project}");
        let archive = format!("{path}/archive");
        let build = instance.queue_build(&project, &ada.id).await;
        let refused = ada.post(&archive, json!({})).await.problem(409);
        assert!(text(&refused["detail"]).starts_with("Build #1 of this project is not finished."), "{refused}");
        ada.post(&format!("/api/builds/{build}/cancel"), json!({})).await;
        let archived = ada.post(&archive, json!({})).await.json();
        assert!(archived["archived_at"].is_string(), "{archived}");
        assert_eq!(ada.post(&archive, json!({})).await.json(), archived);

        let listed = async |query| {
            let page = ada.get(&format!("/api/projects{query}")).await.json();
            page["items"].as_array().unwrap().iter().map(|it| text(&it["id"])).collect::<Vec<_>>()
        };
        assert_eq!(listed("").await, Vec::<String>::new());
        assert_eq!(listed("?archived=true").await, std::slice::from_ref(&project));
        assert_eq!(ada.get(&path).await.json()["archived_at"], archived["archived_at"]);
        for refused in [
            ada.patch(&path, json!({"name": "Other"})).await,
            ada.post(&format!("{path}/builds"), json!({})).await,
            ada.put(&format!("{path}/notepad"), json!({"content": "x", "version": 0})).await,
        ] {
            let problem = refused.problem(409);
            assert!(text(&problem["detail"]).contains("archived and read-only"), "{problem}");
        }
        let active = ada.post(&format!("{path}/unarchive"), json!({})).await.json();
        assert_eq!(active["archived_at"], json!(null));
        assert_eq!(listed("").await, [project]);
        instance.stop().await;
    }

    async fn transferred_project_belongs_to_the_new_owner(database: Database) {
        let instance = Instance::start(&database).await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let root = instance.admin().await;
        let project = ada.project("Lists").await;
        let path = format!("/api/projects/{project}");
        let transfer = format!("{path}/transfer");
        for wrong in ["unknown@example.org", "ada@example.org"] {
            let problem = ada.post(&transfer, json!({ "email": wrong })).await.problem(422);
            assert!(problem["fields"]["email"].is_string(), "{problem}");
        }
        eve.post(&transfer, json!({"email": "eve@example.org"})).await.problem(404);
        let given = ada.post(&transfer, json!({"email": "eve@example.org"})).await.json();
        assert_eq!((&given["owner"]["id"], &given["role"]), (&json!(eve.id), &json!("viewer")));
        assert_eq!(eve.get(&path).await.json()["role"], "owner");
        ada.patch(&path, json!({"name": "Other"})).await.problem(403);
        ada.post(&transfer, json!({"email": "ada@example.org"})).await.problem(403);

        eve.patch(&path, json!({"name": "Shelf"})).await;
        assert_eq!(eve.delete(&path).await.status, StatusCode::NO_CONTENT);
        let log = root.get("/api/audit-log?limit=3").await.json();
        let actions: Vec<_> =
            log["items"].as_array().unwrap().iter().map(|it| text(&it["action"])).collect();
        assert_eq!(actions, ["project_deleted", "project_renamed", "project_transferred"]);
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
        let unlimited = json!({"iterations": null, "minutes": null, "tokens": null, "usd_micros": null, "clarifications": null, "permission_prompts": null});
        let delivery = json!({"when": "on_request", "draft_unless_certified": true, "labels": [], "reviewers": []});
        let defaults = json!({"gates": [], "detect_gates": true, "clarification_timeout_s": 600, "permissions": [], "red_check": true, "mutation_sample": {"max_mutants": 20, "min_killed_percent": 50}, "plan_approval": "never", "max_concurrent_builds": 1, "executor": "builtin", "budgets": unlimited, "delivery": delivery});
        assert_eq!(ada.get(&path).await.json(), defaults);
        let gate = json!({
            "name": "test", "command": "node --test", "timeout_s": 60, "required": true, "network": false,
        });
        let rule = json!({"permission": "bash", "pattern": "npm publish*", "action": "deny"});
        let limits = json!({"iterations": 3, "minutes": null, "tokens": 1000, "usd_micros": 5_000_000, "clarifications": 0, "permission_prompts": 7});
        let settings = json!({"gates": [gate], "detect_gates": false, "clarification_timeout_s": null, "permissions": [rule], "red_check": false, "mutation_sample": null, "plan_approval": "every_phase", "max_concurrent_builds": 3, "executor": "codex", "budgets": limits, "delivery": {"when": "at_seal", "draft_unless_certified": false, "labels": ["forge"], "reviewers": ["alex"]}});
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
        assert!(refused["detail"].as_str().unwrap().contains("not finished (#1"), "{refused}");
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
