//! Responses of the Gemini API.

use serde_json::{Value, json};

use crate::{
    dialect::Dialect,
    pieces::words,
    turn::{Part, Reply, Stop, error_body},
    wire::Specials,
};

/// The events of the reply in this turn.
pub(crate) fn events(reply: &Reply, model: &str) -> Vec<String> {
    let parts = reply.parts.iter().flat_map(|part| match part {
        Part::Thinking(text) => {
            words(text).map(|word| json!({"text": word, "thought": true})).collect()
        }
        Part::Text(text) => words(text).map(|word| json!({"text": word})).collect(),
        Part::Call { .. } => vec![whole(part)],
    });
    let chunk = |parts: Value, finish: Value, usage: Value| {
        event(&json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts},
            "finishReason": finish}], "usageMetadata": usage, "modelVersion": model}))
    };
    let begun = json!({"promptTokenCount": prompt(reply)});
    let mut events: Vec<_> =
        parts.map(|part| chunk(json!([part]), Value::Null, begun.clone())).collect();
    events.push(chunk(json!([{"text": ""}]), stop(reply.stop()).into(), usage(reply)));
    events
}

/// The response to a request that is not streamed, over several lines as Google sends it.
pub(crate) fn document(reply: &Reply, model: &str) -> String {
    let parts: Vec<_> = reply.parts.iter().map(whole).collect();
    let document = json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts},
        "finishReason": stop(reply.stop())}], "usageMetadata": usage(reply), "modelVersion": model});
    format!("{document:#}\n")
}

pub(crate) fn specials() -> Specials {
    Specials {
        ping: ": still here\n\n".into(),
        garbled: "data: {\"candidates\": [{\"con\n\n".into(),
        error: |kind, message| event(&error_body(Dialect::Gemini, kind, message)),
    }
}

fn whole(part: &Part) -> Value {
    match part {
        Part::Thinking(text) => json!({"text": text, "thought": true}),
        Part::Text(text) => json!({"text": text}),
        Part::Call { name, json, .. } => {
            let args: Value = serde_json::from_str(json).unwrap_or_default();
            json!({"functionCall": {"name": name, "args": args}})
        }
    }
}

/// The API's prompt count includes cached tokens.
fn prompt(reply: &Reply) -> u64 {
    reply.tokens.input + reply.tokens.cache_read
}

fn usage(reply: &Reply) -> Value {
    let (prompt, output) = (prompt(reply), reply.tokens.output);
    json!({"promptTokenCount": prompt, "candidatesTokenCount": output,
        "cachedContentTokenCount": reply.tokens.cache_read, "totalTokenCount": prompt + output})
}

fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::End | Stop::Tools => "STOP",
        Stop::Length => "MAX_TOKENS",
        Stop::Refusal => "SAFETY",
    }
}

fn event(data: &Value) -> String {
    format!("data: {data}\r\n\r\n")
}
