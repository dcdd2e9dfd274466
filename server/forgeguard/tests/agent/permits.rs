//! Calls that require permission: requests, answers, and remembered answers.

use domain::{
    budget::Budgets,
    event::{
        EventBody,
        agents::{Role, Task},
        life::Actor,
        questions::{ClarificationResolved, ResolvedHow},
    },
    permission::{Action, Permission, Rule},
    state::Status,
};
use forgeguard::agent::RunEnd;
use serde_json::{Value, json};

use crate::{
    build::Build,
    model::{calls, says, scripted},
};

fn ask_first(permission: Permission, pattern: &str) -> Vec<Rule> {
    vec![Rule { permission, pattern: pattern.into(), action: Action::Ask }]
}

async fn careful(task: Task) -> Build {
    Build::under(ask_first(Permission::Bash, "touch *"), Budgets::default(), task).await
}

fn touch(path: &str) -> (&'static str, Value) {
    ("run_command", json!({"command": format!("touch {path}")}))
}

/// Answers the open question, which must be this one.
async fn answer(build: &Build, question: &str, answer: &str) {
    let state = build.state().await;
    assert_eq!(state.status, Status::AwaitingInput);
    let request = &state.questions[0].request;
    assert_eq!(request.question, question);
    let resolved = ClarificationResolved {
        question_id: request.question_id,
        answer: Some(answer.into()),
        how: ResolvedHow::Answered,
        by: Actor::Forge,
    };
    build.append(vec![resolved.into()]).await;
}

/// The results of finished calls: whether they succeeded, and their output.
async fn results(build: &Build) -> Vec<(bool, String)> {
    let events = build.events().await;
    let finished = events.into_iter().filter_map(|body| match body {
        EventBody::BuildToolCallFinished(call) => Some((call.ok, call.output)),
        _ => None,
    });
    finished.collect()
}

#[tokio::test]
async fn permission_granted_once_is_requested_again() {
    let build = careful(Task::Execute).await;
    let turns = || json!([calls(&[touch("a"), touch("a"), touch("a")]), says("Done.")]);
    let run = || build.run(scripted("phase-0/execute", turns()));
    assert_eq!(run().await, RunEnd::Asked);
    assert!(!build.root().join("a").exists());
    // Each time as after a restart of the process.
    assert_eq!(run().await, RunEnd::Asked, "it is still open");
    answer(&build, "Allow the coder to run `touch a`?", "Once").await;
    assert_eq!(run().await, RunEnd::Asked, "the second call is another one");
    assert!(build.root().join("a").exists());
    answer(&build, "Allow the coder to run `touch a`?", "Always").await;
    assert_eq!(run().await, RunEnd::Finished);
    let results = results(&build).await;
    assert_eq!(results.iter().filter(|(ok, _)| *ok).count(), 3, "{results:?}");
    assert_eq!(build.state().await.spent.clarifications, 0);
}

#[tokio::test]
async fn denial_reaches_the_agent_with_its_reason() {
    let build = careful(Task::Execute).await;
    let turns = || {
        json!([
            calls(&[touch("a"), ("list_directory", json!({}))]),
            [{"when": "Use write_file for that.", "text": "I will."}, {"text": "Not told."}],
        ])
    };
    let run = || build.run(scripted("phase-0/execute", turns()));
    assert_eq!(run().await, RunEnd::Asked);
    answer(&build, "Allow the coder to run `touch a`?", "Use write_file for that.").await;
    assert_eq!(run().await, RunEnd::Finished);
    assert_eq!(build.finished().await.summary, "I will.");
    assert!(!build.root().join("a").exists());
    let (ok, output) = results(&build).await.remove(0);
    assert!(!ok && output.starts_with("You may not run `touch a`"), "{output}");
}

#[tokio::test]
async fn permission_requests_of_one_reply_are_asked_in_order() {
    let rules = ask_first(Permission::Read, "*.txt");
    let build = Build::under(rules, Budgets::default(), Task::Audit).await;
    build.file("a.txt", "A");
    build.file("b.txt", "B");
    build.file("c.md", "C");
    let read = |path: &str| ("read_file", json!({"path": path}));
    let sign_off =
        "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — a.txt:1\n=== END PHASE SIGN-OFF ===";
    let turns = || json!([calls(&[read("a.txt"), read("b.txt"), read("c.md")]), says(sign_off)]);
    let run = || build.run(scripted("phase-0/audit", turns()));
    assert_eq!(run().await, RunEnd::Asked);
    let first = build.state().await.questions[0].request.clone();
    assert_eq!(first.asked_by, Role::Auditor, "who cannot ask by itself is asked for too");
    answer(&build, &first.question, "Once").await;
    assert_eq!(run().await, RunEnd::Asked);
    let second = build.state().await.questions[0].request.clone();
    assert_ne!(first.question, second.question);
    assert_eq!(run().await, RunEnd::Asked);
    answer(&build, &second.question, "Deny").await;
    assert_eq!(run().await, RunEnd::Finished);
    let results = results(&build).await;
    assert_eq!(results.iter().map(|(ok, _)| *ok).filter(|ok| *ok).count(), 2, "{results:?}");
    assert_eq!(results.len(), 3);
}

#[tokio::test]
async fn permission_prompts_do_not_use_up_questions() {
    let budgets = Budgets { clarifications: 0, ..Budgets::default() };
    let rules = ask_first(Permission::Bash, "touch *");
    let build = Build::under(rules, budgets, Task::Execute).await;
    let run =
        || build.run(scripted("phase-0/execute", json!([calls(&[touch("a")]), says("Done.")])));
    assert_eq!(run().await, RunEnd::Asked);
    answer(&build, "Allow the coder to run `touch a`?", "Once").await;
    assert_eq!(run().await, RunEnd::Finished);
    assert!(build.root().join("a").exists());
    assert_eq!(build.state().await.spent.clarifications, 0);
}

#[tokio::test]
async fn rule_of_the_installation_overrides_the_project() {
    let project =
        vec![Rule { permission: Permission::Bash, pattern: "*".into(), action: Action::Allow }];
    let build = Build::under(project, Budgets::default(), Task::Execute).await;
    let turns = json!([calls(&[touch("a")]), says("Done.")]);
    let model = scripted("phase-0/execute", turns);
    let theirs =
        Rule { permission: Permission::Bash, pattern: "touch *".into(), action: Action::Deny };
    let end = build.try_run(model, |run| run.permissions = [theirs].into()).await.unwrap();
    assert_eq!(end, RunEnd::Finished);
    let (ok, output) = results(&build).await.remove(0);
    assert!(!ok && output.contains("the installation's rule bash `touch *` → deny"), "{output}");
}
