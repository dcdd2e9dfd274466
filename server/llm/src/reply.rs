//! A model's reply: its deltas, and the whole.

use futures::{Stream, StreamExt};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::ModelError,
    message::{Message, ToolCall},
    usage::Usage,
};

/// A piece of a reply. `Finished` is the last.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// More text.
    Text(String),
    /// More reasoning, if the provider shows it.
    Reasoning(String),
    /// A complete tool call.
    ToolCall(ToolCall),
    /// The reply is complete.
    Finished {
        stop_reason: StopReason,
        usage: Usage,
        /// Opaque state for [`Message::Assistant`].
        provider: Option<Value>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The reply is complete.
    EndTurn,
    /// The model expects the results of its tool calls.
    ToolUse,
    /// The reply reached `max_tokens`, or the end of the context window.
    MaxTokens,
    /// The provider interrupted a long turn, which continues with the next request.
    Paused,
    /// The model refused.
    Refusal,
    /// Another reason, as the provider names it.
    Other(String),
}

impl StopReason {
    /// Whether the reply was not interrupted.
    pub fn is_complete(&self) -> bool {
        matches!(self, StopReason::EndTurn | StopReason::ToolUse)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub text: String,
    pub reasoning: String,
    pub tool_calls: Vec<ToolCall>,
    pub stop_reason: StopReason,
    pub usage: Usage,
    pub provider: Option<Value>,
}

/// Reads a stream to its end and returns the reply. `on_text` is called with each piece of text.
///
/// # Errors
/// The first error of the stream; [`ModelError::Truncated`] if it ends without `Finished`.
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
    Err(ModelError::Truncated)
}

impl Reply {
    /// The reply as a message of the conversation.
    pub fn into_message(self) -> Message {
        Message::Assistant { text: self.text, tool_calls: self.tool_calls, provider: self.provider }
    }
}

/// An incomplete reply.
#[derive(Debug, Default)]
struct Draft {
    text: String,
    reasoning: String,
    tool_calls: Vec<ToolCall>,
}

impl Draft {
    /// Adds a delta; returns the reply if it was the last one.
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
    async fn collect_joins_text_reasoning_and_calls() {
        let deltas = [
            Delta::Reasoning("hm".into()),
            Delta::Text("Hel".into()),
            Delta::ToolCall(call("a")),
            Delta::Text("lo".into()),
            Delta::ToolCall(call("b")),
            finished(),
        ];
        let mut texts = Vec::new();
        let reply = collect(stream::iter(deltas.map(Ok)), |text| texts.push(text.to_owned()))
            .await
            .unwrap();
        assert_eq!(texts, ["Hel", "lo"]);
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
    async fn stream_without_end_is_truncated() {
        let cut = collect(stream::iter([Ok(Delta::Text("half".into()))]), |_| {}).await;
        assert_eq!(cut.unwrap_err(), ModelError::Truncated);
    }

    #[tokio::test]
    async fn collect_returns_the_first_error() {
        let deltas = [Ok(Delta::Text("a".into())), Err(ModelError::TooLong), Ok(finished())];
        assert_eq!(collect(stream::iter(deltas), |_| {}).await.unwrap_err(), ModelError::TooLong);
    }
}
