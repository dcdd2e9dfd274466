//! Claude Code, Codex, opencode and the Gemini CLI from npm in whole builds, with a scripted model.
//! Each is killed twenty times.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use base64::{Engine, prelude::BASE64_STANDARD};
use domain::event::agents::RunOutcome;
use futures::FutureExt;
use model_server::{Dialect, Seen, Turn};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;
use tokio::{sync::Notify, time::timeout};

use crate::{
    agent_build::external_outcomes,
    harness::text,
    processes::Process,
    project_fixture::ProjectFixture,
    scripted_project::{CODE, TEST, turn_of},
    server_process::ServerProcess,
    watched_build::WatchedBuild,
};

const KILLS: usize = 20;
/// The agent is killed within this time after its first request, during which its command runs.
const MAX_DELAY_MS: u64 = 1_500;
/// Starts of these programs take seconds.
const WAIT: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread")]
async fn soak_real_claude_code_is_killed_and_continues() {
    builds_with("claude_code", "claude", Dialect::Anthropic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn soak_real_codex_is_killed_and_continues() {
    builds_with("codex", "codex", Dialect::Responses).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn soak_real_opencode_is_killed_and_continues() {
    builds_with("opencode", "opencode", Dialect::OpenAi).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn soak_real_gemini_cli_is_killed_and_continues() {
    builds_with("gemini_cli", "gemini", Dialect::Gemini).await;
}

/// One build without a kill, and then one for each kill.
async fn builds_with(executor: &str, program: &str, dialect: Dialect) {
    let path = format!("{}:{}", programs().display(), env::var("PATH").expect("a search path"));
    let waits = "[waits]\ntransient = [0, 0]\ncode_error = [0, 0]\nunknown = [0, 0]\n";
    let fixture = ProjectFixture::with(dialect, waits, &[("PATH", &path)], None).await;
    fixture.model.accept_any_form();
    let asked = Arc::new(Notify::new());
    let shown = asked.clone();
    fixture.model.play(move |seen| match reply_to_agent(seen) {
        Some(turn) => {
            shown.notify_one();
            turn
        }
        None => turn_of(seen, &[], "true", "src/greet.js"),
    });
    let seed: u64 = rand::random();
    let mut random = StdRng::seed_from_u64(seed);
    let ProjectFixture { mut server, .. } = fixture;
    let mut kills = 0;
    // The first one is not disturbed.
    for attempt in 0..=2 * KILLS {
        let project = project(&server, executor).await;
        // Of an earlier build.
        let _ = asked.notified().now_or_never();
        let mut watched = WatchedBuild::begin(server, project).await;
        if attempt > 0 {
            let delay = Duration::from_millis(random.random_range(0..MAX_DELAY_MS));
            timeout(WAIT, asked.notified()).await.expect("the agent asks its model");
            let _ = timeout(delay, std::future::pending::<()>()).await;
            kills += usize::from(kill_agent(&watched, program));
            println!("seed {seed}, attempt {attempt}: {kills} kills");
        }
        watched.run_to_the_end().await;
        watched.assert_certified().await;
        assert_eq!(external_outcomes(&watched.events).last(), Some(&RunOutcome::Completed));
        server = watched.server;
        if kills == KILLS {
            break;
        }
    }
    assert_eq!(kills, KILLS, "the agent had ended too often");
    server.stop().await;
}

/// Where `npm ci` has put the agents.
fn programs() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/fnm/node_modules/.bin");
    folder.canonicalize().expect("the agents are installed: npm --prefix tests/agents/fnm ci")
}

/// A project of one phase that this agent implements.
async fn project(server: &ServerProcess, executor: &str) -> String {
    let project = server.post("/api/projects", json!({ "name": executor })).await;
    let project = text(&project["id"]);
    let phases = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- src/greet.js\n\
        **Scope:** `src/**`, `test/**`\n\
        **Exit criteria:**\n- it greets — test: greets by name\n";
    let phases = json!({ "content": phases });
    server.put(&format!("/api/projects/{project}/contracts/phases"), phases).await;
    let gate = json!({
        "name": "test", "command": "node --test test/", "timeout_s": 60, "required": true,
        "network": false, "report": null
    });
    let settings =
        json!({ "gates": [gate], "clarification_timeout_s": null, "executor": executor });
    server.put(&format!("/api/projects/{project}/settings"), settings).await;
    project
}

/// The model's reply to an external agent: a command that writes the files, then the end. `None` for
/// other requests, whose tools are those of ForgeGuard.
fn reply_to_agent(seen: &Seen) -> Option<Turn> {
    let names = seen.tools();
    if names.is_empty() {
        // Such as for the title of a session.
        return Some(Turn::says("Greetings"));
    }
    // The Gemini CLI rejects commands with backticks, which the code has.
    let file = |path: &str, content: &str| {
        format!("echo {} | base64 -d > {path}\n", BASE64_STANDARD.encode(content))
    };
    let files = [file("src/greet.js", CODE), file("test/greet.test.js", TEST)].concat();
    let command = format!("mkdir -p src test\nsleep 1\n{files}");
    let call = names.into_iter().find_map(|name| match name {
        "Bash" | "bash" | "run_shell_command" => {
            Some((name, json!({ "command": command, "description": "Write the files" })))
        }
        "shell" => Some((name, json!({ "command": ["bash", "-c", command] }))),
        "shell_command" => Some((name, json!({ "command": command }))),
        "exec_command" => Some((name, json!({ "cmd": command }))),
        _ => None,
    });
    let (name, input) = call?;
    Some(match seen.turn() {
        0 => Turn::reply().calls(name, input),
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    })
}

/// Kills all processes of the agent. False if it has ended.
fn kill_agent(watched: &WatchedBuild, program: &str) -> bool {
    let is_agent = |process: &Process| {
        let mut words = process.command.split(' ');
        words.any(|word| Path::new(word).file_name().is_some_and(|name| name == program))
            && !process.command.contains("bwrap")
    };
    let found = watched.processes().into_iter().filter(is_agent);
    let found: Vec<String> = found.map(|process| process.pid.to_string()).collect();
    // They may have ended meanwhile.
    let _ = Command::new("kill").arg("-KILL").args(&found).output();
    !found.is_empty()
}
