//! What a run is given, and how it hands back.

use std::sync::Arc;

use domain::{
    budget::Exhausted,
    event::{agents::Task, phases::Mode},
    ids::{BuildId, ProjectId, RunId},
    permission::Rule,
};
use llm::{ModelError, Price, Provider};
use tokio_util::sync::CancellationToken;

use super::{budget_reservations::BudgetReservations, prompt::GateFailure};
use crate::{
    journal::{AppendError, Journal},
    store,
    tools::{Commands, ContractSet, Worktree},
};

/// Replies of a model in one run, unless set otherwise.
pub const TURN_CAP: usize = 60;

/// Looks at something outside; may block.
pub type Look = Arc<dyn Fn() -> bool + Send + Sync>;

/// One run of one agent. Its `build_agent_started` is in the journal already; a run that was
/// interrupted is given the same again.
pub struct AgentRun {
    /// The build.
    pub build_id: BuildId,
    /// Its project.
    pub project_id: ProjectId,
    /// The run.
    pub run_id: RunId,
    /// The phase, which is the one being worked on.
    pub phase: u32,
    /// What for.
    pub task: Task,
    /// The lease under which everything is appended.
    pub fence: Option<u64>,
    /// Where everything is appended; its database holds the transcript.
    pub journal: Journal,
    /// What answers.
    pub provider: Arc<dyn Provider>,
    /// The provider's name of the model.
    pub model: String,
    /// What the model costs; `None` where nobody knows.
    pub price: Option<Price>,
    /// Tokens that the model takes in one conversation.
    pub window: u64,
    /// What the build's calls hold back of its budget.
    pub reservations: Arc<BudgetReservations>,
    /// The most that a reply may have, in tokens.
    pub max_tokens: u32,
    /// Replies before the run is given up, such as [`TURN_CAP`].
    pub turn_cap: usize,
    /// The contracts that the build has pinned.
    pub contracts: Arc<ContractSet>,
    /// The files.
    pub worktree: Arc<Worktree>,
    /// Shell lines in the sandbox.
    pub commands: Commands,
    /// The installation's rules about what agents may do; the project's are in the build's state.
    pub permissions: Arc<[Rule]>,
    /// For a fix: the gates that refused, with what they printed.
    pub failures: Vec<GateFailure>,
    /// For a fix: errors that an earlier build had too, with how it settled them.
    pub earlier: Vec<String>,
    /// For an audit: the files that the phase has changed.
    pub changed_files: Vec<String>,
    /// Whether the files must change before the model is asked again, because a person pushed to
    /// the branch.
    pub is_overtaken: Look,
    /// Ends a call of the model or a command at once.
    pub cancel: CancellationToken,
}

impl AgentRun {
    /// What its agent may do.
    pub fn mode(&self) -> Mode {
        match self.task {
            Task::Execute | Task::Fix => Mode::Execute,
            Task::Scout | Task::Plan | Task::Audit => Mode::Plan,
        }
    }
}

/// How a run hands back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Its `build_agent_finished` is in the journal.
    Finished,
    /// It stopped at a boundary because somebody wants the build or pushed to its branch, a limit is
    /// used up, or it was cancelled. Start it again to go on.
    Interrupted,
    /// A question is open. Start it again once that is settled.
    Asked,
    /// The next call of the model might cost more than is left. Start it again with more budget.
    BudgetExhausted(Exhausted),
}

/// Why a run could not even record how it ended.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The journal said no.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A stored message cannot be read.
    #[error("message {position} of run {run_id} cannot be read: {reason}")]
    Transcript {
        /// The run.
        run_id: RunId,
        /// Its place.
        position: u32,
        /// Why.
        reason: String,
    },
    /// A prompt's template failed.
    #[error("a prompt could not be written: {0}")]
    Prompt(#[from] askama::Error),
    /// The build has no phase to work on.
    #[error("the build has no phase {0} to work on")]
    NoPhase(u32),
}

/// Why a model gave no reply that a run could use.
#[derive(Debug)]
pub(super) enum RequestError {
    /// The run was cancelled.
    Cancelled,
    /// The model failed.
    Failed(ModelError),
}
