//! What tools work with that need no worktree, so that clients have them too, also without a build.

use domain::{
    event::{
        EventBody,
        agents::{ContractRead, Role},
    },
    ids::{BuildId, ProjectId, RunId},
    state::BuildState,
};

use super::error::ToolError;
use crate::{
    contract_set::{ContractSet, ContractText},
    store::Db,
};

const NEEDS_BUILD: &str = "This needs a build. Name it in `build_id`, or call forge_set_session.";

/// A project's contracts and notes, and the build that is worked on.
pub struct Records<'a> {
    pub project_id: ProjectId,
    /// `None`: the project's current state, without a build.
    pub build: Option<BuildRecords<'a>>,
    pub contracts: &'a ContractSet,
    pub db: &'a Db,
    /// The agent that calls; `None` for a client, whose reads are not part of the build's journal.
    pub agent: Option<AgentCall>,
}

#[derive(Clone, Copy)]
pub struct BuildRecords<'a> {
    pub id: BuildId,
    pub state: &'a BuildState,
    /// The phase in progress.
    pub phase: u32,
}

#[derive(Clone, Copy)]
pub struct AgentCall {
    pub run_id: RunId,
    pub role: Role,
    /// Whether an earlier process started the same call, whose effects may have happened.
    pub resumed: bool,
}

impl<'a> Records<'a> {
    /// The build, or the reason for a client that there is none.
    pub fn build(&self) -> Result<BuildRecords<'a>, ToolError> {
        self.build.ok_or_else(|| ToolError::for_model(NEEDS_BUILD))
    }

    /// The phase in progress; the first without a build.
    pub fn phase(&self) -> u32 {
        self.build.map_or(0, |build| build.phase)
    }

    /// The event that records that an agent has read `text`.
    pub fn contract_read(&self, text: &ContractText) -> Option<EventBody> {
        let AgentCall { run_id, role, .. } = self.agent?;
        let ContractText { kind: contract, version, source, .. } = *text;
        Some(ContractRead { run_id, role, contract, version, source }.into())
    }
}
