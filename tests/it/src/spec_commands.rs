//! `forgeguard validate` and `forgeguard build`, as started by scripts.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Output},
};

use model_server::Turn;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::{
    harness::{Database, Instance, text},
    outages::eventually,
    project_fixture::git,
    scripted_project::{CODE, TEST, turn_of},
    spec_fixture::{
        SPEC, SpecFixture, command, finished, parsed, played, result, started, stderr, stdout,
    },
};

fn validate(folder: &Path, spec: &str, arguments: &[&str]) -> Output {
    let file = folder.join("spec.md");
    std::fs::write(&file, spec).unwrap();
    command(folder).args(["validate", "--spec", "spec.md"]).args(arguments).output().unwrap()
}

#[test]
fn validate_lists_all_problems_with_their_lines() {
    let folder = TempDir::new().unwrap();
    let valid = validate(folder.path(), SPEC, &[]);
    assert_eq!(valid.status.code(), Some(0), "{}", stderr(&valid));
    assert!(stderr(&valid).contains("warning: no `Implementation Plan`."), "{}", stderr(&valid));
    let strict = validate(folder.path(), SPEC, &["--strict"]);
    assert_eq!(strict.status.code(), Some(4));
    assert!(stderr(&strict).contains("error: no `Implementation Plan`."), "{}", stderr(&strict));
    assert!(strict.stdout.is_empty());

    let invalid = "# A\n\n## Files to create\n- `../a.rs`\n- `/b.rs`\n\n## Pass Criteria\n";
    let output = validate(folder.path(), invalid, &[]);
    assert_eq!(output.status.code(), Some(4));
    for line in ["error: spec.md:4: ", "error: spec.md:5: ", "error: spec.md:7: "] {
        assert!(stderr(&output).contains(line), "{line}\n{}", stderr(&output));
    }
    let output = validate(folder.path(), invalid, &["--json"]);
    assert_eq!(output.status.code(), Some(4));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["valid"], report["errors"].as_array().unwrap().len()), (&json!(false), 3));
    assert_eq!(report["errors"][0]["line"], 4);

    let missing = command(folder.path()).args(["validate", "--spec", "none.md"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(4));
    assert!(stderr(&missing).contains("none.md"), "{}", stderr(&missing));
    // Neither a database nor a data directory is needed.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn documents_of_a_folder_are_one_spec() {
    let folder = TempDir::new().unwrap();
    let spec = "# Feature Specification: A\n\n## Requirements\n- **FR-001**: System MUST sort\n\n\
        ## Success Criteria\n- **SC-001**: It is sorted\n";
    std::fs::write(folder.path().join("spec.md"), spec).unwrap();
    let tasks = "# Tasks: A\n\n## Phase 1: Sort\n\n- [ ] T001 Sort [TODO: how]\n";
    std::fs::write(folder.path().join("tasks.md"), tasks).unwrap();
    let output = command(folder.path()).args(["validate", "--spec", "."]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("tasks.md:5: "), "{}", stderr(&output));
}

/// Starts to watch a build. Returns the process and the first line that it prints.
async fn watching(mut command: Command) -> (Child, String) {
    let mut child = command.spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let (line, stdout) = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        (line, stdout.into_inner())
    })
    .await
    .unwrap();
    child.stdout = Some(stdout);
    (child, line)
}

fn coding_turn(turn: usize) -> Turn {
    let write = |path: &str, content: &str| {
        Turn::reply().calls("write_file", json!({ "path": path, "content": content }))
    };
    match turn {
        0 => write("src/greet.js", CODE),
        1 => write("test/greet.test.js", TEST),
        2 => Turn::reply().calls("run_command", json!({ "command": "true" })),
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn build_adds_a_certified_branch_to_the_repository() {
    let fixture = SpecFixture::new(SPEC).await;
    fixture.model.play(played);
    let before = fixture.refs();
    let output = finished(fixture.new_build()).await;
    let result = result(&output);
    assert!(matches!(text(&result["result"]).as_str(), "CERTIFIED" | "CONDITIONAL"), "{result}");
    // Quiet when piped, except for the id.
    assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    fixture.assert_only_the_branch_was_added(&before, &text(&result["branch"]));
    fixture.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_build_is_resumed() {
    let fixture = SpecFixture::new(SPEC).await;
    let (reached, mut was_reached) = mpsc::unbounded_channel();
    let mut is_first = true;
    fixture.model.play(move |seen| {
        let turn = played(seen);
        let is_coding = seen.system().contains("You are the coder") && !seen.is_planning();
        if is_coding && seen.turn() == 1 && std::mem::take(&mut is_first) {
            let _ = reached.send(());
            return turn.silent_after(1);
        }
        turn
    });
    let before = fixture.refs();
    let (mut child, id, _) = started(fixture.new_build()).await;
    was_reached.recv().await.unwrap();
    let (watching, connected) = watching(fixture.about(&["watch", &id])).await;
    child.kill().unwrap();
    child.wait().unwrap();
    let watched = tokio::task::spawn_blocking(move || watching.wait_with_output().unwrap());
    let watched = watched.await.unwrap();
    assert_eq!(watched.status.code(), Some(1), "{connected} {}", stdout(&watched));
    let to_continue = format!("forgeguard build --resume {id}");
    assert!(stderr(&watched).contains(&to_continue), "{}", stderr(&watched));

    let second = finished(fixture.new_build()).await;
    assert_eq!(second.status.code(), Some(4), "{}", stderr(&second));
    assert!(stderr(&second).contains("--resume"), "{}", stderr(&second));

    let output = finished(fixture.build(&["--resume", &id])).await;
    let result = result(&output);
    assert_eq!(result["build_id"], id.as_str());
    fixture.assert_only_the_branch_was_added(&before, &text(&result["branch"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_input_is_rejected_before_anything_is_stored() {
    let fixture = SpecFixture::new("# A\n\n## Requirements\n- It sorts\n").await;
    let output = finished(fixture.new_build()).await;
    assert_eq!(output.status.code(), Some(4));
    assert!(stderr(&output).contains("no pass criteria"), "{}", stderr(&output));
    assert!(output.stdout.is_empty() && !fixture.folder.path().join("data").exists());
    std::fs::write(fixture.folder.path().join("spec.md"), SPEC).unwrap();
    let other = ["--spec", "spec.md", "--repo", "repository", "--base", "missing"];
    let output = finished(fixture.build(&other)).await;
    assert_eq!(output.status.code(), Some(4));
    assert!(stderr(&output).contains("no branch missing"), "{}", stderr(&output));
    git(&fixture.repository(), &["commit", "-q", "--allow-empty", "-m", "Continue"]);
    let url = format!("file://{}", fixture.repository().display());
    git(fixture.folder.path(), &["clone", "-q", "--depth", "1", &url, "shallow"]);
    let shallow = finished(fixture.build(&["--spec", "spec.md", "--repo", "shallow"])).await;
    assert_eq!(shallow.status.code(), Some(4));
    assert!(stderr(&shallow).contains("fetch --unshallow"), "{}", stderr(&shallow));
    let no_limit = finished(fixture.build(&["--spec", "spec.md", "--repo", "repository"])).await;
    assert_eq!(no_limit.status.code(), Some(4));
    assert!(stderr(&no_limit).contains("--budget-usd"), "{}", stderr(&no_limit));
    fixture.model.finish();
}

#[tokio::test(flavor = "multi_thread")]
async fn blocked_build_is_resumed_after_its_cause_is_removed() {
    let fixture = SpecFixture::new(SPEC).await;
    fixture.model.play(|seen| match seen.system().contains("You are the coder") {
        true => Turn::error(401, "authentication_error", "invalid x-api-key"),
        false => played(seen),
    });
    let output = finished(fixture.new_build()).await;
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let blocked = parsed(&output);
    let id = text(&blocked["build_id"]);
    assert_eq!(blocked["result"], "BLOCKED");
    assert!(stderr(&output).contains(&format!("--resume {id}")), "{}", stderr(&output));

    let report = finished(fixture.about(&["report", &id, "--json"])).await;
    let report = result(&report);
    assert_eq!(report["failure"]["reason"], "config");
    let told = finished(fixture.about(&["report", &id])).await;
    assert!(stdout(&told).contains("## Why it does not continue"), "{}", stdout(&told));

    fixture.model.play(played);
    let output = finished(fixture.build(&["--resume", &id])).await;
    assert_eq!(result(&output)["build_id"], id.as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn other_commands_reach_a_running_build() {
    let fixture = SpecFixture::new(SPEC).await;
    fixture.model.play(|seen| {
        let is_coding = seen.system().contains("You are the coder") && !seen.is_planning();
        match (is_coding, seen.turn()) {
            (true, 0) => Turn::reply().calls(
                "forge_ask_clarification",
                json!({ "question": "Which greeting is meant?", "options": ["Hello", "Hi"] }),
            ),
            // The turns of the scenario follow.
            (true, turn) => coding_turn(turn - 1),
            _ => played(seen),
        }
    });
    let (child, id, mut lines) = started(fixture.new_build()).await;
    let asked = lines.recv().await.unwrap();
    assert!(asked.contains("Which greeting is meant?"), "{asked}");
    assert!(lines.recv().await.unwrap().contains(&format!("forgeguard answer {id}")));

    let listed = result(&finished(fixture.about(&["list", "--json"])).await);
    assert_eq!(listed[0]["id"], id.as_str());
    assert_eq!(listed[0]["open_questions"], 1);
    let other = finished(fixture.about(&["answer", &id, "Hi", "--question", "none"])).await;
    assert_eq!(other.status.code(), Some(4), "{}", stderr(&other));
    assert!(stderr(&other).contains("Which greeting is meant?"), "{}", stderr(&other));
    let paused = finished(fixture.about(&["pause", &id])).await;
    assert!(paused.status.success(), "{}", stderr(&paused));
    let answered = finished(fixture.about(&["answer", &id, "Hello"])).await;
    assert!(answered.status.success(), "{}", stderr(&answered));
    // It is rejected until the build has paused.
    eventually(async || finished(fixture.about(&["resume", &id])).await.status.success()).await;
    let watched = finished(fixture.about(&["watch", &id])).await;
    assert!(watched.status.success(), "{}", stderr(&watched));
    assert!(stdout(&watched).contains("answer: Hello"), "{}", stdout(&watched));
    assert!(stdout(&watched).contains("paused"), "{}", stdout(&watched));

    let output = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap());
    let sealed = result(&output.await.unwrap());
    assert!(stdout(&watched).trim().ends_with(&text(&sealed["branch"])), "{}", stdout(&watched));
    // The data directory is open to commands when nothing runs on it.
    let logs = finished(fixture.about(&["logs", &id])).await;
    assert!(stdout(&logs).contains("sealed: "), "{}", stderr(&logs));
    let report = result(&finished(fixture.about(&["report", &id, "--json"])).await);
    let files = report["files"].as_array().unwrap().iter().map(|file| text(&file["path"]));
    assert_eq!(files.collect::<Vec<_>>(), ["src/greet.js", "test/greet.test.js"]);
    assert!(!report["commits"].as_array().unwrap().is_empty());
    let cancelled = finished(fixture.about(&["cancel", &id])).await;
    assert_eq!(cancelled.status.code(), Some(1), "{}", stderr(&cancelled));
}

#[tokio::test(flavor = "multi_thread")]
async fn list_shows_what_a_running_build_does_and_uses() {
    let fixture = SpecFixture::new(SPEC).await;
    fixture.model.play(|seen| {
        let is_coding = seen.system().contains("You are the coder") && !seen.is_planning();
        let until_stopped = json!({ "command": "tail -f /dev/null" });
        if is_coding { Turn::reply().calls("run_command", until_stopped) } else { played(seen) }
    });
    let (mut child, id, _) = started(fixture.new_build()).await;
    let running = async || {
        let listed = result(&finished(fixture.about(&["list", "--json"])).await);
        listed[0]["heartbeat"].clone()
    };
    eventually(async || running().await["memory_bytes"].as_u64().is_some_and(|it| it > 0)).await;
    let heartbeat = running().await;
    assert_eq!(heartbeat["step"], "Implementation, step 1 of 1");
    assert!((1..50).contains(&heartbeat["progress_percent"].as_u64().unwrap()), "{heartbeat}");
    let listed = finished(fixture.about(&["list"])).await;
    assert!(stdout(&listed).contains("[Implementation, step 1 of 1, "), "{}", stdout(&listed));
    assert!(finished(fixture.about(&["cancel", &id])).await.status.success());
    tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap();
    let ended = result(&finished(fixture.about(&["list", "--json"])).await);
    assert_eq!(ended[0]["heartbeat"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn flagged_build_has_its_own_exit_code() {
    let needs_an_ignored_file = "```sh\ngrep present local.cfg && node --test\n```";
    let fixture =
        SpecFixture::new(&SPEC.replace("```sh\nnode --test\n```", needs_an_ignored_file)).await;
    let repository = fixture.repository();
    std::fs::write(repository.join(".gitignore"), "local.cfg\n").unwrap();
    git(&repository, &["add", "."]);
    git(&repository, &["commit", "-q", "-m", "Ignore settings"]);
    fixture.model.play(|seen| {
        let writes = [("src/greet.js", CODE.to_owned()), ("test/greet.test.js", TEST.to_owned())];
        turn_of(seen, &writes, "echo present > local.cfg", "src/greet.js")
    });
    let output = finished(fixture.new_build()).await;
    let parsed = parsed(&output);
    assert_eq!(output.status.code(), Some(2), "{parsed} {}", stderr(&output));
}

support::on_both! {
    async fn builds_of_a_server_are_reached_with_a_key(database: Database) {
        let fixture = SpecFixture::new(SPEC).await;
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("Rope shop").await;
        let build = instance.queue_build(&project, &ada.id).await.to_string();
        let key = |scopes: Value| {
            let ada = &ada;
            async move {
                let made = ada.post("/api/forge-keys", json!({ "name": "a", "scopes": scopes })).await;
                text(&made.json()["key"])
            }
        };
        let (reading, building) = (key(json!(["read"])).await, key(json!(["build"])).await);
        let about = |key: &str, arguments: &[&str]| {
            let mut command = fixture.about(arguments);
            command.env("FORGEGUARD_KEY", key).env("FORGEGUARD_SERVER", &instance.url);
            finished(command)
        };
        let listed = result(&about(&reading, &["list", "--json"]).await);
        assert_eq!((&listed[0]["id"], listed.as_array().unwrap().len()), (&json!(build), 1));
        let rejected = about(&reading, &["cancel", &build]).await;
        assert_eq!(rejected.status.code(), Some(1));
        assert!(stderr(&rejected).contains("scope `build`"), "{}", stderr(&rejected));
        let cancelled = about(&building, &["cancel", &build, "--reason", "not needed"]).await;
        assert!(cancelled.status.success(), "{}", stderr(&cancelled));
        let watched = about(&reading, &["watch", &build, "--json"]).await;
        assert_eq!(watched.status.code(), Some(1), "{}", stderr(&watched));
        let last: Value = serde_json::from_str(stdout(&watched).lines().last().unwrap()).unwrap();
        assert_eq!(last["result"], "ABANDONED");
        let missing = about(&reading, &["report", "01890000-0000-7000-8000-000000000000"]).await;
        assert_eq!(missing.status.code(), Some(1));
        assert!(stderr(&missing).contains("does not exist"), "{}", stderr(&missing));
        assert!(!fixture.folder.path().join("data").exists());
        fixture.model.finish();
        instance.stop().await;
    }
}

#[test]
fn command_line_is_described_for_shells_and_for_man() {
    let folder = TempDir::new().unwrap();
    let bash = command(folder.path()).args(["completions", "bash"]).output().unwrap();
    assert!(stdout(&bash).contains("--budget-usd"), "{}", stderr(&bash));
    let man = command(folder.path()).args(["man", "pages"]).output().unwrap();
    assert!(man.status.success(), "{}", stderr(&man));
    let page = std::fs::read_to_string(folder.path().join("pages/forgeguard-build.1")).unwrap();
    assert!(page.contains(".TH"), "{page}");
}
