//! The messages of a conversation. Their JSON is what callers store as a transcript.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message. Consecutive user messages are allowed; providers merge them if their API requires
/// alternating roles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Input to the model.
    User {
        /// In order; the results of one reply's tool calls must be in one message.
        content: Vec<UserBlock>,
    },
    /// A reply of the model.
    Assistant {
        /// May be empty if there are tool calls.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// In the order in which the model made them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// Opaque provider state to send back with the next request, such as signed reasoning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<Value>,
    },
}

/// A piece of a user message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserBlock {
    /// Plain text.
    Text { text: String },
    /// The result of a tool call.
    ToolResult {
        /// The [`ToolCall::id`] of the call.
        call_id: String,
        /// What the tool returned, as text.
        content: String,
        /// Whether the tool failed.
        #[serde(default)]
        is_error: bool,
    },
}

/// A tool call requested by the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within the conversation.
    pub id: String,
    /// Name of the tool, as defined in the request.
    pub name: String,
    /// A JSON object, not validated against the tool's schema. A string if the model sent something
    /// else; such a call must be answered with an error.
    pub input: Value,
}

impl Message {
    /// A user message with one text block.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { content: vec![UserBlock::Text { text: text.into() }] }
    }
}

impl ToolCall {
    /// The input as text; input that is not an object is returned as the model sent it.
    pub(crate) fn arguments(&self) -> String {
        match &self.input {
            Value::String(unreadable) => unreadable.clone(),
            input => input.to_string(),
        }
    }
}

impl UserBlock {
    /// The text, or the content of the tool result.
    pub fn content(&self) -> &str {
        match self {
            Self::Text { text } => text,
            Self::ToolResult { content, .. } => content,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_keep_their_stored_format() {
        let call = ToolCall { id: "c1".into(), name: "look".into(), input: json!({"at": 1}) };
        let cases = [
            (
                Message::user("hi"),
                json!({"role": "user", "content": [{"type": "text", "text": "hi"}]}),
            ),
            (
                Message::User {
                    content: vec![UserBlock::ToolResult {
                        call_id: "c1".into(),
                        content: "seen".into(),
                        is_error: true,
                    }],
                },
                json!({"role": "user", "content": [
                    {"type": "tool_result", "call_id": "c1", "content": "seen", "is_error": true}
                ]}),
            ),
            (
                Message::Assistant {
                    text: String::new(),
                    tool_calls: vec![call],
                    provider: Some(json!({"signature": "x"})),
                },
                json!({"role": "assistant",
                    "tool_calls": [{"id": "c1", "name": "look", "input": {"at": 1}}],
                    "provider": {"signature": "x"}}),
            ),
        ];
        for (message, stored) in cases {
            assert_eq!(serde_json::to_value(&message).unwrap(), stored);
            assert_eq!(serde_json::from_value::<Message>(stored).unwrap(), message);
        }
    }
}
