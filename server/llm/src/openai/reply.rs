//! Chunks of chat completions, read into deltas.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    error::ModelError,
    http::{Asked, Failure},
    message::ToolCall,
    reading::{Reader, input, parse},
    reply::{Delta, StopReason},
    request::Request,
    usage::{Usage, estimated_tokens},
};

/// One reply as far as it has come.
pub(super) struct OpenAiReader {
    asked: Asked,
    turn: usize,
    calls: Vec<Call>,
    finish_reason: Option<String>,
    has_refused: bool,
    usage: Option<Usage>,
    /// For servers that do not count.
    estimate: Usage,
}

/// A tool call as far as it has come.
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// Only what is used. Servers leave out fields or set them to null as they like.
#[derive(Deserialize)]
struct Chunk {
    /// `error` where the chunk is one by itself.
    object: Option<String>,
    error: Option<Value>,
    choices: Option<Vec<Choice>>,
    usage: Option<Counts>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Piece>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Piece {
    content: Option<String>,
    refusal: Option<String>,
    /// What most servers call the reasoning.
    reasoning_content: Option<String>,
    /// What some others do.
    reasoning: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
struct CallPiece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    /// A text, in pieces; with some servers an object, whole.
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct Counts {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptCounts>,
}

#[derive(Deserialize)]
struct PromptCounts {
    cached_tokens: Option<u64>,
}

impl OpenAiReader {
    pub(super) fn new(asked: Asked, request: &Request) -> Self {
        Self {
            asked,
            turn: request.turn(),
            calls: Vec::new(),
            finish_reason: None,
            has_refused: false,
            usage: None,
            estimate: Usage { input: request.estimated_tokens(), ..Usage::default() },
        }
    }

    fn add(&mut self, piece: Piece) -> Vec<Delta> {
        self.has_refused |= piece.refusal.is_some();
        for call in piece.tool_calls.into_iter().flatten() {
            self.add_to_call(call);
        }
        let reasoning = piece.reasoning_content.or(piece.reasoning).map(Delta::Reasoning);
        let text = [piece.content, piece.refusal].into_iter().flatten().map(Delta::Text);
        let deltas: Vec<_> = reasoning.into_iter().chain(text).filter(says_something).collect();
        for delta in &deltas {
            if let Delta::Text(text) | Delta::Reasoning(text) = delta {
                self.estimate.output += estimated_tokens(text);
            }
        }
        deltas
    }

    /// A piece belongs to the call of its index, unless its id is a new one: some servers number
    /// every call 0, and some not at all.
    fn add_to_call(&mut self, piece: CallPiece) {
        let id = piece.id.unwrap_or_default();
        let belongs = |call: &Call| {
            (id.is_empty() || call.id.is_empty() || call.id == id)
                && (piece.index.is_none() || call.index == piece.index)
        };
        let at = self.calls.iter().rposition(belongs).unwrap_or_else(|| {
            let (id, name, arguments) = Default::default();
            self.calls.push(Call { index: piece.index, id, name, arguments });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            call.id = id;
        }
        let Some(FunctionPiece { name, arguments }) = piece.function else { return };
        if call.name.is_empty() {
            call.name = name.unwrap_or_default();
        }
        match arguments {
            Some(Value::String(more)) => call.arguments.push_str(&more),
            Some(whole @ Value::Object(_)) => call.arguments = whole.to_string(),
            _ => {}
        }
    }

    fn finish(&mut self) -> Result<Vec<Delta>, ModelError> {
        let stop_reason = self.stop_reason();
        let mut deltas = Vec::new();
        for (at, call) in std::mem::take(&mut self.calls).into_iter().enumerate() {
            self.estimate.output +=
                estimated_tokens(&call.name) + estimated_tokens(&call.arguments);
            match input(&call.arguments) {
                Ok(input) => {
                    let made = || format!("call-{}-{at}", self.turn);
                    let id = if call.id.is_empty() { made() } else { call.id };
                    deltas.push(Delta::ToolCall(ToolCall { id, name: call.name, input }));
                }
                // It was cut at the reply's limit, as the reply says itself.
                Err(_) if stop_reason == StopReason::MaxTokens => {}
                Err(error) => return Err(error),
            }
        }
        let usage = self.usage.unwrap_or(self.estimate);
        deltas.push(Delta::Finished { stop_reason, usage, provider: None });
        Ok(deltas)
    }

    fn stop_reason(&mut self) -> StopReason {
        match self.finish_reason.take().as_deref() {
            _ if self.has_refused => StopReason::Refusal,
            Some("length") => StopReason::MaxTokens,
            Some("content_filter") => StopReason::Refusal,
            // Not every server that calls tools says that it stops for them.
            Some("stop" | "tool_calls" | "function_call") | None if !self.calls.is_empty() => {
                StopReason::ToolUse
            }
            Some("stop" | "tool_calls" | "function_call") | None => StopReason::EndTurn,
            Some(word) => StopReason::Other(word.to_owned()),
        }
    }
}

impl Reader for OpenAiReader {
    fn read(&mut self, data: &str) -> Result<Vec<Delta>, ModelError> {
        if data.trim() == "[DONE]" {
            return self.finish();
        }
        let chunk: Chunk = parse(data)?;
        let error = match chunk.object.as_deref() {
            Some("error") => Some(parse(data)?),
            _ => chunk.error,
        };
        if let Some(error) = error {
            return Err(Failure::of_event(&error).into_error(&self.asked));
        }
        if let Some(counts) = chunk.usage {
            self.usage = Some(counts.into());
        }
        // We ask for one choice, so it is the first.
        let Some(choice) = chunk.choices.into_iter().flatten().next() else {
            return Ok(Vec::new());
        };
        self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        Ok(choice.delta.map_or_else(Vec::new, |piece| self.add(piece)))
    }

    /// Not every server says `[DONE]`; the reason to stop is as good an end.
    fn end(&mut self) -> Result<Vec<Delta>, ModelError> {
        if self.finish_reason.is_some() { self.finish() } else { Err(ModelError::Cut) }
    }
}

impl From<Counts> for Usage {
    /// The prompt's count includes what was cached, ours does not.
    fn from(counts: Counts) -> Self {
        let prompt = counts.prompt_tokens.unwrap_or_default();
        let cached = counts.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let cache_read = cached.unwrap_or_default().min(prompt);
        Self {
            input: prompt - cache_read,
            output: counts.completion_tokens.unwrap_or_default(),
            cache_read,
            cache_write: 0,
        }
    }
}

fn says_something(delta: &Delta) -> bool {
    !matches!(delta, Delta::Text(text) | Delta::Reasoning(text) if text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;
    use serde_json::json;

    fn read(chunks: &[Value]) -> Result<Vec<Delta>, ModelError> {
        let request = Request {
            label: "run".into(),
            model: "m".into(),
            system: String::new(),
            tools: vec![],
            messages: vec![Message::user("go")],
            max_tokens: 100,
            forgotten_turns: 0,
        };
        let asked = Asked { provider: "p", variable: "V", model: "m".into(), key: None };
        let mut reader = OpenAiReader::new(asked, &request);
        let mut deltas = Vec::new();
        for chunk in chunks {
            deltas.extend(reader.read(&chunk.to_string())?);
        }
        deltas.extend(reader.read("[DONE]")?);
        Ok(deltas)
    }

    /// Calls as `id name input`.
    fn calls(pieces: &[Value]) -> Vec<String> {
        let chunk = |piece| json!({"choices": [{"delta": {"tool_calls": [piece]}}]});
        let deltas = read(&pieces.iter().map(chunk).collect::<Vec<_>>()).unwrap();
        let call = |delta| match delta {
            Delta::ToolCall(call) => Some(format!("{} {} {}", call.id, call.name, call.input)),
            _ => None,
        };
        deltas.into_iter().filter_map(call).collect()
    }

    fn piece(index: Value, id: Value, name: Value, arguments: Value) -> Value {
        json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}})
    }

    #[test]
    fn calls_are_told_apart_however_a_server_numbers_them() {
        let none = Value::Null;
        let (whole, nothing) = (json!("{\"a\":1}"), json!("{}"));
        // All with the number 0.
        let same = [("x", &whole), ("y", &nothing)]
            .map(|(id, arguments)| piece(json!(0), json!(id), json!("f"), arguments.clone()));
        assert_eq!(calls(&same), ["x f {\"a\":1}", "y f {}"]);
        // Without a number, and the id again with every piece.
        let again = [("x", "{\"a\""), ("x", ":1}"), ("y", "")]
            .map(|(id, part)| piece(none.clone(), json!(id), json!("f"), json!(part)));
        assert_eq!(calls(&again), ["x f {\"a\":1}", "y f {}"]);
        // Pieces of two calls in turns, the ids said once.
        let mixed = [
            piece(json!(0), json!("x"), json!("f"), json!("")),
            piece(json!(1), json!("y"), json!("g"), json!("{")),
            piece(json!(0), none.clone(), none.clone(), whole),
            piece(json!(1), json!(""), none.clone(), json!("}")),
        ];
        assert_eq!(calls(&mixed), ["x f {\"a\":1}", "y g {}"]);
        // Without ids.
        let nameless = [0, 1].map(|at| piece(json!(at), none.clone(), json!("f"), none.clone()));
        assert_eq!(calls(&nameless), ["call-0-0 f {}", "call-0-1 f {}"]);
    }

    #[test]
    fn cached_tokens_are_counted_once() {
        let usage = |usage: Value| match read(&[json!({"choices": [], "usage": usage})]) {
            Ok(deltas) => match deltas.last() {
                Some(Delta::Finished { usage, .. }) => *usage,
                other => panic!("{other:?}"),
            },
            Err(error) => panic!("{error}"),
        };
        let counted = usage(json!({"prompt_tokens": 100, "completion_tokens": 7,
            "prompt_tokens_details": {"cached_tokens": 60}}));
        assert_eq!(counted, Usage { input: 40, output: 7, cache_read: 60, cache_write: 0 });
        let plain = usage(json!({"prompt_tokens": 9, "prompt_tokens_details": null}));
        assert_eq!(plain, Usage { input: 9, ..Usage::default() });
    }

    #[test]
    fn a_chunk_may_be_an_error_by_itself() {
        let error =
            json!({"object": "error", "message": "maximum context length is 8", "code": 400});
        assert_eq!(read(&[error]).unwrap_err(), ModelError::TooLong);
    }

    #[test]
    fn a_refusal_is_text_and_a_reason_to_stop() {
        let deltas = read(&[
            json!({"choices": [{"delta": {"refusal": "No."}}]}),
            json!({"choices": [{"delta": {}, "finish_reason": "stop"}]}),
        ])
        .unwrap();
        assert_eq!(deltas[0], Delta::Text("No.".into()));
        let stopped =
            matches!(&deltas[1], Delta::Finished { stop_reason: StopReason::Refusal, .. });
        assert!(stopped, "{deltas:?}");
    }
}
