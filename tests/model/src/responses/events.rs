//! Events of the Responses API.

use serde_json::{Value, json};

use crate::{
    dialect::Dialect,
    pieces::{scraps, words},
    turn::{Part, Reply, Stop, error_body},
    wire::Specials,
};

/// The events of the reply in this turn.
pub(crate) fn events(reply: &Reply, model: &str, turn: usize) -> Vec<String> {
    let id = format!("resp_{turn}");
    let response = json!({"id": id, "object": "response", "model": model});
    let mut events = vec![json!({"type": "response.created", "response": response})];
    for (index, part) in reply.parts.iter().enumerate() {
        events.extend(item(part, turn, index));
    }
    let tokens = reply.tokens;
    let input = tokens.input + tokens.cache_read + tokens.cache_write;
    let mut response = json!({"id": id, "status": "completed", "usage": {
        "input_tokens": input, "output_tokens": tokens.output, "total_tokens": input + tokens.output,
        "input_tokens_details": {"cached_tokens": tokens.cache_read,
            "cache_write_tokens": tokens.cache_write}}});
    let incomplete = match reply.stop() {
        Stop::End | Stop::Tools => None,
        Stop::Length => Some("max_output_tokens"),
        Stop::Refusal => Some("content_filter"),
    };
    let kind = match incomplete {
        None => "response.completed",
        Some(reason) => {
            response["status"] = "incomplete".into();
            response["incomplete_details"] = json!({"reason": reason});
            "response.incomplete"
        }
    };
    events.push(json!({"type": kind, "response": response}));
    events.iter().map(event).collect()
}

pub(crate) fn specials() -> Specials {
    Specials {
        ping: ": still here\n\n".into(),
        garbled: "data: {\"type\": \"response.output_te\n\n".into(),
        error: |kind, message| {
            let body = error_body(Dialect::Responses, kind, message);
            event(&json!({"type": "error", "code": kind, "message": body["error"]["message"]}))
        },
    }
}

fn item(part: &Part, turn: usize, index: usize) -> Vec<Value> {
    let delta =
        |kind: &str, delta: &str| json!({"type": kind, "output_index": index, "delta": delta});
    let (deltas, item): (Vec<_>, _) = match part {
        Part::Thinking(text) => (
            words(text).map(|word| delta("response.reasoning_summary_text.delta", word)).collect(),
            json!({"type": "reasoning", "id": format!("rs_{turn}_{index}"), "status": "completed",
                "summary": [{"type": "summary_text", "text": text}],
                "encrypted_content": format!("encrypted {text}")}),
        ),
        Part::Text(text) => (
            words(text).map(|word| delta("response.output_text.delta", word)).collect(),
            json!({"type": "message", "id": format!("msg_{turn}_{index}"), "role": "assistant",
                "content": [{"type": "output_text", "text": text}]}),
        ),
        Part::Call { id, name, json: arguments } => {
            let call_id = id.clone().unwrap_or_else(|| format!("call_{turn}_{index}"));
            let kind = "response.function_call_arguments.delta";
            (
                scraps(arguments).iter().map(|scrap| delta(kind, scrap)).collect(),
                json!({"type": "function_call", "id": format!("fc_{turn}_{index}"),
                    "call_id": call_id, "name": name, "arguments": arguments}),
            )
        }
    };
    let added = json!({"type": "response.output_item.added", "output_index": index,
        "item": {"type": item["type"]}});
    let done = json!({"type": "response.output_item.done", "output_index": index, "item": item});
    [added].into_iter().chain(deltas).chain([done]).collect()
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}
