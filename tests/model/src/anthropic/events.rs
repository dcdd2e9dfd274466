//! Events of the Messages API.

use serde_json::{Value, json};

use crate::{
    dialect::Dialect,
    pieces::{scraps, words},
    turn::{Part, Reply, Stop, error_body},
    wire::Specials,
};

/// The events of the reply in this turn.
pub(crate) fn events(reply: &Reply, model: &str, turn: usize) -> Vec<String> {
    let tokens = reply.tokens;
    let usage = json!({"input_tokens": tokens.input, "output_tokens": 1,
        "cache_read_input_tokens": tokens.cache_read,
        "cache_creation_input_tokens": tokens.cache_write});
    let mut events = vec![json!({"type": "message_start", "message": {
        "id": format!("msg_{turn}"), "type": "message", "role": "assistant", "model": model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage}})];
    for (index, part) in reply.parts.iter().enumerate() {
        let (block, deltas) = block(part, turn, index);
        let begin = json!({"type": "content_block_start", "index": index, "content_block": block});
        events.push(begin);
        events.extend(
            deltas.into_iter().map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "message_delta",
        "delta": {"stop_reason": stop(reply.stop()), "stop_sequence": null},
        "usage": {"output_tokens": tokens.output}}));
    events.push(json!({"type": "message_stop"}));
    events.iter().map(event).collect()
}

/// The thinking blocks that a client must send back unchanged.
pub(crate) fn signed_thinking(reply: &Reply) -> Vec<Value> {
    let thinking = |part: &Part| match part {
        Part::Thinking(text) => {
            Some(json!({"type": "thinking", "thinking": text, "signature": signature(text)}))
        }
        _ => None,
    };
    reply.parts.iter().filter_map(thinking).collect()
}

pub(crate) fn specials() -> Specials {
    Specials {
        ping: event(&json!({"type": "ping"})) + ": still here\n\n",
        garbled: "event: content_block_delta\ndata: {\"type\": \"content_blo\n\n".into(),
        error: |kind, message| event(&error_body(Dialect::Anthropic, kind, message)),
    }
}

fn block(part: &Part, turn: usize, index: usize) -> (Value, Vec<Value>) {
    match part {
        Part::Thinking(text) => {
            let thinking =
                words(text).map(|word| json!({"type": "thinking_delta", "thinking": word}));
            let signature = json!({"type": "signature_delta", "signature": signature(text)});
            let block = json!({"type": "thinking", "thinking": "", "signature": ""});
            (block, thinking.chain([signature]).collect())
        }
        Part::Text(text) => {
            let deltas = words(text).map(|word| json!({"type": "text_delta", "text": word}));
            (json!({"type": "text", "text": ""}), deltas.collect())
        }
        Part::Call { id, name, json } => {
            let id = id.clone().unwrap_or_else(|| format!("toolu_{turn}_{index}"));
            let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
            // The API starts with an empty piece, which is the only one if there is no input.
            let json = if json == "{}" { "" } else { json };
            let piece = |piece: String| json!({"type": "input_json_delta", "partial_json": piece});
            (block, [String::new()].into_iter().chain(scraps(json)).map(piece).collect())
        }
    }
}

fn signature(thinking: &str) -> String {
    format!("signed-{}", thinking.chars().count())
}

fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::End => "end_turn",
        Stop::Tools => "tool_use",
        Stop::Length => "max_tokens",
        Stop::Refusal => "refusal",
    }
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}
