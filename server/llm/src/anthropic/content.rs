//! Conversion of assistant messages, including signed reasoning.
//!
//! The API requires thinking blocks back unchanged and in their original position. Therefore all
//! blocks of a reply with thinking are stored in order; tool calls only by id, because their input
//! is in the message.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::message::ToolCall;

/// Key of this API's data in `provider` of [`Message::Assistant`](crate::Message::Assistant).
const PROVIDER_KEY: &str = "anthropic";

/// A block of a message's content.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text {
        text: &'a str,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: Cow<'a, Map<String, Value>>,
    },
    ToolResult {
        tool_use_id: &'a str,
        #[serde(skip_serializing_if = "str::is_empty")]
        content: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    /// As it was received.
    #[serde(untagged)]
    Stored(&'a Value),
}

impl Block<'_> {
    pub(super) fn is_thinking(&self) -> bool {
        matches!(self, Self::Stored(block) if is_thinking(block))
    }
}

/// The state to store with a reply; `None` if it contains no thinking.
pub(super) fn provider_state(blocks: Vec<Value>) -> Option<Value> {
    blocks.iter().any(is_thinking).then(|| json!({ PROVIDER_KEY: blocks }))
}

/// The placeholder of a tool call among the stored blocks.
pub(super) fn mark(call_id: &str) -> Value {
    json!({"type": "tool_use", "id": call_id})
}

/// The thinking among the stored blocks.
pub(crate) fn reasoning(provider: &Value) -> Vec<String> {
    let blocks = provider.get(PROVIDER_KEY).and_then(Value::as_array);
    let thinking = blocks.into_iter().flatten().filter_map(|block| block["thinking"].as_str());
    thinking.map(str::to_owned).collect()
}

/// An assistant message's content: the original blocks if stored, otherwise the text followed by
/// the calls.
pub(super) fn content<'a>(
    text: &'a str,
    calls: &'a [ToolCall],
    provider: Option<&'a Value>,
) -> Vec<Block<'a>> {
    let stored = provider.and_then(|provider| provider.get(PROVIDER_KEY)).and_then(Value::as_array);
    if let Some(content) = stored.and_then(|blocks| restored(blocks, calls)) {
        return content;
    }
    let text = (!text.trim().is_empty()).then_some(Block::Text { text });
    text.into_iter().chain(calls.iter().map(tool_use)).collect()
}

/// The stored blocks with their calls. `None` if they do not match this message, or are only
/// thinking, which the API rejects.
fn restored<'a>(blocks: &'a [Value], calls: &'a [ToolCall]) -> Option<Vec<Block<'a>>> {
    let mut remaining = calls.iter();
    let content: Option<Vec<_>> = blocks
        .iter()
        .map(|block| match kind(block) {
            "tool_use" => {
                let call = remaining.next()?;
                (block.get("id")?.as_str()? == call.id).then(|| tool_use(call))
            }
            _ => block.is_object().then_some(Block::Stored(block)),
        })
        .collect();
    let is_whole = remaining.next().is_none() && !blocks.iter().all(is_thinking);
    content.filter(|_| is_whole)
}

fn tool_use(call: &ToolCall) -> Block<'_> {
    // The API accepts only objects; invalid input is quoted in the call's result.
    let input = call.input.as_object().map_or_else(Cow::default, Cow::Borrowed);
    Block::ToolUse { id: &call.id, name: &call.name, input }
}

fn is_thinking(block: &Value) -> bool {
    matches!(kind(block), "thinking" | "redacted_thinking")
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "look".into(), input: json!({"at": id}) }
    }

    fn thinking() -> Value {
        json!({"type": "thinking", "thinking": "hm", "signature": "s"})
    }

    #[test]
    fn thinking_is_restored_in_its_position() {
        let text = json!({"type": "text", "text": "First."});
        let stored =
            provider_state(vec![thinking(), text.clone(), mark("a"), thinking(), mark("b")]);
        let calls = [call("a"), call("b")];
        let sent = serde_json::to_value(content("First.", &calls, stored.as_ref())).unwrap();
        let call = |id| json!({"type": "tool_use", "id": id, "name": "look", "input": {"at": id}});
        assert_eq!(sent, json!([thinking(), text, call("a"), thinking(), call("b")]));
    }

    #[test]
    fn stored_blocks_of_another_message_are_ignored() {
        let stored = provider_state(vec![thinking(), mark("a")]);
        for calls in [&[][..], &[call("b")], &[call("a"), call("b")]] {
            let plain: Vec<_> = calls.iter().map(tool_use).collect();
            assert_eq!(content(" ", calls, stored.as_ref()), plain);
        }
        let other = json!({"openai": [thinking()]});
        assert_eq!(content("x", &[], Some(&other)).len(), 1);
    }

    #[test]
    fn only_replies_with_thinking_and_content_are_restored() {
        assert_eq!(provider_state(vec![json!({"type": "text", "text": "x"}), mark("a")]), None);
        let alone = provider_state(vec![thinking()]);
        assert!(content("", &[], alone.as_ref()).is_empty());
    }
}
