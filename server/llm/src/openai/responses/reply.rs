//! Converts events of the Responses API into deltas.

use serde::Deserialize;
use serde_json::Value;

use super::provider_state;
use crate::{
    delta_stream::{ReplyReader, input, parse},
    error::ModelError,
    http::{Failure, RequestContext},
    message::ToolCall,
    reply::{Delta, StopReason},
    usage::Usage,
};

/// The state of one reply.
pub(crate) struct ResponsesReader {
    context: RequestContext,
    items: Vec<Value>,
    calls: Vec<ToolCall>,
    has_refused: bool,
}

/// Other events are ignored.
#[derive(Deserialize)]
#[serde(tag = "type")]
enum Event {
    #[serde(rename = "response.output_text.delta")]
    Text { delta: String },
    #[serde(rename = "response.refusal.delta")]
    Refusal { delta: String },
    #[serde(rename = "response.reasoning_summary_text.delta")]
    ReasoningSummary { delta: String },
    #[serde(rename = "response.reasoning_text.delta")]
    Reasoning { delta: String },
    #[serde(rename = "response.output_item.done")]
    Item { item: Value },
    #[serde(rename = "response.completed")]
    Completed { response: Ended },
    #[serde(rename = "response.incomplete")]
    Incomplete { response: Ended },
    #[serde(rename = "response.failed")]
    Failed { response: FailedResponse },
    #[serde(rename = "error")]
    Error(Value),
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct Ended {
    usage: Option<Counts>,
    incomplete_details: Option<IncompleteDetails>,
}

#[derive(Deserialize)]
struct IncompleteDetails {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct FailedResponse {
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
struct Counts {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    input_tokens_details: Option<InputCounts>,
}

#[derive(Deserialize)]
struct InputCounts {
    #[serde(default)]
    cached_tokens: u64,
    #[serde(default)]
    cache_write_tokens: u64,
}

impl ResponsesReader {
    pub(crate) fn new(context: RequestContext) -> Self {
        Self { context, items: Vec::new(), calls: Vec::new(), has_refused: false }
    }

    fn add(&mut self, item: Value) {
        self.items.push(provider_state::mark(&item));
        if item["type"] == "function_call" {
            let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
            let (id, name) = (text("call_id"), text("name"));
            self.calls.push(ToolCall { id, name, input: input(&text("arguments")) });
        }
    }

    fn finish(&mut self, stop_reason: StopReason, usage: Option<Counts>) -> Vec<Delta> {
        let calls = std::mem::take(&mut self.calls).into_iter();
        // Calls with truncated arguments are dropped.
        let cut = stop_reason == StopReason::MaxTokens;
        let mut deltas: Vec<_> =
            calls.filter(|call| !cut || call.input.is_object()).map(Delta::ToolCall).collect();
        let provider = provider_state::provider_state(std::mem::take(&mut self.items));
        let usage = usage.unwrap_or_default().into();
        deltas.push(Delta::Finished { stop_reason, usage, provider });
        deltas
    }
}

impl ReplyReader for ResponsesReader {
    fn read(&mut self, data: &str) -> Result<Vec<Delta>, ModelError> {
        Ok(match parse(data)? {
            Event::Text { delta } => vec![Delta::Text(delta)],
            Event::Refusal { delta } => {
                self.has_refused = true;
                vec![Delta::Text(delta)]
            }
            Event::ReasoningSummary { delta } | Event::Reasoning { delta } => {
                vec![Delta::Reasoning(delta)]
            }
            Event::Item { item } => {
                self.add(item);
                Vec::new()
            }
            Event::Completed { response } => {
                let stop_reason = match (self.has_refused, self.calls.is_empty()) {
                    (true, _) => StopReason::Refusal,
                    (false, false) => StopReason::ToolUse,
                    (false, true) => StopReason::EndTurn,
                };
                self.finish(stop_reason, response.usage)
            }
            Event::Incomplete { response } => {
                let reason = response.incomplete_details.and_then(|details| details.reason);
                let stop_reason = match reason.unwrap_or_default().as_str() {
                    "max_output_tokens" => StopReason::MaxTokens,
                    "content_filter" => StopReason::Refusal,
                    other => StopReason::Other(other.to_owned()),
                };
                self.finish(stop_reason, response.usage)
            }
            Event::Failed { response } => {
                let error = response.error.unwrap_or_default();
                return Err(Failure::from_error(&error).into_error(&self.context));
            }
            Event::Error(event) => {
                let error = event.get("error").unwrap_or(&event);
                return Err(Failure::from_error(error).into_error(&self.context));
            }
            Event::Unknown => Vec::new(),
        })
    }
}

impl From<Counts> for Usage {
    /// The API's prompt count includes cached tokens; `Usage::input` does not.
    fn from(counts: Counts) -> Self {
        let details = counts.input_tokens_details;
        let (read, written) =
            details.map_or((0, 0), |details| (details.cached_tokens, details.cache_write_tokens));
        let cache_read = read.min(counts.input_tokens);
        let cache_write = written.min(counts.input_tokens - cache_read);
        Self {
            input: counts.input_tokens - cache_read - cache_write,
            output: counts.output_tokens,
            cache_read,
            cache_write,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(events: &[Value]) -> Result<Vec<Delta>, ModelError> {
        let context = RequestContext { provider: "p", variable: "V", model: "m".into(), key: None };
        let mut reader = ResponsesReader::new(context);
        let mut deltas = Vec::new();
        for event in events {
            deltas.extend(reader.read(&event.to_string())?);
        }
        Ok(deltas)
    }

    fn done(item: Value) -> Value {
        json!({"type": "response.output_item.done", "item": item})
    }

    fn completed() -> Value {
        json!({"type": "response.completed", "response": {"usage": {"input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 60}, "output_tokens": 7}}})
    }

    fn call(arguments: &str) -> Value {
        done(json!({"type": "function_call", "call_id": "c", "name": "look",
            "arguments": arguments}))
    }

    #[test]
    fn text_calls_and_reasoning_are_converted() {
        let reasoning = json!({"type": "reasoning", "id": "r", "encrypted_content": "x"});
        let deltas = read(&[
            json!({"type": "response.created", "response": {}}),
            json!({"type": "response.reasoning_summary_text.delta", "delta": "hm"}),
            done(reasoning.clone()),
            json!({"type": "response.output_text.delta", "delta": "Let me see."}),
            done(json!({"type": "message", "content": []})),
            call("{\"at\":1}"),
            completed(),
        ])
        .unwrap();
        assert_eq!(deltas[0], Delta::Reasoning("hm".into()));
        assert_eq!(deltas[1], Delta::Text("Let me see.".into()));
        assert!(matches!(&deltas[2], Delta::ToolCall(call) if call.input == json!({"at": 1})));
        let Delta::Finished { stop_reason, usage, provider } = &deltas[3] else { panic!() };
        assert_eq!(*stop_reason, StopReason::ToolUse);
        assert_eq!(*usage, Usage { input: 40, output: 7, cache_read: 60, cache_write: 0 });
        let kept = &provider.as_ref().unwrap()["openai_responses"];
        assert_eq!((&kept[0], &kept[2]["call_id"]), (&reasoning, &json!("c")));
    }

    #[test]
    fn invalid_arguments_are_returned_as_text_unless_truncated() {
        let whole = read(&[call("{\"at\":"), completed()]).unwrap();
        assert!(matches!(&whole[0], Delta::ToolCall(call) if call.input == json!("{\"at\":")));
        let cut = json!({"type": "response.incomplete",
            "response": {"incomplete_details": {"reason": "max_output_tokens"}}});
        let cut = read(&[call("{\"at\":"), cut]).unwrap();
        assert!(matches!(&cut[..], [Delta::Finished { stop_reason: StopReason::MaxTokens, .. }]));
    }

    #[test]
    fn failures_in_the_stream_are_errors() {
        let failed = json!({"type": "response.failed", "response": {"error":
            {"code": "rate_limit_exceeded", "message": "slow down"}}});
        assert_eq!(read(&[failed]).unwrap_err(), ModelError::RateLimited { retry_after: None });
        let error = json!({"type": "error", "code": "context_length_exceeded", "message": "x"});
        assert_eq!(read(&[error]).unwrap_err(), ModelError::TooLong);
    }
}
