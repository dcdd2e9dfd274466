//! Specs of projects.

use reqwest::StatusCode;
use serde_json::json;
use tempfile::TempDir;

use crate::{
    harness::{Database, Instance, text},
    project_fixture::{git, push, write},
};

const SPEC: &str = "# Fines\n\n## Requirements\n- FR-1: Late loans cost 1 € a day\n\n\
    ## Pass Criteria\n- FR-1: four days cost 4 € — test: four_days\n\n## Test Command\n`cargo test`\n\n\
    ## TDD Plan\nThe tests come first.\n";

support::on_both! {
    async fn spec_becomes_contracts_and_a_gate(database: Database) {
        let instance = Instance::start(&database).await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let project = ada.project("Fines").await;
        let path = format!("/api/projects/{project}/spec");
        ada.get(&path).await.problem(404);
        let settings = ada.get(&format!("/api/projects/{project}/settings")).await.json();
        let mut settings = settings;
        settings["red_check"] = json!(false);
        settings["gates"] = json!([{
            "name": "lint", "command": "cargo clippy", "timeout_s": 60, "required": false, "network": false
        }]);
        ada.put(&format!("/api/projects/{project}/settings"), settings).await.json();

        let submitted = ada.post(&path, json!({ "text": SPEC, "version": 0 })).await;
        assert_eq!(submitted.status, StatusCode::CREATED, "{}", submitted.text);
        let submitted = submitted.json();
        assert_eq!((&submitted["version"], &submitted["test_command"]), (&json!(1), &json!("cargo test")));
        assert_eq!(submitted["contracts"], json!(["blueprint", "phases", "builder_directive"]));
        let settings = ada.get(&format!("/api/projects/{project}/settings")).await.json();
        let gates: Vec<String> = settings["gates"].as_array().unwrap().iter().map(|it| text(&it["name"])).collect();
        assert_eq!((gates, &settings["red_check"]), (vec!["lint".to_owned(), "spec-tests".to_owned()], &json!(true)));
        let phases = ada.get(&format!("/api/projects/{project}/contracts/phases")).await.json();
        assert!(text(&phases["content"]).contains("test: `four_days`"), "{phases}");
        let requirements = ada.get(&format!("/api/projects/{project}/requirements")).await.json();
        assert!(requirements.to_string().contains("Late loans cost"), "{requirements}");
        let readiness = ada.get(&format!("/api/projects/{project}/build-readiness")).await.json();
        let obstacles = readiness["obstacles"].to_string();
        assert!(!obstacles.contains("requirement") && !obstacles.contains("phase"), "{obstacles}");

        // A later version replaces the gate and only the contracts that differ.
        let second = SPEC.replace("`cargo test`", "`cargo test --all`");
        ada.post(&path, json!({ "text": second, "version": 0 })).await.problem(409);
        let replaced = ada.post(&path, json!({ "text": second, "version": 1 })).await.json();
        assert_eq!((&replaced["version"], &replaced["contracts"]), (&json!(2), &json!(["builder_directive"])));
        let settings = ada.get(&format!("/api/projects/{project}/settings")).await.json();
        assert_eq!(settings["gates"][1]["command"], "cargo test --all");
        assert_eq!(settings["gates"].as_array().unwrap().len(), 2);
        let current = ada.get(&path).await.json();
        assert_eq!((&current["version"], &current["text"]), (&json!(2), &json!(second)));

        eve.get(&path).await.problem(404);
        eve.post(&path, json!({ "text": SPEC })).await.problem(404);
        let log = instance.admin().await.get("/api/audit-log?action=project_spec_submitted").await.json();
        assert_eq!(log["items"].as_array().unwrap().len(), 2, "{log}");
        instance.stop().await;
    }

    async fn spec_is_read_from_the_repository(database: Database) {
        let instance = Instance::start(&database).await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let project = ada.project("Fines").await;
        let folder = TempDir::new().unwrap();
        write(folder.path(), "docs/fines.md", SPEC);
        write(folder.path(), "specs/001/tasks.md", "# Tasks");
        write(folder.path(), "specs/001/spec.md", "# Feature Specification: Fines\n");
        write(folder.path(), "specs/large/spec.md", vec![b'a'; 3 << 20]);
        push(&instance, &ada, &project, folder.path()).await;

        let documents = format!("/api/projects/{project}/spec/documents");
        let listed = ada.get(&documents).await.json();
        assert_eq!(text(&listed["sha"]), git(folder.path(), &["rev-parse", "HEAD"]));
        let files = json!(["specs/001/spec.md", "specs/001/tasks.md"]);
        assert_eq!(listed["items"][0], json!({ "path": "specs/001", "files": files }));
        let paths: Vec<String> =
            listed["items"].as_array().unwrap().iter().map(|it| text(&it["path"])).collect();
        assert!(paths.contains(&"docs/fines.md".to_owned()), "{paths:?}");

        let read = async |path: &str| ada.get(&format!("{documents}/text?path={path}")).await;
        assert_eq!(text(&read("docs/fines.md").await.json()["text"]), SPEC);
        let joined = read("specs/001/").await.json();
        assert_eq!(text(&joined["text"]), "# Feature Specification: Fines\n\n# Tasks\n");
        assert_eq!(joined["files"], files);
        for unreadable in ["docs/missing.md", "docs", "../fines.md", "specs/large/spec.md"] {
            let problem = read(unreadable).await.problem(422);
            assert!(text(&problem["fields"]["path"]).contains("main has no"), "{problem}");
        }
        eve.get(&documents).await.problem(404);
        eve.get(&format!("{documents}/text?path=docs/fines.md")).await.problem(404);
        instance.stop().await;
    }

    async fn invalid_spec_is_rejected_with_all_problems(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("Fines").await;
        let path = format!("/api/projects/{project}/spec");
        let invalid = "# A\n\n## Files to create\n- `../a`\n\n## Pass Criteria\n";
        let problem = ada.post(&path, json!({ "text": invalid })).await.problem(422);
        let text_ = text(&problem["fields"]["text"]);
        assert!(text_.contains("line 4") && text_.contains("line 6"), "{problem}");
        ada.get(&path).await.problem(404);
        let report = ada.post("/api/specs/validate", json!({ "text": invalid })).await.json();
        assert_eq!((&report["valid"], report["errors"].as_array().unwrap().len()), (&json!(false), 2));
        let report = ada.post("/api/specs/validate", json!({ "text": SPEC })).await.json();
        assert_eq!(report["criteria"][0]["proof"], json!({ "type": "test", "names": ["four_days"] }));
        instance.stop().await;
    }
}
