//! Keeps what a provider answered, as a scenario that can be played again.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use futures::StreamExt;

use crate::{
    error::ModelError,
    provider::{DeltaStream, Provider},
    reply::{Delta, Draft, Reply},
    request::Request,
    scenario::{SCENARIO_VERSION, Scenario, ScriptedCall, ScriptedReply},
};

/// Passes requests on and keeps every reply that came whole. A turn that is asked for again, for
/// instance after a cut, replaces what was kept of it.
#[derive(Debug)]
pub struct Recording<P> {
    inner: P,
    taken: Arc<Mutex<Taken>>,
}

/// Label of the run → turn → reply.
type Taken = BTreeMap<String, BTreeMap<usize, ScriptedReply>>;

impl<P: Provider> Recording<P> {
    /// Records what this provider answers.
    pub fn of(inner: P) -> Self {
        Self { inner, taken: Arc::default() }
    }

    /// What was recorded so far. A run whose first turns were not heard has turns without a reply,
    /// which [`Scenario::load`] reports.
    pub fn scenario(&self, name: &str, description: &str) -> Scenario {
        let runs = open(&self.taken)
            .iter()
            .map(|(label, turns)| {
                let last = turns.keys().next_back().copied().unwrap_or(0);
                let turns = (0..=last).map(|turn| turns.get(&turn).cloned().into_iter().collect());
                (label.clone(), turns.collect())
            })
            .collect();
        Scenario {
            version: SCENARIO_VERSION,
            name: name.into(),
            description: description.into(),
            runs,
        }
    }
}

#[async_trait]
impl<P: Provider> Provider for Recording<P> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        let (label, turn) = (request.label.clone(), request.turn());
        let taken = Arc::clone(&self.taken);
        let mut draft = Draft::default();
        let keep = move |delta: &Result<Delta, ModelError>| {
            let Ok(delta) = delta else { return };
            if let Some(reply) = draft.push(delta.clone()) {
                open(&taken).entry(label.clone()).or_default().insert(turn, scripted(reply));
            }
        };
        Ok(self.inner.stream(request).await?.inspect(keep).boxed())
    }
}

fn scripted(reply: Reply) -> ScriptedReply {
    let Reply { text, reasoning, tool_calls, stop_reason, usage, provider } = reply;
    let tool_calls = tool_calls
        .into_iter()
        .map(|call| ScriptedCall { id: Some(call.id), name: call.name, input: call.input })
        .collect();
    ScriptedReply {
        when: None,
        reasoning,
        text,
        tool_calls,
        stop_reason: Some(stop_reason),
        tokens: Some(usage),
        provider,
    }
}

/// A writer that panicked leaves whole entries only, so what is there can be used.
fn open(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        message::{Message, ToolCall},
        offline::{Offline, Pace},
        reply::{StopReason, collect},
        usage::Usage,
    };
    use futures::stream;
    use serde_json::json;

    /// Answers turn `n` with the `n`-th list of deltas.
    struct Fixed(Vec<Vec<Result<Delta, ModelError>>>);

    #[async_trait]
    impl Provider for Fixed {
        fn name(&self) -> &str {
            "fixed"
        }
        async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
            Ok(stream::iter(self.0[request.turn()].clone()).boxed())
        }
    }

    fn request(label: &str, turn: usize) -> Request {
        let said = Message::Assistant { text: "x".into(), tool_calls: vec![], provider: None };
        Request {
            label: label.into(),
            model: "m".into(),
            system: String::new(),
            tools: vec![],
            messages: vec![said; turn],
            max_tokens: 1,
            forgotten_turns: 0,
        }
    }

    fn fixed() -> Fixed {
        let call = ToolCall { id: "toolu_1".into(), name: "look".into(), input: json!({"a": 1}) };
        let usage = Usage { input: 10, output: 4, cache_read: 300, cache_write: 20 };
        let finished = |stop_reason, provider| Delta::Finished { stop_reason, usage, provider };
        Fixed(vec![
            vec![
                Ok(Delta::Reasoning("let me see".into())),
                Ok(Delta::Text("Look".into())),
                Ok(Delta::Text("ing.".into())),
                Ok(Delta::ToolCall(call)),
                Ok(finished(StopReason::ToolUse, Some(json!({"signature": "s"})))),
            ],
            vec![Ok(finished(StopReason::Refusal, None))],
            vec![Ok(Delta::Text("half".into())), Err(ModelError::Overloaded { retry_after: None })],
        ])
    }

    #[tokio::test]
    async fn a_replay_answers_as_the_provider_did() {
        let recording = Recording::of(Arc::new(fixed()));
        assert_eq!(recording.name(), "fixed");
        let mut heard = Vec::new();
        for turn in 0..2 {
            let stream = recording.stream(&request("run", turn)).await.unwrap();
            heard.push(collect(stream, |_| {}).await.unwrap());
        }
        let json = recording.scenario("taken", "two turns").to_json();
        let replay = Offline::playing(Scenario::load(&json).unwrap(), Pace::default());
        for (turn, heard) in heard.iter().enumerate() {
            let stream = replay.stream(&request("run", turn)).await.unwrap();
            assert_eq!(&collect(stream, |_| {}).await.unwrap(), heard);
        }
    }

    #[tokio::test]
    async fn only_whole_replies_are_kept() {
        let recording = Recording::of(fixed());
        let stream = recording.stream(&request("run", 2)).await.unwrap();
        collect(stream, |_| {}).await.unwrap_err();
        assert!(recording.scenario("n", "").runs.is_empty());

        let stream = recording.stream(&request("late", 1)).await.unwrap();
        collect(stream, |_| {}).await.unwrap();
        let scenario = recording.scenario("n", "");
        assert_eq!(scenario.runs["late"][0], []);
        assert_eq!(
            Scenario::load(&scenario.to_json()).unwrap_err().problems,
            ["run `late`, turn 0: there is no reply"]
        );
    }
}
