//! Requirements for signing off a phase, and what a fixer receives and can do.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use domain::{
    event::{Event, EventBody, life::BlockReason},
    verdict::Verdict,
};
use model_server::{Dialect, ModelServer, Seen, Turn};
use serde_json::{Value, json};

use crate::{agent::Agent, project_fixture::ProjectFixture, watched_build::WatchedBuild};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n\
    **Scope:** `greeting.txt`\n**Exit criteria:**\n- it greets\n";
const PASS: &str = "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
    === END PHASE SIGN-OFF ===";
const DONE: &str = "=== TASK DONE: 1 ===\nIt greets.";

/// A competent scout, planner and auditor.
fn usual(agent: Agent, turn: usize) -> Turn {
    match (agent, turn) {
        (Agent::Planner, 0) => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        (Agent::Planner, _) => Turn::says("=== PLAN ===\n1. Greet\nGates: none\n=== END PLAN ==="),
        (Agent::Auditor, 0) => Turn::reply().calls("search_code", json!({ "pattern": "hello" })),
        (Agent::Auditor, _) => Turn::says(PASS),
        _ => Turn::says(DONE),
    }
}

fn write(content: &str) -> Turn {
    Turn::reply().calls("write_file", json!({ "path": "greeting.txt", "content": content }))
}

async fn begin(
    gates: Value,
    play: impl FnMut(&Seen) -> Turn + Send + 'static,
) -> (WatchedBuild, ModelServer) {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.model.play(play);
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let settings = json!({
        "gates": gates, "detect_gates": false, "clarification_timeout_s": null
    });
    fixture.set("settings", settings).await;
    (WatchedBuild::begin(fixture.server, fixture.project).await, fixture.model)
}

fn verdict(watched: &WatchedBuild) -> Verdict {
    match watched.events.last().map(|event| &event.body) {
        Some(EventBody::BuildSealed(sealed)) => sealed.verdict,
        other => panic!("not sealed: {other:?}"),
    }
}

fn is_blocked(event: &Event) -> bool {
    matches!(event.body, EventBody::BuildBlocked(_))
}

#[tokio::test(flavor = "multi_thread")]
async fn phase_that_changes_nothing_is_not_signed_off_until_a_resumed_fixer_works() {
    let works = Arc::new(AtomicBool::new(false));
    let is_working = works.clone();
    let (mut watched, model) = begin(json!([]), move |seen| match (Agent::of(seen), seen.turn()) {
        (Agent::Fixer, 0) if is_working.load(Ordering::SeqCst) => write("hello\n"),
        (Agent::Fixer | Agent::Coder, _) => Turn::says(DONE),
        (agent, turn) => usual(agent, turn),
    })
    .await;
    let blocked = watched.run_until(|_, event| is_blocked(event)).await.expect("it is blocked");
    let EventBody::BuildBlocked(blocked) = blocked.body else { panic!("{blocked:?}") };
    assert_eq!(blocked.reason, BlockReason::FixAttempts, "{blocked:?}");
    let mut unchanged = 0;
    let findings: Vec<&str> = watched
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::BuildAgentFinished(it) => it.findings.first().map(|it| it.text.as_str()),
            EventBody::BuildCommitCreated(_) => panic!("nothing is committed"),
            EventBody::BuildFixAttemptStarted(it) => {
                assert!(it.attempt <= 3, "{it:?}");
                None
            }
            EventBody::BuildFixAttemptResult(it) => {
                assert!(it.unchanged && !it.passed, "{it:?}");
                unchanged += 1;
                None
            }
            _ => None,
        })
        .collect();
    // Neither gates nor an auditor look again at what has not changed.
    assert_eq!((findings.len(), unchanged), (1, 3), "{findings:?}");
    assert!(findings.iter().all(|text| text.contains("changed no file")), "{findings:?}");

    works.store(true, Ordering::SeqCst);
    watched.server.post(&format!("/api/builds/{}/resume", watched.build), json!({})).await;
    let resumed = |_, event: &Event| matches!(event.body, EventBody::BuildUnpaused(_));
    // `run_until` ends at a blocked build, so the request is read first.
    while !watched.events.last().is_some_and(|event| resumed(0, event)) {
        let event = watched.follower.event().await;
        watched.note(event);
    }
    watched.run_to_the_end().await;
    // Nothing is wrong, but no test has run.
    assert_eq!(verdict(&watched), Verdict::Conditional);
    model.finish();
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fixer_removes_uncommittable_files_and_files_outside_the_scope() {
    const STRAY: &str = "mkdir 'git~1' && touch 'git~1/a' && echo x > stray.txt";
    let (mut watched, model) = begin(json!([]), |seen| match (Agent::of(seen), seen.turn()) {
        (Agent::Coder, 0) => write("hello\n"),
        (Agent::Coder, 1) => {
            Turn::reply().calls("write_file", json!({ "path": "stray.txt", "content": "x" }))
        }
        (Agent::Coder, 2) => {
            assert!(seen.news().concat().contains("outside the scope"), "{:?}", seen.news());
            Turn::reply().calls("run_command", json!({ "command": STRAY }))
        }
        (Agent::Fixer, 0) => {
            let prompts = seen.news().concat();
            assert!(prompts.contains("`git~1`; it cannot be committed: remove it"), "{prompts}");
            assert!(prompts.contains("stray.txt: outside the phase's scope"), "{prompts}");
            let line = "rm -r 'git~1' stray.txt";
            Turn::reply().calls("run_command", json!({ "command": line }))
        }
        (Agent::Fixer, _) => Turn::says("Both are removed."),
        (agent, turn) => usual(agent, turn),
    })
    .await;
    watched.run_to_the_end().await;
    let fixes = watched
        .events
        .iter()
        .filter(|event| matches!(event.body, EventBody::BuildFixAttemptStarted(_)))
        .count();
    assert_eq!(fixes, 1);
    assert_eq!(verdict(&watched), Verdict::Conditional);
    model.finish();
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fixer_receives_gate_output_from_hundreds_of_events_ago() {
    let gate = |name: &str, command: &str| {
        json!({
            "name": name, "command": command, "timeout_s": 600, "required": true, "network": false
        })
    };
    let gates = json!([
        gate("first", "echo EARLIEST OUTPUT; grep -q hello greeting.txt"),
        gate(
            "second",
            "test ! -e greeting.txt || echo waiting; while test -e greeting.txt && ! test -e go; do sleep 0.1; done"
        ),
    ]);
    let prompts = Arc::new(Mutex::new(String::new()));
    let recorded = prompts.clone();
    let (mut watched, model) = begin(gates, move |seen| match (Agent::of(seen), seen.turn()) {
        (Agent::Coder, 0) => write("good morning\n"),
        (Agent::Fixer, 0) => {
            *recorded.lock().expect("no panic") = seen.news().concat();
            write("hello\n")
        }
        (agent, turn) => usual(agent, turn),
    })
    .await;
    watched.wait_for("output", "waiting").await;
    let path = format!("/api/builds/{}/interject", watched.build);
    for n in 0..250 {
        watched.server.post(&path, json!({ "text": format!("note {n}") })).await;
    }
    let worktree = watched.server.data().join(format!("worktrees/{}", watched.build));
    std::fs::write(worktree.join("go"), "").expect("a file");
    // Once the fixer calls a tool, it has received its task.
    let fixing = |_, event: &Event| matches!(event.body, EventBody::BuildToolCallStarted(_));
    watched.run_until(fixing).await.expect("a fix is tried");
    let prompts = prompts.lock().expect("no panic").clone();
    assert!(prompts.contains("EARLIEST OUTPUT"), "{prompts}");
    watched.server.post(&format!("/api/builds/{}/cancel", watched.build), json!({})).await;
    watched.run_to_the_end().await;
    model.finish();
    watched.server.stop().await;
}
