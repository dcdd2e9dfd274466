//! Request bodies of chat completions.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::provider_state;
use crate::{
    message::{Message, ToolCall, UserBlock},
    request::{InputSchema, Request, ToolDefinition},
    thinking::Effort,
};

/// The parameter name for the limit on a reply's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::openai) enum LimitName {
    /// The old name, the only one that Ollama and others support: they silently ignore the new one.
    MaxTokens,
    /// Required by OpenAI's reasoning models.
    MaxCompletionTokens,
}

impl LimitName {
    pub(in crate::openai) fn as_str(self) -> &'static str {
        match self {
            LimitName::MaxTokens => "max_tokens",
            LimitName::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    pub(in crate::openai) fn other(self) -> Self {
        match self {
            LimitName::MaxTokens => LimitName::MaxCompletionTokens,
            LimitName::MaxCompletionTokens => LimitName::MaxTokens,
        }
    }
}

#[derive(Debug, Serialize)]
pub(in crate::openai) struct Body<'a> {
    #[serde(flatten)]
    settings: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Value>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "function")]
struct Tool<'a> {
    function: Function<'a>,
}

#[derive(Debug, Serialize)]
struct Function<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a InputSchema,
}

pub(in crate::openai) fn body(
    request: &Request,
    limit_name: LimitName,
    effort: Option<Effort>,
) -> Body<'_> {
    let mut settings = Map::new();
    settings.insert("model".into(), request.model.clone().into());
    settings.insert(limit_name.as_str().into(), request.max_tokens.into());
    if let Some(effort) = effort {
        settings.insert("reasoning_effort".into(), effort.as_str().into());
    }
    settings.insert("stream".into(), true.into());
    settings.insert("stream_options".into(), json!({"include_usage": true}));
    Body { settings, tools: request.tools.iter().map(tool).collect(), messages: messages(request) }
}

fn messages(request: &Request) -> Vec<Value> {
    let mut messages = Vec::new();
    if !request.system.trim().is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    // User input since the last reply: results come first, and texts are joined, because the
    // templates of many models require alternating roles.
    let (mut results, mut texts) = (Vec::new(), Vec::new());
    for message in &request.messages {
        match message {
            Message::User { content } => {
                for block in content {
                    match block {
                        UserBlock::Text { text } if text.trim().is_empty() => {}
                        UserBlock::Text { text } => texts.push(text.as_str()),
                        UserBlock::ToolResult { .. } => results.extend(tool_result(block)),
                    }
                }
            }
            Message::Assistant { text, tool_calls, provider } => {
                if text.trim().is_empty() && tool_calls.is_empty() {
                    continue;
                }
                push_user_input(&mut messages, &mut results, &mut texts);
                let mut message = assistant(text, tool_calls);
                provider_state::restore(&mut message, provider.as_ref());
                messages.push(message);
            }
        }
    }
    push_user_input(&mut messages, &mut results, &mut texts);
    messages
}

fn push_user_input(messages: &mut Vec<Value>, results: &mut Vec<Value>, texts: &mut Vec<&str>) {
    messages.append(results);
    if !texts.is_empty() {
        messages.push(json!({"role": "user", "content": texts.join("\n\n")}));
        texts.clear();
    }
}

fn tool_result(block: &UserBlock) -> Option<Value> {
    let UserBlock::ToolResult { call_id, content, is_error } = block else { return None };
    // The API has no field for errors.
    let content = if *is_error { format!("The tool failed: {content}") } else { content.clone() };
    Some(json!({"role": "tool", "tool_call_id": call_id, "content": content}))
}

fn assistant(text: &str, calls: &[ToolCall]) -> Value {
    let content = if text.trim().is_empty() { Value::Null } else { text.into() };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        message["tool_calls"] = calls.iter().map(tool_call).collect();
    }
    message
}

fn tool_call(call: &ToolCall) -> Value {
    let arguments = call.arguments();
    json!({"id": call.id, "type": "function",
        "function": {"name": call.name, "arguments": arguments}})
}

fn tool(tool: &ToolDefinition) -> Tool<'_> {
    let ToolDefinition { name, description, input_schema } = tool;
    Tool { function: Function { name, description, parameters: input_schema } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(messages: Vec<Message>) -> Request {
        Request {
            label: "run".into(),
            model: "m".into(),
            system: "Be brief.".into(),
            tools: [ToolDefinition {
                name: "look".into(),
                description: "d".into(),
                input_schema: json!({"type": "object"}).into(),
            }]
            .into(),
            messages,
            max_tokens: 100,
            forgotten_turns: 0,
            earlier_turns: 0,
        }
    }

    #[test]
    fn conversation_is_converted() {
        let call = ToolCall { id: "a".into(), name: "look".into(), input: json!({"at": 1}) };
        let result = |is_error| UserBlock::ToolResult {
            call_id: "a".into(),
            content: "seen".into(),
            is_error,
        };
        let said = |text: &str, calls: &[&ToolCall]| Message::Assistant {
            text: text.into(),
            tool_calls: calls.iter().map(|call| (*call).clone()).collect(),
            provider: Some(json!({"anthropic": []})),
        };
        let request = request(vec![
            Message::user("go"),
            said("", &[&call]),
            Message::User { content: vec![UserBlock::Text { text: "wait".into() }, result(true)] },
            Message::user("and"),
            said("", &[]),
            Message::user("now"),
        ]);
        let body = body(&request, LimitName::MaxTokens, Some(Effort::Low));
        assert_eq!(
            serde_json::to_value(body).unwrap(),
            json!({
                "model": "m", "max_tokens": 100, "reasoning_effort": "low",
                "stream": true, "stream_options": {"include_usage": true},
                "tools": [{"type": "function", "function":
                    {"name": "look", "description": "d", "parameters": {"type": "object"}}}],
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "go"},
                    {"role": "assistant", "content": null, "tool_calls": [
                        {"id": "a", "type": "function",
                         "function": {"name": "look", "arguments": "{\"at\":1}"}}]},
                    {"role": "tool", "tool_call_id": "a", "content": "The tool failed: seen"},
                    {"role": "user", "content": "wait\n\nand\n\nnow"}
                ]
            })
        );
    }
}
