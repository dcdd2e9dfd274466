//! What happens in the life of a build with one phase, from queue to seal, entry by entry.

use domain::{
    budget::Budgets,
    contract::{ContractSource, ContractType},
    criterion::ExitCriterion,
    errors::Severity,
    event::{
        EventBody,
        agents::{AgentFinished, AgentStarted, AgentTurn, ContractRead, RunOutcome, Task},
        branch::{AuthorKind, BranchLife, BranchStatus, CommitCreated, Pushed},
        gates::{CriterionChecked, CriterionResult, GateFinished, GateStarted},
        life::{
            Abandoned, Actor, CancelRequested, Origin, Queued, Resumed, Sealed, Sealing, Started,
        },
        phases::{
            CheckedDeliverable, DeliverableResult, DeliverablesChecked, IterationFinished,
            IterationStarted, LogLevel, LogLine, PhaseComplete, PhaseStarted, PlanUpdated,
            TaskDone,
        },
        questions::{ClarificationRequest, ClarificationResolved, ResolvedHow},
        test_checks::TestsCompared,
    },
    gate::{GateDefinition, SandboxLevel, TestCounts},
    ids::{BuildId, ClarificationId, Id, RunId, UserId},
    phases::PhaseOutline,
    seal,
    state::BuildState,
    test_checks::TestChecks,
    tracking::{self, ObservedFailure},
};
use forgeguard::store;

const BASELINE: &str = "0000000000000000000000000000000000000000";
const PHASE_COMMIT: &str = "1111111111111111111111111111111111111111";
/// The last commit of a sealed build.
pub const SEAL_COMMIT: &str = "2222222222222222222222222222222222222222";
/// The gates that run, in order.
const GATES: [&str; 2] = ["validate", "test"];

/// How far a life goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Until {
    /// The scout is at work.
    Scouting,
    /// The coder is at work.
    Coding,
    /// The first phase is complete.
    PhaseComplete,
    /// Nothing is left but the seal.
    FinalGates,
}

/// What the build is bound to.
pub fn queued(started_by: UserId) -> Queued {
    let phase = PhaseOutline {
        number: 0,
        title: "Lists".to_owned(),
        scope: Vec::new(),
        deliverables: vec!["a list".to_owned()],
        covers: Vec::new(),
        exit_criteria: vec![ExitCriterion::reviewed("it lists".to_owned())],
    };
    let test = GateDefinition {
        name: "test".to_owned(),
        command: "node --test".to_owned(),
        timeout_s: 60,
        required: true,
        network: false,
        report: None,
        runs_tests: true,
    };
    Queued {
        origin: Origin::Demo,
        snapshot_batch: store::new_id(),
        executor: domain::executor::Executor::Builtin,
        phase_executors: Vec::new(),
        budgets: Budgets::default(),
        started_by,
        phases: vec![phase],
        gates: vec![test],
        gates_detected: false,
        detection: None,
        preflight: false,
        merges_base: false,
        test_checks: TestChecks { mutation_sample: None, ..TestChecks::default() },
        clarification_timeout_s: Some(600),
        permissions: Vec::new(),
        waits: Default::default(),
        model: "offline".to_owned(),
        follows: None,
        requests: None,
        number: None,
        title: None,
        description: None,
        estimate: None,
        exploration: Default::default(),
        plan_approval: Default::default(),
        baseline_branch: None,
        first_phase: None,
        pinned_at: None,
        models: Default::default(),
        contracts: None,
        requirements: Vec::new(),
    }
}

/// What follows `build_queued`, cut into entries as a worker appends them.
pub fn entries(build: BuildId, until: Until) -> Vec<Vec<EventBody>> {
    let mut all =
        vec![vec![started(build)], vec![branch(build, BranchLife::Active), pushed(BASELINE)]];
    let (phase, title) = (0, "Lists".to_owned());
    all.push(vec![PhaseStarted { phase, title, explores: true }.into()]);
    all.push(vec![agent(build, Task::Scout)]);
    if until == Until::Scouting {
        return all;
    }
    all.push(vec![turn(build, Task::Scout), finished(build, Task::Scout, false)]);
    all.push(vec![agent(build, Task::Plan), turn(build, Task::Plan)]);
    let steps = vec!["write it".to_owned()];
    let plan = PlanUpdated { phase, steps, gates: Vec::new() };
    all.push(vec![plan.into(), finished(build, Task::Plan, false)]);
    all.push(vec![IterationStarted { phase, n: 1 }.into(), agent(build, Task::Execute)]);
    if until == Until::Coding {
        return all;
    }
    let done = TaskDone { phase, task: 1 }.into();
    all.push(vec![turn(build, Task::Execute), done, finished(build, Task::Execute, false)]);
    all.extend(GATES.map(|gate| gate_run(gate, Some(phase), BASELINE)));
    all.push(vec![IterationFinished { phase, n: 1, passed: true }.into()]);
    all.push(vec![agent(build, Task::Audit), turn(build, Task::Audit)]);
    all.push(vec![criterion(), finished(build, Task::Audit, true)]);
    all.push(vec![commit(PHASE_COMMIT, Some(phase))]);
    all.push(vec![pushed(PHASE_COMMIT)]);
    all.push(vec![PhaseComplete { phase, deliverables: vec!["a list".to_owned()] }.into()]);
    if until == Until::PhaseComplete {
        return all;
    }
    all.push(vec![Sealing {}.into()]);
    all.extend(GATES.map(|gate| gate_run(gate, None, PHASE_COMMIT)));
    let (baseline_sha, head_sha) = (BASELINE.to_owned(), PHASE_COMMIT.to_owned());
    all.push(vec![
        TestsCompared { baseline_sha, head_sha, origins: Vec::new(), weakened: Vec::new() }.into(),
    ]);
    let (result, path) = (DeliverableResult::Shown, Some("src/a.js".to_owned()));
    let deliverables = vec![CheckedDeliverable { phase, index: 1, result, path }];
    let head_sha = PHASE_COMMIT.to_owned();
    all.push(vec![DeliverablesChecked { head_sha, deliverables }.into()]);
    all
}

/// The seal of a build whose journal ends with this hash.
pub fn sealed(state: &BuildState, journal_head: String) -> Vec<EventBody> {
    let evidence = seal::evidence(state);
    let (verdict, score) = (seal::verdict(&evidence), seal::score(&evidence));
    let seal_commit = SEAL_COMMIT.to_owned();
    let branch = state.branch.clone().unwrap();
    let status = BranchStatus {
        head_sha: seal_commit.clone(),
        commit_count: branch.commit_count + 1,
        status: BranchLife::Sealed,
        ..branch
    };
    vec![
        commit(SEAL_COMMIT, None),
        status.into(),
        pushed(SEAL_COMMIT),
        Sealed { verdict, score, seal_commit, journal_head, evidence, audit_log: None }.into(),
    ]
}

/// The run of a task; the same one each time.
pub fn run(build: BuildId, task: Task) -> RunId {
    RunId::from_uuid(uuid::Uuid::from_u128(build.uuid().as_u128() ^ (task as u128 + 1)))
}

pub fn user(id: UserId) -> Actor {
    Actor::User { id, name: "Ada".to_owned() }
}

/// The end of a build without an open question.
pub fn given_up(by: Actor) -> Vec<EventBody> {
    let (reason, asked) = (None, CancelRequested { by: by.clone(), reason: None });
    vec![asked.into(), Abandoned { by, reason }.into()]
}

pub fn log(message: impl Into<String>) -> EventBody {
    let (source, message) = ("test".to_owned(), message.into());
    LogLine { level: LogLevel::Info, source, message }.into()
}

/// A question of the coder.
pub fn question(build: BuildId, question_id: ClarificationId) -> EventBody {
    let request = ClarificationRequest {
        question_id,
        kind: Default::default(),
        question: "Which order?".to_owned(),
        context: Some("lists have one".to_owned()),
        options: vec!["old first".to_owned(), "new first".to_owned()],
        multiple: false,
        asked_by: Task::Execute.role(),
        run_id: run(build, Task::Execute),
        call_id: "call-1".to_owned(),
        requirement: None,
        expires_at: None,
    };
    request.into()
}

pub fn answer(question_id: ClarificationId, by: Actor, words: Option<&str>) -> EventBody {
    let how = if words.is_some() { ResolvedHow::Answered } else { ResolvedHow::Skipped };
    ClarificationResolved { question_id, answer: words.map(str::to_owned), how, by }.into()
}

/// An error as it is counted next.
pub fn error(state: &BuildState, build: BuildId, severity: Severity, message: &str) -> EventBody {
    let seen = ObservedFailure::new("tool:read_file", severity, message);
    tracking::track(state, build, store::new_id(), store::now(), seen)
}

pub fn commit(sha: &str, phase: Option<u32>) -> EventBody {
    let commit = CommitCreated {
        sha: sha.to_owned(),
        title: "[forge] a change".to_owned(),
        author_kind: AuthorKind::Forge,
        author_name: None,
        files: 1,
        insertions: 2,
        deletions: 0,
        phase,
        tree_sha: None,
    };
    commit.into()
}

/// A gate from start to green.
pub fn gate_run(gate: &str, phase: Option<u32>, head_sha: &str) -> Vec<EventBody> {
    let (gate, command) = (gate.to_owned(), format!("run {gate}"));
    let started =
        GateStarted { gate: gate.clone(), command: command.clone(), phase, tree_sha: None };
    let finished = GateFinished {
        gate,
        command,
        phase,
        required: true,
        passed: true,
        exit_code: Some(0),
        duration_ms: 12,
        output: "ok 1 - lists".to_owned(),
        output_sha256: "ab".repeat(32),
        head_sha: head_sha.to_owned(),
        tree_sha: None,
        sandbox: Some(SandboxLevel::Landlock),
        tests: Some(TestCounts { passed: 1, failed: 0, skipped: 0 }),
        named_tests: Vec::new(),
        failed_tests: Vec::new(),
        log: None,
        test_names: None,
    };
    vec![started.into(), finished.into()]
}

/// A model's answer.
pub fn turn(build: BuildId, task: Task) -> EventBody {
    let turn = AgentTurn {
        run_id: run(build, task),
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
    turn.into()
}

/// A contract that the coder read.
pub fn contract_read(build: BuildId) -> EventBody {
    let read = ContractRead {
        run_id: run(build, Task::Execute),
        role: Task::Execute.role(),
        contract: ContractType::Stack,
        version: 1,
        source: ContractSource::Snapshot,
    };
    read.into()
}

/// Another worker has taken up the build.
pub fn resumed(attempt: u32) -> EventBody {
    Resumed { node: "node-2".to_owned(), from_seq: 1, attempt }.into()
}

fn started(build: BuildId) -> EventBody {
    let started = Started {
        node: "node-1".to_owned(),
        attempt: 1,
        baseline_sha: BASELINE.to_owned(),
        branch: format!("forge/build-{build}"),
        sandbox: SandboxLevel::Landlock,
    };
    started.into()
}

fn branch(build: BuildId, status: BranchLife) -> EventBody {
    let status = BranchStatus {
        branch: format!("forge/build-{build}"),
        baseline_sha: BASELINE.to_owned(),
        head_sha: BASELINE.to_owned(),
        commit_count: 0,
        status,
    };
    status.into()
}

fn pushed(sha: &str) -> EventBody {
    Pushed { sha: sha.to_owned(), remote: "hosted".to_owned() }.into()
}

fn agent(build: BuildId, task: Task) -> EventBody {
    let (run_id, role) = (run(build, task), task.role());
    AgentStarted {
        run_id,
        role,
        task,
        phase: 0,
        model: "offline".to_owned(),
        weakened_tests: Vec::new(),
        continues: None,
        executor: domain::executor::Executor::Builtin,
    }
    .into()
}

fn finished(build: BuildId, task: Task, signed_off: bool) -> EventBody {
    let (run_id, outcome) = (run(build, task), RunOutcome::Completed);
    let summary = "done".to_owned();
    AgentFinished {
        run_id,
        outcome,
        summary,
        findings: Vec::new(),
        earlier_findings: Vec::new(),
        deliverables: Vec::new(),
        cleared_weakenings: Vec::new(),
        signed_off,
    }
    .into()
}

fn criterion() -> EventBody {
    let checked = CriterionChecked {
        phase: 0,
        index: 1,
        text: "it lists".to_owned(),
        result: CriterionResult::Passed,
        evidence: "test/list.test.js:3".to_owned(),
    };
    checked.into()
}
