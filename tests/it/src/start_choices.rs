//! Builds that start from a chosen branch, phase and snapshot, with chosen models.

use std::collections::BTreeSet;

use domain::event::{EventBody, agents::Role};
use model_server::Dialect;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    greeting_project,
    harness::text,
    project_fixture::{ProjectFixture, git},
    watched_build::WatchedBuild,
};

#[tokio::test(flavor = "multi_thread")]
async fn build_starts_from_the_chosen_branch_and_phase_with_the_chosen_models() {
    let settings = "[catalog.m-2]\ninput = 1\noutput = 2\n";
    let fixture = ProjectFixture::new(Dialect::Anthropic, settings).await;
    greeting_project::prepare(&fixture).await;
    let hosted = fixture.hosted();
    let feature = git(&hosted, &["commit-tree", "main^{tree}", "-p", "main", "-m", "feature"]);
    git(&hosted, &["branch", "feature", &feature]);
    let main = git(&hosted, &["rev-parse", "main"]);
    let here = format!("/api/projects/{}", fixture.project);
    let ProjectFixture { server, model: _model, project } = fixture;

    let builds = format!("{here}/builds");
    let last = greeting_project::PHASES as u32 - 1;
    let unknown = uuid::Uuid::nil();
    for (field, wrong) in [
        ("baseline_branch", json!({ "baseline_branch": "other" })),
        ("baseline_branch", json!({ "baseline_branch": format!("forge/build-{unknown}") })),
        ("first_phase", json!({ "first_phase": last + 1 })),
        ("snapshot", json!({ "snapshot": unknown })),
        ("models.auditor", json!({ "models": { "auditor": "openai/m-2" } })),
        ("models.scout", json!({ "models": { "scout": "nonsense" } })),
    ] {
        let refused = server.request(Method::POST, &builds, Some(wrong)).await.problem(422);
        assert!(refused["fields"][field].is_string(), "{field}: {refused}");
    }
    let ready = server.get(&format!("{here}/build-readiness?auditor=anthropic/m-2")).await;
    let of_role = |role: &str| {
        let models = ready["models"].as_array().unwrap().iter();
        models.filter(|it| it["role"] == role).map(|it| text(&it["model"])).next().unwrap()
    };
    assert_eq!(
        (of_role("coder"), of_role("auditor")),
        ("anthropic/m-1".into(), "anthropic/m-2".into())
    );
    assert_eq!(ready["phases"].as_array().unwrap().len(), greeting_project::PHASES);
    let unpriced = server.get(&format!("{here}/build-readiness?scout=openai/m-2")).await;
    assert_eq!(unpriced["obstacles"][0]["kind"], "model", "{unpriced}");

    let options = json!({
        "baseline_branch": "feature", "first_phase": last,
        "models": { "auditor": " anthropic/m-2 ", "fixer": "" },
    });
    let mut build = WatchedBuild::begin_with(server, project.clone(), options).await;
    build.run_until(|_, event| matches!(event.body, EventBody::BuildPlanUpdated(_))).await;
    // The choice is recorded: another worker uses it too.
    build.kill_and_restart().await;
    build.run_to_the_end().await;
    let shown = build.server.get(&format!("/api/builds/{}", build.build)).await;
    assert_eq!((&shown["status"], &shown["baseline_sha"]), (&json!("sealed"), &json!(feature)));
    assert_eq!(shown["baseline_branch"], "feature");
    assert_eq!(shown["models"]["auditor"], "anthropic/m-2", "{shown}");
    assert_ne!(shown["verdict"], "CERTIFIED");
    let statuses: Vec<_> =
        shown["phases"].as_array().unwrap().iter().map(|it| text(&it["status"])).collect();
    assert_eq!(statuses, ["skipped", "skipped", "complete"]);
    assert_eq!(shown["phases"][0]["skipped"]["reason"], format!("started at phase {last}"));
    let used: BTreeSet<(Role, String)> = build
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::BuildAgentStarted(it) => Some((it.role, it.model.clone())),
            _ => None,
        })
        .collect();
    assert!(used.contains(&(Role::Auditor, "m-2".to_owned())), "{used:?}");
    assert!(
        used.iter().all(|(role, model)| (*role == Role::Auditor) == (model == "m-2")),
        "{used:?}"
    );
    assert_eq!(git(&hosted, &["rev-parse", "main", "feature"]), format!("{main}\n{feature}"));
    build.assert_journal_is_whole(&shown).await;

    // Its branch and its contracts are offered to the next build.
    let branches = build.server.get(&format!("{here}/branches")).await;
    let listed: Vec<_> =
        branches["items"].as_array().unwrap().iter().map(|it| text(&it["name"])).collect();
    let branch = text(&shown["branch"]);
    assert_eq!(listed, ["main".to_owned(), "feature".to_owned(), branch.clone()]);
    assert_eq!(branches["items"][2]["build_id"], json!(build.build));
    let snapshots = build.server.get(&format!("{here}/contracts/snapshots")).await;
    let snapshot = &snapshots["items"][0];
    let phases = json!({ "content": "## Phase 0 — Other\n**Deliverables:**\n- x\n**Exit criteria:**\n- y\n" });
    build.server.put(&format!("{here}/contracts/phases"), phases).await;
    let options = json!({ "baseline_branch": branch, "snapshot": snapshot["id"] });
    let mut next = WatchedBuild::begin_with(build.server, project, options).await;
    let starts =
        |_: u64, event: &domain::event::Event| matches!(event.body, EventBody::BuildStarted(_));
    next.run_until(starts).await.expect("it starts");
    let second: Value = next.server.get(&format!("/api/builds/{}", next.build)).await;
    assert_eq!(second["baseline_sha"], shown["seal"]["seal_commit"]);
    assert_eq!(second["phases"].as_array().unwrap().len(), greeting_project::PHASES);
    assert!(second["pinned_at"].is_string(), "{second}");
    next.server.post(&format!("/api/builds/{}/cancel", next.build), json!({})).await;
    next.run_to_the_end().await;
    next.server.stop().await;
}
