//! What build tools leave behind in a new project is not committed.

use domain::event::EventBody;
use model_server::{Dialect, Seen, Turn};
use serde_json::json;

use crate::{
    agent::Agent,
    project_fixture::{ProjectFixture, git},
    watched_build::WatchedBuild,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.py\n\
    **Exit criteria:**\n- it greets\n";
/// As Python, npm, cargo and pytest leave them.
const LEAVE: &str = "mkdir -p __pycache__ web/node_modules/left target/debug .pytest_cache && \
    touch __pycache__/greeting.cpython-313.pyc web/node_modules/left/pad.js target/debug/app \
    .pytest_cache/README.md";

fn turn(seen: &Seen) -> Turn {
    match (Agent::of(seen), seen.turn()) {
        (Agent::Planner, 0) => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        (Agent::Planner, _) => Turn::reply().calls("submit_plan", json!({ "steps": ["Greet"] })),
        (Agent::Coder, 0) => Turn::reply()
            .calls("write_file", json!({ "path": "greeting.py", "content": "print('Hello')\n" }))
            .calls("run_command", json!({ "command": LEAVE })),
        (Agent::Coder, _) => Turn::reply()
            .calls("finish_step", json!({ "step": 1 }))
            .calls("finish_phase", json!({ "summary": "It greets." })),
        (Agent::Auditor, 0) => Turn::reply().calls("read_file", json!({ "path": "greeting.py" })),
        _ => Turn::says(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.py:1\n\
             === END PHASE SIGN-OFF ===",
        ),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn leftovers_of_build_tools_are_not_committed() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.model.play(turn);
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let gate = json!({
        "name": "leaves", "command": LEAVE, "timeout_s": 60, "required": true, "network": false
    });
    fixture.set("settings", json!({ "gates": [gate], "clarification_timeout_s": null })).await;
    let hosted = fixture.hosted();
    let mut build = WatchedBuild::begin(fixture.server, fixture.project).await;
    build.run_to_the_end().await;
    let shown = build.server.get(&format!("/api/builds/{}", build.build)).await;
    assert_eq!(shown["status"], "sealed", "{shown}");
    let left = build.events.iter().any(|event| {
        matches!(&event.body, EventBody::BuildToolCallFinished(it) if it.tool == "run_command" && it.ok)
    });
    assert!(left, "the command has run");
    let branch = shown["branch"].as_str().expect("a branch");
    let files = git(&hosted, &["ls-tree", "-r", "--name-only", branch]);
    let files: Vec<&str> = files.lines().filter(|path| !path.starts_with(".forge")).collect();
    assert_eq!(files, [".gitignore", "README.md", "greeting.py"]);
    fixture.model.finish();
    build.server.stop().await;
}
