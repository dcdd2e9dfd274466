//! A build in its first phase, advanced to the task under test.

use std::{fs, path::Path, sync::Arc};

use domain::{
    budget::Budgets,
    contract::{ContractSource, ContractType},
    errors::Severity,
    event::{
        EventBody,
        agents::{AgentFinished, AgentStarted, Finding, RunOutcome, Task},
        branch::{BranchLife, BranchStatus},
        gates::{FixAttemptStarted, GateFinished, GateStarted},
        life::{Actor, Interjected, Origin, Queued, Started},
        phases::{IterationStarted, PhaseStarted, PlanUpdated, TaskDone},
    },
    finding_id::FindingId,
    gate::{GateDefinition, SandboxLevel},
    ids::{BuildId, ProjectId, RunId, UserId},
    permission::Rule,
    phases, rounds,
    state::{BuildState, PhaseState},
    tracking,
};
use forgeguard::{
    agent::{self, AgentError, AgentRun, BudgetReservations, RunEnd},
    contract_set::{ContractSet, ContractText},
    journal::{Entry, Journal, NewBuild},
    store::{self, Db},
    tools::{Commands, PhaseChanges, Worktree},
};
use llm::{Message, Price, Provider};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- a greeting\n\
    **Exit criteria:**\n- it greets\n- it is polite\n\n## Phase 1 — Partings\n**Deliverables:**\n- a parting\n\
    **Exit criteria:**\n- it says goodbye\n";

pub struct Build {
    _folder: TempDir,
    pub id: BuildId,
    project_id: ProjectId,
    pub run_id: RunId,
    pub task: Task,
    /// The runs whose conversation it continues.
    earlier_runs: Vec<RunId>,
    /// What the phase has changed.
    pub changed_files: Vec<String>,
    pub journal: Journal,
    pub reservations: Arc<BudgetReservations>,
    pub worktree: Arc<Worktree>,
    runner: sandbox::Runner,
    pub cancel: CancellationToken,
}

/// A phase that has changed these files.
pub struct ChangedFiles(pub Vec<String>);

impl PhaseChanges for ChangedFiles {
    fn paths(&self) -> Result<Vec<String>, String> {
        Ok(self.0.clone())
    }

    fn files(&self) -> Result<Vec<forgeguard::tools::ChangedFile>, String> {
        Ok(Vec::new())
    }

    fn diff(&self, _: &[String], _: usize) -> Result<String, String> {
        Ok(String::new())
    }

    fn original(&self, _: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(None)
    }
}

impl Build {
    /// A build whose next run is `task`.
    pub async fn at(task: Task) -> Self {
        Self::within(Budgets::default(), task).await
    }

    /// The same with these budgets.
    pub async fn within(budgets: Budgets, task: Task) -> Self {
        Self::under(Vec::new(), budgets, task).await
    }

    /// The same in a project with these permission rules.
    pub async fn under(permissions: Vec<Rule>, budgets: Budgets, task: Task) -> Self {
        let build = Self::new(permissions, budgets, task).await;
        if task == Task::Execute {
            let done = |task| TaskDone { phase: 0, task }.into();
            build.append(vec![done(1), done(2)]).await;
        }
        build
    }

    /// A build whose next run executes a plan with open steps.
    pub async fn with_open_steps() -> Self {
        Self::new(Vec::new(), Budgets::default(), Task::Execute).await
    }

    /// A build whose next run is the audit after a fix of the finding F-1.
    pub async fn with_finding() -> Self {
        let mut build = Self::new(Vec::new(), Budgets::default(), Task::Audit).await;
        let (id, text) = (Some(FindingId(1)), "it shouts".to_owned());
        let finding = Finding { id, severity: Severity::Error, place: None, clause: None, text };
        let seen = rounds::finding_failure(&finding);
        let state = build.state().await;
        let tracked = tracking::track(&state, build.id, store::new_id(), store::now(), seen);
        let findings = vec![finding];
        let finished = AgentFinished { findings, ..completed(build.run_id) };
        let causes = vec!["audit".to_owned()];
        build
            .append(vec![
                tracked,
                finished.into(),
                IterationStarted { phase: 0, n: 2 }.into(),
                FixAttemptStarted { phase: 0, attempt: 1, causes }.into(),
            ])
            .await;
        build.done(Task::Fix, vec![]).await;
        build.pass_gates().await;
        build.run_id = store::new_id();
        build.begin(Task::Audit, build.run_id).await;
        build
    }

    async fn new(permissions: Vec<Rule>, budgets: Budgets, task: Task) -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("tree");
        fs::create_dir(&root).unwrap();
        let db = Db::open_file(&folder.path().join("agent.db"), 4).await.unwrap();
        db.migrate().await.unwrap();
        let (owner, project_id) = rows(&db).await;
        let journal = Journal::start(db);
        let id = store::new_id();
        let queued = Queued { permissions, ..queued(owner, budgets) };
        journal
            .open(NewBuild { id, project_id, limit: 1, backlog_item: None }, queued)
            .await
            .unwrap();
        let runner = sandbox::Runner::new(folder.path().join("runs")).unwrap();
        let build = Self {
            id,
            project_id,
            run_id: store::new_id(),
            task,
            earlier_runs: Vec::new(),
            changed_files: vec!["a.js".into()],
            journal,
            reservations: Arc::default(),
            worktree: Arc::new(Worktree::open(&root).unwrap()),
            runner: runner.with_supervisor(env!("CARGO_BIN_EXE_forgeguard")),
            cancel: CancellationToken::new(),
            _folder: folder,
        };
        build.reach().await;
        build
    }

    /// Runs the agent; repeated calls resume the same run.
    pub async fn run(&self, provider: impl Provider + 'static) -> RunEnd {
        self.try_run(provider, |_| {}).await.unwrap()
    }

    pub async fn try_run(
        &self,
        provider: impl Provider + 'static,
        change: impl FnOnce(&mut AgentRun),
    ) -> Result<RunEnd, AgentError> {
        let policy = sandbox::Policy::new(sandbox::Level::None, self.worktree.root());
        let cancel = self.cancel.child_token();
        let commands = Commands::new(self.runner.clone(), policy, cancel.clone(), Arc::new(|_| {}));
        let mut run = AgentRun {
            build_id: self.id,
            project_id: self.project_id,
            run_id: self.run_id,
            phase: 0,
            task: self.task,
            role: self.phase().await.role_of(self.run_id, self.task),
            earlier_runs: self.earlier_runs.clone(),
            project: "P".into(),
            fence: None,
            journal: self.journal.clone(),
            provider: Arc::new(provider),
            model: "scripted".into(),
            price: Some(Price { output: 1_000_000, ..Price::FREE }),
            window: 200_000,
            reservations: self.reservations.clone(),
            max_tokens: 1_000,
            max_turns: agent::DEFAULT_MAX_TURNS,
            contracts: Arc::new(contracts()),
            worktree: self.worktree.clone(),
            changes: Arc::new(ChangedFiles(self.changed_files.clone())),
            commands,
            copy: None,
            permissions: Arc::new([]),
            failures: Vec::new(),
            earlier_fixes: Vec::new(),
            is_overtaken: Arc::new(|| false),
            cancel,
        };
        change(&mut run);
        agent::run(run).await
    }

    /// Starts the run that follows the finished one.
    pub async fn follow_with(&mut self, task: Task) {
        let phase = self.phase().await;
        let (role, continues) = phase.next_run(task);
        self.earlier_runs = continues.map_or_else(Vec::new, |_| phase.conversation.clone());
        (self.run_id, self.task) = (store::new_id(), task);
        let (run_id, model) = (self.run_id, "scripted".into());
        let started = AgentStarted {
            run_id,
            role,
            task,
            phase: 0,
            model,
            weakened_tests: Vec::new(),
            continues,
            executor: domain::executor::Executor::Builtin,
        };
        let round = IterationStarted { phase: 0, n: phase.iteration + 1 };
        let round = (task == Task::Execute).then(|| round.into());
        self.append(round.into_iter().chain([started.into()]).collect()).await;
    }

    pub fn db(&self) -> &Db {
        self.journal.db()
    }

    pub fn root(&self) -> &Path {
        self.worktree.root()
    }

    pub fn file(&self, path: &str, content: &str) {
        fs::write(self.root().join(path), content).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub async fn append(&self, events: Vec<EventBody>) {
        self.journal.append(Entry::given(self.id, None, events)).await.unwrap();
    }

    pub async fn state(&self) -> Arc<BuildState> {
        self.journal.state(self.id).await.unwrap()
    }

    pub async fn phase(&self) -> PhaseState {
        self.state().await.phases[0].clone()
    }

    /// Events of the whole build.
    pub async fn all_events(&self) -> Vec<EventBody> {
        let mut conn = self.db().read().await.unwrap();
        let rows = store::events::after(&mut conn, self.id, 0, 10_000).await.unwrap();
        rows.iter().map(|row| serde_json::from_str::<EventBody>(&row.body).unwrap()).collect()
    }

    /// Events since the start of the agent.
    pub async fn events(&self) -> Vec<EventBody> {
        let bodies = self.all_events().await;
        let ours = |body: &EventBody| matches!(body, EventBody::BuildAgentStarted(run) if run.run_id == self.run_id);
        let begun = bodies.iter().position(ours).unwrap();
        bodies[begun + 1..].to_vec()
    }

    pub async fn event_types(&self) -> Vec<&'static str> {
        self.events().await.iter().map(EventBody::type_name).collect()
    }

    pub async fn finished(&self) -> AgentFinished {
        match self.events().await.pop() {
            Some(EventBody::BuildAgentFinished(finished)) => finished,
            other => panic!("the run is not over: {other:?}"),
        }
    }

    /// The stored transcript.
    pub async fn messages(&self) -> Vec<Message> {
        let mut conn = self.db().read().await.unwrap();
        let rows = store::agent_messages::list(&mut conn, self.run_id, 0, 1_000).await.unwrap();
        assert!(rows.iter().zip(0..).all(|(row, place)| row.position == place));
        rows.iter().map(|row| serde_json::from_str(&row.message).unwrap()).collect()
    }

    /// The number of rows of the transcript.
    pub async fn rows(&self) -> usize {
        let mut conn = self.db().read().await.unwrap();
        store::agent_messages::list(&mut conn, self.run_id, 0, 1_000).await.unwrap().len()
    }

    pub async fn interject(&self, text: &str) {
        interject(&self.journal, self.id, text).await;
    }

    /// Records a finished run, so that the phase continues with the next one.
    async fn done(&self, task: Task, between: Vec<EventBody>) {
        let run_id: RunId = store::new_id();
        self.begin(task, run_id).await;
        let finished = completed(run_id);
        self.append(between.into_iter().chain([finished.into()]).collect()).await;
    }

    async fn begin(&self, task: Task, run_id: RunId) {
        let started = AgentStarted {
            run_id,
            role: task.role(),
            task,
            phase: 0,
            model: "scripted".into(),
            weakened_tests: Vec::new(),
            continues: None,
            executor: domain::executor::Executor::Builtin,
        };
        self.append(vec![started.into()]).await;
    }

    async fn reach(&self) {
        let branch = format!("forge/build-{}", self.id);
        let sha = "a".repeat(40);
        let status = BranchStatus {
            branch: branch.clone(),
            baseline_sha: sha.clone(),
            head_sha: sha.clone(),
            commit_count: 0,
            status: BranchLife::Active,
        };
        self.append(vec![
            Started {
                node: "n".into(),
                attempt: 1,
                baseline_sha: sha,
                branch,
                sandbox: SandboxLevel::None,
            }
            .into(),
            status.into(),
            PhaseStarted { phase: 0, title: "Greetings".into(), explores: true }.into(),
        ])
        .await;
        if self.task != Task::Scout {
            self.done(Task::Scout, vec![]).await;
        }
        if matches!(self.task, Task::Execute | Task::Audit) {
            let steps = vec!["Write it".to_owned(), "Test it".to_owned()];
            let plan = PlanUpdated { phase: 0, steps, gates: vec!["test".into()] };
            self.done(Task::Plan, vec![plan.into()]).await;
            self.append(vec![IterationStarted { phase: 0, n: 1 }.into()]).await;
        }
        if self.task == Task::Audit {
            self.done(Task::Execute, vec![]).await;
            self.pass_gates().await;
        }
        self.begin(self.task, self.run_id).await;
    }

    async fn pass_gates(&self) {
        self.run_gates(true).await;
    }

    /// Records a round that the project's gate rejects.
    pub async fn fail_gates(&self) {
        self.run_gates(false).await;
    }

    /// Starts an attempt to fix what the project's gate rejected.
    pub async fn start_fix(&self, attempt: u32) {
        let n = self.phase().await.iteration + 1;
        let fix = FixAttemptStarted { phase: 0, attempt, causes: vec!["test".into()] };
        self.append(vec![IterationStarted { phase: 0, n }.into(), fix.into()]).await;
    }

    async fn run_gates(&self, passes: bool) {
        let state = self.state().await;
        for gate in state.gate_names(Some(&state.phases[0])) {
            let (command, phase) = (String::new(), Some(0));
            let started =
                GateStarted { gate: gate.clone(), command: command.clone(), phase, tree_sha: None };
            let passed = passes || gate != "test";
            let finished = GateFinished {
                gate,
                command,
                phase,
                required: true,
                passed,
                exit_code: Some(i32::from(!passed)),
                duration_ms: 1,
                output: String::new(),
                output_sha256: String::new(),
                head_sha: "a".repeat(40),
                tree_sha: None,
                sandbox: None,
                tests: None,
                named_tests: Vec::new(),
                failed_tests: Vec::new(),
                log: None,
                test_names: None,
            };
            self.append(vec![started.into(), finished.into()]).await;
        }
        let state = self.state().await;
        self.append(rounds::finish_round(&state)).await;
    }
}

/// Contracts of the project, all with little text.
fn contracts() -> ContractSet {
    let text = |kind| ContractText {
        kind,
        version: 1,
        source: ContractSource::Snapshot,
        content: match kind {
            ContractType::Phases => PHASES.to_owned(),
            _ => format!("the {kind} contract"),
        },
        updated_at: Some(store::now()),
    };
    ContractSet::complete(ContractType::ALL.into_iter().map(text).collect(), text)
}

fn completed(run_id: RunId) -> AgentFinished {
    AgentFinished {
        run_id,
        outcome: RunOutcome::Completed,
        summary: "done".into(),
        findings: vec![],
        earlier_findings: vec![],
        deliverables: vec![],
        cleared_weakenings: vec![],
        signed_off: false,
    }
}

pub async fn interject(journal: &Journal, build: BuildId, text: &str) {
    let interjected = Interjected { by: Actor::Forge, text: text.into() };
    journal.append(Entry::given(build, None, vec![interjected.into()])).await.unwrap();
}

/// Replaces version `seen` of the owner's notes.
pub async fn note(journal: &Journal, build: BuildId, text: &str, seen: u32) {
    let mut tx = journal.db().write().await.unwrap();
    let row = store::builds::get(&mut tx, build).await.unwrap().unwrap();
    let user = journal.state(build).await.unwrap().queued.started_by;
    let written = store::notes::put(&mut tx, row.project_id, user, text, seen, store::now()).await;
    assert!(written.unwrap().is_some(), "the notes are not at version {seen}");
    tx.commit().await.unwrap();
}

fn queued(owner: UserId, budgets: Budgets) -> Queued {
    Queued {
        origin: Origin::Demo,
        snapshot_batch: store::new_id(),
        executor: domain::executor::Executor::Builtin,
        phase_executors: Vec::new(),
        budgets,
        started_by: owner,
        phases: phases::parse(PHASES).unwrap(),
        gates: vec![GateDefinition {
            name: "test".into(),
            command: "grep -q hello greeting.js && echo all is well".into(),
            timeout_s: 60,
            required: true,
            network: false,
            report: None,
            runs_tests: true,
        }],
        gates_detected: false,
        detection: None,
        preflight: false,
        merges_base: false,
        test_checks: Default::default(),
        clarification_timeout_s: Some(600),
        permissions: Vec::new(),
        waits: Default::default(),
        model: "scripted".into(),
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

async fn rows(db: &Db) -> (UserId, ProjectId) {
    let owner = store::users::User {
        id: store::new_id(),
        email: "ada@example.org".into(),
        name: "Ada".into(),
        role: domain::user_role::UserRole::Admin,
        password_hash: String::new(),
        created_at: store::now(),
        disabled_at: None,
    };
    let project = store::projects::NewProject {
        id: store::new_id(),
        owner_id: owner.id,
        name: "P".into(),
        description: String::new(),
        origin: Origin::Demo,
        default_branch: "main".into(),
        settings: "{}".into(),
        created_at: store::now(),
    };
    let mut tx = db.write().await.unwrap();
    store::users::insert(&mut tx, &owner).await.unwrap();
    store::projects::insert(&mut tx, &project).await.unwrap();
    let (text, now) = ("Be brief.", store::now());
    store::notes::put(&mut tx, project.id, owner.id, text, 0, now).await.unwrap();
    tx.commit().await.unwrap();
    (owner.id, project.id)
}
