//! Events of chat completions.

use serde_json::{Value, json};

use crate::{
    dialect::Dialect,
    pieces::{scraps, words},
    turn::{Part, Reply, Stop, error_body},
    wire::Specials,
};

/// The events of the reply in this turn.
pub(crate) fn events(reply: &Reply, model: &str, turn: usize) -> Vec<String> {
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    let mut index = 0;
    for part in &reply.parts {
        match part {
            Part::Thinking(text) => {
                deltas.extend(words(text).map(|word| json!({"reasoning_content": word})));
            }
            Part::Text(text) => deltas.extend(words(text).map(|word| json!({"content": word}))),
            Part::Call { id, name, json } => {
                let id = id.clone().unwrap_or_else(|| format!("call_{turn}_{index}"));
                deltas.push(json!({"tool_calls": [{"index": index, "id": id, "type": "function",
                    "function": {"name": name, "arguments": ""}}]}));
                let piece = |piece| json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]});
                deltas.extend(scraps(json).into_iter().map(piece));
                index += 1;
            }
        }
    }
    let chunk = |choices: Value, usage: Value| {
        event(&json!({"id": format!("chatcmpl-{turn}"), "object": "chat.completion.chunk",
            "created": 1, "model": model, "choices": choices, "usage": usage}))
    };
    let choice = |delta: Value, finish: Value| json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
    let mut events: Vec<_> =
        deltas.into_iter().map(|delta| chunk(choice(delta, Value::Null), Value::Null)).collect();
    events.push(chunk(choice(json!({}), stop(reply.stop()).into()), Value::Null));
    events.push(chunk(json!([]), usage(reply)));
    events.push("data: [DONE]\n\n".into());
    events
}

pub(crate) fn specials() -> Specials {
    Specials {
        ping: ": still here\n\n".into(),
        garbled: "data: {\"choices\": [{\"del\n\n".into(),
        error: |kind, message| event(&error_body(Dialect::OpenAi, kind, message)),
    }
}

/// The API's prompt count includes cached tokens.
fn usage(reply: &Reply) -> Value {
    let tokens = reply.tokens;
    let prompt = tokens.input + tokens.cache_read;
    json!({"prompt_tokens": prompt, "completion_tokens": tokens.output,
        "total_tokens": prompt + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cache_read}})
}

fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::End => "stop",
        Stop::Tools => "tool_calls",
        Stop::Length => "length",
        Stop::Refusal => "content_filter",
    }
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}
