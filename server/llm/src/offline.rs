//! The `offline` provider, which replays a scenario without key or network.

use async_trait::async_trait;
use futures::{StreamExt, stream};

use crate::{
    error::ModelError,
    message::ToolCall,
    provider::{DeltaStream, Provider},
    reply::{Delta, StopReason},
    request::Request,
    scenario::Scenario,
    scripted::{ScriptedFailure, ScriptedReply},
    usage::{Usage, estimated_tokens},
};

/// Name of the provider and of its only model.
pub const OFFLINE: &str = "offline";

/// Replays a [`Scenario`]. Replies, including ids, depend only on the request.
#[derive(Clone, Debug)]
pub struct Offline {
    scenario: Option<Scenario>,
}

impl Offline {
    pub fn playing(scenario: Scenario) -> Self {
        Self { scenario: Some(scenario) }
    }

    /// Without a scenario, every request fails with an error that names the required settings.
    pub fn without_scenario() -> Self {
        Self { scenario: None }
    }
}

#[async_trait]
impl Provider for Offline {
    fn name(&self) -> &str {
        OFFLINE
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        let Some(scenario) = &self.scenario else {
            let reason = "no model is configured for this project".into();
            return Err(ModelError::NoScenario { reason });
        };
        let reply = scenario.reply(request)?;
        if let Some(ScriptedFailure { class, message }) = reply.failure.clone() {
            return Err(ModelError::Scripted { class, message });
        }
        Ok(stream::iter(deltas(reply, request).into_iter().map(Ok)).boxed())
    }
}

fn deltas(reply: &ScriptedReply, request: &Request) -> Vec<Delta> {
    let calls = reply.tool_calls.iter().enumerate().map(|(index, call)| ToolCall {
        id: call.id.clone().unwrap_or_else(|| call_id(&request.label, request.turn(), index)),
        name: call.name.clone(),
        input: call.input.clone(),
    });
    let default_stop_reason =
        if reply.tool_calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    let finished = Delta::Finished {
        stop_reason: reply.stop_reason.clone().unwrap_or(default_stop_reason),
        usage: reply.tokens.unwrap_or_else(|| estimated_usage(reply, request)),
        provider: reply.provider.clone(),
    };
    let reasoning = pieces(&reply.reasoning).into_iter().map(Delta::Reasoning);
    let text = pieces(&reply.text).into_iter().map(Delta::Text);
    reasoning.chain(text).chain(calls.map(Delta::ToolCall)).chain([finished]).collect()
}

/// Uses only letters, digits, `_` and `-`, which all providers accept.
fn call_id(label: &str, turn: usize, index: usize) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    format!("{}-{turn}-{index}", label.chars().map(plain).collect::<String>())
}

fn estimated_usage(reply: &ScriptedReply, request: &Request) -> Usage {
    let calls = reply
        .tool_calls
        .iter()
        .map(|call| estimated_tokens(&call.name) + estimated_tokens(&call.input.to_string()));
    let output =
        estimated_tokens(&reply.reasoning) + estimated_tokens(&reply.text) + calls.sum::<u64>();
    Usage { input: request.estimated_tokens(), output, ..Usage::default() }
}

/// Splits the text after words, into pieces of about five words.
fn pieces(text: &str) -> Vec<String> {
    const MIN_PIECE_CHARS: usize = 24;
    let mut pieces: Vec<String> = Vec::new();
    for word in text.split_inclusive(char::is_whitespace) {
        match pieces.last_mut() {
            Some(piece) if piece.chars().count() < MIN_PIECE_CHARS => piece.push_str(word),
            _ => pieces.push(word.to_owned()),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{error::ErrorClass, message::Message, reply::collect};
    use serde_json::json;

    fn scenario() -> Scenario {
        let json = json!({"version": 1, "name": "n", "runs": {"run 1/a": [
            [{"text": "I look around first, and then I say what I saw over there.",
              "tool_calls": [{"name": "look", "input": {"at": "a"}}, {"name": "look", "input": {}}]}],
            [{"text": "Done.", "tokens": {"input": 7, "output": 1, "cache_read": 5}}]
        ]}});
        Scenario::load(&json.to_string()).unwrap()
    }

    fn request(messages: Vec<Message>) -> Request {
        Request {
            label: "run 1/a".into(),
            model: OFFLINE.into(),
            system: "abcd".into(),
            tools: [].into(),
            messages,
            max_tokens: 100,
            forgotten_turns: 0,
            earlier_turns: 0,
        }
    }

    #[tokio::test]
    async fn equal_requests_get_equal_replies() {
        let offline = Offline::playing(scenario());
        let mut replies = Vec::new();
        for _ in 0..2 {
            let mut pieces = 0;
            let stream = offline.stream(&request(vec![Message::user("go")])).await.unwrap();
            replies.push(collect(stream, |_| pieces += 1).await.unwrap());
            assert!(pieces > 1, "the text comes in pieces");
        }
        assert_eq!(replies[0], replies[1]);
        let reply = &replies[0];
        assert_eq!(reply.text, "I look around first, and then I say what I saw over there.");
        assert_eq!(reply.stop_reason, StopReason::ToolUse);
        let ids: Vec<_> = reply.tool_calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["run-1-a-0-0", "run-1-a-0-1"]);
        // "abcd" and "go"; the text's 58 characters, twice "look", `{"at":"a"}` and `{}`.
        assert_eq!(reply.usage, Usage { input: 2, output: 15 + 2 + 3 + 1, ..Usage::default() });
    }

    #[tokio::test]
    async fn turn_is_derived_from_the_conversation() {
        let offline = Offline::playing(scenario());
        let said = Message::Assistant { text: "x".into(), tool_calls: vec![], provider: None };
        let stream = offline.stream(&request(vec![said])).await.unwrap();
        let reply = collect(stream, |_| {}).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.stop_reason), ("Done.", StopReason::EndTurn));
        assert_eq!(reply.usage, Usage { input: 7, output: 1, cache_read: 5, cache_write: 0 });
    }

    #[tokio::test]
    async fn recorded_failure_is_replayed() {
        let failure = json!({"class": "transient", "message": "the model is busy"});
        let runs = json!({"run 1/a": [[{"failure": failure}]]});
        let json = json!({"version": 1, "name": "n", "runs": runs}).to_string();
        let offline = Offline::playing(Scenario::load(&json).unwrap());
        let error = offline.stream(&request(vec![])).await.err().unwrap();
        assert_eq!(
            (error.class(), error.to_string()),
            (ErrorClass::Transient, "the model is busy".into())
        );
    }

    #[tokio::test]
    async fn missing_scenario_error_names_the_settings() {
        let error = Offline::without_scenario().stream(&request(vec![])).await.err().unwrap();
        assert!(error.to_string().contains("ANTHROPIC_API_KEY"), "{error}");
    }

    #[test]
    fn pieces_concatenate_to_the_text() {
        for text in ["", "word", "two  words\n\nand many, many more of them — ähnlich lang\n"] {
            assert_eq!(pieces(text).concat(), text);
            assert!(pieces(text).iter().all(|piece| !piece.is_empty()));
        }
    }
}
