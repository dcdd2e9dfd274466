//! Replies as scenarios write them down.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::ErrorClass,
    message::ToolCall,
    reply::{Reply, StopReason},
    usage::Usage,
};

/// One alternative of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedReply {
    /// Taken only if this occurs in what was said since the last reply (tool results or user's
    /// text); upper and lower case are the same. Without it, always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Shown reasoning.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// Text of the reply.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Tool calls of the reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ScriptedCall>,
    /// Without it: `tool_use` where there are tool calls, else `end_turn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Without it, estimated from the lengths of the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Usage>,
    /// What a recorded provider wanted back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Value>,
    /// There is no reply: the call fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ScriptedFailure>,
}

/// How a call of a model fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedFailure {
    /// How to take it.
    pub class: ErrorClass,
    /// In plain words.
    pub message: String,
}

/// A tool call of a [`ScriptedReply`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// As recorded. Without it, made from label, turn and position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// A JSON object.
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
    /// All that is wrong with it.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        let mut problems = Vec::new();
        if self.when.as_ref().is_some_and(|when| when.trim().is_empty()) {
            problems.push("`when` is empty".into());
        }
        let is_silent = self.text.is_empty() && self.tool_calls.is_empty();
        // A recorded refusal may well be silent.
        if is_silent && self.stop_reason.is_none() && self.failure.is_none() {
            problems.push("it has neither text nor tool calls".into());
        }
        if !is_silent && self.failure.is_some() {
            problems.push("it fails and has something to say".into());
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
