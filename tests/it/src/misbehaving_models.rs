//! Models that do not do what the loop expects: each build stops and states its reason; none is sealed.

use domain::event::{EventBody, agents::RunOutcome};
use futures::{StreamExt, stream};
use model_server::{Dialect, Seen, Turn};
use serde_json::json;

use crate::{agent::Agent, project_fixture::ProjectFixture, watched_build::WatchedBuild};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- `greeting.txt`\n\
    **Exit criteria:**\n- it greets\n";
/// The auditor's judgement, whatever there is.
const PASS: &str = "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — README.md:1\n\
    === END PHASE SIGN-OFF ===";
const FLOOD: usize = 5_000_000;
/// Of the request after a flood, which a model must be able to read.
const MAX_REQUEST: usize = 200_000;
/// Builds at a time.
const CONCURRENCY: usize = 2;

/// What the coder and the fixer do, by request.
type Behaviour = fn(&Seen) -> Turn;

fn calls(name: &str, input: serde_json::Value) -> Turn {
    Turn::reply().calls(name, input)
}

fn asks(reply: Turn) -> Turn {
    reply.calls("forge_ask_clarification", json!({ "question": "Which greeting is meant?" }))
}

fn after_flood(seen: &Seen) -> Turn {
    let length = seen.json.to_string().len();
    assert!(length < MAX_REQUEST, "{length}");
    Turn::says("It is done.")
}

/// A name, the behaviour, and what the build says about it.
const CASES: [(&str, Behaviour, &str); 12] = [
    ("answers in prose", |_| Turn::says("I would greet, in a file."), "changed no file"),
    ("calls an unknown tool", |_| calls("create_file", json!({})), "same call of create_file"),
    (
        "calls unknown tools",
        |seen| calls(&format!("tool_{}", seen.turn()), json!({})),
        "it was not done after 60 replies",
    ),
    ("repeats itself", |_| calls("list_directory", json!({})), "same call of list_directory"),
    (
        "edits a missing file",
        |_| {
            let input = json!({ "path": "none.txt", "old_text": "a", "new_text": "b" });
            calls("edit_file", input)
        },
        "same call of edit_file",
    ),
    (
        "edits missing text",
        |seen| match seen.turn() {
            0 => calls("write_file", json!({ "path": "greeting.txt", "content": "hello\n" })),
            turn => {
                let old = format!("line {turn}");
                let input = json!({ "path": "greeting.txt", "old_text": old, "new_text": "b" });
                calls("edit_file", input)
            }
        },
        "it was not done after 60 replies",
    ),
    (
        "floods the output of a command",
        |seen| match seen.turn() {
            0 => {
                let line = format!("head -c {FLOOD} /dev/zero | tr '\\0' x");
                calls("run_command", json!({ "command": line }))
            }
            _ => after_flood(seen),
        },
        "changed no file",
    ),
    (
        "floods a file",
        |seen| match seen.turn() {
            0 => {
                let line = format!("head -c {FLOOD} /dev/zero | tr '\\0' x > noise");
                calls("run_command", json!({ "command": line }))
            }
            1 => calls("read_file", json!({ "path": "noise" })),
            2 => calls("search_code", json!({ "pattern": "x" })),
            3 => calls("run_command", json!({ "command": "rm noise" })),
            _ => after_flood(seen),
        },
        "changed no file",
    ),
    ("floods its reply", |_| Turn::says("x".repeat(FLOOD)), "changed no file"),
    (
        "asks the same question five times in one reply",
        |seen| match seen.turn() {
            0 => (0..5).fold(Turn::reply(), |reply, _| asks(reply)),
            _ => Turn::says("I leave it as it is."),
        },
        "Another call of this reply asks the same",
    ),
    (
        "asks the same question in five replies",
        |seen| match seen.turn() {
            0..5 => asks(Turn::reply()),
            _ => Turn::says("I leave it as it is."),
        },
        "same call of forge_ask_clarification",
    ),
    ("says nothing", |_| Turn::reply(), "it replied with neither text nor calls"),
];

/// Plays a build until it is sealed, blocked or about to repeat a failed run. Returns whether it was
/// sealed, what it said, and how many questions it asked.
async fn play(behaviour: Behaviour) -> (bool, String, usize) {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.model.play(move |seen| match (Agent::of(seen), seen.turn()) {
        (Agent::Coder | Agent::Fixer, _) => behaviour(seen),
        (Agent::Planner, 0) => calls("forge_get_phase_brief", json!({ "phase_number": 0 })),
        (Agent::Planner, _) => Turn::says("=== PLAN ===\n1. Greet\nGates: none\n=== END PLAN ==="),
        (Agent::Auditor, 0) => calls("search_code", json!({ "pattern": "." })),
        (Agent::Auditor, _) => Turn::says(PASS),
        _ => Turn::says("Nothing is there."),
    });
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let settings = json!({ "gates": [], "detect_gates": false, "clarification_timeout_s": null });
    fixture.set("settings", settings).await;
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    let stops = |body: &EventBody| {
        matches!(body, EventBody::BuildBlocked(_) | EventBody::BuildRetryScheduled(_))
    };
    watched.run_until(|_, event| stops(&event.body)).await;
    let (mut is_sealed, mut said, mut questions) = (false, String::new(), 0);
    for event in &watched.events {
        match &event.body {
            EventBody::BuildToolCallFinished(it) if !it.ok => said += &format!("{}\n", it.output),
            EventBody::BuildAgentFinished(it) => {
                it.findings.iter().for_each(|finding| said += &format!("{finding}\n"));
                if it.outcome != RunOutcome::Completed {
                    said += &format!("{}\n", it.summary);
                }
            }
            EventBody::BuildBlocked(it) => said += &it.report,
            EventBody::BuildClarificationRequest(_) => questions += 1,
            EventBody::BuildSealed(_) => is_sealed = true,
            _ => {}
        }
    }
    if !is_sealed {
        watched.server.post(&format!("/api/builds/{}/cancel", watched.build), json!({})).await;
    }
    fixture.model.finish();
    watched.server.stop().await;
    (is_sealed, said, questions)
}

#[tokio::test(flavor = "multi_thread")]
async fn misbehaviour_ends_in_a_stop_that_states_its_reason() {
    let played = stream::iter(CASES).map(|(what, behaviour, reason)| async move {
        let (is_sealed, said, questions) = play(behaviour).await;
        let asks = usize::from(what.starts_with("asks"));
        (!is_sealed && said.contains(reason) && questions == asks).then_some(()).ok_or_else(|| {
            let start: String = said.chars().take(600).collect();
            format!("a model that {what}: sealed {is_sealed}, {questions} questions\n{start}")
        })
    });
    let played: Vec<_> = played.buffer_unordered(CONCURRENCY).collect().await;
    let wrong: Vec<String> = played.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
