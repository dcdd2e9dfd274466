//! The output items of a reply, stored in order and sent back with the conversation.
//!
//! Requests set `store` to false, so encrypted reasoning is sent back with the conversation, and
//! the API requires each reasoning item directly before its message or call. Texts and calls are in
//! the message already, so only placeholders are stored.

use serde_json::{Value, json};

use crate::message::ToolCall;

/// Key of this API's data in `provider` of [`Message::Assistant`](crate::Message::Assistant).
const PROVIDER_KEY: &str = "openai_responses";

/// The state to store with a reply; `None` if it contains no reasoning.
pub(super) fn provider_state(items: Vec<Value>) -> Option<Value> {
    items.iter().any(|item| item["type"] == "reasoning").then(|| json!({ PROVIDER_KEY: items }))
}

/// The stored form of an item: reasoning without its status, a placeholder for others.
pub(super) fn mark(item: &Value) -> Value {
    match item["type"].as_str() {
        Some("reasoning") => {
            let mut item = item.clone();
            if let Some(fields) = item.as_object_mut() {
                fields.remove("status");
            }
            item
        }
        Some("function_call") => json!({"type": "function_call", "call_id": item["call_id"]}),
        _ => json!({"type": "message"}),
    }
}

/// The items of an assistant's message.
pub(super) fn items(text: &str, calls: &[ToolCall], provider: Option<&Value>) -> Vec<Value> {
    let stored = provider.and_then(|provider| provider.get(PROVIDER_KEY)).and_then(Value::as_array);
    if let Some(items) = stored.and_then(|stored| restored(stored, text, calls)) {
        return items;
    }
    message(text).into_iter().chain(calls.iter().map(function_call)).collect()
}

/// The stored items with text and calls inserted; `None` if they belong to another message.
fn restored(stored: &[Value], text: &str, calls: &[ToolCall]) -> Option<Vec<Value>> {
    let (mut calls, mut text) = (calls.iter(), message(text));
    let mut items = Vec::new();
    for item in stored {
        match item["type"].as_str()? {
            "function_call" => {
                let call = calls.next()?;
                (item["call_id"].as_str()? == call.id).then_some(())?;
                items.push(function_call(call));
            }
            // Several messages share one text here.
            "message" => items.extend(text.take()),
            _ => items.push(item.clone()),
        }
    }
    let ends_with_reasoning = items.last().is_some_and(|item| item["type"] == "reasoning");
    (calls.next().is_none() && text.is_none() && !ends_with_reasoning).then_some(items)
}

fn message(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| {
        json!({"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": text}]})
    })
}

fn function_call(call: &ToolCall) -> Value {
    let arguments = call.arguments();
    json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments})
}

/// The readable parts of the stored reasoning.
pub(crate) fn reasoning(provider: &Value) -> Vec<String> {
    let items = provider.get(PROVIDER_KEY).and_then(Value::as_array);
    let parts = items.into_iter().flatten().flat_map(|item| [&item["summary"], &item["content"]]);
    let parts = parts.filter_map(Value::as_array).flatten();
    parts.filter_map(|part| part["text"].as_str()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "look".into(), input: json!({"at": id}) }
    }

    fn reasoning() -> Value {
        json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"})
    }

    #[test]
    fn reasoning_is_restored_before_its_call() {
        let received = [
            json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x",
                "status": "completed"}),
            json!({"type": "message", "content": [{"type": "output_text", "text": "First."}]}),
            json!({"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}),
        ];
        let stored = provider_state(received.iter().map(mark).collect());
        let sent = items("First.", &[call("a")], stored.as_ref());
        assert_eq!(sent.len(), 3);
        assert_eq!(sent[0], reasoning());
        assert_eq!(sent[1]["content"][0]["text"], "First.");
        assert_eq!(sent[2]["arguments"], "{\"at\":\"a\"}");
    }

    #[test]
    fn stored_items_of_another_message_are_ignored() {
        let stored = provider_state(vec![
            reasoning(),
            mark(&json!({"type": "function_call", "call_id": "a"})),
        ]);
        for calls in [&[][..], &[call("b")], &[call("a"), call("b")]] {
            let plain: Vec<_> = calls.iter().map(function_call).collect();
            assert_eq!(items(" ", calls, stored.as_ref()), plain);
        }
        assert_eq!(provider_state(vec![json!({"type": "message"})]), None);
    }
}
