//! Requests to append to a journal, and the errors of an append.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    event::EventBody,
    ids::{BacklogItemId, BuildId, ProjectId, RunId},
    state::BuildState,
    step::Illegal,
};
use serde_json::Value;

use crate::store::{self, work_items::Lease};

/// Derives events from the current state, inside the transaction.
pub type Derive =
    Box<dyn FnOnce(&BuildState, DateTime<Utc>) -> Result<Vec<EventBody>, AppendError> + Send>;

/// One append. All of its events are appended, in order, or none.
pub struct Entry {
    pub build_id: BuildId,
    /// The fence of the worker's lease; `None` for commands of users.
    pub fence: Option<u64>,
    pub events: Events,
    /// Additions to transcripts, stored in the same transaction.
    pub messages: Vec<AgentMessage>,
    /// Who continues the build afterwards, unless a worker holds it.
    pub claim: Option<Claim>,
}

/// A free worker of this process, for which the transaction of an entry claims the build.
pub struct Claim {
    pub owner: String,
    /// The node's name.
    pub node: String,
    pub lease_until: DateTime<Utc>,
    /// Called with the lease after the commit; dropped if there is none.
    pub begin: Box<dyn FnOnce(Lease) + Send + Sync>,
}

pub enum Events {
    /// Fixed events.
    Given(Vec<EventBody>),
    /// Events derived from the state; the function also receives the time of the events.
    Derived(Derive),
}

/// A message of an agent's transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentMessage {
    pub run_id: RunId,
    /// From 0, without gaps.
    pub position: u32,
    /// `user` or `assistant`.
    pub role: &'static str,
    /// The message as serialised by `llm`.
    pub message: Value,
}

/// The initial row of a build.
#[derive(Clone, Debug)]
pub struct NewBuild {
    pub id: BuildId,
    pub project_id: ProjectId,
    /// Unfinished builds that the project may have, with this one.
    pub limit: u32,
    /// The item of the backlog that it carries out; its start must be requested, and not blocked.
    pub backlog_item: Option<BacklogItemId>,
}

/// The result of an append.
#[derive(Clone, Debug)]
pub struct Appended {
    /// Of the entry's first event; one more than `last_seq` for an empty entry.
    pub first_seq: u64,
    /// Of the entry's last event.
    pub last_seq: u64,
    /// The time of the entry's events.
    pub at: DateTime<Utc>,
    /// The state afterwards, which may include later events.
    pub state: Arc<BuildState>,
}

/// Why nothing was appended.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The state machine does not allow the event.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// Another worker has claimed the build.
    #[error("another worker has taken over this build")]
    LeaseLost,
    #[error("there is no such build")]
    UnknownBuild,
    /// The project has as many unfinished builds as it may have.
    #[error("the project has as many unfinished builds as its settings permit")]
    BuildLimit,
    /// The build that it follows up on has an active follow-up.
    #[error("the build has an active follow-up")]
    AlreadyFollowed,
    /// A precondition of the derivation no longer holds.
    #[error("{0}")]
    Refused(&'static str),
    /// The database failed. Nothing was written, unless the connection was lost during the commit:
    /// then only the journal shows the result.
    #[error("the journal could not be written: {0}")]
    Store(#[source] Arc<store::Error>),
    /// An internal error while the entry was applied or written; the journal shows the result.
    #[error("the entry could not be tried")]
    Panicked,
    /// The stored journal is inconsistent.
    #[error("the journal of build {0} is damaged: {1}")]
    Damaged(BuildId, String),
    /// The journal's writer has stopped.
    #[error("the service is shutting down")]
    Closed,
}

impl AppendError {
    /// Whether a retry can succeed without any change.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_temporary())
    }
}

impl From<store::Error> for AppendError {
    fn from(error: store::Error) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl Entry {
    /// An entry of fixed events.
    pub fn given(build_id: BuildId, fence: Option<u64>, events: Vec<EventBody>) -> Self {
        let events = Events::Given(events);
        Self { build_id, fence, events, messages: Vec::new(), claim: None }
    }

    /// An entry of events that are derived from the state: a compare-and-set.
    pub fn derived(
        build_id: BuildId,
        fence: Option<u64>,
        derive: impl FnOnce(&BuildState, DateTime<Utc>) -> Result<Vec<EventBody>, AppendError>
        + Send
        + 'static,
    ) -> Self {
        let events = Events::Derived(Box::new(derive));
        Self { build_id, fence, events, messages: Vec::new(), claim: None }
    }

    /// Adds messages to transcripts.
    pub fn with_messages(mut self, messages: Vec<AgentMessage>) -> Self {
        self.messages = messages;
        self
    }

    /// Claims the build in the same transaction.
    pub fn claimed_for(mut self, claim: Option<Claim>) -> Self {
        self.claim = claim;
        self
    }
}
