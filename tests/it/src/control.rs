//! Phases that users retry and skip, gates that they run, and errors that they have fixed.

use std::time::Duration;

use domain::{
    event::{Event, EventBody},
    verdict::Verdict,
};
use model_server::{Dialect, ModelServer, Seen, Turn};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    agent::Agent,
    harness::text,
    project_fixture::{ProjectFixture, git},
    watched_build::WatchedBuild,
};

const EVENT_TIMEOUT: Duration = Duration::from_secs(120);
const REASON: &str = "Leave bad.txt out.";

/// Writes a file that the gate rejects, unless a user has said why the phase begins again.
fn turn(seen: &Seen) -> Turn {
    let told = seen.json.to_string();
    let phase = usize::from(!told.contains("Phase 0 of 2"));
    let file = format!("greeting-{phase}.txt");
    let write = |path: &str| ("write_file", json!({ "path": path, "content": "Hello\n" }));
    match (Agent::of(seen), seen.turn()) {
        (Agent::Planner, 0) => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": phase }))
        }
        (Agent::Planner, _) => Turn::says("=== PLAN ===\n1. Greet\nGates: test\n=== END PLAN ==="),
        (Agent::Coder, 0) => {
            let (tool, good) = write(&file);
            let turn = Turn::reply().calls(tool, good);
            let (tool, bad) = write("bad.txt");
            if told.contains(REASON) { turn } else { turn.calls(tool, bad) }
        }
        (Agent::Auditor, 0) => Turn::reply().calls("read_file", json!({ "path": file })),
        (Agent::Auditor, _) => Turn::says(format!(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — {file}:1\n\
             === END PHASE SIGN-OFF ==="
        )),
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

async fn until(build: &mut WatchedBuild, wanted: impl Fn(&EventBody) -> bool) -> Event {
    loop {
        let event = timeout(EVENT_TIMEOUT, build.follower.event()).await;
        let event = event.unwrap_or_else(|_| panic!("no event\n{}", build.server.log()));
        build.note(event.clone());
        if wanted(&event.body) {
            return event;
        }
    }
}

fn is_blocked(body: &EventBody) -> bool {
    matches!(body, EventBody::BuildBlocked(_))
}

async fn command(build: &WatchedBuild, what: &str, body: Value) -> u16 {
    let path = format!("/api/builds/{}/{what}", build.build);
    build.server.request(Method::POST, &path, Some(body)).await.status.as_u16()
}

async fn begin() -> (WatchedBuild, ModelServer) {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.model.play(turn);
    let phase = |n| {
        format!(
            "\n## Phase {n} — Greeting\n**Deliverables:**\n- greeting-{n}.txt\n\
             **Exit criteria:**\n- it greets\n"
        )
    };
    let phases = format!("# Phases\n{}{}", phase(0), phase(1));
    fixture.set("contracts/phases", json!({ "content": phases })).await;
    let gate = json!({
        "name": "test", "command": "test ! -e bad.txt && cat greeting-*.txt && echo ok 1",
        "timeout_s": 60, "required": true, "network": false
    });
    fixture.set("settings", json!({ "gates": [gate], "clarification_timeout_s": null })).await;
    (WatchedBuild::begin(fixture.server, fixture.project).await, fixture.model)
}

#[tokio::test(flavor = "multi_thread")]
async fn phase_is_retried_and_skipped_with_a_reason_and_its_changes_are_saved() {
    let (mut build, model) = begin().await;
    until(&mut build, is_blocked).await;

    // The gates run on the files as they are and change nothing else.
    let before = build.server.get(&format!("/api/builds/{}", build.build)).await;
    assert_eq!(command(&build, "gates/run", json!({})).await, 202);
    let is_tested = |body: &EventBody| matches!(body, EventBody::BuildRequestedGateFinished(it) if it.gate == "test");
    let tested = until(&mut build, is_tested).await;
    let EventBody::BuildRequestedGateFinished(tested) = tested.body else { unreachable!() };
    assert!(!tested.passed && tested.required && tested.tree_sha.is_some(), "{tested:?}");

    // A fix of the gate's error.
    let errors = build.server.get(&format!("/api/builds/{}/errors", build.build)).await;
    let error = errors["items"].as_array().unwrap().iter().find(|it| it["source"] == "gate:test");
    let fix = format!("errors/{}/fix", text(&error.expect("an error")["id"]));
    assert_eq!(command(&build, &fix, json!({})).await, 202);
    let fixes = |body: &EventBody| matches!(body, EventBody::BuildFixAttemptStarted(_));
    let EventBody::BuildFixAttemptStarted(fix) = until(&mut build, fixes).await.body else {
        unreachable!()
    };
    assert_eq!((fix.attempt, &fix.causes), (1, &vec!["test".to_owned()]));
    let told = build.events.iter().any(|event| matches!(&event.body, EventBody::BuildInterjected(it) if it.text.starts_with("Fix this error next (error, from gate:test")));
    assert!(told, "the agents are told about the error");
    let after = build.server.get(&format!("/api/builds/{}", build.build)).await;
    let rounds = |build: &Value| build["spent"]["iterations"].as_u64().unwrap();
    assert_eq!(rounds(&after), rounds(&before) + 1, "only the fix began a round");
    until(&mut build, is_blocked).await;

    // The phase begins again without the changes, which are saved.
    let retry = json!({ "reason": REASON, "discard_changes": true });
    assert_eq!(command(&build, "phases/1/retry", retry.clone()).await, 409);
    let empty = json!({ "reason": " ", "discard_changes": true });
    assert_eq!(command(&build, "phases/0/retry", empty).await, 422);
    assert_eq!(command(&build, "phases/0/retry", retry).await, 202);
    let restarts = |body: &EventBody| matches!(body, EventBody::BuildPhaseRestarted(_));
    let EventBody::BuildPhaseRestarted(restarted) = until(&mut build, restarts).await.body else {
        unreachable!()
    };
    let rescue = restarted.rescue.expect("there were changes");
    let clone = build.server.data().join(format!("work/{}.git", build.project));
    assert_eq!(git(&clone, &["show", &format!("{rescue}:bad.txt")]), "Hello");
    let completes = |body: &EventBody| matches!(body, EventBody::BuildPhaseComplete(_));
    until(&mut build, completes).await;

    // The second phase is left out.
    until(&mut build, is_blocked).await;
    assert_eq!(command(&build, "phases/1/skip", json!({ "reason": "Greeted enough" })).await, 202);
    let skips = |body: &EventBody| matches!(body, EventBody::BuildPhaseSkipped(_));
    let EventBody::BuildPhaseSkipped(skipped) = until(&mut build, skips).await.body else {
        unreachable!()
    };
    assert!(skipped.rescue.is_some(), "{skipped:?}");
    build.run_to_the_end().await;
    let shown = build.server.get(&format!("/api/builds/{}", build.build)).await;
    assert_eq!(shown["phases"][1]["status"], "skipped", "{shown}");
    assert_eq!(shown["phases"][1]["skipped"]["reason"], "Greeted enough");
    assert_ne!(shown["verdict"], json!(Verdict::Certified), "{shown}");
    let evidence = shown["seal"]["evidence"].to_string();
    assert!(evidence.contains("Phase 1: Greeting: skipped by "), "{evidence}");
    build.assert_journal_is_whole(&shown).await;
    assert_eq!(command(&build, "phases/1/skip", json!({ "reason": "again" })).await, 409);
    model.finish();
    build.server.stop().await;
}
