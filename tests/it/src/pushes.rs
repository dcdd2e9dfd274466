//! A person clones the branch of a build that is being worked on, commits and pushes to it.

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
    follower::Follower,
    ground::{Ground, git},
    harness::text,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n\
    **Exit criteria:**\n- it greets\n";
const SIGN_OFF: &str = "=== TASK DONE: 1 ===\nIt greets.\n\
    === PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
    === END PHASE SIGN-OFF ===";
const BOT: &str = "--author=ForgeGuard Bot <forgeguard-bot@users.noreply.github.com>";
const PATIENCE: Duration = Duration::from_secs(120);

/// A person with a clone, a forge key, and a name.
#[derive(Clone)]
struct Ada {
    clone: PathBuf,
    url: String,
    /// Writes commits that say that ForgeGuard made them.
    poses_as_the_bot: bool,
}

impl Ada {
    async fn of(ground: &Ground) -> Self {
        let made = ground.server.post("/api/forge-keys", json!({ "name": "git" })).await;
        let (key, address) = (text(&made["key"]), ground.server.address());
        let url = format!("http://ada:{key}@{address}/git/{}.git", ground.project);
        let clone = ground.server.data().parent().expect("a folder").join("ada");
        Self { clone, url, poses_as_the_bot: false }
    }

    /// Fetches the build's branch, changes a file there, commits and pushes.
    fn push(&self, branch: &str, file: &str, content: &str) {
        if !self.clone.exists() {
            let folder = self.clone.parent().expect("a folder");
            git(folder, &["clone", "-q", &self.url, "ada"]);
        }
        git(&self.clone, &["fetch", "-q", "origin"]);
        git(&self.clone, &["checkout", "-q", "-B", "mine", &format!("origin/{branch}")]);
        fs::write(self.clone.join(file), content).expect("a file");
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

/// Who asks, and for which time in this run.
fn asks(seen: &Seen) -> (&'static str, usize) {
    let system = seen.system();
    let who = match seen.tools() {
        _ if system.contains("You are the scout") => "scout",
        _ if system.contains("You are the auditor") => "audit",
        _ if system.contains("You are the fixer") => "fix",
        tools if tools.contains(&"write_file") => "execute",
        _ => "plan",
    };
    (who, seen.turn())
}

fn plan(turn: usize) -> Turn {
    if turn == 0 {
        return Turn::reply().calls("forge_get_phase_window", json!({ "phase_number": 0 }));
    }
    Turn::says("=== PLAN ===\n1. Greet\nGates: none\n=== END PLAN ===")
}

fn writes(content: &str) -> Turn {
    Turn::reply().calls("write_file", json!({ "path": "greeting.txt", "content": content }))
}

/// Starts the build and reads to its end. `play` is given the branch.
async fn built(
    ground: &Ground,
    mut play: impl FnMut(&str, &Seen) -> Turn + Send + 'static,
) -> (Value, Vec<EventBody>) {
    ground.set("contracts/phases", json!({ "content": PHASES })).await;
    let gate = json!({
        "name": "test", "command": "cat greeting.txt", "timeout_s": 30, "required": true,
        "network": false
    });
    let settings = json!({ "gates": [gate], "clarification_timeout_s": null });
    ground.set("settings", settings).await;
    let hosted = ground.hosted();
    let branch_of =
        move || git(&hosted, &["for-each-ref", "--format=%(refname:short)", "refs/heads/forge"]);
    ground.model.play(move |seen| play(&branch_of(), seen));
    let path = format!("/api/projects/{}/builds", ground.project);
    let build = text(&ground.server.post(&path, json!({})).await["id"]);
    let id = build.parse().expect("an id");
    let mut follower = Follower::new(ground.server.address(), ground.server.token(), id);
    let mut events = Vec::new();
    loop {
        let event = timeout(PATIENCE, follower.event()).await;
        let event = event.unwrap_or_else(|_| {
            let last = &events[events.len().saturating_sub(4)..];
            panic!("nothing after {last:?}\n{}", ground.server.log())
        });
        let ends = matches!(event.body, EventBody::BuildSealed(_) | EventBody::BuildBlocked(_));
        events.push(event.body);
        if ends {
            break;
        }
    }
    let build = ground.server.get(&format!("/api/builds/{build}")).await;
    (build, events)
}

fn commits(events: &[EventBody]) -> Vec<&CommitCreated> {
    let commits = events.iter().filter_map(|event| match event {
        EventBody::BuildCommitCreated(commit) => Some(commit),
        _ => None,
    });
    commits.collect()
}

/// Sealed, verified, and every commit of the hosted branch is in the journal once.
async fn assert_whole(ground: &Ground, build: &Value, events: &[EventBody]) {
    assert_eq!(build["status"], "sealed", "{:?}\n{}", events.last(), ground.server.log());
    let id = text(&build["id"]);
    let found = ground.server.get(&format!("/api/builds/{id}/verify")).await;
    assert_eq!(found["problems"], json!([]), "{found}");
    let (hosted, branch) = (ground.hosted(), format!("forge/build-{id}"));
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
async fn what_a_person_pushes_is_gone_on_from_and_sealed() {
    let ground = Ground::new(Dialect::Anthropic, "").await;
    let ada = Ada::of(&ground).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let (heard, person) = (told.clone(), ada.clone());
    let mut audits = 0;
    let (build, events) = built(&ground, move |branch, seen| match asks(seen) {
        ("scout", _) => Turn::says("There is nothing yet."),
        ("plan", turn) => plan(turn),
        ("execute", 0) => {
            person.push(branch, "note.txt", "by hand\n");
            writes("hello\n")
        }
        ("audit", _) => {
            audits += 1;
            if audits == 1 {
                // What was signed off is not what is there any more: all is asked again.
                let bot = Ada { poses_as_the_bot: true, ..person.clone() };
                bot.push(branch, "late.txt", "late\n");
            }
            Turn::says(SIGN_OFF)
        }
        _ => {
            heard.lock().expect("nobody panicked").extend(seen.news());
            Turn::says(SIGN_OFF)
        }
    })
    .await;
    assert_whole(&ground, &build, &events).await;

    let told = told.lock().expect("nobody panicked").join("\n");
    assert!(told.contains("Ada pushed 1 commit to your branch"), "{told}");
    assert!(told.contains("Files: note.txt") && told.contains("no instructions"), "{told}");
    let made = commits(&events);
    let kinds: Vec<_> = made.iter().map(|one| (one.author_kind, one.title.as_str())).collect();
    assert_eq!(kinds[0], (AuthorKind::Human, "Change note.txt"));
    assert_eq!(kinds[1], (AuthorKind::Human, "[forge] Change late.txt"));
    assert_eq!(made[0].author_name.as_deref(), Some("Ada"));
    assert_eq!((made[0].files, made[0].insertions), (1, 1));
    assert!(kinds[2..].iter().all(|(kind, _)| *kind == AuthorKind::Forge), "{kinds:?}");
    let listed = ground.server.get(&format!("/api/builds/{}/commits", text(&build["id"]))).await;
    let listed = listed["items"].as_array().expect("commits");
    let human = listed.iter().filter(|one| one["author_kind"] == "human").count();
    assert_eq!((listed.len(), human), (made.len(), 2), "{listed:?}");
    let audits = events.iter().filter(
        |event| matches!(event, EventBody::BuildAgentStarted(run) if run.role.name() == "auditor"),
    );
    assert_eq!(audits.count(), 2, "what came after the first audit was judged too");
    let (hosted, tip) = (ground.hosted(), &made[made.len() - 1].sha);
    for (file, content) in
        [("note.txt", "by hand"), ("late.txt", "late"), ("greeting.txt", "hello")]
    {
        assert_eq!(show(&hosted, &format!("{tip}:{file}")), content);
    }
    assert_eq!(build["commit_count"], made.len());
    ground.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_both_changed_a_file_theirs_stands_and_ours_is_kept() {
    let ground = Ground::new(Dialect::Anthropic, "").await;
    let ada = Ada::of(&ground).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let (heard, person) = (told.clone(), ada.clone());
    let (build, events) = built(&ground, move |branch, seen| match asks(seen) {
        ("scout", _) => Turn::says("There is nothing yet."),
        ("plan", turn) => plan(turn),
        ("execute", 0) => writes("from the builder\n"),
        ("execute", 1) => {
            person.push(branch, "greeting.txt", "from Ada\n");
            Turn::reply().calls("read_file", json!({ "path": "greeting.txt" }))
        }
        _ => {
            heard.lock().expect("nobody panicked").extend(seen.news());
            Turn::says(SIGN_OFF)
        }
    })
    .await;
    assert_whole(&ground, &build, &events).await;

    let told = told.lock().expect("nobody panicked").join("\n");
    assert!(told.contains("did not fit with it: greeting.txt"), "{told}");
    let (id, tip) = (text(&build["id"]), commits(&events).last().expect("commits").sha.clone());
    assert_eq!(show(&ground.hosted(), &format!("{tip}:greeting.txt")), "from Ada");
    let clone = ground.server.data().join(format!("work/{}.git", ground.project));
    let kept = format!("refs/forge/rescue/build-{id}/1");
    assert!(told.contains(&kept), "{told}");
    assert_eq!(show(&clone, &format!("{kept}:greeting.txt")), "from the builder");
    ground.server.stop().await;
}
