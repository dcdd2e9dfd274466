//! Conversations that become too long for the model's window.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::{
    contract::ContractType,
    event::{
        EventBody,
        agents::{ContextCompacted, RunOutcome, Task},
    },
};
use forgeguard::agent::{AgentRun, RunEnd};
use llm::{DeltaStream, Message, ModelError, Offline, Provider, Request};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    build::Build,
    model::{calls, says, scripted},
};

/// Replies that each read a different file.
const READS: usize = 12;
/// The model's window in tokens: enough for the fixed context and some of the files.
const WINDOW: u64 = 20_000;

type Asked = Arc<Mutex<Vec<Request>>>;

/// A model that stores requests, and rejects those that are too long.
struct Listener {
    inner: Offline,
    max_tokens: u64,
    asked: Asked,
    /// Cancelled instead of replying to the first request after a compaction.
    stop: Option<CancellationToken>,
}

impl Listener {
    fn new(max_tokens: u64) -> (Self, Asked) {
        let asked = Asked::default();
        let inner = scripted("phase-0/execute", turns());
        (Self { inner, max_tokens, asked: asked.clone(), stop: None }, asked)
    }
}

#[async_trait]
impl Provider for Listener {
    fn name(&self) -> &str {
        "listener"
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        if let Some(stop) = self.stop.as_ref().filter(|_| request.forgotten_turns > 0) {
            stop.cancel();
            return std::future::pending().await;
        }
        match request.estimated_tokens() > self.max_tokens {
            true => Err(ModelError::TooLong),
            false => self.inner.stream(request).await,
        }
    }
}

/// Fetches a contract, reads file after file, and ends.
fn turns() -> Value {
    let contract = ("forge_get_project_contract", json!({ "contract_type": "manifesto" }));
    let mut turns = vec![calls(&[contract])];
    turns
        .extend((0..READS).map(|n| calls(&[("read_file", json!({ "path": format!("{n}.txt") }))])));
    turns.push(says("All read."));
    Value::Array(turns)
}

async fn build() -> Build {
    let build = Build::at(Task::Execute).await;
    for n in 0..READS {
        build.file(&format!("{n}.txt"), &format!("file {n} says little\n").repeat(400));
    }
    build
}

async fn run(build: &Build, model: Listener, window: u64) -> RunEnd {
    build.try_run(model, |run| run.window = window).await.unwrap()
}

async fn compactions(build: &Build) -> Vec<ContextCompacted> {
    let compacted = |event| match event {
        EventBody::BuildContextCompacted(compacted) => Some(compacted),
        _ => None,
    };
    build.events().await.into_iter().filter_map(compacted).collect()
}

fn first_words(request: &Request) -> String {
    let Message::User { content } = &request.messages[0] else { panic!("the user begins") };
    content.iter().map(|block| block.content()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn conversation_is_compacted_before_it_fills_the_window() {
    let build = build().await;
    let (model, asked) = Listener::new(u64::MAX);
    assert_eq!(run(&build, model, WINDOW).await, RunEnd::Finished);
    assert_eq!(build.finished().await.summary, "All read.");

    let asked = asked.lock().unwrap().clone();
    assert_eq!(asked.len(), READS + 2, "every turn was asked for once");
    for request in asked.iter() {
        assert!(request.estimated_tokens() * 10 <= WINDOW * 7, "{}", request.estimated_tokens());
    }
    let compactions = compactions(&build).await;
    assert!(!compactions.is_empty());
    for ContextCompacted { before, after, contracts_read, .. } in &compactions {
        assert!(before * 10 > WINDOW * 7 && after < before, "{before} → {after}");
        assert_eq!(contracts_read, &[ContractType::Manifesto]);
    }
    let last = asked.last().unwrap();
    assert_eq!(last.turn(), READS + 1);
    assert_eq!(last.messages.len(), asked_after(&compactions, last));
    let words = first_words(last);
    for part in [&first_words(&asked[0]), "- 3.txt", "manifesto. Their text was removed"] {
        assert!(words.contains(part), "{part} is not in:\n{words}");
    }
}

/// The first message, and two for each reply that is still sent.
fn asked_after(compactions: &[ContextCompacted], last: &Request) -> usize {
    assert!(last.forgotten_turns >= 2 * compactions.len());
    1 + 2 * (last.turn() - last.forgotten_turns)
}

#[tokio::test]
async fn resumed_run_keeps_its_compacted_conversation() {
    let build = build().await;
    let (model, asked) = Listener::new(u64::MAX);
    let stop = CancellationToken::new();
    let model = Listener { stop: Some(stop.clone()), ..model };
    let change = |run: &mut AgentRun| (run.window, run.cancel) = (WINDOW, stop);
    assert_eq!(build.try_run(model, change).await.unwrap(), RunEnd::Interrupted);
    let (turns, shortened) = {
        let asked = asked.lock().unwrap();
        let last = asked.last().unwrap();
        (last.turn(), last.forgotten_turns)
    };

    let (model, asked) = Listener::new(u64::MAX);
    assert!(build.rows().await > 2 * turns, "the transcript keeps everything");
    assert_eq!(run(&build, model, WINDOW).await, RunEnd::Finished);
    let asked = asked.lock().unwrap();
    assert!(asked[0].turn() >= turns, "nothing is asked for twice");
    assert!(asked[0].forgotten_turns >= shortened);
    assert!(first_words(&asked[0]).contains("were removed"));
}

#[tokio::test]
async fn request_rejected_as_too_long_is_repeated_after_compaction() {
    let build = build().await;
    // Far less than the configured window.
    let (model, asked) = Listener::new(12_000);
    assert_eq!(run(&build, model, 200_000).await, RunEnd::Finished);
    assert_eq!(build.finished().await.summary, "All read.");
    let compactions = compactions(&build).await.len();
    assert!(compactions > 0);
    assert_eq!(
        asked.lock().unwrap().len(),
        READS + 2 + compactions,
        "each refusal made it shorter once"
    );
}

#[tokio::test]
async fn run_fails_if_a_conversation_that_is_too_long_cannot_be_compacted() {
    let build = build().await;
    let (model, asked) = Listener::new(100);
    assert_eq!(run(&build, model, 200_000).await, RunEnd::Finished);
    assert_eq!(asked.lock().unwrap().len(), 1);
    let RunOutcome::Failed { message, .. } = build.finished().await.outcome else {
        panic!("it did not fail")
    };
    assert!(message.contains("too long for the model"), "{message}");
}
