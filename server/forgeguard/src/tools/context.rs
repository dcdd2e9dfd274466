//! Everything that a call of a tool is given besides its input.

use std::{sync::Arc, time::Duration};

use domain::{
    event::{
        agents::{Role, Task},
        phases::Mode,
    },
    failure::ErrorClass,
    ids::{BuildId, ProjectId, RunId},
    permission::Rule,
    state::BuildState,
};

use super::{commands::Commands, contract_set::ContractSet, error::ToolError, worktree::Worktree};
use crate::{store::Db, threads};

/// For one tool's work on files.
const FILES_TIMEOUT: Duration = Duration::from_secs(120);

/// Who calls, for which build, and what they may reach.
#[derive(Clone)]
pub struct ToolContext {
    /// The build.
    pub build_id: BuildId,
    /// Its project.
    pub project_id: ProjectId,
    /// The run that calls.
    pub run_id: RunId,
    /// The call, unique within the run.
    pub call_id: String,
    /// The same call was begun before and has no result: what it does may be done already.
    pub resumed: bool,
    /// Who calls.
    pub role: Role,
    /// What for.
    pub task: Task,
    /// The phase being worked on.
    pub phase: u32,
    /// What may be done now.
    pub mode: Mode,
    /// The files.
    pub worktree: Arc<Worktree>,
    /// The contracts.
    pub contracts: Arc<ContractSet>,
    /// The build as its journal says.
    pub state: Arc<BuildState>,
    /// The database.
    pub db: Db,
    /// Shell lines in the sandbox.
    pub commands: Commands,
    /// The installation's rules about what agents may do; the project's are in `state`.
    pub permissions: Arc<[Rule]>,
}

impl ToolContext {
    /// Works on the worktree outside the async threads.
    ///
    /// # Errors
    /// What `work` says; a broken tool when it does not end in time.
    pub async fn on_files<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Worktree) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let worktree = self.worktree.clone();
        let done = threads::run(FILES_TIMEOUT, move || work(&worktree)).await;
        done.unwrap_or_else(|error| Err(ToolError::broken(ErrorClass::Resource, error.to_string())))
    }
}
