//! A build that leaves a criterion, a finding and a skipped test for a person to settle.

use domain::event::{EventBody, life::Sealed, questions::ClarificationKind};
use model_server::{Dialect, ModelServer, Seen, Turn};
use serde_json::json;

use crate::{harness::text, project_fixture::ProjectFixture, watched_build::WatchedBuild};

const BLUEPRINT: &str = "# B\n\n## Requirements\n\n- **R-1** (must, assumed) It greets friends.\n\
    - **R-2** (must, stated) It greets by name.\n";
const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Covers:** R-1, R-2\n\
    **Deliverables:**\n- src/greet.js\n**Exit criteria:**\n- R-1 — person\n\
    - R-2 — test: greets by name\n";
const CODE: &str = "exports.greet = (name) => `Hello, ${name}!`;\n";
const TEST: &str = "const assert = require('node:assert');\nconst test = require('node:test');\n\
    const { greet } = require('../src/greet.js');\n\ntest('greets by name', () => {\n  \
    assert.strictEqual(greet('Ada'), 'Hello, Ada!');\n});\n\ntest.skip('waves', () => {});\n";

/// Builds a greeting with a skipped test, and judges it with a warning.
fn turn(seen: &Seen) -> Turn {
    let system = seen.system();
    let write = |path: &str, content: &str| {
        Turn::reply().calls("write_file", json!({ "path": path, "content": content }))
    };
    match seen.turn() {
        _ if system.contains("You are the scout") => Turn::says("Little is there."),
        0 if system.contains("You are the auditor") => {
            Turn::reply().calls("read_file", json!({ "path": "src/greet.js" }))
        }
        _ if system.contains("You are the auditor") => Turn::reply().calls(
            "sign_off",
            json!({
                "verdict": "pass",
                "criteria": [
                    { "index": 1, "result": "unverified", "evidence": "only a person can tell" },
                    { "index": 2, "result": "passed", "evidence": "the test ran" },
                ],
                "findings": [{ "severity": "warning", "path": "src/greet.js", "line": 1,
                    "text": "It has no comment." }],
            }),
        ),
        0 if seen.is_planning() => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        _ if seen.is_planning() => {
            Turn::says("=== PLAN ===\n1. Greet\nGates: test\n=== END PLAN ===")
        }
        0 => write("src/greet.js", CODE),
        1 => write("tests/greet.test.js", TEST),
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

/// A build that is about to ask about its assumption, and its model.
pub async fn begin() -> (WatchedBuild, ModelServer) {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.model.play(turn);
    fixture.set("contracts/blueprint", json!({ "content": BLUEPRINT })).await;
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let gate = json!({
        "name": "test", "command": "node --test", "timeout_s": 60, "required": true,
        "network": false
    });
    let settings = json!({
        "gates": [gate], "clarification_timeout_s": null, "red_check": false,
        "mutation_sample": null
    });
    fixture.set("settings", settings).await;
    let ProjectFixture { server, model, project } = fixture;
    (WatchedBuild::begin(server, project).await, model)
}

/// Runs until a question of this kind is open; returns its id.
pub async fn until_asked(build: &mut WatchedBuild, kind: ClarificationKind) -> String {
    let is_asked = |_: u64, event: &domain::event::Event| match &event.body {
        EventBody::BuildClarificationRequest(asked) => asked.kind == kind,
        _ => false,
    };
    build.run_until(is_asked).await.expect("it asks");
    text(&build.answer.take().expect("a question")["question_id"])
}

pub fn sealed(build: &WatchedBuild) -> &Sealed {
    match build.events.last().map(|event| &event.body) {
        Some(EventBody::BuildSealed(sealed)) => sealed,
        other => panic!("not sealed: {other:?}"),
    }
}
