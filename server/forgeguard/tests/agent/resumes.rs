//! Runs that are interrupted and resumed.

use std::{sync::atomic::Ordering, time::Duration};

use domain::{
    budget::Budgets,
    event::{
        EventBody,
        agents::{RunOutcome, Task, ToolCallStarted},
        life::{Actor, CancelRequested, PauseRequested},
        questions::{ClarificationResolved, ResolvedHow},
    },
    permission::{Action, Permission, Rule},
    state::Status,
};
use forgeguard::{
    agent::{AgentError, RunEnd},
    journal::{AppendError, Item},
};
use llm::{Message, ToolCall};
use serde_json::{Value, json};

use crate::{
    build::Build,
    model::{ObservedModel, SilentModel, calls, says, scripted},
};

fn edit_and_end() -> Value {
    json!([
        calls(&[
            ("edit_file", json!({"path": "a.js", "old_text": "one", "new_text": "one\ntwo"})),
            ("write_file", json!({"path": "b.js", "content": "b\n"})),
        ]),
        says("Done."),
    ])
}

/// A model that plays the turns, and cancels the run while it gives its first reply.
fn cancelling(build: &Build, turns: Value) -> ObservedModel {
    let journal = build.journal.clone();
    let id = build.id;
    ObservedModel::new(scripted("phase-0/execute", turns), move |turn| {
        let journal = journal.clone();
        async move {
            if turn == 0 {
                let pause: EventBody = PauseRequested { by: Actor::Forge }.into();
                let entry = forgeguard::journal::Entry::given(id, None, vec![pause]);
                journal.append(entry).await.unwrap();
            }
        }
    })
}

#[tokio::test]
async fn calls_without_a_result_are_made_without_another_request() {
    let build = Build::at(Task::Execute).await;
    build.file("a.js", "one\n");
    let model = cancelling(&build, edit_and_end());
    assert_eq!(build.run(model).await, RunEnd::Interrupted);
    let types = build.event_types().await;
    let count = |types: &[&str], name| types.iter().filter(|found| **found == name).count();
    assert_eq!(count(&types, "build_tool_call_started"), 0, "none was begun");
    assert_eq!(build.messages().await.len(), 2);

    build.append(vec![resume()]).await;
    // The edit was started and made, but its result was lost with the process.
    begin_edit(&build).await;
    build.file("a.js", "one\ntwo\n");
    let model = ObservedModel::new(scripted("phase-0/execute", edit_and_end()), |_| async {});
    let asked = model.asked.clone();
    assert_eq!(build.run(model).await, RunEnd::Finished);
    assert_eq!(asked.load(Ordering::SeqCst), 1, "only the last turn was open");
    assert_eq!(build.read("a.js"), "one\ntwo\n");
    assert_eq!(build.read("b.js"), "b\n");
    let types = build.event_types().await;
    assert_eq!(count(&types, "build_tool_call_started"), 2);
    assert_eq!(count(&types, "build_tool_call_finished"), 2);
    assert_eq!(count(&types, "build_agent_turn"), 2);
}

/// Records the start of the edit of [`edit_and_end`], as a worker does.
async fn begin_edit(build: &Build) {
    let call = pending_edit(build).await;
    let ToolCall { id: call_id, name: tool, input } = call;
    let started = ToolCallStarted { run_id: build.run_id, call_id, tool, input };
    build.append(vec![started.into()]).await;
}

async fn pending_edit(build: &Build) -> ToolCall {
    match build.messages().await.pop() {
        Some(Message::Assistant { tool_calls, .. }) => tool_calls[0].clone(),
        other => panic!("{other:?}"),
    }
}

/// Whether the edit succeeded, and its output.
async fn edit_result(build: &Build) -> (bool, String) {
    let finished = build.events().await.into_iter().find_map(|body| match body {
        EventBody::BuildToolCallFinished(call) if call.tool == "edit_file" => {
            Some((call.ok, call.output))
        }
        _ => None,
    });
    finished.expect("the edit has a result")
}

#[tokio::test]
async fn edit_that_was_never_started_fails_if_only_its_new_text_exists() {
    let build = Build::at(Task::Execute).await;
    build.file("a.js", "nothing of it, but one\ntwo\n");
    let edit = || {
        let input = json!({"path": "a.js", "old_text": "zero", "new_text": "one\ntwo"});
        json!([calls(&[("edit_file", input)]), says("Done.")])
    };
    // Paused after the reply: the edit was not started.
    assert_eq!(build.run(cancelling(&build, edit())).await, RunEnd::Interrupted);
    build.append(vec![resume()]).await;
    assert_eq!(build.run(scripted("phase-0/execute", edit())).await, RunEnd::Finished);
    let (ok, output) = edit_result(&build).await;
    assert!(!ok && output.contains("does not occur"), "{output}");
}

#[tokio::test]
async fn edit_that_waited_for_permission_is_no_replay() {
    let ask = Rule { permission: Permission::Edit, pattern: "*.js".into(), action: Action::Ask };
    let build = Build::under(vec![ask], Budgets::default(), Task::Execute).await;
    build.file("a.js", "one\ntwo\n");
    let edit = || {
        let input = json!({"path": "a.js", "old_text": "zero", "new_text": "one\ntwo"});
        scripted("phase-0/execute", json!([calls(&[("edit_file", input)]), says("Done.")]))
    };
    assert_eq!(build.run(edit()).await, RunEnd::Asked);
    let question_id = build.state().await.questions[0].request.question_id;
    let answer = Some("Once".to_owned());
    let (how, by) = (ResolvedHow::Answered, Actor::Forge);
    build.append(vec![ClarificationResolved { question_id, answer, how, by }.into()]).await;
    assert_eq!(build.run(edit()).await, RunEnd::Finished);
    let (ok, output) = edit_result(&build).await;
    assert!(!ok && output.contains("does not occur"), "{output}");
}

fn resume() -> EventBody {
    domain::event::life::ResumeRequested { by: Actor::Forge, budget_added: None }.into()
}

#[tokio::test]
async fn question_is_asked_once_and_its_answer_is_sent_to_the_model() {
    let build = Build::at(Task::Execute).await;
    let turns = || {
        json!([
            calls(&[
                ("forge_ask_clarification",
                 json!({"question": "Which colour?", "options": ["red", "blue"]})),
                ("list_directory", json!({})),
            ]),
            [{"when": "The user answered: blue", "text": "Blue it is."}, {"text": "No answer."}],
        ])
    };
    let run = || build.run(scripted("phase-0/execute", turns()));
    assert_eq!(run().await, RunEnd::Asked);
    let state = build.state().await;
    assert_eq!(state.status, Status::AwaitingInput);
    assert_eq!(run().await, RunEnd::Asked, "it is still open");
    let question_id = state.questions[0].request.question_id;
    let resolved = ClarificationResolved {
        question_id,
        answer: Some("blue".into()),
        how: ResolvedHow::Answered,
        by: Actor::Forge,
    };
    build.append(vec![resolved.into()]).await;
    assert_eq!(run().await, RunEnd::Finished);
    assert_eq!(build.finished().await.summary, "Blue it is.");
    let types = build.event_types().await;
    let asked = types.iter().filter(|found| **found == "build_clarification_request").count();
    assert_eq!((asked, build.state().await.spent.clarifications), (1, 1));
}

#[tokio::test]
async fn questions_of_one_reply_are_asked_together() {
    let budgets = Budgets { clarifications: 3, ..Budgets::default() };
    let build = Build::under(Vec::new(), budgets, Task::Execute).await;
    let ask = |input: Value| ("forge_ask_clarification", input);
    let write = |path: &str| ("write_file", json!({"path": path, "content": "a\n"}));
    let turns = || {
        json!([
            calls(&[
                write("before"),
                ask(json!({"question": "Which colours?", "options": ["red", "blue", "green"],
                    "multiple": true})),
                write("between"),
                ask(json!({"question": "which colours"})),
                ask(json!({"question": "Which font?"})),
                ask(json!({"question": "Which title?"})),
                ask(json!({"question": "One too many?"})),
            ]),
            [{"when": "The user chose:\n- red\n- green", "text": "Red and green."},
             {"text": "No answer."}],
        ])
    };
    let run = || build.run(scripted("phase-0/execute", turns()));
    assert_eq!(run().await, RunEnd::Asked);
    assert!(build.root().join("before").exists() && !build.root().join("between").exists());
    let state = build.state().await;
    let asked = state.questions.iter().map(|open| open.request.question.as_str());
    let expected = ["Which colours?", "Which font?", "Which title?"];
    assert_eq!(asked.collect::<Vec<_>>(), expected);
    assert_eq!(state.spent.clarifications, 3);
    let failed = build.events().await.into_iter().filter_map(|event| match event {
        EventBody::BuildToolCallFinished(call) if !call.ok => Some(call.output),
        _ => None,
    });
    let failed: Vec<String> = failed.collect();
    let [repeated, over] = failed.as_slice() else { panic!("{failed:?}") };
    assert!(repeated.contains("asks the same") && over.contains("All 3 questions"), "{failed:?}");

    for (open, answer) in state.questions.iter().zip(["red\ngreen", "Serif", "Greetings"]).rev() {
        assert_eq!(run().await, RunEnd::Asked, "it waits for all answers");
        let (question_id, answer) = (open.request.question_id, Some(answer.to_owned()));
        let (how, by) = (ResolvedHow::Answered, Actor::Forge);
        build.append(vec![ClarificationResolved { question_id, answer, how, by }.into()]).await;
    }
    assert_eq!(build.state().await.status, Status::Running);
    assert_eq!(run().await, RunEnd::Finished);
    assert!(build.root().join("between").exists());
    assert_eq!(build.finished().await.summary, "Red and green.");
    assert_eq!(build.state().await.spent.clarifications, 3);
}

#[tokio::test]
async fn command_of_the_user_interrupts_the_run_between_two_steps() {
    let build = Build::at(Task::Execute).await;
    let cancel: EventBody = CancelRequested { by: Actor::Forge, reason: None }.into();
    build.append(vec![cancel]).await;
    let model =
        ObservedModel::new(scripted("phase-0/execute", json!([says("Hello.")])), |_| async {});
    let asked = model.asked.clone();
    assert_eq!(build.run(model).await, RunEnd::Interrupted);
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn cancellation_ends_a_request_without_output_immediately() {
    let build = Build::at(Task::Execute).await;
    let mut shown = build.journal.feed().subscribe(build.id, 0);
    let cancel = build.cancel.clone();
    let watch = async {
        loop {
            if let Item::Preview(frame) = shown.next().await.unwrap() {
                cancel.cancel();
                return String::from_utf8(frame.to_vec()).unwrap();
            }
        }
    };
    let both = async { tokio::join!(build.run(SilentModel), watch) };
    let (end, frame) = tokio::time::timeout(Duration::from_secs(10), both).await.unwrap();
    assert_eq!(end, RunEnd::Interrupted);
    assert!(frame.contains("\"text\":\"Well\"") && frame.contains("\"kind\":\"text\""), "{frame}");
    assert!(build.messages().await.is_empty());
}

#[tokio::test]
async fn command_ends_with_its_run_and_is_repeated_after_a_resume() {
    let build = Build::at(Task::Execute).await;
    let turns = || {
        json!([
            calls(&[("run_command", json!({
                "command": "if [ -e again ]; then echo second; else touch again; sleep 300; fi"}))]),
            [{"when": "second", "text": "It ran twice."}],
        ])
    };
    let token = build.cancel.clone();
    let marker = build.root().join("again");
    let cancel_once_begun = async {
        while !marker.exists() {
            tokio::task::yield_now().await;
        }
        token.cancel();
    };
    let run = build.try_run(scripted("phase-0/execute", turns()), |_| {});
    let both = async { tokio::join!(run, cancel_once_begun).0 };
    let end = tokio::time::timeout(Duration::from_secs(20), both).await.unwrap().unwrap();
    assert_eq!(end, RunEnd::Interrupted);
    assert_eq!(build.messages().await.len(), 2, "the call has no result");

    let fresh = tokio_util::sync::CancellationToken::new();
    let end = build
        .try_run(scripted("phase-0/execute", turns()), |run| run.cancel = fresh)
        .await
        .unwrap();
    assert_eq!(end, RunEnd::Finished);
    assert_eq!(build.finished().await.outcome, RunOutcome::Completed);
}

#[tokio::test]
async fn run_without_its_lease_writes_nothing() {
    let build = Build::at(Task::Execute).await;
    let before = build.event_types().await;
    let model = scripted("phase-0/execute", json!([says("Done.")]));
    let end = build.try_run(model, |run| run.fence = Some(7)).await;
    assert!(matches!(end, Err(AgentError::Append(AppendError::LeaseLost))), "{end:?}");
    assert_eq!(build.event_types().await, before);
    assert!(build.messages().await.is_empty());
}
