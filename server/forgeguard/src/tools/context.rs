//! The context of a tool call.

use std::{sync::Arc, time::Duration};

use domain::{
    event::{
        agents::{Role, Task},
        phases::Mode,
    },
    failure::ErrorClass,
    ids::{BuildId, ProjectId, RunId},
    permission::Rule,
    sign_off::ReadLines,
    state::BuildState,
};

use super::{
    commands::{Commands, ScratchCopy},
    error::ToolError,
    phase_changes::PhaseChanges,
    records::{AgentCall, BuildRecords, Records},
    worktree::Worktree,
};
use crate::contract_set::ContractSet;
use crate::{store::Db, threads};

/// For the file operations of one call.
const FILES_TIMEOUT: Duration = Duration::from_secs(120);

/// What an auditor's judgement is checked against.
#[derive(Clone, Debug, Default)]
pub struct AuditRun {
    /// The lines that its run was shown.
    pub read: ReadLines,
    /// Paths that the phase has changed.
    pub changed_files: Vec<String>,
}

/// The caller of a tool, and what it may access.
#[derive(Clone)]
pub struct ToolContext {
    pub build_id: BuildId,
    pub project_id: ProjectId,
    pub run_id: RunId,
    /// Unique within the run.
    pub call_id: String,
    /// Whether an earlier process started the same call, whose effects may have happened.
    pub resumed: bool,
    pub role: Role,
    pub task: Task,
    /// The phase in progress.
    pub phase: u32,
    pub mode: Mode,
    pub worktree: Arc<Worktree>,
    pub changes: Arc<dyn PhaseChanges>,
    pub contracts: Arc<ContractSet>,
    pub state: Arc<BuildState>,
    pub db: Db,
    /// Whether an earlier reply of the conversation has fetched a contract.
    pub has_read_contract: bool,
    /// For the auditor; empty for others.
    pub audit: Arc<AuditRun>,
    /// Shell commands in the sandbox.
    pub commands: Commands,
    /// Where an auditor's commands run instead of the worktree.
    pub copy: Option<Arc<dyn ScratchCopy>>,
    /// The installation's permission rules; the project's are in `state`.
    pub permissions: Arc<[Rule]>,
}

impl ToolContext {
    /// What tools without a worktree work with.
    pub(super) fn records(&self) -> Records<'_> {
        Records {
            project_id: self.project_id,
            build: Some(BuildRecords { id: self.build_id, state: &self.state, phase: self.phase }),
            contracts: &self.contracts,
            db: &self.db,
            agent: Some(AgentCall { run_id: self.run_id, role: self.role, resumed: self.resumed }),
        }
    }

    /// Shell commands where they may write: in the worktree, or in the copy of a role that must not.
    ///
    /// # Errors
    /// A fatal error if the copy cannot be made; a rejection if there is neither.
    pub(super) async fn shell(&self) -> Result<Commands, ToolError> {
        let broken = |error| ToolError::broken(ErrorClass::Resource, error);
        match &self.copy {
            Some(copy) => copy.commands().await.map_err(broken),
            None if self.mode == Mode::Execute => Ok(self.commands.clone()),
            None => Err(ToolError::for_model("Nothing may be run now.")),
        }
    }

    /// Runs blocking work on the worktree outside the async threads.
    ///
    /// # Errors
    /// Those of `work`; a fatal error if it does not finish in time.
    pub async fn on_files<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Worktree) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let worktree = self.worktree.clone();
        let done = threads::run(FILES_TIMEOUT, move || work(&worktree)).await;
        done.unwrap_or_else(|error| Err(ToolError::broken(ErrorClass::Resource, error.to_string())))
    }
}
