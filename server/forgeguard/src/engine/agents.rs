//! Runs of agents on a phase.

use std::sync::Arc;

use super::{
    branch::{self, Workspace},
    driver::Driver,
    error::EngineError,
};
use crate::{
    agent::{self, AgentRun, DEFAULT_MAX_TURNS, GateFailure, RunEnd},
    contracts, store,
    tools::Worktree,
};
use domain::{
    decide::block_reason,
    event::{
        EventBody,
        agents::{AgentStarted, Task},
        gates::GateFinished,
    },
    ids::{ProjectId, RunId},
    rounds,
    state::BuildState,
};

/// Upper limit for a model's reply.
const MAX_REPLY_TOKENS: u32 = 16_384;
/// Errors for which fixes in earlier builds are looked up.
const MAX_EARLIER_FIXES: i64 = 20;
/// The type of the event with a gate's output.
const GATE_FINISHED: &str = "build_gate_finished";

impl Driver {
    /// Runs an agent until it finishes, asks a question, or is stopped.
    pub(super) async fn run_agent(
        &self,
        state: Arc<BuildState>,
        phase: u32,
        task: Task,
        run: Option<RunId>,
    ) -> Result<(), EngineError> {
        let model = self.engine.models(state.queued.origin).await?.of(task.role()).clone();
        let run_id = match run {
            Some(run_id) => run_id,
            None => self.begin_run(phase, task, &model.name).await?,
        };
        let workspace = self.workspace().await?;
        let (changed_files, worktree) = self.files(&state, &workspace).await?;
        let build = self.build_row().await?;
        let mut conn = self.engine.db().read().await?;
        let batch = state.queued.snapshot_batch;
        let contracts = contracts::of_snapshot(&mut conn, batch).await?;
        drop(conn);
        let agent = AgentRun {
            build_id: self.build(),
            project_id: build.project_id,
            run_id,
            phase,
            task,
            fence: Some(self.lease.fence),
            journal: self.engine.journal().clone(),
            max_tokens: model.reply_tokens(MAX_REPLY_TOKENS),
            provider: model.provider,
            model: model.name,
            price: model.price,
            window: model.window,
            reservations: self.reservations.clone(),
            max_turns: DEFAULT_MAX_TURNS,
            contracts: Arc::new(contracts),
            worktree: Arc::new(worktree),
            commands: self.commands(
                workspace.worktree.path(),
                workspace.clone.path(),
                workspace.worktree.pointer(),
                "tool",
            )?,
            permissions: self.engine.permissions().clone(),
            failures: self.failures(&state, task).await?,
            earlier: self.earlier(&state, task, build.project_id).await?,
            diff: self.phase_diff(&state, &workspace, task, &changed_files).await?,
            answers: self.answers(task).await?,
            changed_files,
            is_overtaken: is_overtaken(&workspace),
            cancel: self.stop.clone(),
        };
        match agent::run(agent).await? {
            RunEnd::Finished | RunEnd::Interrupted | RunEnd::Asked => Ok(()),
            RunEnd::BudgetExhausted(limit) => {
                let state = self.engine.journal().state(self.build()).await?;
                self.block(&state, block_reason(limit)).await
            }
        }
    }

    async fn begin_run(&self, phase: u32, task: Task, model: &str) -> Result<RunId, EngineError> {
        let (run_id, model) = (store::new_id(), model.to_owned());
        let started = AgentStarted { run_id, role: task.role(), task, phase, model };
        self.append(vec![started.into()]).await?;
        Ok(run_id)
    }

    /// The paths that the phase has changed so far, with the files.
    async fn files(
        &self,
        state: &BuildState,
        workspace: &Workspace,
    ) -> Result<(Vec<String>, Worktree), EngineError> {
        let (since, workspace) = (branch::phase_base(state)?, workspace.clone());
        self.engine
            .blocking(move || {
                let changed = workspace.branch.changed_files(&workspace.worktree, since)?;
                let files = Worktree::open(workspace.worktree.path())
                    .map_err(|source| EngineError::Worktree(source.to_string()))?;
                Ok((changed.into_iter().map(|change| change.path).collect(), files))
            })
            .await
    }

    /// The output of the gates that failed, for the fixer.
    async fn failures(
        &self,
        state: &BuildState,
        task: Task,
    ) -> Result<Vec<GateFailure>, EngineError> {
        let fix = state.phase().and_then(|phase| phase.fix.as_ref());
        let Some(fix) = fix.filter(|_| task == Task::Fix) else { return Ok(Vec::new()) };
        let mut conn = self.engine.db().read().await?;
        // A gate runs at most once in a round, so that the newest results include all of the last round.
        let (build, gates) = (self.build(), state.gate_names(state.phase()).len());
        let rows = store::events::newest_of_type(&mut conn, build, GATE_FINISHED, gates).await?;
        drop(conn);
        let mut failures = Vec::new();
        for cause in &fix.causes {
            let newest = rows.iter().find_map(|row| failed_gate(row, cause));
            failures.extend(newest.map(|gate| GateFailure {
                gate: gate.gate,
                exit_code: gate.exit_code,
                output: gate.output,
            }));
        }
        Ok(failures)
    }

    /// Errors to be fixed that were fixed before in another build, with the fixer's summary.
    async fn earlier(
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
    Arc::new(move || branch.is_behind().unwrap_or(false))
}

fn failed_gate(row: &store::events::EventRow, name: &str) -> Option<GateFinished> {
    match serde_json::from_str(&row.body).ok()? {
        EventBody::BuildGateFinished(gate) if gate.gate == name && !gate.passed => Some(gate),
        _ => None,
    }
}
