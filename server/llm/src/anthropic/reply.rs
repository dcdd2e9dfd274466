//! Converts events of the Messages API into deltas.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::content::{mark, provider_state};
use crate::{
    delta_stream::{ReplyReader, input, parse},
    error::ModelError,
    http::{Failure, RequestContext},
    message::ToolCall,
    reply::{Delta, StopReason},
    usage::Usage,
};

/// The state of one reply.
pub(crate) struct AnthropicReader {
    context: RequestContext,
    /// Blocks received so far, by index.
    blocks: BTreeMap<u64, Block>,
    /// Complete tool calls whose input is not an object.
    unreadable: Vec<ToolCall>,
    stop_reason: Option<StopReason>,
    usage: Usage,
}

enum Block {
    Text(String),
    Thinking {
        text: String,
        signature: String,
    },
    /// An incomplete tool call.
    Call {
        id: String,
        name: String,
        json: String,
    },
    /// The id of a tool call that was emitted.
    Called(String),
    /// A block that is sent back unchanged, such as redacted reasoning.
    Other(Value),
}

/// Unknown events and fields are ignored, as the API requires.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Started,
    },
    ContentBlockStart {
        index: u64,
        content_block: Value,
    },
    ContentBlockDelta {
        index: u64,
        delta: Piece,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: Ended,
        usage: Option<Counts>,
    },
    MessageStop,
    Error {
        error: Value,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct Started {
    usage: Option<Counts>,
}

#[derive(Deserialize)]
struct Ended {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece {
    TextDelta {
        text: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    #[serde(other)]
    Unknown,
}

/// Cumulative counts; later ones replace earlier ones.
#[derive(Deserialize)]
struct Counts {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

impl AnthropicReader {
    pub(crate) fn new(context: RequestContext) -> Self {
        Self {
            context,
            blocks: BTreeMap::new(),
            unreadable: Vec::new(),
            stop_reason: None,
            usage: Usage::default(),
        }
    }

    fn begin(&mut self, index: u64, block: Value) -> Vec<Delta> {
        let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        let (begun, shown) = match block["type"].as_str() {
            Some("text") => (Block::Text(text("text")), Delta::Text(text("text"))),
            Some("thinking") => {
                let (thinking, signature) = (text("thinking"), text("signature"));
                let shown = Delta::Reasoning(thinking.clone());
                (Block::Thinking { text: thinking, signature }, shown)
            }
            Some("tool_use") => {
                // Usually `{}`, with the input to follow in pieces.
                let json = match &block["input"] {
                    Value::Object(input) if !input.is_empty() => block["input"].to_string(),
                    _ => String::new(),
                };
                self.blocks.insert(index, Block::Call { id: text("id"), name: text("name"), json });
                return Vec::new();
            }
            _ => {
                self.blocks.insert(index, Block::Other(block));
                return Vec::new();
            }
        };
        self.blocks.insert(index, begun);
        nonempty(shown)
    }

    fn add(&mut self, index: u64, piece: Piece) -> Vec<Delta> {
        match (self.blocks.get_mut(&index), piece) {
            (Some(Block::Text(all)), Piece::TextDelta { text }) => {
                all.push_str(&text);
                nonempty(Delta::Text(text))
            }
            (Some(Block::Thinking { text, .. }), Piece::ThinkingDelta { thinking }) => {
                text.push_str(&thinking);
                nonempty(Delta::Reasoning(thinking))
            }
            (
                Some(Block::Thinking { signature, .. }),
                Piece::SignatureDelta { signature: more },
            ) => {
                signature.push_str(&more);
                Vec::new()
            }
            (Some(Block::Call { json, .. }), Piece::InputJsonDelta { partial_json }) => {
                json.push_str(&partial_json);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn end_block(&mut self, index: u64) -> Vec<Delta> {
        let Some(Block::Call { id, name, json }) = self.blocks.get(&index) else {
            return Vec::new();
        };
        let call = ToolCall { id: id.clone(), name: name.clone(), input: input(json) };
        if call.input.is_string() {
            // The stop reason determines whether it was truncated or is invalid.
            self.unreadable.push(call);
            return Vec::new();
        }
        self.blocks.insert(index, Block::Called(call.id.clone()));
        vec![Delta::ToolCall(call)]
    }

    fn count(&mut self, counts: Option<Counts>) {
        let Some(counts) = counts else { return };
        let set = |to: &mut u64, count: Option<u64>| *to = count.unwrap_or(*to);
        set(&mut self.usage.input, counts.input_tokens);
        set(&mut self.usage.output, counts.output_tokens);
        set(&mut self.usage.cache_read, counts.cache_read_input_tokens);
        set(&mut self.usage.cache_write, counts.cache_creation_input_tokens);
    }

    fn finish(&mut self) -> Result<Vec<Delta>, ModelError> {
        let stop_reason = self.stop_reason.take().unwrap_or(StopReason::EndTurn);
        let mut deltas = Vec::new();
        if stop_reason != StopReason::MaxTokens {
            for call in std::mem::take(&mut self.unreadable) {
                for block in self.blocks.values_mut() {
                    if matches!(block, Block::Call { id, .. } if *id == call.id) {
                        *block = Block::Called(call.id.clone());
                    }
                }
                deltas.push(Delta::ToolCall(call));
            }
            if self.blocks.values().any(|block| matches!(block, Block::Call { .. })) {
                let reason = "a tool call is incomplete".into();
                return Err(ModelError::Malformed { reason });
            }
        }
        let blocks = std::mem::take(&mut self.blocks);
        let provider =
            provider_state(blocks.into_values().filter_map(Block::into_stored).collect());
        deltas.push(Delta::Finished { stop_reason, usage: self.usage, provider });
        Ok(deltas)
    }
}

impl ReplyReader for AnthropicReader {
    fn read(&mut self, data: &str) -> Result<Vec<Delta>, ModelError> {
        Ok(match parse(data)? {
            Event::MessageStart { message } => {
                self.count(message.usage);
                Vec::new()
            }
            Event::ContentBlockStart { index, content_block } => self.begin(index, content_block),
            Event::ContentBlockDelta { index, delta } => self.add(index, delta),
            Event::ContentBlockStop { index } => self.end_block(index),
            Event::MessageDelta { delta, usage } => {
                self.count(usage);
                self.stop_reason = delta.stop_reason.map(stop_reason).or(self.stop_reason.take());
                Vec::new()
            }
            Event::MessageStop => self.finish()?,
            Event::Error { error } => {
                return Err(Failure::from_error(&error).into_error(&self.context));
            }
            Event::Unknown => Vec::new(),
        })
    }
}

impl Block {
    fn into_stored(self) -> Option<Value> {
        match self {
            Self::Text(text) if text.trim().is_empty() => None,
            Self::Text(text) => Some(json!({"type": "text", "text": text})),
            Self::Thinking { text, signature } => {
                Some(json!({"type": "thinking", "thinking": text, "signature": signature}))
            }
            Self::Call { .. } => None,
            Self::Called(id) => Some(mark(&id)),
            Self::Other(block) => Some(block),
        }
    }
}

fn nonempty(delta: Delta) -> Vec<Delta> {
    match &delta {
        Delta::Text(text) | Delta::Reasoning(text) if text.is_empty() => Vec::new(),
        _ => vec![delta],
    }
}

fn stop_reason(word: String) -> StopReason {
    match word.as_str() {
        "end_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "pause_turn" => StopReason::Paused,
        "refusal" => StopReason::Refusal,
        _ => StopReason::Other(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(events: &[Value]) -> Result<Vec<Delta>, ModelError> {
        let context = RequestContext { provider: "p", variable: "V", model: "m".into(), key: None };
        let mut reader = AnthropicReader::new(context);
        let mut deltas = Vec::new();
        for event in events {
            deltas.extend(reader.read(&event.to_string())?);
        }
        Ok(deltas)
    }

    fn begin(index: u64, block: Value) -> Value {
        json!({"type": "content_block_start", "index": index, "content_block": block})
    }

    fn end(index: u64) -> Value {
        json!({"type": "content_block_stop", "index": index})
    }

    fn stop(reason: &str) -> [Value; 2] {
        let usage = json!({"output_tokens": 9, "input_tokens": 5, "cache_read_input_tokens": 3});
        let delta = json!({"stop_reason": reason});
        [
            json!({"type": "message_delta", "delta": delta, "usage": usage}),
            json!({"type": "message_stop"}),
        ]
    }

    #[test]
    fn unknown_events_are_ignored_and_redacted_thinking_is_stored() {
        let hidden = json!({"type": "redacted_thinking", "data": "xyz"});
        let call = json!({"type": "tool_use", "id": "t", "name": "f", "input": {}});
        let events = [
            json!({"type": "message_start", "message": {"usage":
                {"input_tokens": 4, "output_tokens": 1, "cache_creation_input_tokens": 2}}}),
            json!({"type": "ping"}),
            json!({"type": "news_from_the_future", "index": "x"}),
            begin(0, hidden.clone()),
            end(0),
            begin(1, call),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "odd"}}),
            end(1),
        ];
        let deltas = read(&[&events[..], &stop("pause_turn")].concat()).unwrap();
        assert_eq!(
            deltas[1..],
            [Delta::Finished {
                stop_reason: StopReason::Paused,
                usage: Usage { input: 5, output: 9, cache_read: 3, cache_write: 2 },
                provider: Some(json!({"anthropic": [hidden, {"type": "tool_use", "id": "t"}]})),
            }]
        );
        assert!(matches!(&deltas[0], Delta::ToolCall(call) if call.input == json!({})));
    }

    #[test]
    fn invalid_input_is_returned_as_text_unless_truncated() {
        let events = [
            begin(0, json!({"type": "tool_use", "id": "t", "name": "f", "input": {}})),
            json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": "{\"a\":"}}),
            end(0),
        ];
        let ending = |reason| read(&[&events[..], &stop(reason)].concat()).unwrap();
        let call = |deltas: &[Delta]| matches!(&deltas[0], Delta::ToolCall(call) if call.input == json!("{\"a\":"));
        assert!(call(&ending("tool_use")));
        for limit in ["max_tokens", "model_context_window_exceeded"] {
            assert_eq!(ending(limit).len(), 1, "{limit}");
        }
    }

    #[test]
    fn incomplete_call_is_an_error_unless_the_limit_was_reached() {
        let call = begin(0, json!({"type": "tool_use", "id": "t", "name": "f", "input": {}}));
        let ending = |reason| read(&[&[call.clone()][..], &stop(reason)].concat());
        assert_eq!(ending("max_tokens").unwrap().len(), 1);
        assert!(matches!(ending("tool_use"), Err(ModelError::Malformed { .. })));
    }
}
