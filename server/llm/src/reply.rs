//! A model's reply: the deltas as they come, and the whole that they add up to.

use futures::{Stream, StreamExt};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::ModelError,
    message::{Message, ToolCall},
    usage::Usage,
};

/// A piece of a reply, in the order in which it comes. `Finished` is the last.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// More text for the reader.
    Text(String),
    /// More of the model's reasoning, where the provider shows it.
    Reasoning(String),
    /// One tool call, whole.
    ToolCall(ToolCall),
    /// The reply is complete.
    Finished {
        /// Why the model stopped.
        stop_reason: StopReason,
        /// What the call used.
        usage: Usage,
        /// For [`Message::Assistant`]: what the provider wants back untouched.
        provider: Option<Value>,
    },
}

/// Why the model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It had said all.
    EndTurn,
    /// It waits for the results of its tool calls.
    ToolUse,
    /// It reached the request's `max_tokens`.
    MaxTokens,
    /// It declined.
    Refusal,
    /// Something else, in the provider's words.
    Other(String),
}

/// A whole reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// All text.
    pub text: String,
    /// All reasoning that was shown.
    pub reasoning: String,
    /// All tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub stop_reason: StopReason,
    /// What the call used.
    pub usage: Usage,
    /// What the provider wants back untouched.
    pub provider: Option<Value>,
}

/// Follows a stream to its end and returns the whole reply; `on_text` gets the text as it comes.
///
/// # Errors
/// The stream's own first error; [`ModelError::Cut`] if it ends without `Finished`.
pub async fn collect(
    stream: impl Stream<Item = Result<Delta, ModelError>>,
    mut on_text: impl FnMut(&str),
) -> Result<Reply, ModelError> {
    let mut stream = std::pin::pin!(stream);
    let mut draft = Draft::default();
    while let Some(delta) = stream.next().await {
        let delta = delta?;
        if let Delta::Text(text) = &delta {
            on_text(text);
        }
        if let Some(reply) = draft.push(delta) {
            return Ok(reply);
        }
    }
    Err(ModelError::Cut)
}

impl Reply {
    /// The reply as a message of the conversation.
    pub fn into_message(self) -> Message {
        Message::Assistant { text: self.text, tool_calls: self.tool_calls, provider: self.provider }
    }
}

/// A reply that is still coming in.
#[derive(Debug, Default)]
struct Draft {
    text: String,
    reasoning: String,
    tool_calls: Vec<ToolCall>,
}

impl Draft {
    /// Takes a delta in; returns the reply when that was the last one, and is empty again.
    fn push(&mut self, delta: Delta) -> Option<Reply> {
        match delta {
            Delta::Text(text) => self.text.push_str(&text),
            Delta::Reasoning(text) => self.reasoning.push_str(&text),
            Delta::ToolCall(call) => self.tool_calls.push(call),
            Delta::Finished { stop_reason, usage, provider } => {
                let Self { text, reasoning, tool_calls } = std::mem::take(self);
                return Some(Reply { text, reasoning, tool_calls, stop_reason, usage, provider });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::stream;
    use serde_json::json;

    fn call(id: &str) -> ToolCall {
        ToolCall { id: id.into(), name: "look".into(), input: json!({}) }
    }

    fn finished() -> Delta {
        Delta::Finished {
            stop_reason: StopReason::ToolUse,
            usage: Usage { input: 3, output: 5, ..Usage::default() },
            provider: Some(json!("sig")),
        }
    }

    #[tokio::test]
    async fn adds_up_text_reasoning_and_several_calls() {
        let deltas = [
            Delta::Reasoning("hm".into()),
            Delta::Text("Hel".into()),
            Delta::ToolCall(call("a")),
            Delta::Text("lo".into()),
            Delta::ToolCall(call("b")),
            finished(),
        ];
        let mut heard = Vec::new();
        let reply = collect(stream::iter(deltas.map(Ok)), |text| heard.push(text.to_owned()))
            .await
            .unwrap();
        assert_eq!(heard, ["Hel", "lo"]);
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Hello", "hm"));
        assert_eq!(reply.stop_reason, StopReason::ToolUse);
        assert_eq!(reply.usage.output, 5);
        assert_eq!(
            reply.into_message(),
            Message::Assistant {
                text: "Hello".into(),
                tool_calls: vec![call("a"), call("b")],
                provider: Some(json!("sig")),
            }
        );
    }

    #[tokio::test]
    async fn a_stream_without_an_end_was_cut() {
        let cut = collect(stream::iter([Ok(Delta::Text("half".into()))]), |_| {}).await;
        assert_eq!(cut.unwrap_err(), ModelError::Cut);
    }

    #[tokio::test]
    async fn the_first_error_wins() {
        let deltas = [Ok(Delta::Text("a".into())), Err(ModelError::TooLong), Ok(finished())];
        assert_eq!(collect(stream::iter(deltas), |_| {}).await.unwrap_err(), ModelError::TooLong);
    }
}
