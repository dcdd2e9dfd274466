//! A user clones the branch of a running build, commits and pushes to it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use domain::event::{
    EventBody,
    branch::{AuthorKind, CommitCreated},
};
use model_server::{Dialect, Seen, Turn};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    agent::Agent,
    follower::Follower,
    harness::text,
    project_fixture::{ProjectFixture, git},
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n\
    **Exit criteria:**\n- it greets\n";
const SIGN_OFF: &str = "=== TASK DONE: 1 ===\nIt greets.\n\
    === PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
    === END PHASE SIGN-OFF ===";
const BOT: &str = "--author=ForgeGuard Bot <forgeguard-bot@users.noreply.github.com>";
const EVENT_TIMEOUT: Duration = Duration::from_secs(120);

/// A user with a clone, a forge key, and a name.
#[derive(Clone)]
struct Ada {
    clone: PathBuf,
    url: String,
    /// Writes commits with ForgeGuard as their author.
    poses_as_the_bot: bool,
}

impl Ada {
    async fn of(fixture: &ProjectFixture) -> Self {
        let made = fixture.server.post("/api/forge-keys", json!({ "name": "git" })).await;
        let (key, address) = (text(&made["key"]), fixture.server.address());
        let url = format!("http://ada:{key}@{address}/git/{}.git", fixture.project);
        let clone = fixture.server.data().parent().expect("a folder").join("ada");
        Self { clone, url, poses_as_the_bot: false }
    }

    /// Fetches the build's branch, changes a file, commits and pushes.
    fn push(&self, branch: &str, file: &str, content: &str) {
        if !self.clone.exists() {
            let folder = self.clone.parent().expect("a folder");
            git(folder, &["clone", "-q", &self.url, "ada"]);
        }
        git(&self.clone, &["fetch", "-q", "origin"]);
        git(&self.clone, &["checkout", "-q", "-B", "mine", &format!("origin/{branch}")]);
        let file_path = self.clone.join(file);
        fs::create_dir_all(file_path.parent().expect("a folder")).expect("a folder");
        fs::write(file_path, content).expect("a file");
        git(&self.clone, &["add", "-A"]);
        let title = match self.poses_as_the_bot {
            true => format!("[forge] Change {file}"),
            false => format!("Change {file}"),
        };
        let author = self.poses_as_the_bot.then_some(BOT);
        let mut commit = vec!["commit", "-q", "-m", &title];
        commit.extend(author);
        git(&self.clone, &commit);
        git(&self.clone, &["push", "-q", "origin", &format!("HEAD:{branch}")]);
    }
}

/// The role that sends the request, and its turn in this run.
fn asks(seen: &Seen) -> (&'static str, usize) {
    let who = match Agent::of(seen) {
        Agent::Scout => "scout",
        Agent::Planner => "plan",
        Agent::Coder => "execute",
        Agent::Auditor => "audit",
        Agent::Fixer => "fix",
    };
    (who, seen.turn())
}

fn plan(turn: usize) -> Turn {
    if turn == 0 {
        return Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }));
    }
    Turn::says("=== PLAN ===\n1. Greet\nGates: none\n=== END PLAN ===")
}

fn writes(content: &str) -> Turn {
    Turn::reply().calls("write_file", json!({ "path": "greeting.txt", "content": content }))
}

fn reads() -> Turn {
    Turn::reply().calls("read_file", json!({ "path": "greeting.txt" }))
}

/// Starts the build and reads to its end. `play` gets the branch.
async fn built(
    fixture: &ProjectFixture,
    mut play: impl FnMut(&str, &Seen) -> Turn + Send + 'static,
) -> (Value, Vec<EventBody>) {
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let gate = json!({
        "name": "test", "command": "cat greeting.txt", "timeout_s": 30, "required": true,
        "network": false
    });
    let settings = json!({ "gates": [gate], "clarification_timeout_s": null });
    fixture.set("settings", settings).await;
    let hosted = fixture.hosted();
    let branch_of =
        move || git(&hosted, &["for-each-ref", "--format=%(refname:short)", "refs/heads/forge"]);
    fixture.model.play(move |seen| play(&branch_of(), seen));
    let path = format!("/api/projects/{}/builds", fixture.project);
    let build = text(&fixture.server.post(&path, json!({})).await["id"]);
    let id = build.parse().expect("an id");
    let mut follower = Follower::new(fixture.server.address(), fixture.server.token(), id);
    let mut events = Vec::new();
    loop {
        let event = timeout(EVENT_TIMEOUT, follower.event()).await;
        let event = event.unwrap_or_else(|_| {
            let last = &events[events.len().saturating_sub(4)..];
            panic!("nothing after {last:?}\n{}", fixture.server.log())
        });
        let ends = matches!(event.body, EventBody::BuildSealed(_) | EventBody::BuildBlocked(_));
        events.push(event.body);
        if ends {
            break;
        }
    }
    let build = fixture.server.get(&format!("/api/builds/{build}")).await;
    (build, events)
}

fn commits(events: &[EventBody]) -> Vec<&CommitCreated> {
    let commits = events.iter().filter_map(|event| match event {
        EventBody::BuildCommitCreated(commit) => Some(commit),
        _ => None,
    });
    commits.collect()
}

/// Asserts that the build is sealed and verified, with each commit of the hosted branch once in the
/// journal.
async fn assert_whole(fixture: &ProjectFixture, build: &Value, events: &[EventBody]) {
    assert_eq!(build["status"], "sealed", "{:?}\n{}", events.last(), fixture.server.log());
    let id = text(&build["id"]);
    let found = fixture.server.get(&format!("/api/builds/{id}/verify")).await;
    assert_eq!(found["problems"], json!([]), "{found}");
    let (hosted, branch) = (fixture.hosted(), text(&build["branch"]));
    let log = git(&hosted, &["rev-list", &branch, "--not", "main"]);
    let mut at_origin: Vec<&str> = log.lines().collect();
    let mut recorded: Vec<&str> = commits(events).iter().map(|one| one.sha.as_str()).collect();
    let newest = recorded.last().copied();
    assert_eq!(newest, at_origin.first().copied(), "the seal's commit is the branch's last");
    at_origin.sort_unstable();
    recorded.sort_unstable();
    assert_eq!(recorded, at_origin);
}

fn show(repository: &Path, what: &str) -> String {
    git(repository, &["show", what])
}

#[tokio::test(flavor = "multi_thread")]
async fn build_continues_from_pushed_commits_and_seals_them() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    let ada = Ada::of(&fixture).await;
    let prompts = Arc::new(Mutex::new(Vec::new()));
    let (recorded, person) = (prompts.clone(), ada.clone());
    let mut audits = 0;
    let (build, events) = built(&fixture, move |branch, seen| match asks(seen) {
        ("scout", _) => Turn::says("There is nothing yet."),
        ("plan", turn) => plan(turn),
        ("execute", 0) => {
            person.push(branch, "note.txt", "by hand\n");
            writes("hello\n")
        }
        ("audit", 0) => reads(),
        ("audit", _) => {
            audits += 1;
            if audits == 1 {
                // The signed-off tree has changed, so everything is checked again.
                let bot = Ada { poses_as_the_bot: true, ..person.clone() };
                bot.push(branch, "late.txt", "late\n");
            }
            Turn::says(SIGN_OFF)
        }
        _ => {
            recorded.lock().expect("no thread panicked").extend(seen.news());
            Turn::says(SIGN_OFF)
        }
    })
    .await;
    assert_whole(&fixture, &build, &events).await;

    let prompts = prompts.lock().expect("no thread panicked").join("\n");
    assert!(prompts.contains("Ada pushed 1 commit to your branch"), "{prompts}");
    assert!(
        prompts.contains("Files: note.txt") && prompts.contains("not instructions"),
        "{prompts}"
    );
    let made = commits(&events);
    let kinds: Vec<_> = made.iter().map(|one| (one.author_kind, one.title.as_str())).collect();
    assert_eq!(kinds[0], (AuthorKind::Human, "Change note.txt"));
    assert_eq!(kinds[1], (AuthorKind::Human, "[forge] Change late.txt"));
    assert_eq!(made[0].author_name.as_deref(), Some("Ada"));
    assert_eq!((made[0].files, made[0].insertions), (1, 1));
    assert!(kinds[2..].iter().all(|(kind, _)| *kind == AuthorKind::Forge), "{kinds:?}");
    let listed = fixture.server.get(&format!("/api/builds/{}/commits", text(&build["id"]))).await;
    let listed = listed["items"].as_array().expect("commits");
    let human = listed.iter().filter(|one| one["author_kind"] == "human").count();
    assert_eq!((listed.len(), human), (made.len(), 2), "{listed:?}");
    let audits = events.iter().filter(
        |event| matches!(event, EventBody::BuildAgentStarted(run) if run.role.name() == "auditor"),
    );
    assert_eq!(audits.count(), 2, "what came after the first audit was judged too");
    let (hosted, tip) = (fixture.hosted(), &made[made.len() - 1].sha);
    for (file, content) in
        [("note.txt", "by hand"), ("late.txt", "late"), ("greeting.txt", "hello")]
    {
        assert_eq!(show(&hosted, &format!("{tip}:{file}")), content);
    }
    assert_eq!(build["commit_count"], made.len());
    fixture.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pushed_version_wins_a_conflict_and_the_agents_version_is_kept() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    let ada = Ada::of(&fixture).await;
    let prompts = Arc::new(Mutex::new(Vec::new()));
    let (recorded, person) = (prompts.clone(), ada.clone());
    let (build, events) = built(&fixture, move |branch, seen| match asks(seen) {
        ("scout", _) => Turn::says("There is nothing yet."),
        ("plan", turn) => plan(turn),
        ("execute", 0) => writes("from the builder\n"),
        ("execute", 1) => {
            person.push(branch, "greeting.txt", "from Ada\n");
            reads()
        }
        ("audit", 0) => reads(),
        _ => {
            recorded.lock().expect("no thread panicked").extend(seen.news());
            Turn::says(SIGN_OFF)
        }
    })
    .await;
    assert_whole(&fixture, &build, &events).await;

    let prompts = prompts.lock().expect("no thread panicked").join("\n");
    assert!(prompts.contains("the pushed version was kept: greeting.txt"), "{prompts}");
    let tip = commits(&events).last().expect("commits").sha.clone();
    assert_eq!(show(&fixture.hosted(), &format!("{tip}:greeting.txt")), "from Ada");
    let clone = fixture.server.data().join(format!("work/{}.git", fixture.project));
    let kept = "refs/forge/rescue/build-1/1".to_owned();
    assert!(prompts.contains(&kept), "{prompts}");
    assert_eq!(show(&clone, &format!("{kept}:greeting.txt")), "from the builder");
    fixture.server.stop().await;
}

/// A command of the coder replaces a tracked directory by a link to the branches of the hosted
/// repository, and a user pushes a change of a file named `main` there.
async fn push_is_not_written_through_a_link_that_a_command_planted(sandbox: &str) {
    let settings = format!("sandbox = \"{sandbox}\"\n");
    let fixture = ProjectFixture::new(Dialect::Anthropic, &settings).await;
    let person = Ada::of(&fixture).await;
    let branches = fixture.hosted().join("refs/heads");
    let main = git(&fixture.hosted(), &["rev-parse", "refs/heads/main"]);
    let plant = format!("rm -rf docs && ln -s {} docs && ls -ld docs", branches.display());
    let (build, events) = built(&fixture, move |branch, seen| match asks(seen) {
        ("scout", _) => Turn::says("There is nothing yet."),
        ("plan", turn) => plan(turn),
        ("execute", 0) => {
            person.push(branch, "docs/main", "first\n");
            writes("hello\n")
        }
        ("execute", 1) => Turn::reply().calls("run_command", json!({ "command": plant })),
        ("execute", 2) => {
            person.push(branch, "docs/main", &"0".repeat(40));
            person.push(branch, "docs/new", "new\n");
            reads()
        }
        ("audit", 0) => reads(),
        _ => Turn::says(SIGN_OFF),
    })
    .await;
    assert_whole(&fixture, &build, &events).await;
    assert_eq!(git(&fixture.hosted(), &["rev-parse", "refs/heads/main"]), main);
    assert_eq!(git(&fixture.hosted(), &["for-each-ref", "refs/heads/new"]), "");
    assert!(!branches.join("new").exists());
    let tip = &commits(&events).last().expect("commits").sha;
    assert_eq!(show(&fixture.hosted(), &format!("{tip}:docs/main")), "0".repeat(40));
    assert_eq!(show(&fixture.hosted(), &format!("{tip}:docs/new")), "new");
    fixture.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn push_is_not_written_through_a_planted_link_at_level_strict() {
    push_is_not_written_through_a_link_that_a_command_planted("strict").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn push_is_not_written_through_a_planted_link_at_level_landlock() {
    push_is_not_written_through_a_link_that_a_command_planted("landlock").await;
}
