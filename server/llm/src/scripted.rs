//! The format of replies in scenarios.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::ErrorClass,
    message::ToolCall,
    reply::{Reply, StopReason},
    usage::Usage,
};

/// One alternative reply of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedReply {
    /// Matches if the messages since the last reply contain this text, ignoring case. `None` always
    /// matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ScriptedCall>,
    /// Default: `tool_use` if there are tool calls, otherwise `end_turn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Default: estimated from the lengths of the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Usage>,
    /// The recorded provider's state, to send back with the next request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Value>,
    /// Makes the call fail instead of returning a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ScriptedFailure>,
}

/// The failure of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedFailure {
    pub class: ErrorClass,
    pub message: String,
}

/// A tool call of a [`ScriptedReply`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// Default: generated from label, turn and position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub name: String,
    pub input: Value,
}

impl From<Reply> for ScriptedReply {
    fn from(reply: Reply) -> Self {
        let Reply { text, reasoning, tool_calls, stop_reason, usage, provider } = reply;
        let scripted =
            |call: ToolCall| ScriptedCall { id: Some(call.id), name: call.name, input: call.input };
        Self {
            when: None,
            reasoning,
            text,
            tool_calls: tool_calls.into_iter().map(scripted).collect(),
            stop_reason: Some(stop_reason),
            tokens: Some(usage),
            provider,
            failure: None,
        }
    }
}

impl From<ScriptedFailure> for ScriptedReply {
    fn from(failure: ScriptedFailure) -> Self {
        Self { failure: Some(failure), ..Self::default() }
    }
}

impl ScriptedReply {
    /// Validation errors of this reply.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        let mut problems = Vec::new();
        if self.when.as_ref().is_some_and(|when| when.trim().is_empty()) {
            problems.push("`when` is empty".into());
        }
        let is_empty = self.text.is_empty() && self.tool_calls.is_empty();
        // A recorded refusal may be empty.
        if is_empty && self.stop_reason.is_none() && self.failure.is_none() {
            problems.push("it has neither text nor tool calls".into());
        }
        if !is_empty && self.failure.is_some() {
            problems.push("it has both a failure and a reply".into());
        }
        let mut ids = HashSet::new();
        for (index, call) in self.tool_calls.iter().enumerate() {
            if call.name.trim().is_empty() {
                problems.push(format!("tool call {index} has no name"));
            }
            if !call.input.is_object() {
                problems.push(format!("the input of tool call {index} is not an object"));
            }
            if let Some(id) = &call.id
                && !ids.insert(id)
            {
                problems.push(format!("tool call {index} repeats the id `{id}`"));
            }
        }
        problems.into_iter()
    }
}
