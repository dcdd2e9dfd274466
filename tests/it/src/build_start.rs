//! Requirements for starting a build, and the limits and models that it starts with.

use std::time::Duration;

use domain::event::{EventBody, life::BlockReason};
use forgeguard::config::{Config, ModelName, ModelSettings, ProviderName};
use model_server::Dialect;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    follower::Follower,
    greeting_project,
    harness::{Database, Instance, Person, text, with_model},
    project_fixture::ProjectFixture,
};

const PHASES: &str = "## Phase 0 — Greeting\n\n**Deliverables:**\n- greeting.txt\n\n\
    **Exit criteria:**\n- it greets\n";
const EVENT_TIMEOUT: Duration = Duration::from_secs(120);

async fn project_with_phases(owner: &Person) -> String {
    let here = format!("/api/projects/{}", owner.project("P").await);
    let phases = json!({ "content": PHASES });
    owner.put(&format!("{here}/contracts/phases"), phases).await.json();
    here
}

fn settings(budgets: Value, models: Value) -> Value {
    json!({ "budgets": budgets, "models": models })
}

fn obstacles(readiness: &Value) -> Vec<(String, String)> {
    let obstacles = readiness["obstacles"].as_array().unwrap().iter();
    obstacles.map(|one| (text(&one["kind"]), text(&one["message"]))).collect()
}

/// Starts a build, returns it and cancels it.
async fn start(owner: &Person, project: &str, request: Value) -> Value {
    let made = owner.post(&format!("{project}/builds"), request).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let build = made.json();
    owner.post(&format!("/api/builds/{}/cancel", text(&build["id"])), json!({})).await;
    build
}

/// A request that states that the cost is not limited.
fn unlimited() -> Value {
    json!({ "budgets": { "usd_micros": "unlimited" } })
}

support::on_both! {
    async fn paid_model_needs_a_limit_or_the_explicit_absence_of_one(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let here = project_with_phases(&ada).await;
        let ready = ada.get(&format!("{here}/build-readiness")).await.json();
        assert_eq!((&ready["needs_limit"], obstacles(&ready)), (&json!(true), vec![]));
        let suggested = ready["suggested_usd_micros"].as_u64().unwrap();
        assert!(suggested > ready["estimate"]["usd_micros"]["high"].as_u64().unwrap(), "{ready}");
        let refused = ada.post(&format!("{here}/builds"), json!({})).await.problem(422);
        let reason = text(&refused["fields"]["budgets.usd_micros"]);
        assert!(reason.contains(&format!("${}", suggested / 1_000_000)), "{reason}");
        let build = start(&ada, &here, json!({ "budgets": { "usd_micros": suggested } })).await;
        assert_eq!((&build["budgets"]["usd_micros"], &build["estimate"]), (&json!(suggested), &ready["estimate"]));
        start(&ada, &here, json!({ "budgets": { "tokens": 90_000 } })).await;
        assert_eq!(start(&ada, &here, unlimited()).await["budgets"]["usd_micros"], json!(null));
        instance.stop().await;
    }

    async fn limits_are_inherited_from_installation_and_project(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let (admin, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let here = project_with_phases(&ada).await;
        assert_eq!(start(&ada, &here, unlimited()).await["budgets"]["minutes"], 120);

        let limits = json!({ "minutes": "unlimited", "usd_micros": 9_000_000, "iterations": 4 });
        let set = admin.put("/api/settings", settings(limits, json!({}))).await.json();
        assert_eq!((&set["budgets"]["minutes"], &set["budgets"]["tokens"]), (&json!("unlimited"), &json!(null)));
        assert_eq!(set["default_budgets"]["minutes"], 120);
        let of_project = json!({ "usd_micros": 5_000_000, "tokens": 90_000 });
        let body = json!({ "gates": [], "clarification_timeout_s": null, "budgets": of_project });
        let stored = ada.put(&format!("{here}/settings"), body).await.json();
        assert_eq!(stored["budgets"]["tokens"], 90_000);

        let inherited = json!({
            "iterations": 4, "minutes": null, "tokens": 90_000, "usd_micros": 5_000_000,
            "clarifications": 10, "permission_prompts": 200, "doom_loop": 3,
        });
        let ready = ada.get(&format!("{here}/build-readiness")).await.json();
        assert_eq!((&ready["budgets"], obstacles(&ready)), (&inherited, vec![]));
        assert_eq!(start(&ada, &here, json!({})).await["budgets"], inherited);
        let own = json!({ "budgets": { "usd_micros": 1_000_000, "permission_prompts": 3 } });
        let build = start(&ada, &here, own).await;
        assert_eq!(build["budgets"]["usd_micros"], 1_000_000);
        assert_eq!((&build["budgets"]["tokens"], &build["budgets"]["permission_prompts"]), (&json!(90_000), &json!(3)));
        for (field, higher) in [("usd_micros", json!("unlimited")), ("tokens", json!(90_001))] {
            let request = json!({ "budgets": { field: higher } });
            let refused = ada.post(&format!("{here}/builds"), request).await.problem(422);
            assert!(refused["fields"][format!("budgets.{field}")].is_string(), "{refused}");
        }
        let body = json!({ "gates": [], "clarification_timeout_s": null, "budgets": { "iterations": 5 } });
        let refused = ada.put(&format!("{here}/settings"), body).await.problem(422);
        assert!(refused["fields"]["budgets.iterations"].is_string(), "{refused}");
        instance.stop().await;
    }

    async fn limit_out_of_range_is_rejected_at_every_level(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let admin = instance.admin().await;
        let here = project_with_phases(&admin).await;
        let wrong = json!({ "iterations": 0 });
        let refused = admin.put("/api/settings", settings(wrong.clone(), json!({}))).await;
        assert!(refused.problem(422)["fields"]["budgets.iterations"].is_string());
        let body = json!({ "gates": [], "clarification_timeout_s": null, "budgets": wrong });
        let refused = admin.put(&format!("{here}/settings"), body).await;
        assert!(refused.problem(422)["fields"]["budgets.iterations"].is_string());
        let refused = admin.post(&format!("{here}/builds"), json!({ "budgets": wrong })).await;
        assert!(refused.problem(422)["fields"]["budgets.iterations"].is_string());
        instance.stop().await;
    }

    async fn chosen_model_is_used_by_the_next_build(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let (admin, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let here = project_with_phases(&ada).await;
        assert_eq!(start(&ada, &here, unlimited()).await["model"], "claude-sonnet-5-5");
        let models = json!({ "default": "anthropic/m-2", "coder": " anthropic/m-3 " });
        let set = admin.put("/api/settings", settings(json!({}), models)).await.json();
        let coder = &set["models"][2];
        assert_eq!((&coder["role"], &coder["chosen"]), (&json!("coder"), &json!("anthropic/m-3")));
        let in_use: Vec<_> = set["models"].as_array().unwrap().iter().map(|m| text(&m["in_use"])).collect();
        assert_eq!(in_use, ["m-2", "m-2", "m-3", "m-2", "m-2"].map(|name| format!("anthropic/{name}")));
        assert_eq!(start(&ada, &here, unlimited()).await["model"], "m-3");
        assert_eq!(admin.get("/api/settings").await.json(), set);

        let closed = json!({ "scout": "openai/gpt-6.1-sol", "fixer": "gpt" });
        let refused = admin.put("/api/settings", settings(json!({}), closed)).await.problem(422);
        assert!(text(&refused["fields"]["models.scout"]).contains("OPENAI_API_KEY"), "{refused}");
        assert!(refused["fields"]["models.fixer"].is_string(), "{refused}");
        admin.put("/api/settings", settings(json!({}), json!({}))).await.json();
        assert_eq!(start(&ada, &here, unlimited()).await["model"], "claude-sonnet-5-5");
        let log = admin.get("/api/audit-log?action=installation_settings_changed").await.json();
        assert_eq!(log["items"].as_array().unwrap().len(), 2);
        assert_eq!(log["items"][1]["detail"]["models"]["coder"], "anthropic/m-3");
        instance.stop().await;
    }

    async fn configured_model_takes_precedence_over_the_chosen_one(database: Database) {
        let fixed = |config: Config| {
            let Config { models, .. } = with_model(config.clone());
            let fixed_by = [(None, "FORGEGUARD_MODEL".to_owned())].into();
            Config { models: ModelSettings { fixed_by, ..models }, ..config }
        };
        let instance = Instance::start_with(&database, fixed).await;
        let admin = instance.admin().await;
        let here = project_with_phases(&admin).await;
        let models = json!({ "default": "anthropic/m-2", "auditor": "anthropic/m-3" });
        let set = admin.put("/api/settings", settings(json!({}), models)).await.json();
        let default = json!({
            "role": null, "chosen": "anthropic/m-2", "fixed_by": "FORGEGUARD_MODEL",
            "in_use": "anthropic/claude-sonnet-5-5",
        });
        assert_eq!(set["models"][0], default);
        let auditor = &set["models"][3];
        assert_eq!((&auditor["fixed_by"], &auditor["in_use"]), (&json!(null), &json!("anthropic/m-3")));
        assert_eq!(start(&admin, &here, unlimited()).await["model"], "claude-sonnet-5-5");
        instance.stop().await;
    }

    async fn build_with_missing_requirements_is_rejected_before_it_is_queued(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let here = format!("/api/projects/{}", ada.project("P").await);
        let ready = ada.get(&format!("{here}/build-readiness")).await.json();
        let [(model, why), (phases, _)] = &obstacles(&ready)[..] else { panic!("{ready}") };
        assert_eq!((model.as_str(), phases.as_str()), ("model", "phases"));
        assert!(why.contains("ANTHROPIC_API_KEY"), "{why}");
        let content = json!({ "content": PHASES });
        ada.put(&format!("{here}/contracts/phases"), content).await.json();
        let refused = ada.post(&format!("{here}/builds"), json!({})).await.problem(409);
        assert_eq!(&refused["detail"], why);
        assert_eq!(ada.get(&format!("{here}/builds")).await.json()["items"], json!([]));

        // A contract with gaps.
        let ui = json!({ "content": "# UI\n\n[TODO: screens]\n\n[TODO: rules]\n" });
        let ui = ada.put(&format!("{here}/contracts/ui"), ui).await.json();
        assert_eq!(ui["gap_count"], 2);
        let ready = ada.get(&format!("{here}/build-readiness")).await.json();
        let [_, (gaps, why)] = &obstacles(&ready)[..] else { panic!("{ready}") };
        assert!(gaps == "gaps" && why.contains("ui: 2"), "{ready}");

        // The demo replays its own scenario.
        let admin = instance.admin().await;
        let demo = text(&admin.get("/api/projects").await.json()["items"][0]["id"]);
        let ready = admin.get(&format!("/api/projects/{demo}/build-readiness")).await.json();
        assert_eq!((obstacles(&ready), &ready["model"]), (vec![], &json!("offline")));
        instance.stop().await;
    }

    async fn build_of_contracts_with_gaps_is_rejected_until_they_are_filled_in(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let here = project_with_phases(&ada).await;
        let ui = |text: &str| json!({ "content": format!("# UI\n\n{text}\n") });
        ada.put(&format!("{here}/contracts/ui"), ui("[TODO: screens]")).await.json();
        let rejected = ada.post(&format!("{here}/builds"), json!({})).await.problem(409);
        assert!(text(&rejected["detail"]).contains("gaps (ui: 1)"), "{rejected}");
        assert_eq!(ada.get(&format!("{here}/builds")).await.json()["items"], json!([]));
        ada.put(&format!("{here}/contracts/ui"), ui("One page.")).await.json();
        start(&ada, &here, unlimited()).await;
        instance.stop().await;
    }

    async fn build_is_rejected_until_every_must_has_a_phase_and_a_proof(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let here = project_with_phases(&ada).await;
        let put = async |kind: &str, content: &str| {
            let path = format!("{here}/contracts/{kind}");
            ada.put(&path, json!({ "content": content })).await.json()
        };
        put("blueprint", "# B\n\n## Requirements\n\n- **R-1** (must, stated) It counts.\n").await;
        let rejected = ada.post(&format!("{here}/builds"), json!({})).await.problem(409);
        assert!(text(&rejected["detail"]).contains("No phase covers R-1"), "{rejected}");
        let ready = ada.get(&format!("{here}/build-readiness")).await.json();
        assert_eq!(obstacles(&ready)[0].0, "requirements", "{ready}");
        let findings = ada.get(&format!("{here}/contracts/findings")).await.json();
        let items = findings["items"].as_array().unwrap();
        assert!(items.iter().any(|item| item["rule"] == "requirement_proven"), "{findings}");
        let phases = "## Phase 0 — All\n\n**Covers:** R-1\n\n**Deliverables:**\n- x\n\n\
            **Exit criteria:**\n- R-1 — test: counts\n";
        put("phases", phases).await;
        start(&ada, &here, unlimited()).await;
        instance.stop().await;
    }

    async fn dollar_limit_needs_a_model_with_a_known_price(database: Database) {
        let unknown = |config| {
            let config: Config = with_model(config);
            let usual = ModelName { provider: ProviderName::Anthropic, model: "m-1".to_owned(), thinking: Default::default() };
            Config { models: ModelSettings { usual, ..config.models }, ..config }
        };
        let instance = Instance::start_with(&database, unknown).await;
        let admin = instance.admin().await;
        let here = project_with_phases(&admin).await;
        let limited = json!({ "budgets": { "usd_micros": 1_000_000 } });
        let refused = admin.post(&format!("{here}/builds"), limited).await.problem(409);
        assert!(text(&refused["detail"]).contains("m-1"), "{refused}");
        start(&admin, &here, unlimited()).await;
        instance.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn build_that_exceeds_its_budget_is_blocked_and_resumes_with_more() {
    for (limit, add, expected) in [
        (json!({ "tokens": 1_000 }), json!({ "tokens": 9_000_000 }), BlockReason::Tokens),
        (json!({ "usd_micros": 10_000 }), json!({ "usd_micros": 90_000_000 }), BlockReason::Usd),
    ] {
        let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
        let server = &fixture.server;
        greeting_project::prepare(&fixture).await;
        let path = format!("/api/projects/{}/builds", fixture.project);
        let build = text(&server.post(&path, json!({ "budgets": limit })).await["id"]);
        let id = build.parse().expect("an id");
        let mut follower = Follower::new(server.address(), server.token(), id);
        let mut blocked = Vec::new();
        loop {
            let event = timeout(EVENT_TIMEOUT, follower.event()).await;
            match event.unwrap_or_else(|_| panic!("no event\n{}", server.log())).body {
                EventBody::BuildBlocked(event) => {
                    blocked.push(event.reason);
                    let body = json!({ "add": add });
                    server.post(&format!("/api/builds/{build}/resume"), body).await;
                }
                EventBody::BuildSealed(_) => break,
                _ => {}
            }
        }
        assert_eq!(blocked, [expected], "once, and never again with more");
    }
}
