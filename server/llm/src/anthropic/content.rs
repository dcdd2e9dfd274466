//! Signed reasoning, kept with a reply and sent back where it was.
//!
//! The provider wants its thinking back untouched and in its place among text and tool calls. So of
//! a reply that thought, all blocks are kept in order; a tool call only by its id, because its input
//! is in the message already.

use serde_json::{Value, json};

use crate::message::ToolCall;

/// Names what is ours in [`Message::Assistant`](crate::Message::Assistant)'s `provider`, so that
/// another provider's is left alone.
const OURS: &str = "anthropic";

/// What to keep of a reply's blocks, if there is thinking among them.
pub(super) fn kept(blocks: Vec<Value>) -> Option<Value> {
    blocks.iter().any(is_thinking).then(|| json!({ OURS: blocks }))
}

/// How a tool call stands among the kept blocks.
pub(super) fn mark(call_id: &str) -> Value {
    json!({"type": "tool_use", "id": call_id})
}

/// An assistant message's content: as it came where that was kept, else the text and then the calls.
pub(super) fn content(text: &str, calls: &[ToolCall], provider: Option<&Value>) -> Vec<Value> {
    let kept = provider.and_then(|provider| provider.get(OURS)).and_then(Value::as_array);
    if let Some(content) = kept.and_then(|blocks| restored(blocks, calls)) {
        return content;
    }
    let text = (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}));
    text.into_iter().chain(calls.iter().map(tool_use)).collect()
}

/// The kept blocks with their calls; nothing where they are not those of this message, or no more
/// than thinking, which the API does not take for a message.
fn restored(blocks: &[Value], calls: &[ToolCall]) -> Option<Vec<Value>> {
    let mut waiting = calls.iter();
    let content: Option<Vec<_>> = blocks
        .iter()
        .map(|block| match kind(block) {
            "tool_use" => {
                let call = waiting.next()?;
                (block.get("id")?.as_str()? == call.id).then(|| tool_use(call))
            }
            _ => Some(block.clone()),
        })
        .collect();
    let is_whole = waiting.next().is_none() && !blocks.iter().all(is_thinking);
    content.filter(|_| is_whole)
}

fn tool_use(call: &ToolCall) -> Value {
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input})
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
    fn thinking_goes_back_where_it_was() {
        let text = json!({"type": "text", "text": "First."});
        let kept = kept(vec![thinking(), text.clone(), mark("a"), thinking(), mark("b")]);
        let calls = [call("a"), call("b")];
        let sent = content("First.", &calls, kept.as_ref());
        let (a, b) = (tool_use(&calls[0]), tool_use(&calls[1]));
        assert_eq!(sent, [thinking(), text, a.clone(), thinking(), b]);
        assert_eq!(a["input"], json!({"at": "a"}));
    }

    #[test]
    fn blocks_that_are_not_of_this_message_are_left_out() {
        let kept = kept(vec![thinking(), mark("a")]);
        for calls in [&[][..], &[call("b")], &[call("a"), call("b")]] {
            let plain: Vec<_> = calls.iter().map(tool_use).collect();
            assert_eq!(content(" ", calls, kept.as_ref()), plain);
        }
        let other = json!({"openai": [thinking()]});
        assert_eq!(content("x", &[], Some(&other)).len(), 1);
    }

    #[test]
    fn without_thinking_nothing_is_kept_and_thinking_alone_is_not_sent() {
        assert_eq!(kept(vec![json!({"type": "text", "text": "x"}), mark("a")]), None);
        let alone = kept(vec![thinking()]);
        assert!(content("", &[], alone.as_ref()).is_empty());
    }
}
