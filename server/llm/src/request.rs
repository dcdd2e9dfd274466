//! Requests to models.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{
    message::{Message, UserBlock},
    usage::estimated_tokens,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Identifies the run. Opaque; used in logs and to look up scenarios.
    pub label: String,
    /// The model's name at the provider.
    pub model: String,
    pub system: String,
    /// Tools that the model may call; shared by the requests of a role.
    pub tools: Arc<[ToolDefinition]>,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// Limit on the reply, in tokens.
    pub max_tokens: u32,
    /// Number of replies that were removed from the conversation because it became too long.
    #[serde(default)]
    pub forgotten_turns: usize,
    /// Number of replies in the conversation, or removed from it, that belong to earlier runs.
    #[serde(default)]
    pub earlier_turns: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Letters, digits, `_` and `-`.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    pub input_schema: InputSchema,
}

/// A JSON Schema of an object, as text: each request of a conversation contains it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InputSchema(Box<RawValue>);

impl InputSchema {
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl From<Value> for InputSchema {
    fn from(schema: Value) -> Self {
        let text = serde_json::value::to_raw_value(&schema);
        Self(text.unwrap_or_else(|error| unreachable!("a value is always JSON: {error}")))
    }
}

impl PartialEq for InputSchema {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Request {
    /// The number of previous replies of the run, which is the index of the requested one.
    pub fn turn(&self) -> usize {
        let is_reply = |message: &&Message| matches!(message, Message::Assistant { .. });
        let replies = self.forgotten_turns + self.messages.iter().filter(is_reply).count();
        replies.saturating_sub(self.earlier_turns)
    }

    /// User blocks since the last reply, oldest first.
    pub fn news(&self) -> impl Iterator<Item = &UserBlock> {
        let after_reply = self
            .messages
            .iter()
            .rposition(|message| matches!(message, Message::Assistant { .. }))
            .map_or(0, |index| index + 1);
        self.messages[after_reply..].iter().flat_map(|message| match message {
            Message::User { content } => content.as_slice(),
            Message::Assistant { .. } => &[],
        })
    }

    /// Total bytes of the request's texts.
    pub fn bytes(&self) -> u64 {
        let tools = self.tools.iter().map(|tool| {
            tool.name.len() + tool.description.len() + tool.input_schema.as_str().len()
        });
        let messages = self.messages.iter().map(|message| match message {
            Message::User { content } => content.iter().map(|block| block.content().len()).sum(),
            Message::Assistant { text, tool_calls, provider } => {
                let calls =
                    tool_calls.iter().map(|call| call.name.len() + call.input.to_string().len());
                let kept = provider.as_ref().map_or(0, |kept| kept.to_string().len());
                text.len() + calls.sum::<usize>() + kept
            }
        });
        (self.system.len() + tools.sum::<usize>() + messages.sum::<usize>()) as u64
    }

    /// [`estimated_tokens`] of all texts of the request.
    pub fn estimated_tokens(&self) -> u64 {
        let tools = self.tools.iter().map(|tool| {
            estimated_tokens(&tool.name)
                + estimated_tokens(&tool.description)
                + estimated_tokens(tool.input_schema.as_str())
        });
        let messages = self.messages.iter().map(|message| match message {
            Message::User { content } => {
                content.iter().map(|block| estimated_tokens(block.content())).sum()
            }
            Message::Assistant { text, tool_calls, .. } => {
                let calls = tool_calls.iter().map(|call| {
                    estimated_tokens(&call.name) + estimated_tokens(&call.input.to_string())
                });
                estimated_tokens(text) + calls.sum::<u64>()
            }
        });
        estimated_tokens(&self.system) + tools.sum::<u64>() + messages.sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(messages: Vec<Message>) -> Request {
        Request {
            label: "run".into(),
            model: "m".into(),
            system: "12345678".into(),
            tools: [ToolDefinition {
                name: "look".into(),
                description: "abcd".into(),
                input_schema: json!({}).into(),
            }]
            .into(),
            messages,
            max_tokens: 100,
            forgotten_turns: 0,
            earlier_turns: 0,
        }
    }

    fn assistant(text: &str) -> Message {
        Message::Assistant { text: text.into(), tool_calls: vec![], provider: None }
    }

    #[test]
    fn news_contains_all_user_blocks_since_the_last_reply() {
        let news = |messages| {
            let request = request(messages);
            (request.turn(), request.news().map(|b| b.content().to_owned()).collect::<Vec<_>>())
        };
        let user = Message::user;
        assert_eq!(news(vec![]), (0, vec![]));
        assert_eq!(news(vec![user("a"), user("b")]), (0, vec!["a".into(), "b".into()]));
        assert_eq!(
            news(vec![user("a"), assistant("x"), user("b"), user("c")]),
            (1, vec!["b".into(), "c".into()])
        );
        assert_eq!(news(vec![user("a"), assistant("x")]), (1, vec![]));
    }

    #[test]
    fn estimate_includes_system_tools_and_messages() {
        let empty = request(vec![]).estimated_tokens();
        assert_eq!(empty, 2 + 1 + 1 + 1);
        let both = request(vec![Message::user("12345"), assistant("1234")]).estimated_tokens();
        assert_eq!(both, empty + 2 + 1);
    }
}
