//! Fixture for tests of tools: a database, a worktree, and a build in its first phase.

use std::{fs, path::Path, sync::Arc};

use domain::{
    budget::Budgets,
    contract::{ContractSource, ContractType},
    event::{
        agents::{Role, Task},
        life::{Origin, Queued},
        phases::Mode,
        questions::ClarificationRequest,
    },
    phases,
    state::{BuildState, Status},
    step::step,
};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{
    commands::Commands,
    context::ToolContext,
    error::ToolError,
    phase_changes::PhaseChanges,
    tool::{Done, Tool, ToolReply},
    worktree::Worktree,
};
use crate::contract_set::{ContractSet, ContractText};
use crate::store::{self, Db};

const PHASES: &str = "# Phases\n## Phase 0 — a\n**Deliverables:**\n- a\n\n**Exit criteria:** a\n\
    ## Phase 1 — b\n**Deliverables:**\n- b\n\n**Exit criteria:** b\n\
    ## Phase 2 — c\n**Deliverables:**\n- c\n\n**Exit criteria:** c\n";

pub struct Fixture {
    _folder: TempDir,
    pub ctx: ToolContext,
}

/// Changes that consist of these paths, without a diff. Only Markdown files existed before.
pub struct ChangedFiles(pub Vec<&'static str>);

impl PhaseChanges for ChangedFiles {
    fn paths(&self) -> Result<Vec<String>, String> {
        Ok(self.0.iter().map(|path| (*path).to_owned()).collect())
    }

    fn files(&self) -> Result<Vec<crate::tools::ChangedFile>, String> {
        Ok(Vec::new())
    }

    fn diff(&self, paths: &[String], _: usize) -> Result<String, String> {
        Ok(paths.iter().map(|path| format!("--- {path}\n")).collect())
    }

    fn original(&self, path: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(path.ends_with(".md").then(|| format!("the original of {path}").into_bytes()))
    }
}

impl Fixture {
    /// A coder in execute mode.
    pub async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("tree");
        fs::create_dir(&root).unwrap();
        let db = Db::open_file(&folder.path().join("fixture.db"), 2).await.unwrap();
        db.migrate().await.unwrap();
        let runner = sandbox::Runner::new(folder.path().join("runs")).unwrap();
        let policy = sandbox::Policy::new(sandbox::Level::None, &root);
        let preview = Arc::new(|_| {});
        let ctx = ToolContext {
            build_id: store::new_id(),
            project_id: store::new_id(),
            run_id: store::new_id(),
            call_id: "call-1".into(),
            resumed: false,
            role: Role::Coder,
            task: Task::Execute,
            phase: 0,
            mode: Mode::Execute,
            worktree: Arc::new(Worktree::open(&root).unwrap()),
            changes: Arc::new(ChangedFiles(Vec::new())),
            contracts: Arc::new(contracts()),
            state: Arc::new(queued()),
            db,
            has_read_contract: false,
            audit: Arc::default(),
            commands: Commands::new(runner, policy, CancellationToken::new(), preview),
            copy: None,
            permissions: Arc::new([]),
        };
        Self { _folder: folder, ctx }
    }

    pub fn root(&self) -> &Path {
        self.ctx.worktree.root()
    }

    pub fn file(&self, path: &str, content: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub async fn call(&self, tool: &dyn Tool, input: Value) -> Result<ToolReply, ToolError> {
        tool.call(&self.ctx, input).await
    }

    pub async fn done(&self, tool: &dyn Tool, input: Value) -> Done {
        match self.call(tool, input).await.unwrap() {
            ToolReply::Done(done) => done,
            other => panic!("{other:?}"),
        }
    }

    /// The output of a successful call.
    pub async fn ok(&self, tool: &dyn Tool, input: Value) -> String {
        let done = self.done(tool, input).await;
        assert!(done.ok, "{}", done.output);
        done.output
    }

    /// The output of a failed call.
    pub async fn refused(&self, tool: &dyn Tool, input: Value) -> String {
        match self.call(tool, input).await {
            Ok(ToolReply::Done(Done { ok: false, output, .. })) => output,
            Err(ToolError::ForModel(reason)) => reason,
            other => panic!("{other:?}"),
        }
    }

    /// The rows that a question refers to.
    pub async fn build_row(&self) {
        let now = store::now();
        let owner = store::users::User {
            id: self.ctx.state.queued.started_by,
            email: "a@example.org".into(),
            name: "A".into(),
            role: domain::user_role::UserRole::Admin,
            password_hash: String::new(),
            created_at: now,
            disabled_at: None,
        };
        let project = store::projects::NewProject {
            id: self.ctx.project_id,
            owner_id: owner.id,
            name: "P".into(),
            description: String::new(),
            origin: Origin::Demo,
            default_branch: "main".into(),
            settings: "{}".into(),
            created_at: now,
        };
        let mut tx = self.ctx.db.write().await.unwrap();
        store::users::insert(&mut tx, &owner).await.unwrap();
        store::projects::insert(&mut tx, &project).await.unwrap();
        store::builds::insert(
            &mut tx,
            &store::builds::NewBuild {
                id: self.ctx.build_id,
                project_id: project.id,
                number: 1,
                slot: 0,
                started_by: owner.id,
                snapshot_batch: None,
                follows: None,
                title: None,
                status: Status::Queued,
                head_hash: "",
                created_at: now,
            },
        )
        .await
        .unwrap();
        tx.commit().await.unwrap();
    }

    pub async fn question_row(&self, asked: &ClarificationRequest) {
        let row = store::clarifications::Clarification {
            id: asked.question_id,
            build_id: self.ctx.build_id,
            kind: asked.kind,
            run_id: asked.run_id,
            call_id: asked.call_id.clone(),
            question: asked.question.clone(),
            context: asked.context.clone(),
            options: serde_json::to_string(&asked.options).unwrap(),
            multiple: asked.multiple,
            asked_by: asked.asked_by,
            asked_at: store::now(),
            expires_at: asked.expires_at,
            status: "open".into(),
            answer: None,
            answered_by: None,
            answered_by_name: None,
            asked_seq: None,
            resolved_seq: None,
            contract: None,
            resolved_at: None,
        };
        let mut tx = self.ctx.db.write().await.unwrap();
        store::clarifications::insert(&mut tx, &row).await.unwrap();
        tx.commit().await.unwrap();
    }
}

fn contracts() -> ContractSet {
    let pinned = |kind| ContractText {
        kind,
        version: 3,
        source: ContractSource::Snapshot,
        content: match kind {
            ContractType::Phases => PHASES.to_owned(),
            _ => format!("the {kind} contract"),
        },
        updated_at: Some(store::now()),
    };
    let example = |kind| ContractText {
        kind,
        version: 0,
        source: ContractSource::Template,
        content: format!("an example of {kind}"),
        updated_at: None,
    };
    // The project has no ui contract.
    let kinds = ContractType::ALL.into_iter().filter(|kind| *kind != ContractType::Ui);
    ContractSet::complete(kinds.map(pinned).collect(), example)
}

fn queued() -> BuildState {
    let queued = Queued {
        origin: Origin::Demo,
        snapshot_batch: store::new_id(),
        executor: domain::executor::Executor::Builtin,
        phase_executors: Vec::new(),
        budgets: Budgets::default(),
        started_by: store::new_id(),
        phases: phases::parse(PHASES).unwrap(),
        gates: Vec::new(),
        permissions: Vec::new(),
        gates_detected: false,
        detection: None,
        preflight: false,
        merges_base: false,
        test_checks: Default::default(),
        clarification_timeout_s: Some(600),
        waits: Default::default(),
        model: "offline".into(),
        follows: None,
        requests: None,
        number: Some(1),
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
    };
    step(None, 1, store::now(), &queued.into()).unwrap()
}
