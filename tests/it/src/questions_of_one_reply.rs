//! Questions that an agent asks in one reply: they are open together, also after the server was
//! killed, and the build continues once all are resolved.

use domain::event::{Event, EventBody};
use model_server::{Dialect, Turn};
use serde_json::{Value, json};

use crate::{
    agent::Agent, harness::text, project_fixture::ProjectFixture, watched_build::WatchedBuild,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- `greeting.txt`\n\
    **Exit criteria:**\n- it greets\n";

/// Asks two questions, and writes what was answered.
fn coder(turn: usize, news: &str) -> Turn {
    let write = |content: &str| {
        Turn::reply().calls("write_file", json!({ "path": "greeting.txt", "content": content }))
    };
    match turn {
        0 => Turn::reply()
            .calls(
                "forge_ask_clarification",
                json!({ "question": "Which languages?", "options": ["English", "French", "German"],
                    "multiple": true }),
            )
            .calls("forge_ask_clarification", json!({ "question": "Which name?" })),
        1 => {
            assert!(news.contains("The user chose:\n- German\n- English"), "{news}");
            assert!(news.contains("The user answered: Ada"), "{news}");
            write("Hello, Ada\n")
        }
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

/// The open questions, in order.
async fn open(watched: &WatchedBuild) -> Vec<Value> {
    let build = watched.server.get(&format!("/api/builds/{}", watched.build)).await;
    let open = build["open_clarifications"].as_array().expect("a list").clone();
    assert_eq!(build["open_questions"], json!(open.len()));
    open
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_survive_a_pause_and_a_killed_server() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.model.play(|seen| match (Agent::of(seen), seen.turn()) {
        (Agent::Coder, turn) => coder(turn, &seen.news().concat()),
        (Agent::Planner, 0) => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        (Agent::Planner, _) => Turn::says("=== PLAN ===\n1. Greet\nGates: none\n=== END PLAN ==="),
        (Agent::Auditor, 0) => {
            assert!(seen.json.to_string().contains("German; English"), "decided by the user");
            Turn::reply().calls("read_file", json!({ "path": "greeting.txt" }))
        }
        (Agent::Auditor, _) => Turn::says(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
             === END PHASE SIGN-OFF ===",
        ),
        _ => Turn::says("Nothing is there."),
    });
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let settings = json!({ "gates": [], "detect_gates": false, "clarification_timeout_s": 3_600 });
    fixture.set("settings", settings).await;
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    let asks = |_, event: &Event| matches!(event.body, EventBody::BuildClarificationRequest(_));
    watched.run_until(asks).await.expect("a question");
    watched.answer = None;
    let second = watched.follower.event().await;
    assert!(asks(0, &second), "both are in one append: {second:?}");
    watched.events.push(second);
    let commands = format!("/api/builds/{}", watched.build);
    let before = open(&watched).await;
    assert_eq!(before.len(), 2);

    watched.server.post(&format!("{commands}/pause"), json!({})).await;
    let pauses = |_, event: &Event| matches!(event.body, EventBody::BuildPaused(_));
    watched.run_until(pauses).await.expect("it pauses");
    watched.kill_and_restart().await;
    let paused = open(&watched).await;
    assert!(paused.iter().all(|question| question["expires_at"].is_null()), "{paused:?}");
    watched.server.post(&format!("{commands}/resume"), json!({})).await;
    let resumes = |_, event: &Event| matches!(event.body, EventBody::BuildUnpaused(_));
    watched.run_until(resumes).await.expect("it continues");
    let after = open(&watched).await;
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before["id"], after["id"]);
        assert!(text(&before["expires_at"]) < text(&after["expires_at"]), "{before} {after}");
    }

    let clarify = format!("{commands}/clarify");
    watched.server.post(&clarify, json!({ "question_id": after[1]["id"], "answer": "Ada" })).await;
    assert_eq!(open(&watched).await.len(), 1);
    let answers = json!({ "question_id": after[0]["id"], "answers": ["German", "English"] });
    watched.server.post(&clarify, answers).await;
    watched.run_to_the_end().await;
    let sealed = watched.events.last().map(|event| &event.body);
    assert!(matches!(sealed, Some(EventBody::BuildSealed(_))), "{sealed:?}");
    let build = watched.server.get(&commands).await;
    watched.assert_journal_is_whole(&build).await;
    fixture.model.finish();
    watched.server.stop().await;
}
