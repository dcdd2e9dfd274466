//! Gates that change while a build is blocked, and gates that a user runs while agents work.

use std::{
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use domain::event::{Event, EventBody, gates::GatesChanged};
use model_server::{Dialect, ModelServer, Seen, Turn};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{task::block_in_place, time::timeout};

use crate::{agent::Agent, project_fixture::ProjectFixture, watched_build::WatchedBuild};

const EVENT_TIMEOUT: Duration = Duration::from_secs(120);
const PHASES: &str = "# Phases\n\n## Phase 0 — Greeting\n**Deliverables:**\n- greeting.txt\n\
    **Exit criteria:**\n- it greets\n";

fn turn(seen: &Seen) -> Turn {
    match (Agent::of(seen), seen.turn()) {
        (Agent::Planner, 0) => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        (Agent::Planner, _) => Turn::says("=== PLAN ===\n1. Greet\nGates: test\n=== END PLAN ==="),
        (Agent::Coder, 0) => Turn::reply()
            .calls("write_file", json!({ "path": "greeting.txt", "content": "Hello\n" })),
        (Agent::Auditor, 0) => Turn::reply().calls("read_file", json!({ "path": "greeting.txt" })),
        (Agent::Auditor, _) => Turn::says(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
             === END PHASE SIGN-OFF ===",
        ),
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

fn gate(name: &str, command: &str) -> Value {
    json!({ "name": name, "command": command, "timeout_s": 60, "required": true, "network": false })
}

async fn begin(
    gates: Value,
    play: impl FnMut(&Seen) -> Turn + Send + 'static,
) -> (WatchedBuild, ModelServer) {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.model.play(play);
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    fixture.set("settings", json!({ "gates": gates, "clarification_timeout_s": null })).await;
    (WatchedBuild::begin(fixture.server, fixture.project).await, fixture.model)
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

async fn command(build: &WatchedBuild, what: &str) -> u16 {
    let path = format!("/api/builds/{}/{what}", build.build);
    build.server.request(Method::POST, &path, Some(json!({}))).await.status.as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn resumed_build_continues_with_the_gates_of_its_project() {
    let gates = json!([gate("test", "test -e nowhere"), gate("lint", "true")]);
    let (mut build, model) = begin(gates, turn).await;
    let path = format!("/api/builds/{}", build.build);
    let changes = build.server.get(&format!("{path}/gate-changes")).await;
    assert_eq!(changes["items"], json!([]), "it is running");
    build.run_until_blocked().await;

    let works = "test -e greeting.txt && echo ok 1";
    let settings = json!({ "gates": [gate("test", works)], "clarification_timeout_s": null });
    let project = format!("/api/projects/{}/settings", build.project);
    build.server.put(&project, settings).await;
    let changes = build.server.get(&format!("{path}/gate-changes")).await;
    assert_eq!(changes["items"][0]["gate"], "test", "{changes}");
    assert_eq!(changes["items"][0]["after"]["command"], works);
    assert_eq!(
        (&changes["items"][1]["gate"], &changes["items"][1]["after"]),
        (&json!("lint"), &Value::Null)
    );

    assert_eq!(command(&build, "resume").await, 202);
    let changed = until(&mut build, |body| matches!(body, EventBody::BuildGatesChanged(_))).await;
    let EventBody::BuildGatesChanged(GatesChanged { changes, gates, .. }) = changed.body else {
        unreachable!()
    };
    assert_eq!((changes.len(), gates.len()), (2, 1));
    // The round is judged again before an agent does anything.
    let next = until(&mut build, |body| {
        matches!(body, EventBody::BuildGateStarted(_) | EventBody::BuildAgentStarted(_))
    });
    assert!(matches!(next.await.body, EventBody::BuildGateStarted(_)));
    build.run_to_the_end().await;
    let shown = build.server.get(&path).await;
    assert_eq!(
        (&shown["verdict"], shown["gates"].as_array().unwrap().len()),
        (&json!("CONDITIONAL"), 1)
    );
    let evidence = shown["seal"]["evidence"].to_string();
    assert!(evidence.contains("lint: removed since "), "{evidence}");
    assert!(evidence.contains("(its command was changed during the build)"), "{evidence}");
    build.assert_journal_is_whole(&shown).await;
    model.finish();
    build.server.stop().await;
}

/// Plays the turns, and lets the coder's second one wait.
fn turn_that_waits(go_on: Receiver<()>) -> impl FnMut(&Seen) -> Turn + Send {
    move |seen| {
        if matches!((Agent::of(seen), seen.turn()), (Agent::Coder, 1)) {
            block_in_place(|| go_on.recv()).expect("the test continues it");
            return Turn::reply()
                .calls("write_file", json!({ "path": "note.txt", "content": "Hello again\n" }));
        }
        turn(seen)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requested_gates_run_after_the_current_step_of_an_agent() {
    let (go_on, waits) = channel();
    let gates = json!([gate("test", "test -e greeting.txt && echo ok 1")]);
    let (mut build, model) = begin(gates, turn_that_waits(waits)).await;
    let writes = |body: &EventBody| matches!(body, EventBody::BuildFileChanged(_));
    until(&mut build, writes).await;
    assert_eq!(command(&build, "gates/run").await, 202);
    assert_eq!(command(&build, "gates/run").await, 409, "they were requested");
    let shown = build.server.get(&format!("/api/builds/{}", build.build)).await;
    assert_eq!((&shown["gates_requested"], &shown["status"]), (&json!(true), &json!("running")));
    go_on.send(()).expect("the model waits");

    let is_tested = |body: &EventBody| matches!(body, EventBody::BuildRequestedGateFinished(it) if it.gate == "test");
    let EventBody::BuildRequestedGateFinished(tested) = until(&mut build, is_tested).await.body
    else {
        unreachable!()
    };
    assert!(tested.passed, "{tested:?}");
    let has_ended = |event: &Event| matches!(event.body, EventBody::BuildAgentFinished(_));
    let planner_only = build.events.iter().filter(|event| has_ended(event)).count();
    assert_eq!(planner_only, 1, "the coder has not ended");
    build.run_to_the_end().await;
    let starts = |event: &&Event| matches!(event.body, EventBody::BuildAgentStarted(_));
    assert_eq!(build.events.iter().filter(starts).count(), 3, "the coder's run continues");
    let shown = build.server.get(&format!("/api/builds/{}", build.build)).await;
    assert_eq!((&shown["status"], &shown["open_errors"]), (&json!("sealed"), &json!(0)), "{shown}");
    for (path, text) in [("greeting.txt", "Hello\n"), ("note.txt", "Hello again\n")] {
        let file = format!("/api/builds/{}/file?path={path}", build.build);
        assert_eq!(build.server.get(&file).await["text"], text);
    }
    build.assert_journal_is_whole(&shown).await;
    model.finish();
    build.server.stop().await;
}
