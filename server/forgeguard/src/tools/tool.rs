//! What a tool is, and what it can answer.

use async_trait::async_trait;
use domain::{
    event::{EventBody, questions::ClarificationRequest},
    permission::Permission,
};
use serde_json::Value;

use super::{context::ToolContext, error::ToolError};

/// How far a call reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It looks.
    Read,
    /// It changes files or notes.
    Write,
    /// It runs a command.
    Execute,
    /// It has effects outside the build.
    External,
}

/// Something that an agent can ask for.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Lower-case letters, digits and `_`; unique.
    fn name(&self) -> &'static str;
    /// What the model is told about it.
    fn description(&self) -> &'static str;
    /// How far it reaches.
    fn effect(&self) -> Effect;
    /// JSON Schema of its input, an object.
    fn schema(&self) -> Value;
    /// What a call with this input needs leave for, and for which thing: a path, a line, a name.
    /// Nothing where it touches neither files nor commands, or will be refused anyway.
    fn needs(&self, _ctx: &ToolContext, _input: &Value) -> Option<(Permission, String)> {
        None
    }
    /// Does it. The same call may come again after a crash and must then do no harm.
    ///
    /// # Errors
    /// [`ToolError::ForModel`] for what the agent can put right, [`ToolError::Fatal`] otherwise.
    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError>;
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolReply {
    /// It is over.
    Done(Done),
    /// This question has to be asked; the same call gives its answer later.
    Ask(Box<ClarificationRequest>),
    /// The question that this call asked is still open.
    Waiting,
}

/// The result of a call that is over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    /// Whether it did what was asked.
    pub ok: bool,
    /// What the agent is told.
    pub output: String,
    /// What the journal is told.
    pub events: Vec<EventBody>,
}

impl ToolReply {
    /// It did what was asked, and this came out.
    pub fn done(output: impl Into<String>) -> Self {
        Self::Done(Done { ok: true, output: output.into(), events: Vec::new() })
    }

    /// It did not do what was asked; the agent is told why.
    pub fn failed(output: impl Into<String>) -> Self {
        Self::Done(Done { ok: false, output: output.into(), events: Vec::new() })
    }

    /// The same, with events for the journal.
    pub fn with_events(mut self, events: impl IntoIterator<Item = EventBody>) -> Self {
        if let Self::Done(done) = &mut self {
            done.events.extend(events);
        }
        self
    }
}
