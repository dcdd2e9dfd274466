//! One conversation over several runs: planning, carrying out and fixing.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::{
    event::{
        EventBody,
        agents::{RunOutcome, Task},
    },
    failure::ErrorClass,
};
use forgeguard::agent::RunEnd;
use llm::{DeltaStream, Message, ModelError, Offline, Provider, Request};
use serde_json::{Value, json};

use crate::{
    build::Build,
    model::{calls, says, scripted},
};

/// A model that keeps its requests.
struct Recorded {
    inner: Offline,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Recorded {
    fn new(label: &str, turns: Value) -> (Self, Arc<Mutex<Vec<Request>>>) {
        let requests = Arc::default();
        (Self { inner: scripted(label, turns), requests: Arc::clone(&requests) }, requests)
    }
}

#[async_trait]
impl Provider for Recorded {
    fn name(&self) -> &str {
        "recorded"
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        self.requests.lock().unwrap().push(request.clone());
        self.inner.stream(request).await
    }
}

fn brief() -> (&'static str, Value) {
    ("forge_get_project_contract", json!({ "contract_type": "stack" }))
}

fn plan() -> (&'static str, Value) {
    ("submit_plan", json!({ "steps": ["Write it", "Test it"], "gates": ["test"] }))
}

fn write(path: &str) -> (&'static str, Value) {
    ("write_file", json!({ "path": path, "content": "export const hello = 1;\n" }))
}

/// A build whose coder has planned, with these calls in the reply of the plan.
async fn planned(reply: &[(&str, Value)]) -> (Build, Vec<Request>) {
    let build = Build::at(Task::Plan).await;
    let (model, requests) = Recorded::new("phase-0/plan", json!([calls(&[brief()]), calls(reply)]));
    assert_eq!(build.run(model).await, RunEnd::Finished);
    let requests = requests.lock().unwrap().clone();
    (build, requests)
}

#[tokio::test]
async fn coder_carries_out_its_plan_in_the_same_conversation() {
    let (mut build, planning) = planned(&[plan()]).await;
    assert_eq!(build.finished().await.outcome, RunOutcome::Completed);
    assert_eq!(build.phase().await.plan.len(), 2);
    build.follow_with(Task::Execute).await;
    let steps = [write("a.js"), ("finish_step", json!({ "step": 1 }))];
    let rest = [
        ("finish_step", json!({ "step": 2, "dropped": "covered by the gate" })),
        ("finish_phase", json!({ "summary": "It greets." })),
        write("too-late.js"),
    ];
    let (model, requests) = Recorded::new("phase-0/execute", json!([calls(&steps), calls(&rest)]));
    assert_eq!(build.run(model).await, RunEnd::Finished);

    let finished = build.finished().await;
    assert_eq!((finished.outcome, finished.summary), (RunOutcome::Completed, "It greets.".into()));
    assert!(!build.root().join("too-late.js").exists(), "its task had ended");
    let steps = build.phase().await.plan;
    assert!(steps[0].done && steps[1].dropped.is_some(), "{steps:?}");

    let requests = requests.lock().unwrap();
    let (before, first) = (&planning[1], &requests[0]);
    assert_eq!(first.messages[..before.messages.len()], before.messages, "the prefix is the same");
    assert_eq!((&first.system, &first.tools), (&before.system, &before.tools));
    let Some(Message::User { content }) = first.messages.last() else { panic!("{first:?}") };
    assert!(content[0].content().contains("The plan is accepted"), "{content:?}");
    let task = content[1].content();
    assert!(task.contains("Carry out the plan") && !task.contains("Be brief."), "{task}");
}

#[tokio::test]
async fn calls_after_a_plan_are_made_when_it_is_carried_out() {
    let (mut build, _) = planned(&[plan(), write("a.js")]).await;
    assert!(!build.root().join("a.js").exists(), "nothing is written while planning");
    build.follow_with(Task::Execute).await;
    let done = [
        ("finish_step", json!({ "step": 1 })),
        ("finish_step", json!({ "step": 2 })),
        ("finish_phase", json!({ "summary": "It greets." })),
    ];
    let (model, requests) = Recorded::new("phase-0/execute", json!([calls(&done)]));
    assert_eq!(build.run(model).await, RunEnd::Finished);
    assert_eq!(build.read("a.js"), "export const hello = 1;\n");
    assert_eq!(requests.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn plan_is_not_accepted_before_a_contract_was_read() {
    let build = Build::at(Task::Plan).await;
    let turns = json!([
        calls(&[brief(), plan()]),
        [{"when": "plan in your next reply", "text": "Again.",
          "tool_calls": [{"name": "submit_plan", "input": {"steps": ["Write it"]}}]}],
    ]);
    assert_eq!(build.run(scripted("phase-0/plan", turns)).await, RunEnd::Finished);
    assert_eq!(build.phase().await.plan.len(), 1);
}

#[tokio::test]
async fn phase_without_changes_is_not_finished() {
    let mut build = Build::with_open_steps().await;
    build.changed_files.clear();
    let finish = ("finish_phase", json!({ "summary": "It greets." }));
    let turns = json!([
        calls(&[finish]),
        [{"when": "Nothing has changed; steps 1, 2 are open", "text": "ENVIRONMENT_LIMITATION: no"}],
    ]);
    build.run(scripted("phase-0/execute", turns)).await;
    let outcome = build.finished().await.outcome;
    assert!(matches!(outcome, RunOutcome::Stopped { .. }), "{outcome:?}");
}

/// The conversation of a run that could not reach its model is continued; one that went wrong is not.
#[tokio::test]
async fn only_a_run_without_a_model_is_continued_after_a_failure() {
    for (ends, continues) in [(says("A plan in prose."), false), (Value::Null, true)] {
        let mut build = Build::at(Task::Plan).await;
        let turns = match &ends {
            Value::Null => json!([calls(&[brief()])]),
            ends => json!([calls(&[brief()]), ends, ends]),
        };
        let model: Box<dyn Fn(&Request) -> bool + Send + Sync> = match &ends {
            Value::Null => Box::new(|request: &Request| request.turn() > 0),
            _ => Box::new(|_| false),
        };
        let provider = Unavailable { inner: scripted("phase-0/plan", turns), is_down: model };
        assert_eq!(build.run(provider).await, RunEnd::Finished);
        let RunOutcome::Failed { error_class, .. } = build.finished().await.outcome else {
            panic!("it did not fail")
        };
        assert_eq!(error_class == ErrorClass::Transient, continues);
        assert!(build.phase().await.last_stop.is_some());

        build.follow_with(Task::Plan).await;
        let retried = json!([calls(&[brief()]), calls(&[plan()])]);
        let retried = if continues { json!([calls(&[plan()])]) } else { retried };
        let (model, requests) = Recorded::new("phase-0/plan#2", retried);
        assert_eq!(build.run(model).await, RunEnd::Finished);
        assert_eq!(build.finished().await.outcome, RunOutcome::Completed);
        let requests = requests.lock().unwrap();
        let replies =
            requests[0].messages.iter().filter(|it| matches!(it, Message::Assistant { .. }));
        assert_eq!(replies.count(), usize::from(continues));
        let told = format!("{:?}", requests[0].messages);
        assert!(told.contains("Why the last attempt at this task stopped"), "{told}");
    }
}

/// A model whose provider is overloaded for some requests.
struct Unavailable {
    inner: Offline,
    is_down: Box<dyn Fn(&Request) -> bool + Send + Sync>,
}

#[async_trait]
impl Provider for Unavailable {
    fn name(&self) -> &str {
        "unavailable"
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        if (self.is_down)(request) {
            return Err(ModelError::Overloaded { retry_after: None });
        }
        self.inner.stream(request).await
    }
}

#[tokio::test]
async fn fixes_continue_the_coders_conversation_until_the_last_attempt() {
    let (mut build, _) = planned(&[plan()]).await;
    build.follow_with(Task::Execute).await;
    let done = [
        write("a.js"),
        ("finish_step", json!({ "step": 1 })),
        ("finish_step", json!({ "step": 2 })),
        ("finish_phase", json!({ "summary": "It greets." })),
    ];
    build.run(scripted("phase-0/execute", json!([calls(&done)]))).await;
    for attempt in 1..=3 {
        build.fail_gates().await;
        build.start_fix(attempt).await;
        build.follow_with(Task::Fix).await;
        let label = match attempt {
            1 => "phase-0/fix".to_owned(),
            n => format!("phase-0/fix#{n}"),
        };
        let fix =
            [write("b.js"), ("finish_phase", json!({ "summary": format!("Cause {attempt}.") }))];
        let (model, requests) = Recorded::new(&label, json!([calls(&fix)]));
        assert_eq!(build.run(model).await, RunEnd::Finished);
        let events = build.all_events().await;
        let mut roles = events.iter().filter_map(|event| match event {
            EventBody::BuildAgentStarted(run) if run.task == Task::Fix => Some(run.role.name()),
            _ => None,
        });
        assert_eq!(roles.next_back(), Some(if attempt < 3 { "coder" } else { "fixer" }));
        let requests = requests.lock().unwrap();
        let first = &requests[0];
        assert_eq!(first.messages.len() == 1, attempt == 3, "the fixer starts afresh");
        let told = format!("{:?}", first.messages.last());
        assert!(told.contains(&format!("attempt {attempt} of 3")), "{told}");
        assert_eq!(told.contains("Cause 1."), attempt > 1, "{told}");
    }
}
