//! Commands of auditors run in a copy of the phase's files, of which nothing remains.

use std::sync::atomic::{AtomicUsize, Ordering};

use domain::event::EventBody;
use model_server::{Dialect, Turn};
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    project_fixture::{ProjectFixture, git},
    watched_build::WatchedBuild,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- `greeting.txt`\n\
    **Exit criteria:**\n- it greets\n";
const SPOIL: &str = "test ! -e planted.txt && echo planted > planted.txt && echo spoilt >> greeting.txt && cat *.txt";

fn runs(command: &str) -> Turn {
    Turn::reply().calls("run_command", json!({ "command": command }))
}

fn write(content: &str) -> Turn {
    Turn::reply().calls("write_file", json!({ "path": "greeting.txt", "content": content }))
}

fn judge(verdict: &str, more: Value) -> Turn {
    let citations = json!([{ "path": "greeting.txt", "first_line": 1 }]);
    let criterion =
        json!({ "index": 1, "result": "passed", "evidence": "it greets", "citations": citations });
    let mut input = json!({ "verdict": verdict, "criteria": [criterion] });
    for (name, value) in more.as_object().expect("an object") {
        input[name] = value.clone();
    }
    Turn::reply().calls("sign_off", input)
}

/// An auditor that rejects the phase in its first audit.
fn audit(audit: usize, turn: usize, news: &str) -> Turn {
    match turn {
        0 => runs(SPOIL),
        1 => {
            assert!(news.contains("planted") && news.contains("spoilt"), "{news}");
            judge("pass", json!({}))
        }
        2 => {
            assert!(news.contains("You have not read any file"), "{news}");
            runs("cat planted.txt")
        }
        3 => {
            assert!(news.contains("planted"), "one audit has one copy: {news}");
            write("rewritten\n")
        }
        4 => {
            assert!(news.contains("does not have"), "{news}");
            let reads = Turn::reply().calls("read_file", json!({ "path": "greeting.txt" }));
            reads.calls("list_directory", json!({}))
        }
        5 if audit == 1 => {
            assert!(!news.contains("spoilt") && !news.contains("planted"), "{news}");
            let finding =
                json!({ "severity": "error", "path": "greeting.txt", "line": 1, "text": "curt" });
            judge("fail", json!({ "findings": [finding] }))
        }
        _ => {
            let citations = json!([{ "path": "greeting.txt", "first_line": 1 }]);
            let fixed = json!({
                "id": "F-1", "status": "fixed", "evidence": "it is longer", "citations": citations
            });
            judge("pass", json!({ "earlier_findings": [fixed] }))
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_an_auditors_command_writes_reach_neither_build_nor_next_audit() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    let audits = AtomicUsize::new(0);
    fixture.model.play(move |seen| match (Agent::of(seen), seen.turn()) {
        (Agent::Auditor, turn) => {
            let number = match turn {
                0 => audits.fetch_add(1, Ordering::SeqCst) + 1,
                _ => audits.load(Ordering::SeqCst),
            };
            audit(number, turn, &seen.news().concat())
        }
        (Agent::Planner, 0) => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        (Agent::Planner, _) => Turn::says("=== PLAN ===\n1. Greet\nGates: none\n=== END PLAN ==="),
        (Agent::Coder, 0) => write("hello\n"),
        (Agent::Fixer, 0) => write("hello, dear reader\n"),
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    });
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let settings = json!({ "gates": [], "detect_gates": false, "clarification_timeout_s": null });
    fixture.set("settings", settings).await;
    let hosted = fixture.hosted();
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    watched.run_to_the_end().await;
    fixture.model.finish();
    let commands: Vec<_> = watched
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::BuildToolCallFinished(it) if it.tool == "run_command" => Some(it.ok),
            _ => None,
        })
        .collect();
    assert_eq!(commands, [true; 4], "each audit began with a clean copy");
    let diff = watched.server.get(&format!("/api/builds/{}/diff", watched.build)).await;
    assert!(diff.to_string().contains("greeting.txt"), "{diff}");
    assert!(!diff.to_string().contains("planted"), "{diff}");
    let branch = "forge/build-1";
    let files = git(&hosted, &["ls-tree", "-r", "--name-only", branch]);
    assert_eq!(files, ".gitignore\nREADME.md\ngreeting.txt");
    let content = git(&hosted, &["show", &format!("{branch}:greeting.txt")]);
    assert_eq!(content, "hello, dear reader");
    watched.server.stop().await;
}
