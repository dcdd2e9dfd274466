//! The tool trait and its replies.

use async_trait::async_trait;
use domain::{
    event::{EventBody, questions::ClarificationRequest},
    permission::Permission,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{context::ToolContext, error::ToolError, records::Records, tool_name::ToolName};

/// The strongest effect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Reads.
    Read,
    /// Changes files or notes.
    Write,
    /// Runs a command.
    Execute,
    /// Has effects outside the build.
    External,
}

/// A tool that agents can call.
#[async_trait]
pub trait Tool: Send + Sync {
    fn name(&self) -> ToolName;
    /// The description for the model.
    fn description(&self) -> &'static str;
    fn effect(&self) -> Effect;
    /// JSON Schema of its input, an object.
    fn schema(&self) -> Value;
    /// The permission that a call with this input requires, and its subject: a path, a command or a
    /// name. `None` if it affects neither files nor commands, or is invalid.
    fn needs(&self, _ctx: &ToolContext, _input: &Value) -> Option<(Permission, String)> {
        None
    }
    /// Another path that the call changes, with the same permission.
    fn also_changes(&self, _input: &Value) -> Option<String> {
        None
    }
    /// The tool for clients, if they have it.
    fn for_clients(&self) -> Option<&dyn RecordsTool> {
        None
    }
    /// Makes the call. It may be repeated after a crash and must then be harmless.
    ///
    /// # Errors
    /// [`ToolError::ForModel`] if the agent can correct it, otherwise [`ToolError::Fatal`].
    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError>;
}

/// A tool that needs no worktree: it reads contracts, or reads and stores notes.
#[async_trait]
pub trait RecordsTool: Send + Sync {
    /// Makes the call, as [`Tool::call`] does.
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError>;

    /// JSON Schema of the data of its replies, an object; `None` if they have only text.
    fn data_schema(&self) -> Option<Value> {
        None
    }

    /// JSON Schema of its structured output: the text, and the data.
    fn output_schema(&self) -> Value {
        let mut properties = Map::from_iter([("text".to_owned(), json!({ "type": "string" }))]);
        if let Some(Value::Object(mut data)) = self.data_schema()
            && let Some(Value::Object(own)) = data.remove("properties")
        {
            properties.extend(own);
        }
        // Data is left out of failures.
        json!({ "type": "object", "properties": properties, "required": ["text"] })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ToolReply {
    /// It has finished.
    Done(Done),
    /// This question must be asked; the call is repeated after the answer.
    Ask(Box<ClarificationRequest>),
    /// Its question is still open.
    Waiting,
}

/// The result of a finished call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    pub ok: bool,
    /// The text for the model.
    pub output: String,
    /// Events for the journal.
    pub events: Vec<EventBody>,
    /// The same as data, for clients: an object.
    pub data: Option<Value>,
}

impl ToolReply {
    /// A success with its output.
    pub fn done(output: impl Into<String>) -> Self {
        Self::Done(Done { ok: true, output: output.into(), ..Done::default() })
    }

    /// A failure with its reason.
    pub fn failed(output: impl Into<String>) -> Self {
        Self::Done(Done { ok: false, output: output.into(), ..Done::default() })
    }

    /// The same, with events for the journal.
    pub fn with_events(mut self, events: impl IntoIterator<Item = EventBody>) -> Self {
        if let Self::Done(done) = &mut self {
            done.events.extend(events);
        }
        self
    }

    /// The same, with data for clients: an object.
    pub fn with_data(mut self, data: &impl Serialize) -> Self {
        if let Self::Done(done) = &mut self {
            done.data = serde_json::to_value(data).ok();
        }
        self
    }
}
