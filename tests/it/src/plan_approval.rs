//! A plan that a user sends back, and then approves.

use domain::event::{EventBody, questions::ClarificationKind};
use model_server::{Dialect, Seen, Turn};
use serde_json::json;

use crate::{
    agent::Agent, harness::text, project_fixture::ProjectFixture, watched_build::WatchedBuild,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n\
    **Exit criteria:**\n- it greets\n";

/// Plans as a comment demands, and begins to write together with the plan.
fn turn(seen: &Seen) -> Turn {
    let is_commented = seen.task().contains("Greet in two lines.");
    let plan = |step: &str| {
        Turn::reply()
            .calls("submit_plan", json!({ "steps": [step] }))
            .calls("write_file", json!({ "path": "greeting.txt", "content": format!("{step}\n") }))
    };
    match (Agent::of(seen), seen.turn()) {
        (Agent::Planner, 0) if is_commented => plan("Two lines"),
        (Agent::Planner, 0) => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        (Agent::Planner, _) => plan("One line"),
        (Agent::Coder, _) => Turn::reply()
            .calls("finish_step", json!({ "step": 1 }))
            .calls("finish_phase", json!({ "summary": "It greets." })),
        (Agent::Auditor, 0) => Turn::reply().calls("read_file", json!({ "path": "greeting.txt" })),
        _ => Turn::says(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
             === END PHASE SIGN-OFF ===",
        ),
    }
}

async fn until_asked(build: &mut WatchedBuild) -> String {
    let asks = |_: u64, event: &domain::event::Event| matches!(&event.body, EventBody::BuildClarificationRequest(it) if it.kind == ClarificationKind::Plan);
    build.run_until(asks).await.expect("it asks");
    text(&build.answer.take().expect("a question")["question_id"])
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_is_carried_out_only_after_its_approval() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.model.play(turn);
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let settings =
        json!({ "gates": [], "clarification_timeout_s": null, "plan_approval": "first_phase" });
    fixture.set("settings", settings).await;
    let mut build = WatchedBuild::begin(fixture.server, fixture.project).await;
    let question = until_asked(&mut build).await;
    let inbox = build.server.get("/api/inbox").await;
    assert_eq!(inbox["items"][0]["kind"], "plan", "{inbox}");
    build.answer = Some(json!({ "question_id": question, "answer": "Greet in two lines." }));
    let question = until_asked(&mut build).await;
    build.answer = Some(json!({ "question_id": question, "answer": "Approve" }));
    build.run_to_the_end().await;

    let shown = build.server.get(&format!("/api/builds/{}", build.build)).await;
    assert_eq!(shown["status"], "sealed", "{shown}");
    let wrote = build.events.iter().filter_map(|event| match &event.body {
        EventBody::BuildToolCallFinished(call) if call.tool == "write_file" => Some(call.ok),
        _ => None,
    });
    assert_eq!(wrote.collect::<Vec<_>>(), [false, true], "only the approved plan writes");
    let plans = build.events.iter().filter_map(|event| match &event.body {
        EventBody::BuildPlanUpdated(plan) => Some(plan.steps.join(", ")),
        _ => None,
    });
    assert_eq!(plans.collect::<Vec<_>>(), ["One line", "Two lines"]);
    build.assert_journal_is_whole(&shown).await;
    fixture.model.finish();
    build.server.stop().await;
}
