//! The tools of the registry that an external agent has: those of its role that need no worktree, for its
//! own build only. It fetches contracts and notes as the built-in agent does.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use domain::{
    event::agents::Role,
    failure::ErrorClass,
    ids::{BuildId, ProjectId, RunId},
};
use serde_json::Value;

use crate::{
    agent::run::AgentRun,
    contract_set::ContractSet,
    journal::{AppendError, Entry, Journal},
    text,
    tools::{
        AgentCall, BuildRecords, Done, Records, RecordsTool, Tool, ToolError, ToolReply, registry,
        roles,
    },
};

/// Calls per run, each of which may add to the journal.
const MAX_CALLS: u32 = 500;

/// What the tools of a run work with. Clones share it.
#[derive(Clone)]
pub struct RunRecords(Arc<Shared>);

struct Shared {
    build_id: BuildId,
    project_id: ProjectId,
    run_id: RunId,
    role: Role,
    phase: u32,
    fence: Option<u64>,
    contracts: Arc<ContractSet>,
    journal: Journal,
    call_count: AtomicU32,
}

impl RunRecords {
    pub fn of(run: &AgentRun) -> Self {
        Self(Arc::new(Shared {
            build_id: run.build_id,
            project_id: run.project_id,
            run_id: run.run_id,
            role: run.role,
            phase: run.phase,
            fence: run.fence,
            contracts: run.contracts.clone(),
            journal: run.journal.clone(),
            call_count: AtomicU32::new(0),
        }))
    }

    /// The tools that the agent has.
    pub fn tools(&self) -> impl Iterator<Item = (&'static dyn Tool, &'static dyn RecordsTool)> {
        let role = self.0.role;
        let tools = registry().iter().filter(move |tool| roles::has(role, tool.name()));
        tools.filter_map(|tool| Some((*tool, tool.for_clients()?)))
    }

    /// Calls a tool. What it did is not recorded.
    ///
    /// # Errors
    /// [`ToolError::ForModel`] if the agent can correct it, otherwise [`ToolError::Fatal`].
    pub async fn read(&self, name: &str, input: Value) -> Result<Done, ToolError> {
        let Some((_, tool)) = self.tools().find(|(tool, _)| tool.name().as_str() == name) else {
            let name = text::head(name, 60);
            return Err(ToolError::for_model(format!("There is no tool `{name}`.")));
        };
        let run = &*self.0;
        let state = run.journal.state(run.build_id).await.map_err(of_journal)?;
        let records = Records {
            project_id: run.project_id,
            build: Some(BuildRecords { id: run.build_id, state: &state, phase: run.phase }),
            contracts: &run.contracts,
            db: run.journal.db(),
            agent: Some(AgentCall { run_id: run.run_id, role: run.role, resumed: false }),
        };
        match tool.call_on(&records, input).await? {
            ToolReply::Done(done) => Ok(done),
            ToolReply::Ask(_) | ToolReply::Waiting => {
                Err(ToolError::for_model("Only built-in agents can ask."))
            }
        }
    }

    /// Calls a tool, and records in the journal what it did.
    ///
    /// # Errors
    /// As [`Self::read`]; [`ToolError::ForModel`] after too many calls.
    pub async fn call(&self, name: &str, input: Value) -> Result<Done, ToolError> {
        let run = &*self.0;
        if run.call_count.fetch_add(1, Ordering::Relaxed) >= MAX_CALLS {
            let reason = format!("This run has made {MAX_CALLS} calls, which is its limit.");
            return Err(ToolError::for_model(reason));
        }
        let mut done = self.read(name, input).await?;
        let events = std::mem::take(&mut done.events);
        if !events.is_empty() {
            let entry = Entry::given(run.build_id, run.fence, events);
            run.journal.append(entry).await.map_err(of_journal)?;
        }
        Ok(done)
    }
}

fn of_journal(error: AppendError) -> ToolError {
    let error_class =
        if error.is_temporary() { ErrorClass::Transient } else { ErrorClass::Unknown };
    ToolError::broken(error_class, error.to_string())
}
