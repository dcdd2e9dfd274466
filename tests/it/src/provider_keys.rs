//! Keys of model providers that administrators set in the app.

use std::{fs, os::unix::fs::PermissionsExt};

use forgeguard::config::Config;
use model_server::{Dialect, KEY, ModelServer, Turn};
use serde_json::{Value, json};

use crate::harness::{Database, Instance, Person, text, with_model};

const KEYS: &str = "/api/settings/provider-keys";
const PHASES: &str = "## Phase 0 — Greeting\n\n**Deliverables:**\n- greeting.txt\n\n\
    **Exit criteria:**\n- it greets\n";
const SECRET: &str = "sk-hunter2-0123456789abcdef";

async fn project(owner: &Person) -> String {
    let here = format!("/api/projects/{}", owner.project("P").await);
    owner.put(&format!("{here}/contracts/phases"), json!({ "content": PHASES })).await.json();
    here
}

async fn obstacles(owner: &Person, project: &str) -> Vec<(String, String)> {
    let ready = owner.get(&format!("{project}/build-readiness")).await;
    assert_eq!(ready.status, 200, "{}", ready.text);
    let ready = ready.json();
    let found = ready["obstacles"].as_array().unwrap().iter();
    found.map(|one| (text(&one["kind"]), text(&one["message"]))).collect()
}

fn openai(list: &Value) -> &Value {
    &list["items"][1]
}

support::on_both! {
    async fn key_is_encrypted_never_returned_and_used_at_once(database: Database) {
        let instance = Instance::start(&database).await;
        let (admin, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let here = project(&ada).await;
        assert_eq!(obstacles(&ada, &here).await[0].0, "model");
        let file = instance.app.engine.paths().encryption_key();
        assert!(!file.exists());

        let set = admin.put(&format!("{KEYS}/openai"), json!({ "key": format!(" {SECRET}\n") })).await;
        assert_eq!(set.status, 200, "{}", set.text);
        let shown = set.json();
        let key = openai(&shown);
        assert_eq!((&key["is_set"], &key["last_four"]), (&json!(true), &json!("cdef")));
        assert_eq!((&key["set_by"], &key["problem"]), (&json!("admin"), &json!(null)));
        assert!(key["set_at"].is_string() && key["fixed_by"].is_null(), "{key}");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(obstacles(&ada, &here).await, vec![]);
        let settings = admin.get("/api/settings").await;
        assert_eq!(settings.json()["models"][0]["in_use"], "openai/gpt-6.1-sol");

        let audit = admin.get("/api/audit-log").await;
        let list = admin.get(KEYS).await;
        assert_eq!(list.json(), shown);
        for answer in [&set, &list, &audit, &settings] {
            assert!(!answer.text.contains("hunter2"), "{}", answer.text);
        }
        let mut conn = instance.app.db.read().await.unwrap();
        let stored = forgeguard::store::provider_keys::list(&mut conn).await.unwrap();
        drop(conn);
        assert!(!format!("{stored:?}").contains("hunter2"));

        let removed = admin.delete(&format!("{KEYS}/openai")).await;
        assert_eq!(removed.status, 204, "{}", removed.text);
        assert_eq!(obstacles(&ada, &here).await[0].0, "model");
        admin.delete(&format!("{KEYS}/openai")).await.problem(404);
        let log = admin.get("/api/audit-log?action=provider_key_removed").await.json();
        assert_eq!(log["items"].as_array().unwrap().len(), 1);
        assert_eq!(log["items"][0]["subject"], "provider/openai");
        instance.stop().await;
    }

    async fn key_from_the_environment_takes_precedence(database: Database) {
        let instance = Instance::start_with(&database, |config: Config| with_model(config)).await;
        let admin = instance.admin().await;
        let list = admin.get(KEYS).await.json();
        assert_eq!(list["items"][0]["fixed_by"], "ANTHROPIC_BASE_URL");
        let refused = admin.put(&format!("{KEYS}/anthropic"), json!({ "key": SECRET })).await.problem(409);
        assert!(text(&refused["detail"]).contains("ANTHROPIC_BASE_URL"), "{refused}");
        // A key of another provider does not replace the configured model.
        admin.put(&format!("{KEYS}/openai"), json!({ "key": SECRET })).await.json();
        let settings = admin.get("/api/settings").await.json();
        assert_eq!(settings["models"][0]["in_use"], "anthropic/claude-sonnet-5-5");
        instance.stop().await;
    }

    async fn invalid_key_or_address_is_rejected(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let ada = instance.user("ada@example.org").await;
        ada.put(&format!("{KEYS}/openai"), json!({ "key": SECRET })).await.problem(403);
        for (body, field) in [
            (json!({}), "key"),
            (json!({ "key": "hunter 2" }), "key"),
            (json!({ "key": SECRET, "base_url": "ftp://x" }), "base_url"),
        ] {
            let refused = admin.put(&format!("{KEYS}/openai"), body).await;
            assert!(!refused.text.contains("hunter"), "{}", refused.text);
            assert!(refused.problem(422)["fields"][field].is_string());
        }
        admin.put(&format!("{KEYS}/offline"), json!({ "key": SECRET })).await.problem(404);
        instance.stop().await;
    }

    async fn connection_is_tested_with_one_request(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let model = ModelServer::start(Dialect::OpenAi).await;
        let test = async |body: Value| {
            admin.post(&format!("{KEYS}/openai/test"), body).await.json()
        };
        let unset = test(json!({})).await;
        assert_eq!(unset["problem"], "unavailable", "{unset}");
        let access = |key: &str| json!({ "key": key, "base_url": model.base_url() });
        admin.put(&format!("{KEYS}/openai"), access(KEY)).await.json();
        model.script([Turn::says("Ready.")]);
        let passed = test(json!({ "model": "openai/m-1" })).await;
        assert_eq!((&passed["problem"], &passed["model"]), (&json!(null), &json!("openai/m-1")));
        model.script([Turn::error(404, "model_not_found", "no such model")]);
        assert_eq!(test(json!({ "model": "openai/m-2" })).await["problem"], "unknown_model");
        model.script([Turn::error(401, "invalid_api_key", "wrong")]);
        let wrong = test(json!({})).await;
        assert_eq!((&wrong["problem"], &wrong["model"]), (&json!("wrong_key"), &json!("openai/gpt-6.1-sol")));
        model.finish();
        let closed = json!({ "key": KEY, "base_url": "http://127.0.0.1:9/v1" });
        admin.put(&format!("{KEYS}/openai"), closed).await.json();
        assert_eq!(test(json!({})).await["problem"], "no_connection");
        let other = admin.post(&format!("{KEYS}/openai/test"), json!({ "model": "anthropic/m" })).await;
        assert!(other.problem(422)["fields"]["model"].is_string());
        let log = admin.get("/api/audit-log?action=provider_key_tested").await.json();
        assert_eq!(log["items"].as_array().unwrap().len(), 5);
        assert_eq!(log["items"][3]["detail"], json!({ "model": "openai/m-1", "succeeded": true }));
        instance.stop().await;
    }

    async fn node_with_another_encryption_key_reports_it(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let here = project(&admin).await;
        admin.put(&format!("{KEYS}/openai"), json!({ "key": SECRET })).await.json();
        let file = instance.app.engine.paths().encryption_key();
        let bytes = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        // Another process may have cached it: this one reads keys when they change.
        let anthropic = json!({ "key": SECRET });
        let refused = admin.put(&format!("{KEYS}/anthropic"), anthropic.clone()).await.problem(409);
        assert!(text(&refused["detail"]).contains("encryption.key is missing"), "{refused}");
        fs::write(&file, [7; 32]).unwrap();
        let problem = text(&openai(&admin.get(KEYS).await.json())["problem"]);
        assert!(problem.contains("is not the one it was set with"), "{problem}");
        assert_eq!(obstacles(&admin, &here).await.len(), 0);
        fs::write(&file, bytes).unwrap();
        admin.put(&format!("{KEYS}/anthropic"), anthropic).await.json();

        instance.stop().await;
    }

    async fn node_without_the_encryption_key_cannot_use_keys(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let here = project(&admin).await;
        admin.put(&format!("{KEYS}/openai"), json!({ "key": SECRET })).await.json();
        let file = instance.app.engine.paths().encryption_key();
        fs::remove_file(&file).unwrap();
        let (data, data_dir) = instance.stop_keeping_data().await;
        let change = |config| Config { node: "other".to_owned(), data_dir, ..config };
        let other = Instance::start_with(&database, change).await;
        let admin = other.admin().await;
        let [(kind, why), ..] = &obstacles(&admin, &here).await[..] else { panic!("no obstacle") };
        assert!(kind == "model" && why.contains("on the node other"), "{why}");
        other.stop().await;
        drop(data);
    }

    async fn readiness_names_missing_programs_and_an_empty_branch(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let here = project(&ada).await;
        let gate = json!({
            "name": "test", "command": "no-such-program test && sh ok", "timeout_s": 60,
            "required": true, "network": false,
        });
        ada.put(&format!("{here}/settings"), json!({ "gates": [gate], "clarification_timeout_s": null })).await.json();
        let ready = ada.get(&format!("{here}/build-readiness")).await.json();
        assert_eq!((&ready["obstacles"], &ready["warnings"][0]["kind"]), (&json!([]), &json!("gates")));
        let message = text(&ready["warnings"][0]["message"]);
        assert!(message.starts_with("The gate test needs no-such-program"), "{message}");
        assert_eq!(ready["warnings"].as_array().unwrap().len(), 1);

        let id = here.rsplit('/').next().unwrap().parse().unwrap();
        let hosted = instance.app.engine.paths().hosted(id);
        crate::project_fixture::git(&hosted, &["update-ref", "-d", "refs/heads/main"]);
        assert_eq!(obstacles(&ada, &here).await[0].0, "repository");
        let limit = json!({ "budgets": { "usd_micros": "unlimited" } });
        let refused = ada.post(&format!("{here}/builds"), limit).await.problem(409);
        assert!(text(&refused["detail"]).contains("The branch main"), "{refused}");
        instance.stop().await;
    }
}
