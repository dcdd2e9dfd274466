//! Gates that cannot run, that failed before the build, that run out of memory, and that the build
//! itself brings.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use domain::{
    event::{Event, EventBody, gates::GateFinished, life::BlockReason},
    failure::ErrorClass,
    gate_failure::Resource,
    verdict::Verdict,
};
use model_server::{Dialect, ModelServer, Seen, Turn};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

use crate::{
    agent::Agent,
    project_fixture::{ProjectFixture, git},
    watched_build::WatchedBuild,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n\
    **Exit criteria:**\n- it greets\n";
const PASS: &str = "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
    === END PHASE SIGN-OFF ===";
const RETRIES: &str = "[waits]\nresource = [1]\n";

fn play(seen: &Seen, files: &[(&str, &str)]) -> Turn {
    match (Agent::of(seen), seen.turn()) {
        (Agent::Planner, 0) => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        (Agent::Planner, _) => Turn::says("=== PLAN ===\n1. Greet\nGates: none\n=== END PLAN ==="),
        (Agent::Auditor, 0) => Turn::reply().calls("read_file", json!({ "path": "greeting.txt" })),
        (Agent::Auditor, _) => Turn::says(PASS),
        (Agent::Coder, turn) if turn < files.len() => {
            let (path, content) = files[turn];
            Turn::reply().calls("write_file", json!({ "path": path, "content": content }))
        }
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

fn gate(command: &str) -> Value {
    json!({
        "name": "test", "command": command, "timeout_s": 60, "required": true, "network": false,
        "runs_tests": true
    })
}

/// A folder of programs that the service finds.
struct Programs(TempDir);

impl Programs {
    fn new() -> Self {
        let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
        // The service takes folders of known tools into the sandbox.
        fs::write(folder.path().join("go"), "").expect("a file");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("a folder");
        Self(folder)
    }

    fn path(&self) -> String {
        format!("{}:/usr/local/bin:/usr/bin:/bin", self.0.path().display())
    }

    fn install(&self, name: &str, script: &str) {
        let path: PathBuf = self.0.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    }
}

async fn fixture(programs: &Programs) -> ProjectFixture {
    let path = programs.path();
    let environment = [("PATH", path.as_str())];
    let fixture = ProjectFixture::with(Dialect::Anthropic, RETRIES, &environment, None).await;
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    fixture
}

async fn begin(
    fixture: ProjectFixture,
    settings: Value,
    files: &'static [(&'static str, &'static str)],
) -> (WatchedBuild, ModelServer) {
    let mut all = json!({ "clarification_timeout_s": null, "mutation_sample": null });
    for (name, value) in settings.as_object().expect("an object") {
        all[name] = value.clone();
    }
    fixture.set("settings", all).await;
    fixture.model.play(move |seen| play(seen, files));
    (WatchedBuild::begin(fixture.server, fixture.project).await, fixture.model)
}

/// Runs until the build is blocked; the reason and the report.
async fn blocked(watched: &mut WatchedBuild) -> (BlockReason, String) {
    let is_blocked = |_, event: &Event| matches!(event.body, EventBody::BuildBlocked(_));
    match watched.run_until(is_blocked).await.map(|event| event.body) {
        Some(EventBody::BuildBlocked(blocked)) => (blocked.reason, blocked.report),
        other => panic!("not blocked: {other:?}"),
    }
}

fn count(watched: &WatchedBuild, wanted: impl Fn(&EventBody) -> bool) -> usize {
    watched.events.iter().filter(|event| wanted(&event.body)).count()
}

fn model_calls(watched: &WatchedBuild) -> usize {
    count(watched, |event| matches!(event, EventBody::BuildAgentStarted(_)))
}

fn verdict(watched: &WatchedBuild) -> Verdict {
    match watched.events.last().map(|event| &event.body) {
        Some(EventBody::BuildSealed(sealed)) => sealed.verdict,
        other => panic!("not sealed: {other:?}"),
    }
}

fn finished<'a>(watched: &'a WatchedBuild, name: &str) -> Vec<&'a GateFinished> {
    let gates = watched.events.iter().filter_map(|event| match &event.body {
        EventBody::BuildGateFinished(gate) if gate.gate == name => Some(gate),
        _ => None,
    });
    gates.collect()
}

async fn end(mut watched: WatchedBuild, model: ModelServer) {
    watched.follower.disconnect();
    model.finish();
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn build_waits_for_a_missing_program_before_the_first_model_call() {
    let programs = Programs::new();
    let fixture = fixture(&programs).await;
    // It fails on the empty project too, which does not block the build.
    let gates = json!([gate("tester greeting.txt")]);
    let (mut watched, model) =
        begin(fixture, json!({ "gates": gates }), &[("greeting.txt", "hello\n")]).await;
    let (reason, report) = blocked(&mut watched).await;
    assert_eq!(reason, BlockReason::Config);
    let why = "The gate test cannot run: its command `tester greeting.txt` needs `tester`, which is \
        not installed.";
    assert!(report.contains(why) && report.contains("Install the program"), "{report}");
    assert_eq!(model_calls(&watched), 0);

    // Still missing: the gate runs again, and the build is blocked again.
    watched.resume().await;
    assert_eq!(blocked(&mut watched).await.0, BlockReason::Config);
    programs.install("tester", "cat \"$1\" && echo ok 1");
    watched.resume().await;
    watched.run_to_the_end().await;
    assert_eq!(verdict(&watched), Verdict::Certified);
    let build = watched.server.get(&format!("/api/builds/{}", watched.build)).await;
    watched.assert_journal_is_whole(&build).await;
    let before = &build["baseline_gates"]["test"];
    assert_eq!((&before["passed"], &before["exit_code"]), (&json!(false), &json!(1)), "{build}");
    end(watched, model).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn preflight_is_repeated_after_a_crash_and_ends_when_the_build_is_cancelled() {
    let programs = Programs::new();
    let fixture = fixture(&programs).await;
    // Repeated, because a client that connects later does not receive earlier output.
    let gates = json!([gate("while :; do echo waiting; sleep 0.1; done")]);
    let (mut watched, model) = begin(fixture, json!({ "gates": gates }), &[]).await;
    watched.wait_for("output", "waiting").await;
    watched.kill_and_restart().await;
    watched.wait_for("output", "waiting").await;
    let path = format!("/api/builds/{}", watched.build);
    watched.server.post(&format!("{path}/cancel"), json!({})).await;
    watched.run_to_the_end().await;
    assert_eq!(watched.server.get(&path).await["status"], "abandoned");
    assert_eq!(model_calls(&watched), 0);
    let starts = |event: &EventBody| matches!(event, EventBody::BuildPreflightStarted(_));
    assert_eq!(count(&watched, starts), 2);
    watched.assert_no_process_is_left();
    end(watched, model).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gate_that_failed_before_the_build_is_known_to_agents_and_report() {
    let programs = Programs::new();
    let fixture = fixture(&programs).await;
    let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
    git(folder.path(), &["clone", "-q", &fixture.hosted().display().to_string(), "work"]);
    let work = folder.path().join("work");
    fs::write(work.join("greeting.txt"), "bye\n").expect("a file");
    git(&work, &["add", "."]);
    git(&work, &["commit", "-q", "-m", "Begin"]);
    git(&work, &["push", "-q", "origin", "HEAD:main"]);
    let gates = json!([gate("echo ok 1; grep hello greeting.txt")]);
    let (mut watched, model) =
        begin(fixture, json!({ "gates": gates }), &[("greeting.txt", "hello\n")]).await;
    watched.run_to_the_end().await;
    assert_eq!(verdict(&watched), Verdict::Certified);
    let report = watched.server.get_text(&format!("/api/builds/{}/report", watched.build)).await;
    let section = "## Gates that failed before the build\n\n- test: exit code 1\n";
    assert!(report.contains(section), "{report}");
    end(watched, model).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gate_that_runs_out_of_memory_is_retried_and_no_fixer_runs() {
    let programs = Programs::new();
    let fixture = fixture(&programs).await;
    programs.install("tester", "test ! -e greeting.txt && exit 0; echo MemoryError; exit 1");
    let gates = json!([gate("tester")]);
    let (mut watched, model) =
        begin(fixture, json!({ "gates": gates }), &[("greeting.txt", "hello\n")]).await;
    let (reason, report) = blocked(&mut watched).await;
    assert_eq!(reason, BlockReason::Retries);
    let why = "The gate test ran out of memory each time that it ran: `tester`.";
    assert!(report.contains(why) && report.contains("Free memory or disk"), "{report}");
    let exhausted = |event: &EventBody| {
        matches!(event, EventBody::BuildGateOutOfResources(it)
            if it.resource == Resource::Memory && it.phase == Some(0))
    };
    assert_eq!(count(&watched, exhausted), 2);
    let retried = |event: &EventBody| {
        matches!(event, EventBody::BuildRetryScheduled(it)
            if it.error_class == ErrorClass::Resource)
    };
    assert_eq!(count(&watched, retried), 1);

    // A final gate, which runs on a checkout, is retried too.
    programs.install(
        "tester",
        "case $PWD in */checkouts/*) echo MemoryError; exit 1;; esac; cat greeting.txt && echo ok 1",
    );
    watched.resume().await;
    let waits = |_, event: &Event| matches!(&event.body, EventBody::BuildGateOutOfResources(it) if it.phase.is_none());
    watched.run_until(waits).await.expect("the final gate runs out of memory");
    programs.install("tester", "cat greeting.txt && echo ok 1");
    watched.run_to_the_end().await;
    assert_eq!(verdict(&watched), Verdict::Certified);
    let fixes = |event: &EventBody| matches!(event, EventBody::BuildFixAttemptStarted(_));
    assert_eq!((count(&watched, fixes), finished(&watched, "test").len()), (0, 2));
    let build = watched.server.get(&format!("/api/builds/{}", watched.build)).await;
    watched.assert_journal_is_whole(&build).await;
    end(watched, model).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tests_that_a_phase_creates_run_in_that_phase_and_on_the_sealed_commit() {
    let programs = Programs::new();
    let fixture = fixture(&programs).await;
    let files = &[
        ("greeting.txt", "hello\n"),
        ("package.json", r#"{ "scripts": { "test": "node --test" } }"#),
        (
            "greeting.test.js",
            "require('node:test')('greets', () => { \
             require('node:assert').match(require('fs').readFileSync('greeting.txt', 'utf8'), /hello/); });\n",
        ),
    ];
    let (mut watched, model) = begin(fixture, json!({}), files).await;
    watched.run_to_the_end().await;
    let detected = watched.events.iter().find_map(|event| match &event.body {
        EventBody::BuildGatesDetected(detected) => Some(detected),
        _ => None,
    });
    let detected = detected.expect("a gate was detected");
    assert_eq!((detected.phase, detected.gates[0].gate.command.as_str()), (Some(0), "npm test"));
    let runs = finished(&watched, "test");
    let phases: Vec<_> = runs.iter().map(|gate| (gate.phase, gate.passed, gate.required)).collect();
    assert_eq!(phases, [(Some(0), true, true), (None, true, true)]);
    assert_eq!(runs[0].tests.map(|tests| tests.passed), Some(1));
    assert_eq!(verdict(&watched), Verdict::Certified);
    let build = watched.server.get(&format!("/api/builds/{}", watched.build)).await;
    assert_eq!(
        (&build["gates"][0]["name"], &build["gates_detected"]),
        (&json!("test"), &json!(true))
    );
    end(watched, model).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn complete_output_of_a_gate_is_kept_and_verified() {
    let programs = Programs::new();
    let fixture = fixture(&programs).await;
    programs.install("tester", "seq 1 20000; test -e greeting.txt && echo ok 1");
    let gates = json!([gate("tester")]);
    let (mut watched, model) =
        begin(fixture, json!({ "gates": gates }), &[("greeting.txt", "hello\n")]).await;
    watched.run_to_the_end().await;
    let last = watched.events.iter().rev().find(|event| match &event.body {
        EventBody::BuildGateFinished(gate) => gate.gate == "test",
        _ => false,
    });
    let last = last.expect("the gate has run");
    let EventBody::BuildGateFinished(gate) = &last.body else { unreachable!("it is one") };
    assert!(gate.output.len() < 20_000 && gate.output.ends_with("ok 1\n"), "{}", gate.output);
    let path = format!("/api/builds/{}/gates/{}/log", watched.build, last.seq);
    let log = watched.server.get_text(&path).await;
    assert_eq!(hex::encode(Sha256::digest(&log)), gate.output_sha256);
    assert!(log.contains("\n10000\n") && log.lines().count() == 20_001);
    let short = watched.events.iter().find(|event| match &event.body {
        EventBody::BuildGateFinished(gate) => gate.gate == "validate",
        _ => false,
    });
    let seq = short.expect("a built-in gate").seq;
    let path = format!("/api/builds/{}/gates/{seq}/log", watched.build);
    assert_eq!(watched.server.get_text(&path).await, "no problems found");

    let digest = gate.log.as_ref().expect("a log").sha256.clone();
    let database = watched.server.data().join("forgeguard.db");
    let options = SqliteConnectOptions::new().filename(database);
    let mut conn = SqliteConnection::connect_with(&options).await.expect("the database");
    let delete = sqlx::query("DELETE FROM blobs WHERE sha256 = $1").bind(&digest);
    delete.execute(&mut conn).await.expect("it is deleted");
    let verified = watched.server.get(&format!("/api/builds/{}/verify", watched.build)).await;
    let missing = format!("blobs: the text {digest} that an event refers to is missing");
    assert!(verified["problems"].to_string().contains(&missing), "{verified}");
    end(watched, model).await;
}
