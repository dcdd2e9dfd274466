//! Gates that change files, leave files behind, or pass only with ignored files: the sealed tree is
//! the one that the final gates ran on.

use std::{fs, path::Path};

use domain::{
    errors::Severity,
    event::{Event, EventBody, gates::GateFinished, life::Sealed},
    state::Status,
    verdict::Verdict,
};
use model_server::{Dialect, ModelServer, Seen, Turn};
use serde_json::{Value, json};
use support::Postgres;

use crate::{
    project_fixture::{ProjectFixture, git},
    watched_build::WatchedBuild,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n\
    **Exit criteria:**\n- it greets\n";
const SIGN_OFF: &str = "=== TASK DONE: 1 ===\nIt greets.\n\
    === PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
    === END PHASE SIGN-OFF ===";

/// Writes a greeting, a rule that ignores `local.cfg`, and that file.
fn play(seen: &Seen) -> Turn {
    let system = seen.system();
    let writes = |path: &str, content: &str| (path.to_owned(), content.to_owned());
    match seen.turn() {
        _ if system.contains("You are the scout") => Turn::says("There is nothing yet."),
        0 if system.contains("You are the auditor") => {
            Turn::reply().calls("read_file", json!({ "path": "greeting.txt" }))
        }
        _ if system.contains("You are the auditor") => Turn::says(SIGN_OFF),
        0 if seen.is_planning() => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        _ if seen.is_planning() => {
            Turn::says("=== PLAN ===\n1. Greet\nGates: none\n=== END PLAN ===")
        }
        turn @ 0..3 => {
            let files = [
                writes("greeting.txt", "hello\n"),
                writes(".gitignore", "local.cfg\n"),
                writes("local.cfg", "present\n"),
            ];
            let (path, content) = &files[turn];
            Turn::reply().calls("write_file", json!({ "path": path, "content": content }))
        }
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

fn gate(name: &str, command: &str, required: bool) -> Value {
    json!({
        "name": name, "command": command, "timeout_s": 600, "required": required,
        "network": false
    })
}

async fn begin(gates: Value, environment: &[(&str, &str)]) -> (WatchedBuild, ModelServer) {
    let fixture = ProjectFixture::with(Dialect::Anthropic, "", environment, None).await;
    fixture.model.play(play);
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    fixture.set("settings", json!({ "gates": gates, "clarification_timeout_s": null })).await;
    (WatchedBuild::begin(fixture.server, fixture.project).await, fixture.model)
}

fn finished<'a>(events: &'a [Event], name: &str, phase: Option<u32>) -> &'a GateFinished {
    let found = events.iter().rev().find_map(|event| match &event.body {
        EventBody::BuildGateFinished(it) if it.gate == name && it.phase == phase => Some(it),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{name} has run in {phase:?}"))
}

fn sealed(events: &[Event]) -> &Sealed {
    match events.last().map(|event| &event.body) {
        Some(EventBody::BuildSealed(sealed)) => sealed,
        other => panic!("it is sealed: {other:?}"),
    }
}

/// Asserts that branch, seal commit, evidence and a fresh clone have the same tree, without files
/// left by gates. Returns the clone.
async fn assert_one_tree(watched: &WatchedBuild) -> tempfile::TempDir {
    let seal = sealed(&watched.events);
    let hosted = watched.server.data().join(format!("repos/{}.git", watched.project));
    let tree = |commit: &str| git(&hosted, &["rev-parse", &format!("{commit}^{{tree}}")]);
    let judged = seal.evidence.tree_sha.clone().expect("the evidence names a tree");
    assert_eq!(tree(&seal.seal_commit), judged);
    assert_eq!(tree(&format!("{}^", seal.seal_commit)), judged);
    for event in &watched.events {
        match &event.body {
            EventBody::BuildGateFinished(gate) if gate.phase.is_none() => {
                assert_eq!(gate.tree_sha.as_ref(), Some(&judged), "{}", gate.gate);
                assert_eq!(tree(&gate.head_sha), judged, "{}", gate.gate);
            }
            _ => {}
        }
    }
    let clone = tempfile::TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
    let branch = "forge/build-1".to_owned();
    let from = hosted.display().to_string();
    git(clone.path(), &["clone", "-q", "--branch", &branch, &from, "fresh"]);
    let fresh = clone.path().join("fresh");
    assert_eq!(git(&fresh, &["rev-parse", "HEAD^{tree}"]), judged);
    let verified = format!("/api/builds/{}/verify", watched.build);
    assert_eq!(watched.server.get(&verified).await["problems"], json!([]));
    clone
}

fn read(folder: &Path, file: &str) -> Option<String> {
    fs::read_to_string(folder.join("fresh").join(file)).ok()
}

async fn gates_that_write_files_do_not_change_what_is_sealed(environment: &[(&str, &str)]) {
    const PLANT: &str = "echo planted > planted.txt && mkdir -p src && echo x > src/also.txt && \
        cat greeting.txt";
    let gates = json!([
        gate("plants", PLANT, true),
        gate("edits", "echo tampered >> greeting.txt", false),
        // Each gate sees only the candidate, regardless of the gates before it.
        gate("sees", "test ! -e planted.txt && test \"$(cat greeting.txt)\" = hello", true),
    ]);
    let (mut watched, model) = begin(gates, environment).await;
    watched.run_to_the_end().await;
    let clone = assert_one_tree(&watched).await;
    assert_eq!(read(clone.path(), "greeting.txt").as_deref(), Some("hello\n"));
    assert_eq!(read(clone.path(), "planted.txt"), None);
    assert_eq!(read(clone.path(), "src/also.txt"), None);

    let edits = finished(&watched.events, "edits", Some(0));
    assert!(!edits.passed && edits.exit_code == Some(0), "{edits:?}");
    assert!(edits.output.contains("undone: greeting.txt"), "{}", edits.output);
    for phase in [Some(0), None] {
        assert!(finished(&watched.events, "sees", phase).passed, "{phase:?}");
        assert!(finished(&watched.events, "plants", phase).passed, "{phase:?}");
    }
    let warnings: Vec<&str> = watched
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::BuildErrorTracked(it) if it.record.severity == Severity::Warning => {
                Some(it.record.message.as_str())
            }
            _ => None,
        })
        .collect();
    let lists = |file: &str| warnings.iter().filter(|warning| warning.contains(file)).count();
    assert!(lists("planted.txt, src/also.txt") >= 2, "in the phase and at the end: {warnings:?}");
    assert_eq!(sealed(&watched.events).verdict, Verdict::Conditional);
    let report = watched.server.get_text(&format!("/api/builds/{}/report", watched.build)).await;
    assert!(report.contains("planted.txt, src/also.txt"), "{report}");
    model.finish();
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gates_that_write_files_do_not_change_what_is_sealed_at_strict() {
    gates_that_write_files_do_not_change_what_is_sealed(&[("FORGEGUARD_SANDBOX", "strict")]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gates_that_write_files_do_not_change_what_is_sealed_at_landlock_on_postgres() {
    let database = Postgres::create().await;
    let environment = [("FORGEGUARD_SANDBOX", "landlock"), ("DATABASE_URL", database.url())];
    gates_that_write_files_do_not_change_what_is_sealed(&environment).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn required_gate_that_edits_a_tracked_file_fails_its_phase() {
    let gates = json!([gate("edits", "echo tampered >> greeting.txt", true)]);
    let (mut watched, model) = begin(gates, &[]).await;
    let failed = |_, event: &Event| matches!(&event.body, EventBody::BuildIterationFinished(it) if !it.passed);
    watched.run_until(failed).await.expect("the round fails");
    let edits = finished(&watched.events, "edits", Some(0));
    assert!(edits.output.contains("undone: greeting.txt"), "{}", edits.output);
    watched.server.post(&format!("/api/builds/{}/cancel", watched.build), json!({})).await;
    watched.run_to_the_end().await;
    model.finish();
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gate_that_needs_an_ignored_file_fails_on_the_clean_checkout_and_says_why() {
    let (mut watched, model) =
        begin(json!([gate("needs", "grep present local.cfg", true)]), &[]).await;
    watched.run_to_the_end().await;
    assert!(finished(&watched.events, "needs", Some(0)).passed);
    let last = finished(&watched.events, "needs", None);
    assert!(!last.passed && last.output.contains("files that git ignores"), "{}", last.output);
    assert_eq!(sealed(&watched.events).verdict, Verdict::Flagged);
    assert_one_tree(&watched).await;
    model.finish();
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_during_a_final_gate_abandons_the_build() {
    // Short in the phase, where the ignored file exists; long on the clean checkout.
    let slow = "test ! -e greeting.txt || test -e local.cfg || { echo waiting; sleep 600; }";
    let (mut watched, model) = begin(json!([gate("slow", slow, true)]), &[]).await;
    watched.wait_for("output", "waiting").await;
    let path = format!("/api/builds/{}", watched.build);
    assert_eq!(watched.server.get(&path).await["status"], Status::Sealing.name());
    watched.server.post(&format!("{path}/cancel"), json!({})).await;
    watched.run_to_the_end().await;
    let last = watched.events.last().expect("events");
    assert!(matches!(last.body, EventBody::BuildAbandoned(_)), "{last:?}");
    let build = watched.server.get(&path).await;
    assert_eq!(build["branch_status"], "abandoned", "{build}");
    watched.assert_no_process_is_left();
    model.finish();
    watched.server.stop().await;
}
