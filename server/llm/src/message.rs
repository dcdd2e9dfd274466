//! The messages of a conversation. Their JSON is what callers store as a transcript.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One message. User and assistant take turns, but two user messages in a row are fine: a provider
/// that minds joins them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What the model is told.
    User {
        /// In order; the results of one reply's tool calls belong into one message.
        content: Vec<UserBlock>,
    },
    /// What the model said.
    Assistant {
        /// May be empty where there are tool calls.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// In the order in which the model made them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// What the provider wants back untouched with the next request, such as signed reasoning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<Value>,
    },
}

/// A piece of a user message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserBlock {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// The outcome of a tool call.
    ToolResult {
        /// The [`ToolCall::id`] that it answers.
        call_id: String,
        /// What the tool returned, as text.
        content: String,
        /// Whether the tool failed.
        #[serde(default)]
        is_error: bool,
    },
}

/// A tool that the model wants to be called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique in its conversation.
    pub id: String,
    /// Name of the tool, as it was defined in the request.
    pub name: String,
    /// A JSON object; whether it fits the tool's schema is not checked.
    pub input: Value,
}

impl Message {
    /// A user message of one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { content: vec![UserBlock::Text { text: text.into() }] }
    }
}

impl UserBlock {
    /// The text or the tool's result, whichever it is.
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
    fn keeps_its_stored_form() {
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
