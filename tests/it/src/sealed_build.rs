//! A sealed build with a real branch, written to its journal without a worker.

use domain::{
    event::{
        EventBody,
        agents::{AgentFinished, AgentStarted, AgentTurn, RunOutcome, Task},
        branch::{AuthorKind, BranchLife, BranchStatus, CommitCreated, Pushed},
        gates::{CriterionChecked, CriterionResult, GateFinished, GateStarted},
        life::{Sealed, Sealing, Started},
        phases::{
            CheckedDeliverable, DeliverableResult, DeliverablesChecked, IterationFinished,
            IterationStarted, PhaseComplete, PhaseStarted, PlanUpdated, TaskDone,
        },
        test_checks::TestsCompared,
    },
    gate::{SandboxLevel, TestCounts},
    ids::{BuildId, ProjectId, RunId},
    seal,
};
use forgeguard::{journal::Entry, store};
use futures::future::{BoxFuture, FutureExt, ready};
use git::WorkingClone;
use tempfile::TempDir;

use crate::{
    harness::{Instance, Person},
    project_fixture::git,
};

/// The file that the build changes, before and after.
pub const FILE: &str = "src/list.js";
pub const BEFORE: &str = "export const list = [];\nexport const size = () => list.length;\n";
pub const AFTER: &str = "export const list = [];\nexport const size = () => 0;\n";

/// An image that it adds: one pixel.
pub const PICTURE: &str = "src/logo.png";
pub const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\
    \0\0\0\nIDATx\x9cc`\0\0\0\x02\0\x01H\xaf\xa4q\0\0\0\0IEND\xaeB`\x82";

/// The author of ForgeGuard's own commits.
const BOT: &str = "ForgeGuard Bot <forgeguard-bot@users.noreply.github.com>";

/// A project of this user with a sealed build, which they started.
pub async fn sealed_build(instance: &Instance, owner: &Person) -> BuildId {
    let project = owner.project("Lists").await;
    let build = instance.queue_build(&project, &owner.id).await;
    seal_build(instance, &project, build, BOT).await;
    build
}

/// Completes and seals a queued build, with a change by this author.
pub async fn seal_build(instance: &Instance, project: &str, build: BuildId, author: &str) {
    let project = project.parse().expect("an id");
    write_build(instance, project, build, author, &|_, _| ready(()).boxed()).await;
}

/// A sealed build of an existing project. `work` is called during the coder's run.
pub async fn sealed_build_of<'a>(
    instance: &'a Instance,
    owner: &'a Person,
    project: ProjectId,
    work: &(dyn Fn(BuildId, RunId) -> BoxFuture<'a, ()> + Sync),
) -> BuildId {
    let build = instance.queue_build(&project.to_string(), &owner.id).await;
    write_build(instance, project, build, BOT, work).await;
    build
}

async fn write_build<'a>(
    instance: &Instance,
    project: ProjectId,
    build: BuildId,
    author: &str,
    work: &(dyn Fn(BuildId, RunId) -> BoxFuture<'a, ()> + Sync),
) {
    let branch = format!("forge/build-{build}");
    let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
    let at = folder.path();
    git(at, &["init", "-q", "-b", &branch]);
    std::fs::create_dir(at.join("src")).expect("a folder");
    let commit = |content: &str, message: &str| {
        std::fs::write(at.join(FILE), content).expect("a file");
        if content == AFTER {
            std::fs::write(at.join(PICTURE), PIXEL).expect("a file");
        }
        git(at, &["add", "."]);
        let author = if content == AFTER { author } else { BOT };
        git(at, &["commit", "-q", "--allow-empty", "--author", author, "-m", message]);
        git(at, &["rev-parse", "HEAD"])
    };
    let baseline = commit(BEFORE, "Begin");
    let change = commit(AFTER, "[forge] phase 0");
    for events in life(&branch, &baseline, &change) {
        let coder = events.iter().find_map(|event| match event {
            EventBody::BuildAgentStarted(run) if run.task == Task::Execute => Some(run.run_id),
            _ => None,
        });
        append(instance, build, events).await;
        if let Some(run) = coder {
            work(build, run).await;
        }
    }
    let mut conn = instance.app.db.read().await.expect("a connection");
    let row = store::builds::get(&mut conn, build).await.expect("it can be read");
    let head = row.expect("it is there").head_hash;
    drop(conn);
    let message = format!("[forge] sealed\n\nBuild-Cycle: {build}\nJournal-Head: {head}");
    let last = commit(AFTER, &message);
    append(instance, build, end(instance, build, &last, head).await).await;

    let (paths, folder) = (instance.app.engine.paths(), at.display().to_string());
    let (clone, hosted) = (paths.work(project), paths.hosted(project));
    WorkingClone::open_or_create(&clone, &hosted.display().to_string()).expect("a clone");
    for repository in [clone, hosted] {
        let refs = format!("+refs/heads/{branch}:refs/heads/{branch}");
        git(&repository, &["fetch", "-q", &folder, &refs]);
    }
}

async fn append(instance: &Instance, build: BuildId, events: Vec<EventBody>) {
    let entry = Entry::given(build, None, events);
    instance.app.journal.append(entry).await.expect("the events are legal");
}

/// From the start to the last gate.
fn life(branch: &str, baseline: &str, change: &str) -> Vec<Vec<EventBody>> {
    let (phase, title) = (0, "Only".to_owned());
    let started = Started {
        node: "node-1".to_owned(),
        attempt: 1,
        baseline_sha: baseline.to_owned(),
        branch: branch.to_owned(),
        sandbox: SandboxLevel::None,
    };
    let branch_status = BranchStatus {
        branch: branch.to_owned(),
        baseline_sha: baseline.to_owned(),
        head_sha: baseline.to_owned(),
        commit_count: 0,
        status: BranchLife::Active,
    };
    let plan = PlanUpdated { phase, steps: vec!["write it".to_owned()], gates: Vec::new() };
    let mut all = vec![
        vec![started.into()],
        vec![branch_status.into(), pushed(baseline)],
        vec![PhaseStarted { phase, title, explores: true }.into()],
    ];
    all.extend(run(Task::Scout, Vec::new(), false));
    all.extend(run(Task::Plan, vec![plan.into()], false));
    all.push(vec![IterationStarted { phase, n: 1 }.into()]);
    all.extend(run(Task::Execute, vec![TaskDone { phase, task: 1 }.into()], false));
    all.push(validated(Some(phase), baseline));
    all.push(vec![IterationFinished { phase, n: 1, passed: true }.into()]);
    let (text, evidence) = ("it has a size".to_owned(), format!("{FILE}:2"));
    let result = CriterionResult::Passed;
    let criterion = CriterionChecked { phase, index: 1, text, result, evidence };
    all.extend(run(Task::Audit, vec![criterion.into()], true));
    all.push(vec![committed(change, Some(phase))]);
    all.push(vec![pushed(change)]);
    let deliverables = vec!["something".to_owned()];
    all.push(vec![PhaseComplete { phase, deliverables }.into()]);
    all.push(vec![Sealing {}.into()]);
    all.push(validated(None, change));
    all.push(vec![tests_compared(baseline, change)]);
    let (result, path) = (DeliverableResult::Shown, Some(FILE.to_owned()));
    let deliverables = vec![CheckedDeliverable { phase, index: 1, result, path }];
    let head_sha = change.to_owned();
    all.push(vec![DeliverablesChecked { head_sha, deliverables }.into()]);
    all
}

/// The seal, according to the rules.
async fn end(
    instance: &Instance,
    build: BuildId,
    last: &str,
    journal_head: String,
) -> Vec<EventBody> {
    let state = instance.app.journal.state(build).await.expect("a state");
    let evidence = seal::evidence(&state);
    let (verdict, score) = (seal::verdict(&evidence), seal::score(&evidence));
    let branch = state.branch.clone().expect("a branch");
    let branch_status = BranchStatus {
        head_sha: last.to_owned(),
        commit_count: branch.commit_count + 1,
        status: BranchLife::Sealed,
        ..branch
    };
    let seal_commit = last.to_owned();
    let mut conn = instance.app.db.read().await.expect("a connection");
    let audit_log = Some(store::audit_log::head(&mut conn).await.expect("the audit log"));
    drop(conn);
    let sealed = Sealed { verdict, score, seal_commit, journal_head, evidence, audit_log };
    vec![committed(last, None), branch_status.into(), pushed(last), sealed.into()]
}

/// A run of an agent with one reply, which causes `done`.
fn run(task: Task, done: Vec<EventBody>, signed_off: bool) -> [Vec<EventBody>; 2] {
    let (run_id, role): (RunId, _) = (store::new_id(), task.role());
    let turn = AgentTurn {
        run_id,
        text: "I go on.".to_owned(),
        tokens_in: 100,
        tokens_out: 20,
        cache_read: 0,
        cache_write: 0,
        cost_usd_micros: 7,
        interjections_seen: 0,
        notes_version: 0,
        cut_short: None,
    };
    let (outcome, summary) = (RunOutcome::Completed, "done".to_owned());
    let finished = AgentFinished {
        run_id,
        outcome,
        summary,
        findings: Vec::new(),
        earlier_findings: Vec::new(),
        deliverables: Vec::new(),
        cleared_weakenings: Vec::new(),
        signed_off,
    };
    let model = "offline".to_owned();
    let started = AgentStarted {
        run_id,
        role,
        task,
        phase: 0,
        model,
        weakened_tests: Vec::new(),
        continues: None,
        executor: domain::executor::Executor::Builtin,
    };
    let mut end = vec![turn.into()];
    end.extend(done);
    end.push(finished.into());
    [vec![started.into()], end]
}

fn validated(phase: Option<u32>, head_sha: &str) -> Vec<EventBody> {
    let (gate, command) = ("validate".to_owned(), "validate".to_owned());
    let started =
        GateStarted { gate: gate.clone(), command: command.clone(), phase, tree_sha: None };
    let finished = GateFinished {
        gate,
        command,
        phase,
        required: true,
        passed: true,
        exit_code: Some(0),
        duration_ms: 1,
        output: "fine".to_owned(),
        output_sha256: "ab".repeat(32),
        head_sha: head_sha.to_owned(),
        tree_sha: None,
        sandbox: None,
        tests: Some(TestCounts { passed: 1, failed: 0, skipped: 0 }),
        named_tests: Vec::new(),
        failed_tests: Vec::new(),
        log: None,
        test_names: None,
    };
    vec![started.into(), finished.into()]
}

fn tests_compared(baseline: &str, head: &str) -> EventBody {
    let (baseline_sha, head_sha) = (baseline.to_owned(), head.to_owned());
    TestsCompared { baseline_sha, head_sha, origins: Vec::new(), weakened: Vec::new() }.into()
}

fn committed(sha: &str, phase: Option<u32>) -> EventBody {
    let commit = CommitCreated {
        sha: sha.to_owned(),
        title: "[forge] a change".to_owned(),
        author_kind: AuthorKind::Forge,
        author_name: None,
        files: 1,
        insertions: 1,
        deletions: 1,
        phase,
        tree_sha: None,
    };
    commit.into()
}

fn pushed(sha: &str) -> EventBody {
    Pushed { sha: sha.to_owned(), remote: "hosted".to_owned() }.into()
}
