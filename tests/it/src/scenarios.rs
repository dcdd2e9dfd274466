//! A build over HTTP with retries and fixes, recorded and replayed without a model.

use std::{path::Path, process::Command, time::Duration};

use domain::{
    event::{Event, EventBody, gates::RetryScheduled, life::Sealed},
    ids::BuildId,
};
use model_server::{Dialect, KEY, ModelServer, Seen, Stop, Turn};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::{
    follower::Follower,
    harness::{binary, text},
    server_process::ServerProcess,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n\
    **Exit criteria:**\n- it greets\n";
const WAITS: &str = "[waits]\ntransient = [1, 1, 1, 1, 1]\n";
const EVENT_TIMEOUT: Duration = Duration::from_secs(120);

/// A build that has ended, and its server, which still runs.
struct Built {
    server: ServerProcess,
    project: String,
    build: BuildId,
    events: Vec<Event>,
}

impl Built {
    /// Builds a new project with these settings.
    async fn with(file: &str, settings: &[(&str, &str)]) -> Self {
        let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
        std::fs::write(folder.path().join("forgeguard.toml"), file).expect("a file");
        let server = ServerProcess::start_in(folder, settings).await;
        let made = server.post("/api/projects", json!({ "name": "P", "description": "" })).await;
        let project = text(&made["id"]);
        let path = format!("/api/projects/{project}");
        server.put(&format!("{path}/contracts/phases"), json!({ "content": PHASES })).await;
        let build = server
            .post(
                &format!("{path}/builds"),
                json!({ "budgets": { "usd_micros": "unlimited" }, "exploration": "always" }),
            )
            .await;
        let build = text(&build["id"]).parse().expect("an id");
        let mut follower = Follower::new(server.address(), server.token(), build);
        let mut events: Vec<Event> = Vec::new();
        loop {
            let event = timeout(EVENT_TIMEOUT, follower.event()).await;
            let event = event
                .unwrap_or_else(|_| panic!("nothing after {:?}\n{}", events.last(), server.log()));
            let body = event.body.clone();
            events.push(event);
            match body {
                EventBody::BuildSealed(_) => return Self { server, project, build, events },
                EventBody::BuildBlocked(blocked) => panic!("{}", blocked.report),
                _ => {}
            }
        }
    }

    fn sealed(&self) -> &Sealed {
        match &self.events.last().expect("there are events").body {
            EventBody::BuildSealed(sealed) => sealed,
            other => panic!("not sealed: {other:?}"),
        }
    }

    fn retries(&self) -> Vec<&RetryScheduled> {
        let retries = self.events.iter().filter_map(|event| match &event.body {
            EventBody::BuildRetryScheduled(retry) => Some(retry),
            _ => None,
        });
        retries.collect()
    }

    /// The models' replies and usage, without what differs between runs.
    fn turns(&self) -> Vec<(&str, [u64; 4])> {
        let turns = self.events.iter().filter_map(|event| match &event.body {
            EventBody::BuildAgentTurn(turn) => {
                let used = [turn.tokens_in, turn.tokens_out, turn.cache_read, turn.cache_write];
                Some((turn.text.as_str(), used))
            }
            _ => None,
        });
        turns.collect()
    }

    /// The hash of the tree that its last phase committed.
    fn tree(&self) -> String {
        let mut commits = self.events.iter().filter_map(|event| match &event.body {
            EventBody::BuildCommitCreated(commit) if commit.phase.is_some() => Some(&commit.sha),
            _ => None,
        });
        let sha = commits.next_back().expect("a phase was committed");
        let repository = self.server.data().join(format!("repos/{}.git", self.project));
        let shown = Command::new("git")
            .arg("-C")
            .arg(repository)
            .args(["rev-parse", &format!("{sha}^{{tree}}")])
            .output()
            .expect("git runs");
        assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
        String::from_utf8(shown.stdout).expect("a hash").trim().to_owned()
    }
}

fn record(data: &Path, build: &str) -> Result<String, String> {
    let output = Command::new(binary())
        .arg("--data-dir")
        .arg(data)
        .args(["scenario", build])
        .current_dir(data)
        .env_remove("DATABASE_URL")
        .output()
        .expect("the program runs");
    let to_text = |bytes| String::from_utf8(bytes).expect("text");
    if output.status.success() { Ok(to_text(output.stdout)) } else { Err(to_text(output.stderr)) }
}

/// Fails before its first reply and after it has changed a file, is truncated at its output limit,
/// and reports problems in an audit.
fn eventful() -> impl FnMut(&Seen) -> Turn + Send {
    let (mut begun, mut overloaded, mut audits) = (false, false, 0);
    let sign_off = |word: &str, line: &str| {
        format!("=== PHASE SIGN-OFF: {word} ===\n{line}\n=== END PHASE SIGN-OFF ===")
    };
    move |seen| {
        let system = seen.system();
        let is = |role: &str| match role {
            "fixer" => seen.is_fixing(),
            role => !seen.is_fixing() && system.contains(&format!("You are the {role}")),
        };
        let writes = !seen.is_planning();
        match seen.turn() {
            0 if !std::mem::replace(&mut begun, true) => Turn::error(500, "api_error", "Oh dear"),
            0 if is("scout") || is("coder") && !writes => {
                Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
            }
            _ if is("scout") => Turn::says("An empty project."),
            _ if is("coder") && !writes => {
                Turn::says("=== PLAN ===\n1. Write greeting.txt\nGates: validate\n=== END PLAN ===")
            }
            0 if is("coder") && !overloaded => Turn::says("I write it.")
                .calls("write_file", json!({ "path": "greeting.txt", "content": "Helo\n" })),
            _ if is("coder") && !std::mem::replace(&mut overloaded, true) => {
                Turn::error(529, "overloaded_error", "Overloaded")
            }
            // Continues only from the state that the failed run has left.
            0 if is("coder") => Turn::says("I copy it.")
                .calls("run_command", json!({ "command": "cp greeting.txt copy.txt" })),
            1 if is("coder") => Turn::says("The greeting is").stops(Stop::Length),
            _ if is("coder") => Turn::says("=== TASK DONE: 1 ===\nwritten."),
            0 if is("fixer") => Turn::says("A letter was missing.").calls(
                "edit_file",
                json!({ "path": "greeting.txt", "old_text": "Helo", "new_text": "Hello" }),
            ),
            _ if is("fixer") => Turn::says("It greets in full."),
            0 => {
                audits += 1;
                Turn::reply().calls("read_file", json!({ "path": "greeting.txt" }))
            }
            _ if audits == 1 => {
                Turn::says(sign_off("FAIL", "finding: error greeting.txt:1 a letter is missing"))
            }
            _ => Turn::says(sign_off(
                "PASS",
                "criterion 1: passed — greeting.txt:1\nearlier F-1: fixed — greeting.txt:1",
            )),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_build_is_replayed_without_a_model() {
    let model = ModelServer::start(Dialect::Anthropic).await;
    model.play(eventful());
    let file = format!(
        "{WAITS}\n[models]\nusual = \"anthropic/m-1\"\n[catalog.m-1]\ninput = 1\noutput = 2\n"
    );
    let base_url = model.base_url();
    let settings = [("ANTHROPIC_API_KEY", KEY), ("ANTHROPIC_BASE_URL", base_url.as_str())];
    let first = Built::with(&file, &settings).await;
    assert_eq!(first.retries().len(), 2, "one before it spoke, one in the middle");

    let data = first.server.data();
    let scenario = record(&data, &first.build.to_string()).expect("it was recorded");
    assert!(!scenario.contains(KEY), "{scenario}");
    let runs: Value = serde_json::from_str(&scenario).expect("JSON");
    let labels: Vec<_> = runs["runs"].as_object().expect("runs").keys().cloned().collect();
    let expected = ["audit", "audit#2", "execute", "execute#2", "fix", "plan", "scout"];
    assert_eq!(labels, expected.map(|run| format!("phase-0/{run}")));
    let unknown = record(&data, "00000000-0000-0000-0000-000000000000").unwrap_err();
    assert!(unknown.contains("there is no build"), "{unknown}");

    let folder = TempDir::new().expect("a temporary folder");
    let played = folder.path().join("scenario.json");
    std::fs::write(&played, scenario).expect("a file");
    let played = played.to_str().expect("a path");
    let settings = [("FORGEGUARD_SCENARIO", played), ("FORGEGUARD_DEMO_PACE", "0")];
    let second = Built::with(WAITS, &settings).await;
    assert_eq!(second.tree(), first.tree());
    assert_eq!(second.sealed().verdict, first.sealed().verdict);
    assert_eq!(second.turns(), first.turns());
    assert_eq!(second.retries().len(), 1, "a run that to_text nothing is not played");
    let shown = second.server.get(&format!("/api/builds/{}", second.build)).await;
    assert_eq!(shown["model"], "offline");
    model.finish();
    first.server.stop().await;
    second.server.stop().await;
}
