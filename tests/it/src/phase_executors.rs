//! Builds whose phases are implemented by different agents.

use domain::{
    event::{
        EventBody,
        agents::{Role, Task},
    },
    executor::Executor,
};
use model_server::Dialect;
use reqwest::Method;
use serde_json::json;

use crate::{
    project_fixture::ProjectFixture,
    scripted_project::{CODE, TEST, commit, turn_of},
    watched_build::WatchedBuild,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- src/greet.js\n\
    **Exit criteria:**\n- it greets — test: greets by name\n\n\
    ## Phase 1 — Partings\n**Deliverables:**\n- src/part.js\n\
    **Exit criteria:**\n- it parts — test: parts by name\n";

/// An agent that does not need a model.
const AGENT: &str = "const fs = require('node:fs');\n\
    fs.writeFileSync('src/part.js', 'exports.part = (name) => `Goodbye, ${name}!`;\\n');\n\
    fs.writeFileSync('test/part.test.js', [\n\
    \"const assert = require('node:assert');\",\n\
    \"const test = require('node:test');\",\n\
    \"const { part } = require('../src/part.js');\",\n\
    \"test('parts by name', () => assert.strictEqual(part('Ada'), 'Goodbye, Ada!'));\",\n\
    ].join('\\n') + '\\n');\n\
    console.log('=== TASK DONE: 1 ===');\n";

async fn project() -> ProjectFixture {
    let fixture =
        ProjectFixture::new(Dialect::Anthropic, "executor_command = \"node agent.js\"\n").await;
    commit(&fixture, &[("agent.js", AGENT.to_owned())]);
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let gate = json!({
        "name": "test", "command": "node --test test/", "timeout_s": 60, "required": true,
        "network": false, "report": null
    });
    fixture.set("settings", json!({ "gates": [gate], "clarification_timeout_s": null })).await;
    let writes = [("src/greet.js", CODE.to_owned()), ("test/greet.test.js", TEST.to_owned())];
    fixture.model.play(move |seen| turn_of(seen, &writes, "true", "src/greet.js"));
    fixture
}

#[tokio::test(flavor = "multi_thread")]
async fn each_phase_is_implemented_by_the_agent_chosen_for_it() {
    let fixture = project().await;
    let options = json!({ "phase_executors": [{ "phase": 1, "executor": "custom" }] });
    let mut watched = WatchedBuild::begin_with(fixture.server, fixture.project, options).await;
    let begun = watched.run_until(|_, event| match &event.body {
        EventBody::BuildPhaseStarted(started) => started.phase == 1,
        _ => false,
    });
    begun.await.expect("the second phase");
    watched.kill_and_restart().await;
    watched.run_to_the_end().await;
    watched.assert_certified().await;

    let runs = watched.events.iter().filter_map(|event| match &event.body {
        EventBody::BuildAgentStarted(run) => Some(run),
        _ => None,
    });
    let coders = runs.filter(|run| run.role == Role::Coder);
    let mut found: Vec<_> = coders.map(|run| (run.phase, run.task, run.executor)).collect();
    found.dedup();
    let expected = [
        (0, Task::Plan, Executor::Builtin),
        (0, Task::Execute, Executor::Builtin),
        (1, Task::Plan, Executor::Builtin),
        (1, Task::Execute, Executor::Custom),
    ];
    assert_eq!(found, expected);
    let path = format!("/api/builds/{}", watched.build);
    let shown = watched.server.get(&path).await;
    assert_eq!(shown["executor"], "builtin");
    assert_eq!(shown["phase_executors"], json!([{ "phase": 1, "executor": "custom" }]));
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_phases_and_agents_that_cannot_be_used_start_nothing() {
    let fixture = project().await;
    let builds = format!("/api/projects/{}/builds", fixture.project);
    let start = async |mut options: serde_json::Value, status: u16| {
        options["budgets"] = json!({ "usd_micros": "unlimited" });
        let answer = fixture.server.request(Method::POST, &builds, Some(options)).await;
        answer.problem(status).to_string()
    };
    let own = |phase: u32, executor: &str| json!({ "phase": phase, "executor": executor });
    let unknown = start(json!({ "phase_executors": [own(7, "custom")] }), 422).await;
    assert!(unknown.contains("phase 7 is not one of the phases that are built"), "{unknown}");
    let skipped = json!({ "phase_executors": [own(0, "custom")], "first_phase": 1 });
    assert!(start(skipped, 422).await.contains("phase 0 is not one"));
    let twice = json!({ "phase_executors": [own(1, "custom"), own(1, "builtin")] });
    assert!(start(twice, 422).await.contains("named twice"));
    let missing = start(json!({ "phase_executors": [own(1, "codex")] }), 409).await;
    assert!(missing.contains("codex was not found on this node"), "{missing}");
    let listed = fixture.server.get(&builds).await;
    assert_eq!(listed["items"], json!([]));
    fixture.server.stop().await;
}
