//! The parameters and results of a run.

use std::{sync::Arc, time::Duration};

use domain::{
    budget::Exhausted,
    event::{
        agents::{Role, Task},
        phases::Mode,
    },
    ids::{BuildId, ProjectId, RunId},
    permission::Rule,
};
use llm::{ModelError, Price, Provider};
use tokio_util::sync::CancellationToken;

use super::budget_reservations::BudgetReservations;
use crate::{
    contract_set::ContractSet,
    journal::{AppendError, Journal},
    store, threads,
    tools::{ChangedFile, Commands, PhaseChanges, ScratchCopy, Worktree},
};

/// Replies of a model in one run, unless set otherwise.
pub const DEFAULT_MAX_TURNS: usize = 60;
/// For reading what the phase has changed.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Whether a user has pushed to the branch since the files were last updated. May block.
pub type IsOvertaken = Arc<dyn Fn() -> bool + Send + Sync>;

/// A failed gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateFailure {
    pub gate: String,
    /// `None` if no command ran.
    pub exit_code: Option<i32>,
    pub output: String,
}

/// One run of an agent. Its `build_agent_started` is already in the journal; an interrupted run is
/// restarted with the same value.
pub struct AgentRun {
    pub build_id: BuildId,
    pub project_id: ProjectId,
    pub run_id: RunId,
    /// The phase in progress.
    pub phase: u32,
    pub task: Task,
    pub role: Role,
    /// The runs whose conversation it continues, in order.
    pub earlier_runs: Vec<RunId>,
    /// The fencing token of the lease.
    pub fence: Option<u64>,
    pub journal: Journal,
    /// Name and description of the project.
    pub project: String,
    pub provider: Arc<dyn Provider>,
    /// The provider's name of the model.
    pub model: String,
    /// `None` if the price is unknown.
    pub price: Option<Price>,
    /// The model's context window, in tokens.
    pub window: u64,
    /// Reservations of the build's budget.
    pub reservations: Arc<BudgetReservations>,
    /// Maximum length of a reply, in tokens.
    pub max_tokens: u32,
    /// Replies after which the run fails, such as [`DEFAULT_MAX_TURNS`].
    pub max_turns: usize,
    /// The contract versions that the build is bound to.
    pub contracts: Arc<ContractSet>,
    pub worktree: Arc<Worktree>,
    /// What the phase has changed so far.
    pub changes: Arc<dyn PhaseChanges>,
    /// Shell commands in the sandbox.
    pub commands: Commands,
    /// For an audit: where its commands run instead of the worktree.
    pub copy: Option<Arc<dyn ScratchCopy>>,
    /// The installation's permission rules; the project's are in the build's state.
    pub permissions: Arc<[Rule]>,
    /// For a fix: the failed gates with their output.
    pub failures: Vec<GateFailure>,
    /// For a fix: errors that occurred in an earlier build too, with their resolutions.
    pub earlier_fixes: Vec<String>,
    /// Ends the run before the next request, so that the files are updated first.
    pub is_overtaken: IsOvertaken,
    /// Ends a model call or a command immediately.
    pub cancel: CancellationToken,
}

impl AgentRun {
    /// The mode that its tools enforce.
    pub fn mode(&self) -> Mode {
        match self.task {
            Task::Execute | Task::Fix => Mode::Execute,
            Task::Scout | Task::Plan | Task::Audit => Mode::Plan,
        }
    }

    /// The files that the phase has changed so far.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub async fn changed_files(&self) -> Result<Vec<ChangedFile>, AgentError> {
        let changes = Arc::clone(&self.changes);
        let read = threads::run(READ_TIMEOUT, move || changes.files()).await;
        read.map_err(|error| error.to_string()).flatten().map_err(AgentError::Changes)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Its `build_agent_finished` is in the journal.
    Finished,
    /// It stopped between two steps because a user sent a command or pushed to the branch, a limit
    /// is used up, or it was cancelled. Restart it to continue.
    Interrupted,
    /// A question is open. Restart it when the question is resolved.
    Asked,
    /// The next model call might exceed the budget. Restart it with a larger budget.
    BudgetExhausted(Exhausted),
}

/// A failure that kept a run from recording its end.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error(transparent)]
    Append(#[from] AppendError),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("message {position} of run {run_id} cannot be read: {reason}")]
    Transcript { run_id: RunId, position: u32, reason: String },
    #[error("the template of a prompt failed: {0}")]
    Prompt(#[from] askama::Error),
    #[error("the home directory of the agent cannot be used: {0}")]
    Home(String),
    #[error("the changes of the phase cannot be read: {0}")]
    Changes(String),
    #[error("the build has no phase {0} in progress")]
    NoPhase(u32),
}

/// Why a request got no reply.
#[derive(Debug)]
pub(super) enum RequestError {
    /// The run was cancelled.
    Cancelled,
    Failed(ModelError),
}
