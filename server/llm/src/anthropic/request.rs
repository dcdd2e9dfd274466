//! Request bodies of the Messages API.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::content::{self, Block};
use crate::{
    message::{Message, UserBlock},
    request::{Request, ToolDefinition},
    thinking::{Effort, Thinking},
};

/// The least that the API accepts.
const MIN_THINKING_TOKENS: u32 = 1_024;

#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Cacheable<Block<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Cacheable<&'a ToolDefinition>>,
    #[serde(flatten)]
    thinking: Map<String, Value>,
    messages: Vec<Turn<'a>>,
}

#[derive(Debug, Serialize)]
struct Turn<'a> {
    role: &'static str,
    content: Vec<Cacheable<Block<'a>>>,
}

/// A part of a request at which a cached prefix can end.
#[derive(Debug, Serialize)]
struct Cacheable<T> {
    #[serde(flatten)]
    part: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum CacheControl {
    Ephemeral,
}

/// Three of at most four cache breakpoints are set: after the tools, the system prompt, and the
/// conversation, which is a prefix of the next request's.
pub(super) fn body(request: &Request, thinking: Thinking) -> Body<'_> {
    let Request { model, max_tokens, system, .. } = request;
    let system = (!system.trim().is_empty()).then_some(Block::Text { text: system });
    Body {
        model,
        max_tokens: *max_tokens,
        stream: true,
        system: with_breakpoint(system),
        tools: with_breakpoint(request.tools.iter()),
        thinking: thinking_settings(thinking, *max_tokens),
        messages: messages(&request.messages),
    }
}

/// Thinking is a part of the reply, so that it leaves room for the rest.
fn thinking_settings(thinking: Thinking, max_tokens: u32) -> Map<String, Value> {
    let mut settings = Map::new();
    let room = max_tokens.saturating_sub(MIN_THINKING_TOKENS);
    let budget = thinking.budget.map(|budget| budget.max(MIN_THINKING_TOKENS).min(room));
    if let Some(budget) = budget.filter(|budget| *budget >= MIN_THINKING_TOKENS) {
        settings.insert("thinking".into(), json!({"type": "enabled", "budget_tokens": budget}));
    }
    match thinking.effort {
        None => {}
        Some(Effort::None) => {
            settings.insert("thinking".into(), json!({"type": "disabled"}));
        }
        Some(effort) => {
            settings.insert("thinking".into(), json!({"type": "adaptive"}));
            settings.insert("output_config".into(), json!({"effort": effort.as_str()}));
        }
    }
    settings
}

/// Alternates user and assistant: consecutive messages of one role are merged, empty ones are
/// omitted.
fn messages(messages: &[Message]) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for message in messages {
        let (role, blocks) = match message {
            Message::User { content } => ("user", content.iter().filter_map(user_block).collect()),
            Message::Assistant { text, tool_calls, provider } => {
                ("assistant", content::content(text, tool_calls, provider.as_ref()))
            }
        };
        if blocks.is_empty() {
            continue;
        }
        let blocks = blocks.into_iter().map(cacheable);
        match turns.last_mut() {
            Some(turn) if turn.role == role => turn.content.extend(blocks),
            _ => turns.push(Turn { role, content: blocks.collect() }),
        }
    }
    for turn in &mut turns {
        // Stable, so that results and texts each keep their order.
        turn.content.sort_by_key(|block| !matches!(block.part, Block::ToolResult { .. }));
    }
    let last = turns.last_mut().and_then(|turn| turn.content.last_mut());
    // Thinking blocks cannot have a cache breakpoint.
    if let Some(last) = last.filter(|last| !last.part.is_thinking()) {
        last.cache_control = Some(CacheControl::Ephemeral);
    }
    turns
}

fn user_block(block: &UserBlock) -> Option<Block<'_>> {
    match block {
        UserBlock::Text { text } if text.trim().is_empty() => None,
        UserBlock::Text { text } => Some(Block::Text { text }),
        UserBlock::ToolResult { call_id, content, is_error } => {
            Some(Block::ToolResult { tool_use_id: call_id, content, is_error: *is_error })
        }
    }
}

fn cacheable<T>(part: T) -> Cacheable<T> {
    Cacheable { part, cache_control: None }
}

/// Ends a cached prefix after the last part.
fn with_breakpoint<T>(parts: impl IntoIterator<Item = T>) -> Vec<Cacheable<T>> {
    let mut parts: Vec<_> = parts.into_iter().map(cacheable).collect();
    if let Some(last) = parts.last_mut() {
        last.cache_control = Some(CacheControl::Ephemeral);
    }
    parts
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
            input_schema: json!({"type": "object"}).into(),
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

    fn sent(request: &Request, thinking: Thinking) -> Value {
        serde_json::to_value(body(request, thinking)).unwrap()
    }

    #[test]
    fn cache_breakpoints_follow_tools_system_and_conversation() {
        let mark = json!({"type": "ephemeral"});
        let body = sent(
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
        let body = sent(&request, Thinking::default());
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
        let body = sent(&request(conversation), Thinking::default());
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
            let body = sent(&request, Thinking::parse(option).unwrap());
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
