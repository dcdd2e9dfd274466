//! The default branch moves during a build: it is merged before the seal, and the gates run again.

use std::{fs, path::PathBuf, time::Duration};

use domain::{
    event::{
        Event, EventBody,
        agents::Task,
        base::{BaseMerged, RebaseConflict},
        life::BlockReason,
    },
    verdict::Verdict,
};
use forgeguard::engine::bundle_check;
use model_server::{Dialect, Seen, Turn};
use serde_json::{Value, json};
use support::Postgres;
use tokio::time::{interval, timeout};

use crate::{
    agent::Agent,
    harness::text,
    project_fixture::{ProjectFixture, git},
    watched_build::WatchedBuild,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Scope:** `*.txt`\n\
    **Deliverables:**\n- greeting.txt\n**Exit criteria:**\n- it greets\n";
const PASS: &str = "=== TASK DONE: 1 ===\nIt greets.\n\
    === PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
    === END PHASE SIGN-OFF ===";
/// Green without `loud.txt`, or with a loud greeting.
const GATE: &str = "cat greeting.txt && { test ! -e loud.txt || grep -q HELLO greeting.txt; }";
const WAIT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A user with a clone of the project.
#[derive(Clone)]
struct Person {
    clone: PathBuf,
    url: String,
}

impl Person {
    async fn of(fixture: &ProjectFixture) -> Self {
        let made = fixture.server.post("/api/forge-keys", json!({ "name": "git" })).await;
        let (key, address) = (text(&made["key"]), fixture.server.address());
        let url = format!("http://ada:{key}@{address}/git/{}.git", fixture.project);
        let clone = fixture.server.data().parent().expect("a folder").join("ada");
        Self { clone, url }
    }

    fn fetch(&self) {
        if !self.clone.exists() {
            git(self.clone.parent().expect("a folder"), &["clone", "-q", &self.url, "ada"]);
        }
        git(&self.clone, &["fetch", "-q", "origin"]);
    }

    fn commit(&self, file: &str, content: &str) {
        let path = self.clone.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
        git(&self.clone, &["add", "-A"]);
        git(&self.clone, &["commit", "-q", "-m", &format!("Change {file}")]);
    }

    /// Pushes a change of one file to the default branch; its commit.
    fn push_to_main(&self, file: &str, content: &str) -> String {
        self.fetch();
        git(&self.clone, &["checkout", "-q", "-B", "mine", "origin/main"]);
        self.commit(file, content);
        git(&self.clone, &["push", "-q", "origin", "HEAD:main"]);
        git(&self.clone, &["rev-parse", "HEAD"])
    }

    /// Merges the default branch into the build's, with this content of the greeting, and pushes.
    fn push_merge(&self, branch: &str, greeting: &str) {
        self.fetch();
        git(&self.clone, &["checkout", "-q", "-B", "mine", &format!("origin/{branch}")]);
        git(&self.clone, &["merge", "-q", "--no-commit", "-s", "ours", "origin/main"]);
        self.commit("greeting.txt", greeting);
        git(&self.clone, &["push", "-q", "origin", &format!("HEAD:{branch}")]);
    }
}

async fn fixture(environment: &[(&str, &str)], config: &str) -> ProjectFixture {
    let fixture = ProjectFixture::with(Dialect::Anthropic, config, environment, None).await;
    prepare(&fixture).await;
    fixture
}

async fn prepare(fixture: &ProjectFixture) {
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let gate = json!({
        "name": "test", "command": GATE, "timeout_s": 60, "required": true, "network": false
    });
    let settings =
        json!({ "gates": [gate], "clarification_timeout_s": null, "mutation_sample": null });
    fixture.set("settings", settings).await;
}

fn writes(content: &str) -> Turn {
    Turn::reply().calls("write_file", json!({ "path": "greeting.txt", "content": content }))
}

/// A model that greets. `act` runs while it does; `fix` plays the runs that fix.
fn model(
    act: impl Fn() + Send + 'static,
    fix: impl Fn(&Seen) -> Turn + Send + 'static,
) -> impl FnMut(&Seen) -> Turn + Send + 'static {
    move |seen| match (Agent::of(seen), seen.turn()) {
        (Agent::Planner, 0) => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        (Agent::Planner, _) => Turn::says("=== PLAN ===\n1. Greet\nGates: none\n=== END PLAN ==="),
        (Agent::Auditor, 0) => Turn::reply().calls("read_file", json!({ "path": "greeting.txt" })),
        (Agent::Fixer, _) => fix(seen),
        (Agent::Coder, 0) => {
            act();
            writes("hello\n")
        }
        _ => Turn::says(PASS),
    }
}

fn done(_: &Seen) -> Turn {
    Turn::says("There is nothing to do.")
}

fn count(events: &[Event], wanted: impl Fn(&EventBody) -> bool) -> usize {
    events.iter().filter(|event| wanted(&event.body)).count()
}

fn merges(events: &[Event]) -> Vec<&BaseMerged> {
    let found = events.iter().filter_map(|event| match &event.body {
        EventBody::BuildBaseMerged(merged) => Some(merged),
        _ => None,
    });
    found.collect()
}

fn conflicts(events: &[Event]) -> Vec<&RebaseConflict> {
    let found = events.iter().filter_map(|event| match &event.body {
        EventBody::BuildRebaseConflict(conflict) => Some(conflict),
        _ => None,
    });
    found.collect()
}

fn runs(events: &[Event], task: Task) -> usize {
    count(events, |body| matches!(body, EventBody::BuildAgentStarted(run) if run.task == task))
}

/// The build is sealed, verified, and contains the tip; its changes are only its own.
async fn assert_sealed_on(watched: &WatchedBuild, tip: &str) -> Value {
    let path = format!("/api/builds/{}", watched.build);
    let build = watched.server.get(&path).await;
    assert_eq!(build["status"], "sealed", "{:?}", watched.events.last());
    assert_ne!(build["verdict"], json!(Verdict::Flagged), "{build}");
    watched.assert_journal_is_whole(&build).await;
    assert_eq!(build["baseline_sha"], tip, "{build}");
    let diff = watched.server.get(&format!("{path}/diff")).await;
    let files: Vec<String> =
        diff["files"].as_array().expect("files").iter().map(|it| text(&it["path"])).collect();
    assert_eq!(files, ["greeting.txt"], "only its own change");
    let hosted = watched.server.data().join(format!("repos/{}.git", watched.project));
    assert_eq!(git(&hosted, &["rev-parse", "main"]), tip, "the build never moves it");
    git(&hosted, &["merge-base", "--is-ancestor", tip, &text(&build["branch"])]);
    let bundle = watched.server.stream(&format!("{path}/bundle"), "application/zip").await;
    let bundle = bundle.bytes().await.expect("a bundle");
    let file = watched.server.data().join("bundle.zip");
    fs::write(&file, bundle).expect("a file");
    let found = bundle_check::check(&file, None).expect("the file can be read");
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let report = watched.server.get_text(&format!("{path}/report")).await;
    assert!(report.contains(&format!("main at `{tip:.12}`")), "{report}");
    build
}

/// Markers of an unresolved conflict are on no commit of the branch.
fn assert_no_markers(watched: &WatchedBuild, branch: &str) {
    let hosted = watched.server.data().join(format!("repos/{}.git", watched.project));
    for commit in git(&hosted, &["rev-list", branch]).lines() {
        let found = git(&hosted, &["ls-tree", "--name-only", commit]);
        if found.lines().any(|file| file == "greeting.txt") {
            let content = git(&hosted, &["show", &format!("{commit}:greeting.txt")]);
            assert!(!content.contains("<<<<"), "{commit}: {content}");
        }
    }
}

async fn default_branch_is_merged_and_only_the_gates_run_again(environment: &[(&str, &str)]) {
    let fixture = fixture(environment, "").await;
    let person = Person::of(&fixture).await;
    let act = move || drop(person.push_to_main("docs/theirs.md", "# Theirs\n"));
    fixture.model.play(model(act, done));
    let hosted = fixture.hosted();
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    watched.run_to_the_end().await;
    let tip = git(&hosted, &["rev-parse", "main"]);
    let build = assert_sealed_on(&watched, &tip).await;
    let merged = merges(&watched.events);
    assert_eq!(merged.len(), 1);
    assert_eq!(
        (&merged[0].branch[..], &merged[0].tip_sha, &merged[0].base_sha),
        ("main", &tip, &tip)
    );
    assert_eq!((&merged[0].paths, merged[0].path_count), (&vec!["docs/theirs.md".to_owned()], 1));
    let gates = |phase| {
        count(
            &watched.events,
            |body| matches!(body, EventBody::BuildGateFinished(it) if it.gate == "test" && it.phase == phase),
        )
    };
    assert_eq!((gates(Some(0)), gates(None)), (2, 1));
    let scope = count(
        &watched.events,
        |body| matches!(body, EventBody::BuildGateFinished(it) if it.gate == "scope" && it.passed),
    );
    assert!(scope >= 2, "a file of the default branch is not outside the scope");
    assert_eq!((runs(&watched.events, Task::Audit), runs(&watched.events, Task::Fix)), (1, 0));
    let listed = watched.server.get(&format!("/api/builds/{}/commits", watched.build)).await;
    let titles: Vec<String> =
        listed["items"].as_array().expect("commits").iter().map(|it| text(&it["title"])).collect();
    assert_eq!(titles.len(), 3, "{titles:?}");
    assert!(titles.iter().any(|title| title == "[forge] #1: merge main"), "{titles:?}");
    assert_eq!(build["blocked_reason"], Value::Null);
    fixture.model.finish();
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn default_branch_that_moved_is_merged_and_only_the_gates_run_again() {
    default_branch_is_merged_and_only_the_gates_run_again(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn default_branch_that_moved_is_merged_on_postgres() {
    let database = Postgres::create().await;
    default_branch_is_merged_and_only_the_gates_run_again(&[("DATABASE_URL", database.url())])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gate_that_fails_after_the_merge_is_fixed() {
    let fixture = fixture(&[], "").await;
    let person = Person::of(&fixture).await;
    let act = move || drop(person.push_to_main("loud.txt", "Be loud.\n"));
    let fix = |seen: &Seen| match seen.turn() {
        0 => writes("HELLO\n"),
        _ => Turn::says("It is loud now."),
    };
    fixture.model.play(model(act, fix));
    let hosted = fixture.hosted();
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    watched.run_to_the_end().await;
    let build = assert_sealed_on(&watched, &git(&hosted, &["rev-parse", "main"])).await;
    assert_eq!((runs(&watched.events, Task::Audit), runs(&watched.events, Task::Fix)), (2, 1));
    let branch = text(&build["branch"]);
    assert_eq!(git(&hosted, &["show", &format!("{branch}:greeting.txt")]), "HELLO");
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conflict_is_resolved_by_the_coder_and_markers_are_not() {
    let fixture = fixture(&[], "").await;
    let person = Person::of(&fixture).await;
    let act = move || {
        person.push_to_main("greeting.txt", "from main\n");
    };
    // At first the markers stay.
    let fix = |seen: &Seen| match (seen.task().contains("attempt 1 of"), seen.turn()) {
        (true, _) => Turn::says("I leave it."),
        (false, 0) => writes("hello from main\n"),
        (false, _) => Turn::says("Both greetings are in one line."),
    };
    fixture.model.play(model(act, fix));
    let hosted = fixture.hosted();
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    watched.run_to_the_end().await;
    let tip = git(&hosted, &["rev-parse", "main"]);
    let build = assert_sealed_on(&watched, &tip).await;
    let found = conflicts(&watched.events);
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].paths, &found[0].tip_sha), (&vec!["greeting.txt".to_owned()], &tip));
    let merged = merges(&watched.events);
    assert_eq!(merged.len(), 1);
    assert_eq!(merged[0].conflicts, ["greeting.txt"]);
    let branch = text(&build["branch"]);
    let parents = git(&hosted, &["rev-parse", &format!("{}^@", merged[0].commit_sha)]);
    assert_eq!(parents.lines().nth(1), Some(tip.as_str()), "{parents}");
    assert_eq!(git(&hosted, &["show", &format!("{branch}:greeting.txt")]), "hello from main");
    assert_no_markers(&watched, &branch);
    let marked = watched.events.iter().any(|event| match &event.body {
        EventBody::BuildGateFinished(gate) => {
            gate.gate == "validate" && !gate.passed && gate.output.contains("a conflict marker")
        }
        _ => false,
    });
    assert!(marked, "what has markers is not resolved");
    let asked = fixture.model.requests();
    let told = |seen: &&Seen| seen.task().contains("these files have conflicts: greeting.txt");
    assert!(asked.iter().any(|seen| told(&seen)), "the agent knows what to do");
    let errors = watched.server.get(&format!("/api/builds/{}/errors", watched.build)).await;
    let error = errors["items"].as_array().expect("errors").iter();
    let error = error.clone().find(|one| one["source"] == "rebase_conflict");
    assert_eq!(error.expect("the conflict is an error")["resolved"], true, "{errors}");
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conflict_that_blocks_a_build_is_resolved_by_a_push() {
    let fixture = fixture(&[], "").await;
    let person = Person::of(&fixture).await;
    let other = person.clone();
    let act = move || drop(other.push_to_main("greeting.txt", "from main\n"));
    fixture.model.play(model(act, done));
    let hosted = fixture.hosted();
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    watched.resumes_parked = false;
    let blocked = watched.run_until_blocked().await;
    assert_eq!(blocked.reason, BlockReason::RebaseConflict);
    assert_eq!(runs(&watched.events, Task::Fix), 3);
    let path = format!("/api/builds/{}", watched.build);
    let build = watched.server.get(&path).await;
    assert_eq!(build["blocked_reason"], "rebase_conflict");
    let explanation = &build["block_explanation"];
    assert!(text(&explanation["why"]).contains("(rebase_conflict) in: greeting.txt"), "{build}");
    let branch = text(&build["branch"]);
    let remedy = text(&explanation["remedy"]);
    assert!(remedy.contains(&format!("push to {branch}; then resume the build")), "{remedy}");
    let report = watched.server.get_text(&format!("{path}/report")).await;
    assert!(report.contains("**rebase_conflict**: main at"), "{report}");
    assert!(report.contains("conflicts in greeting.txt"), "{report}");

    person.push_merge(&branch, "hello from both\n");
    watched.resume().await;
    watched.run_to_the_end().await;
    let tip = git(&hosted, &["rev-parse", "main"]);
    let build = watched.server.get(&path).await;
    assert_eq!((&build["status"], &build["baseline_sha"]), (&json!("sealed"), &json!(tip)));
    watched.assert_journal_is_whole(&build).await;
    let found = git(&hosted, &["show", &format!("{branch}:greeting.txt")]);
    assert_eq!(found, "hello from both");
    assert_no_markers(&watched, &branch);
    assert_eq!(runs(&watched.events, Task::Fix), 3, "no agent works on what is resolved");
    assert_eq!(runs(&watched.events, Task::Audit), 2, "the user's change is audited");
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn second_build_with_changes_of_the_same_lines_reports_the_conflict() {
    let fixture = fixture(&[], "").await;
    let person = Person::of(&fixture).await;
    fixture.model.play(model(|| {}, done));
    let hosted = fixture.hosted();
    let mut first = WatchedBuild::begin(fixture.server, fixture.project).await;
    first.run_to_the_end().await;
    let before = git(&hosted, &["rev-parse", "main"]);
    let build = first.server.get(&format!("/api/builds/{}", first.build)).await;
    assert_eq!((&build["status"], &build["baseline_sha"]), (&json!("sealed"), &json!(before)));
    assert!(merges(&first.events).is_empty(), "nothing has moved");

    // The first one is merged by a user while the second works.
    let branch = text(&build["branch"]);
    let act = move || {
        person.fetch();
        git(&person.clone, &["checkout", "-q", "-B", "mine", &format!("origin/{branch}")]);
        person.commit("greeting.txt", "hello, and more\n");
        git(&person.clone, &["push", "-q", "origin", "HEAD:main"]);
    };
    let fix = |seen: &Seen| match seen.turn() {
        0 => writes("hello, twice\n"),
        _ => Turn::says("Both are kept."),
    };
    fixture.model.play(model(act, fix));
    let mut second = WatchedBuild::begin(first.server, first.project).await;
    second.run_to_the_end().await;
    let tip = git(&hosted, &["rev-parse", "main"]);
    let build = assert_sealed_on(&second, &tip).await;
    let found = conflicts(&second.events);
    assert_eq!(found.len(), 1, "{:?}", second.events.last());
    assert_eq!(found[0].paths, ["greeting.txt"]);
    let branch = text(&build["branch"]);
    assert_eq!(git(&hosted, &["show", &format!("{branch}:greeting.txt")]), "hello, twice");
    second.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn merge_that_is_interrupted_is_made_once() {
    let fixture = fixture(&[], "").await;
    let person = Person::of(&fixture).await;
    let act = move || drop(person.push_to_main("docs/theirs.md", "# Theirs\n"));
    fixture.model.play(model(act, done));
    let hosted = fixture.hosted();
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    // While the merge is made, before its event or after it.
    let is_complete = |_, event: &Event| matches!(event.body, EventBody::BuildPhaseComplete(_));
    watched.run_until(is_complete).await.expect("the phase ends");
    watched.kill_and_restart().await;
    let is_merged = |_, event: &Event| matches!(event.body, EventBody::BuildBaseMerged(_));
    if !watched.events.iter().any(|event| is_merged(0, event)) {
        watched.run_until(is_merged).await.expect("it is merged");
    }
    // After the event, possibly before branch and files follow.
    watched.kill_and_restart().await;
    watched.run_to_the_end().await;
    let tip = git(&hosted, &["rev-parse", "main"]);
    let build = assert_sealed_on(&watched, &tip).await;
    assert_eq!(merges(&watched.events).len(), 1);
    let range = format!("{tip}..{}", text(&build["branch"]));
    let merged = git(&hosted, &["rev-list", "--merges", "--count", &range]);
    assert_eq!(merged, "1", "one merge commit is on the branch");
    watched.server.stop().await;
}

/// A project that follows another one of the same server, and a person who pushes to that one.
struct Imported {
    fixture: ProjectFixture,
    person: Person,
    /// The repository of the other project.
    source: PathBuf,
}

async fn imported() -> Imported {
    let config = "[network]\nenabled = true\nallow = [\"127.0.0.0/8\"]\n";
    let source = ProjectFixture::with(Dialect::Anthropic, config, &[], None).await;
    let person = Person::of(&source).await;
    person.push_to_main("README.md", "# Remote\n");
    let made = source.server.post("/api/forge-keys", json!({ "name": "import" })).await;
    let host = source.server.address().to_string();
    let token = json!({
        "scope": "user", "name": "token", "host": host, "kind": "token", "token": made["key"],
    });
    let token = text(&source.server.post("/api/credentials", token).await["id"]);
    let url = format!("http://{host}/git/{}.git", source.project);
    let import = json!({ "url": url, "credential": token });
    let project = text(&source.server.post("/api/imports", import).await["id"]);
    let fetched = async {
        let mut ticks = interval(POLL_INTERVAL);
        loop {
            ticks.tick().await;
            let remote = source.server.get(&format!("/api/projects/{project}/remote")).await;
            let status = text(&remote["remote"]["fetch"]["status"]);
            assert_ne!(status, "failed", "{remote}");
            if status == "done" {
                return;
            }
        }
    };
    timeout(WAIT, fetched).await.expect("the import ends in time");
    let hosted = source.hosted();
    let fixture = ProjectFixture { project, ..source };
    prepare(&fixture).await;
    Imported { fixture, person, source: hosted }
}

#[tokio::test(flavor = "multi_thread")]
async fn remote_is_fetched_before_the_comparison() {
    let Imported { fixture, person, .. } = imported().await;
    let act = move || drop(person.push_to_main("docs/theirs.md", "# Theirs\n"));
    fixture.model.play(model(act, done));
    let hosted = fixture.hosted();
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    watched.run_to_the_end().await;
    let tip = git(&hosted, &["rev-parse", "main"]);
    assert_sealed_on(&watched, &tip).await;
    let merged = merges(&watched.events);
    assert_eq!((merged.len(), &merged[0].fetch_error), (1, &None));
    assert_eq!(merged[0].paths, ["docs/theirs.md"]);
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn report_says_that_the_remote_could_not_be_fetched() {
    let Imported { fixture, source, .. } = imported().await;
    let act = move || fs::rename(&source, source.with_extension("gone")).expect("it is renamed");
    fixture.model.play(model(act, done));
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    watched.run_to_the_end().await;
    let page = watched.server.get_text(&format!("/api/builds/{}/report", watched.build)).await;
    assert!(page.contains("The remote could not be fetched before the seal: "), "{page}");
    watched.server.stop().await;
}
