//! Request bodies of the Messages API.

use serde_json::{Map, Value, json};

use super::content;
use crate::{
    message::{Message, UserBlock},
    request::{Request, ToolDefinition},
    thinking::{Effort, Thinking},
};

/// The least that the API accepts.
const MIN_THINKING_TOKENS: u32 = 1_024;

/// Three of at most four cache breakpoints are set: after the tools, the system prompt, and the
/// conversation, which is a prefix of the next request's.
pub(super) fn body(request: &Request, thinking: Thinking) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), request.model.clone().into());
    body.insert("max_tokens".into(), request.max_tokens.into());
    body.insert("stream".into(), true.into());
    if !request.system.trim().is_empty() {
        let mut system = vec![text(&request.system)];
        mark_last(&mut system);
        body.insert("system".into(), system.into());
    }
    if !request.tools.is_empty() {
        let mut tools: Vec<_> = request.tools.iter().map(tool).collect();
        mark_last(&mut tools);
        body.insert("tools".into(), tools.into());
    }
    insert_thinking(&mut body, thinking, request.max_tokens);
    body.insert("messages".into(), messages(&request.messages).into());
    body.into()
}

/// Thinking is a part of the reply, so that it leaves room for the rest.
fn insert_thinking(body: &mut Map<String, Value>, thinking: Thinking, max_tokens: u32) {
    let room = max_tokens.saturating_sub(MIN_THINKING_TOKENS);
    let budget = thinking.budget.map(|budget| budget.max(MIN_THINKING_TOKENS).min(room));
    if let Some(budget) = budget.filter(|budget| *budget >= MIN_THINKING_TOKENS) {
        body.insert("thinking".into(), json!({"type": "enabled", "budget_tokens": budget}));
    }
    match thinking.effort {
        None => {}
        Some(Effort::None) => {
            body.insert("thinking".into(), json!({"type": "disabled"}));
        }
        Some(effort) => {
            body.insert("thinking".into(), json!({"type": "adaptive"}));
            body.insert("output_config".into(), json!({"effort": effort.as_str()}));
        }
    }
}

/// Alternates user and assistant: consecutive messages of one role are merged, empty ones are
/// omitted.
fn messages(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::User { content } => ("user", content.iter().filter_map(user_block).collect()),
            Message::Assistant { text, tool_calls, provider } => {
                ("assistant", content::content(text, tool_calls, provider.as_ref()))
            }
        };
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    for (_, content) in &mut turns {
        // Stable, so that results and texts each keep their order.
        content.sort_by_key(|block| block["type"] != "tool_result");
    }
    if let Some((_, content)) = turns.last_mut() {
        mark_last(content);
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn user_block(block: &UserBlock) -> Option<Value> {
    match block {
        UserBlock::Text { text } if text.trim().is_empty() => None,
        UserBlock::Text { text: said } => Some(text(said)),
        UserBlock::ToolResult { call_id, content, is_error } => {
            let mut result = json!({"type": "tool_result", "tool_use_id": call_id});
            if !content.is_empty() {
                result["content"] = content.as_str().into();
            }
            if *is_error {
                result["is_error"] = true.into();
            }
            Some(result)
        }
    }
}

fn tool(tool: &ToolDefinition) -> Value {
    let ToolDefinition { name, description, input_schema } = tool;
    json!({"name": name, "description": description, "input_schema": input_schema})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Thinking blocks cannot have a cache breakpoint.
fn mark_last(blocks: &mut [Value]) {
    if let Some(last) = blocks.last_mut()
        && last["type"] != "thinking"
        && last["type"] != "redacted_thinking"
    {
        last["cache_control"] = json!({"type": "ephemeral"});
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::ToolCall;

    fn result(call_id: &str, is_error: bool) -> UserBlock {
        UserBlock::ToolResult { call_id: call_id.into(), content: "seen".into(), is_error }
    }

    fn said(text: &str, calls: &[&str]) -> Message {
        let call = |id: &&str| ToolCall { id: (*id).into(), name: "look".into(), input: json!({}) };
        Message::Assistant {
            text: text.into(),
            tool_calls: calls.iter().map(call).collect(),
            provider: None,
        }
    }

    fn request(messages: Vec<Message>) -> Request {
        let tool = |name: &str| ToolDefinition {
            name: name.into(),
            description: "d".into(),
            input_schema: json!({"type": "object"}),
        };
        Request {
            label: "run".into(),
            model: "m".into(),
            system: "Be brief.".into(),
            tools: [tool("look"), tool("ask")].into(),
            messages,
            max_tokens: 100,
            forgotten_turns: 0,
            earlier_turns: 0,
        }
    }

    #[test]
    fn cache_breakpoints_follow_tools_system_and_conversation() {
        let mark = json!({"type": "ephemeral"});
        let body = body(
            &request(vec![Message::user("go"), said("ok", &[]), Message::user("on")]),
            Thinking::default(),
        );
        assert_eq!(
            body,
            json!({
                "model": "m", "max_tokens": 100, "stream": true,
                "system": [{"type": "text", "text": "Be brief.", "cache_control": mark}],
                "tools": [
                    {"name": "look", "description": "d", "input_schema": {"type": "object"}},
                    {"name": "ask", "description": "d", "input_schema": {"type": "object"},
                     "cache_control": mark}
                ],
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "go"}]},
                    {"role": "assistant", "content": [{"type": "text", "text": "ok"}]},
                    {"role": "user", "content": [
                        {"type": "text", "text": "on", "cache_control": mark}
                    ]}
                ]
            })
        );
    }

    #[test]
    fn empty_parts_are_omitted() {
        let mut request = request(vec![Message::user("go"), said(" ", &[]), Message::user("on")]);
        request.system.clear();
        request.tools = [].into();
        let body = body(&request, Thinking::default());
        assert_eq!((body.get("system"), body.get("tools")), (None, None));
        let messages = body["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert_eq!(messages[0]["content"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn user_messages_are_merged_with_results_first() {
        let conversation = vec![
            Message::user("go"),
            said("", &["a", "b"]),
            Message::User {
                content: vec![UserBlock::Text { text: "wait".into() }, result("a", false)],
            },
            Message::User { content: vec![result("b", true)] },
            Message::user("and now"),
        ];
        let body = body(&request(conversation), Thinking::default());
        let messages = body["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 3);
        let last = messages[2]["content"].as_array().unwrap();
        let order: Vec<_> = last
            .iter()
            .map(|block| block["tool_use_id"].as_str().or(block["text"].as_str()).unwrap())
            .collect();
        assert_eq!(order, ["a", "b", "wait", "and now"]);
        assert_eq!((last[0].get("is_error"), &last[1]["is_error"]), (None, &json!(true)));
    }

    #[test]
    fn thinking_leaves_room_for_the_reply() {
        let sent = |option: &str, max_tokens| {
            let request = Request { max_tokens, ..request(vec![Message::user("go")]) };
            let body = body(&request, Thinking::parse(option).unwrap());
            (body["thinking"].clone(), body["output_config"].clone())
        };
        let enabled = |budget: u32| json!({"type": "enabled", "budget_tokens": budget});
        assert_eq!(sent("thinking=8000", 16_384), (enabled(8_000), Value::Null));
        assert_eq!(sent("thinking=8000", 4_024), (enabled(3_000), Value::Null));
        assert_eq!(sent("thinking=10", 4_024), (enabled(1_024), Value::Null));
        assert_eq!(sent("thinking=8000", 2_000), (Value::Null, Value::Null));
        let adaptive = (json!({"type": "adaptive"}), json!({"effort": "high"}));
        assert_eq!(sent("effort=high", 2_000), adaptive);
        assert_eq!(sent("effort=none", 2_000), (json!({"type": "disabled"}), Value::Null));
    }
}
