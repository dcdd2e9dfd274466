//! What is appended to a journal, and how an append can be refused.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{
    event::EventBody,
    ids::{BuildId, ProjectId, RunId},
    state::BuildState,
    step::Illegal,
};
use serde_json::Value;

use crate::store;

/// Events that are made from the state that they meet, inside the transaction.
pub type Derive =
    Box<dyn FnOnce(&BuildState, DateTime<Utc>) -> Result<Vec<EventBody>, AppendError> + Send>;

/// One append: all of it happens, in order, or nothing.
pub struct Entry {
    /// The build.
    pub build_id: BuildId,
    /// The lease generation of the runner that writes; `None` for commands of people.
    pub fence: Option<u64>,
    /// What happened.
    pub events: Events,
    /// Additions to transcripts, stored in the same transaction.
    pub messages: Vec<AgentMessage>,
}

/// The events of an entry.
pub enum Events {
    /// As they are.
    Given(Vec<EventBody>),
    /// Made from the state; also told the time that the events will carry.
    Derived(Derive),
}

/// One message of an agent's transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentMessage {
    /// The run.
    pub run_id: RunId,
    /// From 0, without holes.
    pub position: u32,
    /// `user` or `assistant`.
    pub role: &'static str,
    /// The message as `llm` writes it.
    pub message: Value,
}

/// The row that a build begins with.
#[derive(Clone, Debug)]
pub struct NewBuild {
    /// Its id.
    pub id: BuildId,
    /// Its project.
    pub project_id: ProjectId,
}

/// What became of an append.
#[derive(Clone, Debug)]
pub struct Appended {
    /// Seq of the entry's first event; one more than `last_seq` for an empty entry.
    pub first_seq: u64,
    /// Seq of the entry's last event.
    pub last_seq: u64,
    /// The build afterwards; it may contain later events too.
    pub state: Arc<BuildState>,
}

/// Why nothing was appended.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// The state machine does not allow it.
    #[error(transparent)]
    Illegal(#[from] Illegal),
    /// Another runner has taken over the build.
    #[error("another worker has taken over this build")]
    LeaseLost,
    /// There is no such build.
    #[error("there is no such build")]
    UnknownBuild,
    /// The project has a build that has not ended.
    #[error("the project has an unfinished build")]
    UnfinishedBuild,
    /// What the entry derives from does not hold any more.
    #[error("{0}")]
    Refused(&'static str),
    /// The database said no; the whole batch was undone.
    #[error("the journal could not be written: {0}")]
    Store(#[source] Arc<store::Error>),
    /// A fault of ours while the entry was tried; the build is as it was.
    #[error("the entry could not be tried")]
    Panicked,
    /// The stored journal does not fit itself.
    #[error("the journal of build {0} is damaged: {1}")]
    Damaged(BuildId, String),
    /// The journal's writer has ended.
    #[error("the service is shutting down")]
    Closed,
}

impl From<store::Error> for AppendError {
    fn from(error: store::Error) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl Entry {
    /// Events as they are.
    pub fn given(build_id: BuildId, fence: Option<u64>, events: Vec<EventBody>) -> Self {
        Self { build_id, fence, events: Events::Given(events), messages: Vec::new() }
    }

    /// Events made from the state that they meet: a compare-and-set.
    pub fn derived(
        build_id: BuildId,
        fence: Option<u64>,
        derive: impl FnOnce(&BuildState, DateTime<Utc>) -> Result<Vec<EventBody>, AppendError>
        + Send
        + 'static,
    ) -> Self {
        let events = Events::Derived(Box::new(derive));
        Self { build_id, fence, events, messages: Vec::new() }
    }

    /// The same entry with additions to transcripts.
    pub fn with_messages(mut self, messages: Vec<AgentMessage>) -> Self {
        self.messages = messages;
        self
    }
}
