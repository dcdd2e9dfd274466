//! Converts chunks of chat completions into deltas.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::provider_state::ProviderState;
use crate::{
    delta_stream::{ReplyReader, input, parse},
    error::ModelError,
    http::{Failure, RequestContext},
    message::ToolCall,
    reply::{Delta, StopReason},
    request::Request,
    usage::{Usage, estimated_tokens},
};

/// The state of one reply.
pub(crate) struct ChatReader {
    context: RequestContext,
    turn: usize,
    calls: Vec<Call>,
    state: ProviderState,
    finish_reason: Option<String>,
    has_refused: bool,
    usage: Option<Usage>,
    /// For servers that report no usage.
    estimate: Usage,
}

/// A tool call, possibly incomplete.
#[derive(Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    /// Additional fields, such as a signature.
    extra: Map<String, Value>,
}

/// All fields are optional, because servers differ in which they send.
#[derive(Deserialize)]
struct Chunk {
    /// `error` if the chunk itself is an error.
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
    /// Reasoning, as most servers name it.
    reasoning_content: Option<String>,
    /// Reasoning, as some servers name it.
    reasoning: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
struct CallPiece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionPiece>,
    extra_content: Option<Value>,
}

#[derive(Default, Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    /// A piece of text; some servers send a whole object.
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

impl ChatReader {
    pub(crate) fn new(context: RequestContext, request: &Request) -> Self {
        Self {
            context,
            turn: request.turn(),
            calls: Vec::new(),
            state: ProviderState::default(),
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
        let named = |name, text: Option<String>| text.map(|text| (name, text));
        let reasoning = named("reasoning_content", piece.reasoning_content)
            .or_else(|| named("reasoning", piece.reasoning));
        if let Some((name, text)) = &reasoning {
            self.state.reasoning_name = Some(name);
            self.state.reasoning.push_str(text);
        }
        let reasoning = reasoning.map(|(_, text)| Delta::Reasoning(text));
        let text = [piece.content, piece.refusal].into_iter().flatten().map(Delta::Text);
        let deltas: Vec<_> = reasoning.into_iter().chain(text).filter(is_not_empty).collect();
        for delta in &deltas {
            if let Delta::Text(text) | Delta::Reasoning(text) = delta {
                self.estimate.output += estimated_tokens(text);
            }
        }
        deltas
    }

    /// A piece belongs to the call with its index, unless its id is new: some servers use index 0
    /// for every call, or none. Without an id, a name starts another call if the previous one has a
    /// different name or is complete.
    fn add_to_call(&mut self, piece: CallPiece) {
        let id = piece.id.unwrap_or_default();
        let FunctionPiece { name, arguments } = piece.function.unwrap_or_default();
        let name = name.unwrap_or_default();
        let belongs = |call: &Call| {
            let same_id = id.is_empty() || call.id.is_empty() || call.id == id;
            let starts_another = id.is_empty()
                && !name.is_empty()
                && !call.name.is_empty()
                && (call.name != name || call.is_complete());
            same_id && !starts_another && (piece.index.is_none() || call.index == piece.index)
        };
        let at = self.calls.iter().rposition(belongs).unwrap_or_else(|| {
            self.calls.push(Call { index: piece.index, ..Call::default() });
            self.calls.len() - 1
        });
        let call = &mut self.calls[at];
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name.is_empty() {
            call.name = name;
        }
        if let Some(extra) = piece.extra_content {
            call.extra.insert("extra_content".into(), extra);
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
            let input = input(&call.arguments);
            // Calls with truncated arguments are dropped.
            if input.is_string() && stop_reason == StopReason::MaxTokens {
                continue;
            }
            let made = || format!("call-{}-{at}", self.turn);
            let id = if call.id.is_empty() { made() } else { call.id };
            if !call.extra.is_empty() {
                self.state.call_extras.insert(id.clone(), call.extra.into());
            }
            deltas.push(Delta::ToolCall(ToolCall { id, name: call.name, input }));
        }
        let usage = self.usage.unwrap_or(self.estimate);
        let provider = std::mem::take(&mut self.state).into_value();
        deltas.push(Delta::Finished { stop_reason, usage, provider });
        Ok(deltas)
    }

    fn stop_reason(&mut self) -> StopReason {
        match self.finish_reason.take().as_deref() {
            _ if self.has_refused => StopReason::Refusal,
            Some("length") => StopReason::MaxTokens,
            Some("content_filter") => StopReason::Refusal,
            // Some servers report `stop` for tool calls.
            Some("stop" | "tool_calls" | "function_call") | None if !self.calls.is_empty() => {
                StopReason::ToolUse
            }
            Some("stop" | "tool_calls" | "function_call") | None => StopReason::EndTurn,
            Some(word) => StopReason::Other(word.to_owned()),
        }
    }
}

impl Call {
    /// Whether the arguments are a complete object.
    fn is_complete(&self) -> bool {
        !self.arguments.is_empty() && input(&self.arguments).is_object()
    }
}

impl ReplyReader for ChatReader {
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
            return Err(Failure::from_error(&error).into_error(&self.context));
        }
        if let Some(counts) = chunk.usage {
            self.usage = Some(counts.into());
        }
        // Only one choice is requested.
        let Some(choice) = chunk.choices.into_iter().flatten().next() else {
            return Ok(Vec::new());
        };
        self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        Ok(choice.delta.map_or_else(Vec::new, |piece| self.add(piece)))
    }

    /// Some servers do not send `[DONE]`, so a finish reason suffices.
    fn end(&mut self) -> Result<Vec<Delta>, ModelError> {
        if self.finish_reason.is_some() { self.finish() } else { Err(ModelError::Truncated) }
    }
}

impl From<Counts> for Usage {
    /// The API's prompt count includes cached tokens; `Usage::input` does not.
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

fn is_not_empty(delta: &Delta) -> bool {
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
            tools: [].into(),
            messages: vec![Message::user("go")],
            max_tokens: 100,
            forgotten_turns: 0,
            earlier_turns: 0,
        };
        let context = RequestContext { provider: "p", variable: "V", model: "m".into(), key: None };
        let mut reader = ChatReader::new(context, &request);
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
    fn calls_are_separated_for_every_indexing_scheme() {
        let none = Value::Null;
        let (whole, nothing) = (json!("{\"a\":1}"), json!("{}"));
        // All with index 0.
        let same = [("x", &whole), ("y", &nothing)]
            .map(|(id, arguments)| piece(json!(0), json!(id), json!("f"), arguments.clone()));
        assert_eq!(calls(&same), ["x f {\"a\":1}", "y f {}"]);
        // Without an index, with the id in every piece.
        let again = [("x", "{\"a\""), ("x", ":1}"), ("y", "")]
            .map(|(id, part)| piece(none.clone(), json!(id), json!("f"), json!(part)));
        assert_eq!(calls(&again), ["x f {\"a\":1}", "y f {}"]);
        // Interleaved pieces of two calls, with the ids sent once.
        let mixed = [
            piece(json!(0), json!("x"), json!("f"), json!("")),
            piece(json!(1), json!("y"), json!("g"), json!("{")),
            piece(json!(0), none.clone(), none.clone(), whole),
            piece(json!(1), json!(""), none.clone(), json!("}")),
        ];
        assert_eq!(calls(&mixed), ["x f {\"a\":1}", "y g {}"]);
        // Without ids.
        let nameless = [0, 0].map(|at| piece(json!(at), none.clone(), json!("f"), json!("{}")));
        assert_eq!(calls(&nameless), ["call-0-0 f {}", "call-0-1 f {}"]);
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
    fn chunk_that_is_an_error_is_reported() {
        let error =
            json!({"object": "error", "message": "maximum context length is 8", "code": 400});
        assert_eq!(read(&[error]).unwrap_err(), ModelError::TooLong);
    }

    #[test]
    fn refusal_is_text_and_a_stop_reason() {
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
