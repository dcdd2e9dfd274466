//! Request bodies of the Responses API.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::provider_state;
use crate::{
    message::{Message, UserBlock},
    request::{InputSchema, Request, ToolDefinition},
    thinking::Effort,
};

#[derive(Debug, Serialize)]
pub(in crate::openai) struct Body<'a> {
    #[serde(flatten)]
    settings: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    input: Vec<Value>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "function")]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a InputSchema,
    strict: bool,
}

/// Nothing is stored at the provider; `reasons` requests encrypted reasoning, so that it can be
/// sent back.
pub(in crate::openai) fn body(
    request: &Request,
    reasons: bool,
    effort: Option<Effort>,
    has_summary: bool,
) -> Body<'_> {
    let mut settings = Map::new();
    settings.insert("model".into(), request.model.clone().into());
    settings.insert("max_output_tokens".into(), request.max_tokens.into());
    settings.insert("stream".into(), true.into());
    settings.insert("store".into(), false.into());
    if reasons {
        settings.insert("include".into(), json!(["reasoning.encrypted_content"]));
    }
    let mut reasoning = Map::new();
    reasoning.extend(effort.map(|effort| ("effort".to_owned(), effort.as_str().into())));
    reasoning.extend(has_summary.then(|| ("summary".to_owned(), "auto".into())));
    if !reasoning.is_empty() {
        settings.insert("reasoning".into(), reasoning.into());
    }
    if !request.system.trim().is_empty() {
        settings.insert("instructions".into(), request.system.clone().into());
    }
    let tools = request.tools.iter().map(tool).collect();
    Body { settings, tools, input: items(&request.messages) }
}

/// Tool results come directly after their calls, before the user's texts.
fn items(messages: &[Message]) -> Vec<Value> {
    let (mut items, mut texts) = (Vec::new(), Vec::new());
    for message in messages {
        match message {
            Message::User { content } => {
                items.extend(content.iter().filter_map(output));
                texts.extend(content.iter().filter_map(text));
            }
            Message::Assistant { text, tool_calls, provider } => {
                items.append(&mut texts);
                items.extend(provider_state::items(text, tool_calls, provider.as_ref()));
            }
        }
    }
    items.append(&mut texts);
    items
}

fn output(block: &UserBlock) -> Option<Value> {
    let UserBlock::ToolResult { call_id, content, is_error } = block else { return None };
    // The API has no field for errors.
    let output = if *is_error { format!("The tool failed: {content}") } else { content.clone() };
    Some(json!({"type": "function_call_output", "call_id": call_id, "output": output}))
}

fn text(block: &UserBlock) -> Option<Value> {
    match block {
        UserBlock::Text { text } if !text.trim().is_empty() => Some(json!({"type": "message",
            "role": "user", "content": [{"type": "input_text", "text": text}]})),
        _ => None,
    }
}

fn tool(tool: &ToolDefinition) -> Tool<'_> {
    let ToolDefinition { name, description, input_schema } = tool;
    // Strict mode requires all properties to be required, which these schemas do not guarantee.
    Tool { name, description, parameters: input_schema, strict: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::ToolCall;

    #[test]
    fn conversation_is_converted_to_items() {
        let call = ToolCall { id: "a".into(), name: "look".into(), input: json!({"at": 1}) };
        let result =
            UserBlock::ToolResult { call_id: "a".into(), content: "seen".into(), is_error: true };
        let request = Request {
            label: "run".into(),
            model: "m".into(),
            system: "Be brief.".into(),
            tools: [ToolDefinition {
                name: "look".into(),
                description: "d".into(),
                input_schema: json!({"type": "object"}).into(),
            }]
            .into(),
            messages: vec![
                Message::user("go"),
                Message::Assistant { text: String::new(), tool_calls: vec![call], provider: None },
                Message::User { content: vec![UserBlock::Text { text: "wait".into() }, result] },
            ],
            max_tokens: 100,
            forgotten_turns: 0,
            earlier_turns: 0,
        };
        let said = |text: &str| {
            json!({"type": "message", "role": "user",
                "content": [{"type": "input_text", "text": text}]})
        };
        assert_eq!(
            serde_json::to_value(body(&request, true, Some(Effort::High), true)).unwrap(),
            json!({
                "model": "m", "max_output_tokens": 100, "stream": true, "store": false,
                "include": ["reasoning.encrypted_content"],
                "reasoning": {"effort": "high", "summary": "auto"},
                "instructions": "Be brief.",
                "tools": [{"type": "function", "name": "look", "description": "d",
                    "parameters": {"type": "object"}, "strict": false}],
                "input": [
                    said("go"),
                    {"type": "function_call", "call_id": "a", "name": "look",
                        "arguments": "{\"at\":1}"},
                    {"type": "function_call_output", "call_id": "a",
                        "output": "The tool failed: seen"},
                    said("wait")
                ]
            })
        );
        let plain = serde_json::to_value(body(&request, false, None, false)).unwrap();
        assert_eq!((plain.get("include"), plain.get("reasoning")), (None, None));
    }
}
