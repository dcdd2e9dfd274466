//! The tools of MCP clients for the branches of builds.

use serde_json::{Value, json};

use crate::{
    harness::{Database, Instance, text, with_model},
    mcp_client::{Client, key},
};

const PHASES: &str = "## Phase 0 — Greeting\n\n**Deliverables:**\n- greeting.txt\n\n\
    **Exit criteria:**\n- it greets\n";
const CHANGING: [&str; 3] = ["forge_create_branch", "forge_seal_branch", "forge_abandon_branch"];

support::on_both! {
    async fn mcp_client_creates_a_branch_once_and_abandons_it(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let phases = json!({"content": PHASES});
        ada.put(&format!("/api/projects/{project}/contracts/phases"), phases).await.json();
        let client = Client::open(&instance, &key(&ada, json!({"name": "editor"})).await.1).await;
        let wanted = json!({
            "project_id": project, "title": "Due dates", "max_usd": 1.5, "idempotency_key": "once",
        });
        let created = client.data("forge_create_branch", wanted.clone()).await;
        assert!(text(&created["branch"]).ends_with("due-dates"), "{created}");
        let again = client.data("forge_create_branch", wanted).await;
        assert_eq!(again["build_id"], created["build_id"]);
        let here = json!({"build_id": created["build_id"]});
        let status = client.data("forge_get_branch_status", here.clone()).await;
        assert_eq!(status["branch"], created["branch"]);
        let rest = ada.get(&format!("/api/builds/{}", text(&created["build_id"]))).await.json();
        assert_eq!((&rest["title"], &rest["budgets"]["usd_micros"]), (&json!("Due dates"), &json!(1_500_000)));
        let abandoned = json!({"build_id": created["build_id"], "reason": "The dates are not known"});
        client.data("forge_abandon_branch", abandoned).await;
        let mut seen = json!({"next_seq": 0});
        while seen["is_finished"] != true {
            let next = json!({"build_id": here["build_id"], "after_seq": seen["next_seq"], "wait_s": 50});
            seen = client.data("forge_watch_build", next).await;
        }
        assert_eq!(seen["status"], "abandoned");
        instance.stop().await;
    }

    async fn mcp_client_is_told_that_an_abandoned_branch_is_never_sealed(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let build = instance.queue_build(&ada.project("P").await, &ada.id).await.to_string();
        let bound = key(&ada, json!({"name": "agent", "scopes": ["build"], "build": build})).await.1;
        let client = Client::open(&instance, &bound).await;
        let missing = client.data("forge_seal_branch", json!({})).await;
        let kinds: Vec<&Value> = missing["before_seal"].as_array().unwrap().iter().map(|it| &it["kind"]).collect();
        assert_eq!(kinds, ["worker", "phase", "final_gates", "final_checks"]);

        let unexplained = client.rejection("forge_abandon_branch", json!({"reason": " "})).await;
        assert!(unexplained.contains("reason"), "{unexplained}");
        let abandoned = client.data("forge_abandon_branch", json!({"reason": "enough"})).await;
        assert_eq!(abandoned["build_status"], "abandoned");
        let events = ada.get(&format!("/api/builds/{build}/events")).await.json();
        let last = events["items"].as_array().unwrap().last().unwrap();
        assert_eq!((&last["type"], &last["payload"]["reason"]), (&json!("build_abandoned"), &json!("enough")));
        let after = client.data("forge_seal_branch", json!({"accept_open_items": true})).await;
        assert_eq!(after["before_seal"].as_array().unwrap().len(), 1, "{after}");
        assert_eq!((&after["before_seal"][0]["kind"], &after["seal"]), (&json!("cancelled"), &Value::Null));
        client.rejection("forge_create_branch", json!({"title": "Another"})).await;
        instance.stop().await;
    }

    async fn mcp_branch_tools_require_the_scope_build_and_hide_builds_of_others(database: Database) {
        let instance = Instance::start(&database).await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let build = instance.queue_build(&ada.project("P").await, &ada.id).await.to_string();
        let arguments = |tool: &str, build: &str| match tool {
            "forge_abandon_branch" => json!({"build_id": build, "reason": "no"}),
            "forge_create_branch" => json!({"project_id": build}),
            _ => json!({"build_id": build}),
        };
        let reads = key(&ada, json!({"name": "reads", "scopes": ["read", "review"]})).await.1;
        let reader = Client::open(&instance, &reads).await;
        let stranger = Client::open(&instance, &key(&eve, json!({"name": "k"})).await.1).await;
        let listed = reader.tools().await;
        let none = "00000000-0000-7000-8000-000000000000";
        for tool in CHANGING {
            assert!(!listed.contains(&tool.to_owned()), "{tool}");
            let refused = reader.rejection(tool, arguments(tool, &build)).await;
            assert!(refused.contains("`build`"), "{tool}: {refused}");
            let foreign = stranger.rejection(tool, arguments(tool, &build)).await;
            assert_eq!(foreign, stranger.rejection(tool, arguments(tool, none)).await, "{tool}");
        }
        let hints = |tools: &Value, name: &str| {
            let tools = tools["result"]["tools"].as_array().unwrap().iter();
            let tool = tools.clone().find(|tool| tool["name"] == name).unwrap();
            (tool["annotations"]["destructiveHint"].clone(), tool["annotations"]["readOnlyHint"].clone())
        };
        let tools = stranger.request("tools/list", json!({})).await;
        assert_eq!(hints(&tools, "forge_abandon_branch"), (json!(true), json!(false)));
        assert_eq!(hints(&tools, "forge_seal_branch"), (json!(false), json!(false)));
        assert_eq!(hints(&tools, "forge_get_branch_status"), (json!(false), json!(true)));
        let status = ada.get(&format!("/api/builds/{build}")).await.json();
        assert_eq!(status["status"], "queued", "nothing has changed");
        instance.stop().await;
    }
}
