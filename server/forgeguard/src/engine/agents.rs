//! Runs of agents on a phase.

use std::sync::Arc;

use tokio::sync::OnceCell;

use super::{
    audit_copy::AuditCopy,
    base_branch,
    branch::{self, Workspace},
    driver::Driver,
    error::EngineError,
    executors::NO_COMMAND,
    phase_changes::WorkspaceChanges,
};
use crate::{
    agent::{self, AgentRun, DEFAULT_MAX_TURNS, GateFailure, RunEnd},
    contracts, store,
    tools::{self, Commands, ScratchCopy, Worktree},
};
use domain::{
    decide::block_reason,
    event::{
        agents::{AgentStarted, Role, Task},
        life::{Exploration, Origin},
    },
    executor::Executor,
    ids::{ProjectId, RunId},
    rounds,
    state::BuildState,
};

/// Upper limit for a model's reply.
const MAX_REPLY_TOKENS: u32 = 16_384;
/// The same for external agents, which set their own limits.
const MAX_EXTERNAL_REPLY_TOKENS: u32 = 32_000;
/// Files of a project that a coder explores without a scout.
const MAX_FILES_WITHOUT_SCOUT: usize = 100;
/// Errors for which fixes in earlier builds are looked up.
const MAX_EARLIER_FIXES: i64 = 20;

impl Driver {
    /// Runs an agent until it finishes, asks a question, or is stopped.
    pub(super) async fn run_agent(
        &self,
        state: Arc<BuildState>,
        phase: u32,
        task: Task,
        run: Option<RunId>,
    ) -> Result<(), EngineError> {
        let current = state.phase().ok_or(EngineError::NotFound("phase"))?;
        let models = self.engine.models_of_run(self.build(), &state).await?;
        let (run_id, role, mut earlier_runs) = match run {
            Some(run_id) => (run_id, current.role_of(run_id, task), current.conversation.clone()),
            None => {
                let (role, continues) = current.next_run(task);
                let model = models.of(role).name.clone();
                let run_id = store::new_id();
                let weakened_tests = self.weakened_tests(&state, task).await?;
                let executor = task.performed_by(role, state.queued.executor_of(phase));
                let started = AgentStarted {
                    run_id,
                    role,
                    task,
                    phase,
                    model,
                    weakened_tests,
                    continues,
                    executor,
                };
                self.append(vec![started.into()]).await?;
                let earlier = continues.map_or_else(Vec::new, |_| current.conversation.clone());
                (run_id, role, earlier)
            }
        };
        earlier_runs.retain(|earlier| role == Role::Coder && *earlier != run_id);
        let model = models.of(role).clone();
        let workspace = self.workspace().await?;
        let changes = Arc::new(WorkspaceChanges {
            workspace: workspace.clone(),
            since: branch::phase_base(&state)?,
        });
        let files = workspace.worktree.path().to_owned();
        let worktree = self.engine.blocking(move || {
            Worktree::open(&files).map_err(|source| EngineError::Worktree(source.to_string()))
        });
        let worktree = worktree.await?;
        let build = self.build_row().await?;
        let mut conn = self.engine.db().read().await?;
        let batch = state.queued.snapshot_batch;
        let contracts = contracts::of_snapshot(&mut conn, batch).await?;
        drop(conn);
        let commands = self.commands(
            workspace.worktree.path(),
            workspace.clone.path(),
            workspace.worktree.pointer(),
            "tool",
        )?;
        let copy = match task {
            Task::Audit => Some(self.audit_copy(&state, &workspace, &commands)?),
            _ => None,
        };
        let executor = task.performed_by(role, state.queued.executor_of(phase));
        let max_reply_tokens = match executor {
            Executor::Builtin => MAX_REPLY_TOKENS,
            _ => MAX_EXTERNAL_REPLY_TOKENS,
        };
        let agent = AgentRun {
            build_id: self.build(),
            project_id: build.project_id,
            run_id,
            phase,
            task,
            role,
            earlier_runs,
            project: self.project_summary(build.project_id).await?,
            fence: Some(self.lease.fence),
            journal: self.engine.journal().clone(),
            max_tokens: model.reply_tokens(max_reply_tokens),
            provider: model.provider,
            model: model.name,
            price: model.price,
            window: model.window,
            reservations: self.reservations.clone(),
            max_turns: DEFAULT_MAX_TURNS,
            contracts: Arc::new(contracts),
            worktree: Arc::new(worktree),
            changes,
            commands,
            copy,
            permissions: self.engine.permissions().clone(),
            failures: self.failures(&state, task).await?,
            earlier_fixes: self.earlier_fixes(&state, task, build.project_id).await?,
            is_overtaken: is_overtaken(&workspace),
            cancel: self.stop.clone(),
        };
        let end = match executor {
            Executor::Builtin => agent::run(agent).await?,
            Executor::OwnEditor => agent::own_editor::run(agent).await?,
            Executor::ClaudeCode
            | Executor::Codex
            | Executor::Opencode
            | Executor::GeminiCli
            | Executor::Custom => {
                let reason = NO_COMMAND.to_owned();
                let missing = EngineError::ExecutorUnavailable { executor, reason };
                let external = self.engine.external_agent(executor).ok_or(missing)?;
                agent::external::run(agent, &external, self.engine.agent_home(self.build())).await?
            }
        };
        match end {
            RunEnd::Finished | RunEnd::Interrupted | RunEnd::Asked => Ok(()),
            RunEnd::BudgetExhausted(limit) => {
                let state = self.engine.journal().state(self.build()).await?;
                self.block(&state, block_reason(limit)).await
            }
        }
    }

    fn audit_copy(
        &self,
        state: &BuildState,
        workspace: &Workspace,
        commands: &Commands,
    ) -> Result<Arc<dyn ScratchCopy>, EngineError> {
        let head = state.branch.as_ref().ok_or(EngineError::NotFound("branch"))?;
        Ok(Arc::new(AuditCopy {
            engine: self.engine.clone(),
            workspace: workspace.clone(),
            head: head.head_sha.parse().map_err(git::GitError::from)?,
            commands: commands.clone(),
            checkout: OnceCell::new(),
        }))
    }

    /// Whether a scout explores the project before the phase. Unless a user has chosen it: only before
    /// the first one, and only if there are more files than the coder can look through itself.
    pub(super) async fn explores(&self, state: &BuildState) -> Result<bool, EngineError> {
        let is_first = !state.has_begun();
        match state.queued.exploration {
            Exploration::Always => return Ok(true),
            Exploration::Never => return Ok(false),
            Exploration::Auto if !is_first => return Ok(false),
            // The demo shows every role, in its first build.
            Exploration::Auto if state.queued.origin == Origin::Demo => {
                return Ok(state.queued.follows.is_none());
            }
            Exploration::Auto => {}
        }
        let files = self.workspace().await?.worktree.path().to_owned();
        self.engine
            .blocking(move || {
                let tree = Worktree::open(&files);
                let tree = tree.map_err(|source| EngineError::Worktree(source.to_string()))?;
                Ok(tools::has_more_files_than(&tree, MAX_FILES_WITHOUT_SCOUT))
            })
            .await
    }

    /// Name and description of the project, for agents.
    async fn project_summary(&self, id: ProjectId) -> Result<String, EngineError> {
        let mut conn = self.engine.db().read().await?;
        let project = store::projects::get(&mut conn, id).await?;
        let project = project.ok_or(EngineError::NotFound("project"))?;
        Ok(match project.description.trim() {
            "" => project.name,
            description => format!("{}: {description}", project.name),
        })
    }

    /// What a fix is about: conflicts with the base branch, and the gates that failed.
    async fn failures(
        &self,
        state: &BuildState,
        task: Task,
    ) -> Result<Vec<GateFailure>, EngineError> {
        if task != Task::Fix {
            return Ok(Vec::new());
        }
        let mut failures: Vec<GateFailure> =
            state.base.conflict.iter().map(|open| base_branch::task(open)).collect();
        failures.extend(self.engine.gate_failures(self.build(), state).await?);
        Ok(failures)
    }

    /// Errors to be fixed that were fixed before in another build, with the fixer's summary.
    async fn earlier_fixes(
        &self,
        state: &BuildState,
        task: Task,
        project: ProjectId,
    ) -> Result<Vec<String>, EngineError> {
        let phase = state.phase().filter(|_| task == Task::Fix);
        let Some((phase, fix)) = phase.and_then(|phase| Some((phase, phase.fix.as_ref()?))) else {
            return Ok(Vec::new());
        };
        let mut conn = self.engine.db().read().await?;
        let past = store::project_errors::earlier_fixes(
            &mut conn,
            project,
            self.build(),
            MAX_EARLIER_FIXES,
        )
        .await?;
        drop(conn);
        let sources: Vec<String> =
            fix.causes.iter().map(|cause| rounds::source_of(cause)).collect();
        // An earlier fix may have fixed an error although its gate still fails.
        let is_recent = |fingerprint: &str| {
            state.errors.get(fingerprint).is_some_and(|error| error.round + 1 >= phase.iteration)
        };
        let here = past
            .into_iter()
            .filter(|past| sources.contains(&past.source) && is_recent(&past.fingerprint));
        let told = here.map(|past| {
            let error = past.message.lines().next().unwrap_or_default();
            format!("{error}; resolved by: {}", past.summary)
        });
        Ok(told.collect())
    }
}

/// Whether a user has pushed to the branch. Errors are reported by the next step.
fn is_overtaken(workspace: &Workspace) -> agent::IsOvertaken {
    let branch = workspace.branch.clone();
    Arc::new(move || !branch.is_at_origin() && branch.is_behind().unwrap_or(false))
}
