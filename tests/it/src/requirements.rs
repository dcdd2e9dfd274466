//! Requirements: assumptions that are confirmed, reworded and removed, and the matrix of a build.

use model_server::Dialect;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    greeting_project,
    harness::{Database, Instance, text},
    project_fixture::ProjectFixture,
    watched_build::WatchedBuild,
};

const BLUEPRINT: &str = "# B\n\n## Requirements\n\n- **R-1** (must, assumed) It greets.\n  \
    - R-1.a Given a morning, when it starts, then it greets.\n\
    - **R-2** (should, stated) It is small.\n";

/// Id, source, text and state of each requirement.
fn summary(found: &Value) -> Vec<(String, String, String, String)> {
    let items = found["items"].as_array().expect("items");
    let field = |item: &Value, name: &str| text(&item[name]);
    let row = |item: &Value| {
        (field(item, "id"), field(item, "source"), field(item, "text"), field(item, "state"))
    };
    items.iter().map(row).collect()
}

support::on_both! {
    async fn assumptions_are_confirmed_reworded_and_removed(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let here = format!("/api/projects/{}", ada.project("P").await);
        let all = format!("{here}/requirements");
        let none = ada.get(&all).await.json();
        assert_eq!((&none["version"], &none["items"]), (&json!(0), &json!([])));
        ada.put(&format!("{here}/contracts/blueprint"), json!({ "content": BLUEPRINT })).await.json();
        let first = ada.get(&all).await.json();
        let row = |id: &str, source: &str, text: &str| {
            (id.to_owned(), source.to_owned(), text.to_owned(), "not_built".to_owned())
        };
        let second = row("R-2", "stated", "It is small.");
        assert_eq!(summary(&first), [row("R-1", "assumed", "It greets."), second.clone()]);

        let one = format!("{all}/R-1");
        let confirmed = ada.patch(&one, json!({ "version": 1 })).await.json();
        assert_eq!(confirmed["version"], 2);
        assert_eq!(summary(&confirmed), [row("R-1", "stated", "It greets."), second.clone()]);
        let late = ada.patch(&one, json!({ "version": 1, "text": "It waves." })).await.problem(409);
        assert!(text(&late["detail"]).contains("changed since you read it"), "{late}");
        let reworded = ada.patch(&one, json!({ "version": 2, "text": "It waves." })).await.json();
        assert_eq!(summary(&reworded), [row("R-1", "stated", "It waves."), second.clone()]);
        let wrapped = json!({ "version": 3, "text": "It\n- R-9 (must, stated) waves." });
        ada.patch(&one, wrapped).await.problem(422);
        ada.patch(&format!("{all}/R-9"), json!({ "version": 3 })).await.problem(404);
        let removed = ada.delete(&format!("{one}?version=3")).await.json();
        assert_eq!(summary(&removed), [second]);
        let blueprint = ada.get(&format!("{here}/contracts/blueprint")).await.json();
        assert!(!text(&blueprint["content"]).contains("R-1"), "{blueprint}");
        instance.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn matrix_of_a_build_names_criteria_proofs_and_files() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    greeting_project::prepare(&fixture).await;
    fixture.set("contracts/blueprint", json!({ "content": BLUEPRINT })).await;
    let phase = |n: usize, criterion: &str| {
        format!(
            "## Phase {n} — Greeting\n**Covers:** R-1\n**Deliverables:**\n- greeting-{n}.txt\n\
             **Exit criteria:**\n- {criterion}\n\n"
        )
    };
    let phases: String = ["R-1.a — review", "R-2 — test: greets", "it greets"]
        .iter()
        .enumerate()
        .map(|(n, criterion)| phase(n, criterion))
        .collect();
    fixture.set("contracts/phases", json!({ "content": format!("# Phases\n{phases}") })).await;
    let ProjectFixture { server, model: _model, project } = fixture;
    let mut build = WatchedBuild::begin(server, project).await;
    build.run_to_the_end().await;
    let matrix = build.server.get(&format!("/api/builds/{}/requirements", build.build)).await;
    let standing = |row: &Value| (text(&row["id"]), text(&row["standing"]));
    let rows: Vec<_> = matrix["items"].as_array().expect("rows").iter().map(standing).collect();
    let expected = [("R-1", "open"), ("R-2", "open")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(rows, expected, "{matrix}");
    let first = &matrix["items"][0];
    assert_eq!(first["phases"], json!([0, 1, 2]));
    assert!(text(&first["reason"]).contains("not confirmed yet"), "{first}");
    assert_eq!(first["criteria"][0]["proof"]["standing"], "holds");
    assert_eq!(matrix["phase_files"][1], json!({ "phase": 1, "files": ["greeting-1.txt"] }));
    let seal = build.server.get(&format!("/api/builds/{}", build.build)).await["seal"].clone();
    assert_eq!(seal["verdict"], "CONDITIONAL", "{seal}");

    let all = format!("/api/projects/{}/requirements", build.project);
    let states = |found: &Value| {
        summary(found).into_iter().map(|(_, _, _, state)| state).collect::<Vec<_>>()
    };
    assert_eq!(states(&build.server.get(&all).await), ["open", "open"]);
    let patch = async |body: Value| {
        let one = format!("{all}/R-1");
        build.server.request(Method::PATCH, &one, Some(body)).await.json()
    };
    let confirmed = patch(json!({ "version": 1 })).await;
    assert_eq!(states(&confirmed), ["proven", "open"]);
    let reworded = patch(json!({ "version": 2, "text": "It waves." })).await;
    assert_eq!(states(&reworded), ["stale", "open"]);
    let report = build.server.get_text(&format!("/api/builds/{}/report", build.build)).await;
    assert!(report.contains("0 of 2 requirements are proven."), "{report}");
    build.server.stop().await;
}
