//! Conversion of assistant messages, including signed reasoning.
//!
//! The API requires thinking blocks back unchanged and in their original position. Therefore all
//! blocks of a reply with thinking are stored in order; tool calls only by id, because their input
//! is in the message.

use serde_json::{Value, json};

use crate::message::ToolCall;

/// Key of this API's data in `provider` of [`Message::Assistant`](crate::Message::Assistant).
const PROVIDER_KEY: &str = "anthropic";

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
pub(super) fn content(text: &str, calls: &[ToolCall], provider: Option<&Value>) -> Vec<Value> {
    let stored = provider.and_then(|provider| provider.get(PROVIDER_KEY)).and_then(Value::as_array);
    if let Some(content) = stored.and_then(|blocks| restored(blocks, calls)) {
        return content;
    }
    let text = (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}));
    text.into_iter().chain(calls.iter().map(tool_use)).collect()
}

/// The stored blocks with their calls. `None` if they do not match this message, or are only
/// thinking, which the API rejects.
fn restored(blocks: &[Value], calls: &[ToolCall]) -> Option<Vec<Value>> {
    let mut remaining = calls.iter();
    let content: Option<Vec<_>> = blocks
        .iter()
        .map(|block| match kind(block) {
            "tool_use" => {
                let call = remaining.next()?;
                (block.get("id")?.as_str()? == call.id).then(|| tool_use(call))
            }
            _ => Some(block.clone()),
        })
        .collect();
    let is_whole = remaining.next().is_none() && !blocks.iter().all(is_thinking);
    content.filter(|_| is_whole)
}

fn tool_use(call: &ToolCall) -> Value {
    // The API accepts only objects; invalid input is quoted in the call's result.
    let input = if call.input.is_object() { call.input.clone() } else { json!({}) };
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
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
        let sent = content("First.", &calls, stored.as_ref());
        let (a, b) = (tool_use(&calls[0]), tool_use(&calls[1]));
        assert_eq!(sent, [thinking(), text, a.clone(), thinking(), b]);
        assert_eq!(a["input"], json!({"at": "a"}));
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
