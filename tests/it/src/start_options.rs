//! What users choose when they start a build.

use serde_json::{Value, json};

use crate::harness::{Database, Instance, Person, text, with_model};

const PHASES: &str = "## Phase 0 — Greeting\n\n**Deliverables:**\n- greeting.txt\n\n\
    **Exit criteria:**\n- it greets\n";

async fn project(owner: &Person) -> String {
    let here = format!("/api/projects/{}", owner.project("P").await);
    let phases = json!({ "content": PHASES });
    owner.put(&format!("{here}/contracts/phases"), phases).await.json();
    here
}

/// Starts a build without a limit of its cost, returns it and cancels it.
async fn start(owner: &Person, project: &str, mut request: Value) -> Value {
    request["budgets"] = json!({ "usd_micros": "unlimited" });
    let made = owner.post(&format!("{project}/builds"), request).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let build = made.json();
    owner.post(&format!("/api/builds/{}/cancel", text(&build["id"])), json!({})).await;
    build
}

support::on_both! {
    async fn title_description_and_exploration_are_stored_with_the_build(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let here = project(&ada).await;
        let request = json!({
            "title": " Add a greeting ", "description": "Greets by name.\n", "exploration": "never",
        });
        let build = start(&ada, &here, request).await;
        assert_eq!(build["title"], "Add a greeting");
        assert_eq!(build["description"], "Greets by name.");
        assert_eq!(build["exploration"], "never");
        let plain = start(&ada, &here, json!({ "title": " ", "description": "" })).await;
        assert_eq!((&plain["title"], &plain["description"]), (&json!(null), &json!(null)));
        assert_eq!(plain["exploration"], "auto");
        let listed = ada.get(&format!("{here}/builds")).await.json();
        let titles: Vec<_> = listed["items"].as_array().unwrap().iter().map(|it| &it["title"]).collect();
        assert_eq!(titles, [&json!(null), &json!("Add a greeting")]);
        instance.stop().await;
    }

    async fn plan_approval_is_inherited_from_the_project(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let here = project(&ada).await;
        assert_eq!(start(&ada, &here, json!({})).await["plan_approval"], "never");
        let settings = json!({
            "gates": [], "clarification_timeout_s": null, "plan_approval": "first_phase",
        });
        let stored = ada.put(&format!("{here}/settings"), settings).await.json();
        assert_eq!(stored["plan_approval"], "first_phase");
        assert_eq!(start(&ada, &here, json!({})).await["plan_approval"], "first_phase");
        let own = json!({ "plan_approval": "every_phase" });
        assert_eq!(start(&ada, &here, own).await["plan_approval"], "every_phase");
        instance.stop().await;
    }

    async fn texts_that_are_too_long_are_rejected(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let here = project(&ada).await;
        for (field, longest) in [("title", 120), ("description", 2_000)] {
            let of = |length: usize| json!({ field: "ä".repeat(length) });
            start(&ada, &here, of(longest)).await;
            let refused = ada.post(&format!("{here}/builds"), of(longest + 1)).await.problem(422);
            assert!(refused["fields"][field].is_string(), "{refused}");
        }
        instance.stop().await;
    }
}
