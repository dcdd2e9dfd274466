//! Builds whose phases a user implements in their own editor: over MCP, and by pushing to the branch.

use std::fs;

use model_server::Dialect;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    harness::text,
    mcp_client::Client,
    project_fixture::{ProjectFixture, git},
    scripted_project::{CODE, TEST, turn_of},
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- src/greet.js\n\
    **Scope:** `src/**`, `test/**`\n**Exit criteria:**\n- it greets — test: greets by name\n";

/// A build, and the editor in which its user works.
struct Editor {
    fixture: ProjectFixture,
    build: String,
    key: String,
    client: Client,
    folder: TempDir,
}

impl Editor {
    /// Starts a build of one phase, which needs tests that pass.
    async fn begin() -> Self {
        let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
        fixture.set("contracts/phases", json!({ "content": PHASES })).await;
        let gate = json!({
            "name": "test", "command": "node --test test/", "timeout_s": 60, "required": true,
            "network": false, "report": null
        });
        fixture.set("settings", json!({ "gates": [gate] })).await;
        fixture.model.play(|seen| turn_of(seen, &[], "true", "src/greet.js"));
        let scopes = json!({ "name": "editor", "scopes": ["build"] });
        let key = text(&fixture.server.post("/api/forge-keys", scopes).await["key"]);
        let client = connect(&fixture, &key).await;
        let options = json!({ "project_id": fixture.project, "executor": "own_editor" });
        let build = text(&client.data("forge_create_branch", options).await["build_id"]);
        let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
        Self { fixture, build, key, client, folder }
    }

    async fn call(&self, tool: &str, mut arguments: Value) -> Value {
        arguments["build_id"] = json!(self.build);
        self.client.data(tool, arguments).await
    }

    /// What is to be done once ForgeGuard itself has nothing to do.
    async fn work(&self) -> Value {
        loop {
            let work = self.call("forge_get_work", json!({ "wait_s": 50 })).await;
            if work["next"] != "running" {
                return work;
            }
        }
    }

    async fn finish(&self, mut arguments: Value) -> Value {
        arguments["summary"] = json!("It greets.");
        arguments["wait_s"] = json!(50);
        let work = self.call("forge_finish_work", arguments).await;
        if work["next"] == "running" { self.work().await } else { work }
    }

    /// Commits files in a clone and pushes them to the branch.
    fn push(&self, work: &Value, files: &[(&str, &str)]) {
        let (address, repository) = (self.fixture.server.address(), text(&work["repository"]));
        let url = format!("http://ada:{}@{address}{repository}", self.key);
        let (clone, branch) = (self.folder.path().join("clone"), text(&work["branch"]));
        if !clone.exists() {
            git(self.folder.path(), &["clone", "-q", "-b", &branch, &url, "clone"]);
        }
        for (path, content) in files {
            let path = clone.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, content).expect("a file");
        }
        git(&clone, &["add", "-A"]);
        git(&clone, &["commit", "-q", "-m", "Greet"]);
        git(&clone, &["pull", "-q", "--rebase", &url, &branch]);
        git(&clone, &["push", "-q", &url, &format!("HEAD:{branch}")]);
    }

    async fn kill_and_restart(&mut self) {
        self.fixture.server.kill().await;
        self.fixture.server.restart().await;
        self.client = connect(&self.fixture, &self.key).await;
    }
}

async fn connect(fixture: &ProjectFixture, key: &str) -> Client {
    let origin = format!("http://{}", fixture.server.address());
    Client::open_at(&origin, reqwest::Client::new(), key).await
}

fn gates(work: &Value) -> Vec<String> {
    let failures = work["task"]["failures"].as_array().expect("failures").iter();
    failures.map(|failure| text(&failure["gate"])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn user_implements_a_phase_and_fixes_what_the_gates_reject() {
    let editor = Editor::begin().await;
    let work = editor.work().await;
    assert_eq!((&work["next"], &work["task"]["kind"]), (&json!("work"), &json!("implement")));
    assert_eq!(work["task"]["steps"], json!([{ "step": 1, "text": "Greet" }]));
    let server = &editor.fixture.server;
    let path = format!("/api/builds/{}", editor.build);
    let waiting = server.get(&path).await;
    assert_eq!(waiting["status"], "awaiting_input");
    let asked = &waiting["open_clarifications"][0];
    assert_eq!((&asked["kind"], &asked["expires_at"]), (&json!("work"), &json!(null)));

    // It is not left to an agent, and saying so does not do it either.
    let skip = json!({ "question_id": asked["id"], "skip": true });
    let skipped = server.request(Method::POST, &format!("{path}/clarify"), Some(skip)).await;
    assert_eq!(skipped.status, StatusCode::CONFLICT, "{}", skipped.text);
    let claimed = editor.finish(json!({})).await;
    assert_eq!(claimed["task"]["kind"], "implement");
    let context = text(&claimed["task"]["context"]);
    assert!(context.starts_with("Nothing has been pushed"), "{context}");

    let wrong = CODE.replace("Hello, ", "Goodbye, ");
    let outside = ("docs/notes.md", "notes");
    editor.push(&work, &[("src/greet.js", &wrong), ("test/greet.test.js", TEST), outside]);
    let rejected = editor.finish(json!({})).await;
    assert_eq!(rejected["task"]["kind"], "fix", "{rejected}");
    assert_eq!(gates(&rejected), ["scope", "test"], "{rejected}");
    let output = text(&rejected["task"]["failures"][1]["output"]);
    assert!(output.contains("Goodbye, Ada!"), "{output}");
    let again = editor.finish(json!({})).await;
    assert_eq!(gates(&again), ["scope", "test"], "nothing was pushed: {again}");
    let context = text(&again["task"]["context"]);
    assert!(context.starts_with("Nothing has been pushed"), "{context}");

    fs::remove_file(editor.folder.path().join("clone/docs/notes.md")).expect("a file");
    editor.push(&work, &[("src/greet.js", CODE)]);
    let sealed = editor.finish(json!({})).await;
    assert_eq!(
        (&sealed["next"], &sealed["verdict"]),
        (&json!("ended"), &json!("CERTIFIED")),
        "{sealed}"
    );
    let seal = editor.call("forge_seal_branch", json!({})).await;
    assert_eq!(seal["seal"]["verdict"], "CERTIFIED");

    let events = server.get(&format!("{path}/events?limit=1000")).await;
    let started = events["items"].as_array().expect("events").iter();
    let started = started.filter(|event| event["type"] == "build_agent_started");
    let executors: Vec<Value> = started
        .map(|event| json!([event["payload"]["task"], event["payload"]["executor"]]))
        .collect();
    let expected =
        json!([["plan", null], ["execute", "own_editor"], ["fix", "own_editor"], ["audit", null],]);
    assert_eq!(json!(executors), expected, "the built-in agent is not named");
    let commits = server.get(&format!("{path}/commits")).await;
    let human = commits["items"].as_array().expect("commits").iter();
    assert_eq!(human.filter(|commit| commit["author_kind"] == "human").count(), 2, "{commits}");
    assert_eq!(server.get(&format!("{path}/verify")).await["ok"], true);
    let late = editor
        .client
        .rejection("forge_finish_work", json!({ "build_id": editor.build, "summary": "More" }))
        .await;
    assert!(late.contains("does not wait for work"), "{late}");
    editor.fixture.model.finish();
    editor.fixture.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn merged_base_branch_is_not_judged_by_the_scope() {
    let editor = Editor::begin().await;
    let work = editor.work().await;
    editor.push(&work, &[("src/greet.js", CODE), ("test/greet.test.js", TEST)]);
    let clone = editor.folder.path().join("clone");
    git(&clone, &["switch", "-q", "main"]);
    fs::write(clone.join("NOTES.md"), "What others did.\n").expect("a file");
    git(&clone, &["add", "-A"]);
    git(&clone, &["commit", "-q", "-m", "Note what others did"]);
    git(&clone, &["push", "-q", "origin", "main"]);
    git(&clone, &["switch", "-q", "-"]);
    git(&clone, &["merge", "-q", "--no-edit", "main"]);
    git(&clone, &["push", "-q", "origin", "HEAD"]);

    let sealed = editor.finish(json!({})).await;
    assert_eq!(sealed["verdict"], "CERTIFIED", "{sealed}");
    editor.fixture.model.finish();
    editor.fixture.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claim_that_nothing_is_to_be_done_is_judged() {
    let editor = Editor::begin().await;
    editor.work().await;
    let reason = json!({ "nothing_to_do": "It greets already." });
    let rejected = editor.finish(reason).await;
    assert_eq!(rejected["task"]["kind"], "fix", "{rejected}");
    assert_eq!(gates(&rejected), ["test"], "{rejected}");
    editor.fixture.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn work_outlives_the_death_of_the_server() {
    let mut editor = Editor::begin().await;
    let work = editor.work().await;
    editor.kill_and_restart().await;
    assert_eq!(editor.work().await["task"], work["task"]);
    editor.push(&work, &[("src/greet.js", CODE), ("test/greet.test.js", TEST)]);
    editor.call("forge_finish_work", json!({ "summary": "It greets." })).await;
    editor.kill_and_restart().await;
    let sealed = editor.work().await;
    assert_eq!(sealed["verdict"], "CERTIFIED", "{sealed}");
    editor.fixture.server.stop().await;
}
