//! Scripted models: scenarios, and models that fail.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use futures::{FutureExt, StreamExt, future::BoxFuture, stream};
use llm::{Delta, DeltaStream, ModelError, Offline, Provider, Request, Scenario};
use serde_json::{Value, json};

/// Plays these turns for the run `label`; each turn is one reply or a list of alternatives.
pub fn scripted(label: &str, turns: Value) -> Offline {
    let turns: Vec<Value> = turns
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| if turn.is_array() { turn.clone() } else { json!([turn]) })
        .collect();
    let scenario = json!({"version": 1, "name": "test", "runs": {label: turns}});
    Offline::playing(Scenario::load(&scenario.to_string()).unwrap())
}

/// A reply that calls these tools.
pub fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> =
        calls.iter().map(|(name, input)| json!({"name": name, "input": input})).collect();
    json!({"text": "Working.", "tool_calls": calls})
}

/// A reply without calls.
pub fn says(text: &str) -> Value {
    json!({ "text": text })
}

type Hook = Box<dyn Fn(usize) -> BoxFuture<'static, ()> + Send + Sync>;

/// A model that runs a callback before each reply, and counts requests.
pub struct ObservedModel {
    inner: Offline,
    pub asked: Arc<AtomicUsize>,
    before: Hook,
}

impl ObservedModel {
    /// `before` is called with the turn of each request.
    pub fn new<F>(inner: Offline, before: impl Fn(usize) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let before: Hook = Box::new(move |turn| before(turn).boxed());
        Self { inner, asked: Arc::default(), before }
    }
}

#[async_trait]
impl Provider for ObservedModel {
    fn name(&self) -> &str {
        "watched"
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        (self.before)(request.turn()).await;
        self.inner.stream(request).await
    }
}

/// A model whose stream gives these deltas and then ends.
pub struct Cut(pub Vec<Delta>);

#[async_trait]
impl Provider for Cut {
    fn name(&self) -> &str {
        "cut"
    }

    async fn stream(&self, _: &Request) -> Result<DeltaStream, ModelError> {
        Ok(stream::iter(self.0.clone().into_iter().map(Ok)).boxed())
    }
}

/// A model that sends one word and then nothing.
pub struct SilentModel;

#[async_trait]
impl Provider for SilentModel {
    fn name(&self) -> &str {
        "silent"
    }

    async fn stream(&self, _: &Request) -> Result<DeltaStream, ModelError> {
        let word = stream::iter([Ok(Delta::Text("Well".into()))]);
        Ok(word.chain(stream::pending()).boxed())
    }
}
