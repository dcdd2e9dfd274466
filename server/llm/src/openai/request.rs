//! A request as chat completions take it.

use serde_json::{Map, Value, json};

use crate::{
    message::{Message, ToolCall, UserBlock},
    request::{Request, ToolDefinition},
};

/// What a host calls the most that a model may write. `OpenAI`'s newer models refuse the old name;
/// Ollama and others know no other, and pass over the new one without a word, so that nothing would
/// limit a reply. Gateways such as LiteLLM translate the old one.
pub(super) fn limit_name(host: &str) -> &'static str {
    let knows_new_name = host == "api.openai.com" || host.ends_with(".openai.azure.com");
    if knows_new_name { "max_completion_tokens" } else { "max_tokens" }
}

/// The body to post.
pub(super) fn body(request: &Request, limit_name: &str) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), request.model.clone().into());
    body.insert(limit_name.into(), request.max_tokens.into());
    body.insert("stream".into(), true.into());
    body.insert("stream_options".into(), json!({"include_usage": true}));
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
    }
    body.insert("messages".into(), messages(request).into());
    body.into()
}

fn messages(request: &Request) -> Vec<Value> {
    let mut messages = Vec::new();
    if !request.system.trim().is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    // What the user said since the last reply: results come first, texts are joined, because many
    // models' templates want user and assistant in turns.
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
            Message::Assistant { text, tool_calls, .. } => {
                if text.trim().is_empty() && tool_calls.is_empty() {
                    continue;
                }
                said_by_user(&mut messages, &mut results, &mut texts);
                messages.push(assistant(text, tool_calls));
            }
        }
    }
    said_by_user(&mut messages, &mut results, &mut texts);
    messages
}

fn said_by_user(messages: &mut Vec<Value>, results: &mut Vec<Value>, texts: &mut Vec<&str>) {
    messages.append(results);
    if !texts.is_empty() {
        messages.push(json!({"role": "user", "content": texts.join("\n\n")}));
        texts.clear();
    }
}

fn tool_result(block: &UserBlock) -> Option<Value> {
    let UserBlock::ToolResult { call_id, content, is_error } = block else { return None };
    // There is no field for it.
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
    let arguments = call.input.to_string();
    json!({"id": call.id, "type": "function",
        "function": {"name": call.name, "arguments": arguments}})
}

fn tool(tool: &ToolDefinition) -> Value {
    let ToolDefinition { name, description, input_schema } = tool;
    json!({"type": "function",
        "function": {"name": name, "description": description, "parameters": input_schema}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(messages: Vec<Message>) -> Request {
        Request {
            label: "run".into(),
            model: "m".into(),
            system: "Be brief.".into(),
            tools: vec![ToolDefinition {
                name: "look".into(),
                description: "d".into(),
                input_schema: json!({"type": "object"}),
            }],
            messages,
            max_tokens: 100,
            forgotten_turns: 0,
        }
    }

    #[test]
    fn a_whole_conversation() {
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
        let body = body(
            &request(vec![
                Message::user("go"),
                said("", &[&call]),
                Message::User {
                    content: vec![UserBlock::Text { text: "wait".into() }, result(true)],
                },
                Message::user("and"),
                said("", &[]),
                Message::user("now"),
            ]),
            "max_tokens",
        );
        assert_eq!(
            body,
            json!({
                "model": "m", "max_tokens": 100,
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

    #[test]
    fn the_limit_has_the_name_that_the_host_knows() {
        for (host, name) in [
            ("api.openai.com", "max_completion_tokens"),
            ("mine.openai.azure.com", "max_completion_tokens"),
            ("localhost", "max_tokens"),
            ("openrouter.ai", "max_tokens"),
            ("notapi.openai.com.example.org", "max_tokens"),
        ] {
            assert_eq!(limit_name(host), name, "{host}");
        }
    }
}
