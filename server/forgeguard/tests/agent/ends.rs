//! Runs that fail.

use domain::{
    event::agents::{RunOutcome, Task},
    failure::ErrorClass,
    stop_code::StopCode,
};
use forgeguard::agent::RunEnd;
use llm::{Delta, Offline};
use serde_json::json;

use crate::{
    build::Build,
    model::{Cut, calls, says, scripted},
};

/// The sources of the build's errors.
async fn sources(build: &Build) -> Vec<String> {
    build.state().await.errors.values().map(|error| error.source.clone()).collect()
}

async fn failure(build: &Build) -> (ErrorClass, String) {
    match build.finished().await.outcome {
        RunOutcome::Failed { error_class, message, .. } => (error_class, message),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn planner_that_reads_no_contract_fails() {
    let build = Build::at(Task::Plan).await;
    let plan = "=== PLAN ===\n1. Write\n=== END PLAN ===";
    build.run(scripted("phase-0/plan", json!([says(plan), says(plan)]))).await;
    let (class, message) = failure(&build).await;
    assert_eq!(class, ErrorClass::Unknown);
    assert!(message.contains("without reading a contract"), "{message}");
    assert!(build.phase().await.plan.is_empty());
    assert_eq!(sources(&build).await, ["agent:coder"]);
}

#[tokio::test]
async fn third_equal_call_ends_the_run() {
    let build = Build::at(Task::Execute).await;
    let look = || calls(&[("search_code", json!({"pattern": "nowhere"}))]);
    let turns = json!([look(), look(), look(), says("never said")]);
    assert_eq!(build.run(scripted("phase-0/execute", turns)).await, RunEnd::Finished);
    let outcome = build.finished().await.outcome;
    assert_eq!(outcome, RunOutcome::DoomLoop { tool: "search_code".into() });
    assert_eq!(sources(&build).await, ["tool:search_code"]);
}

#[tokio::test]
async fn stop_code_ends_the_run() {
    let build = Build::at(Task::Execute).await;
    let text = "I cannot continue.\nENVIRONMENT_LIMITATION: there is no compiler";
    build.run(scripted("phase-0/execute", json!([says(text)]))).await;
    match build.finished().await.outcome {
        RunOutcome::Stopped { code, text } => {
            assert_eq!(code, StopCode::EnvironmentLimitation);
            assert!(text.contains("no compiler"));
        }
        other => panic!("{other:?}"),
    }
    assert!(sources(&build).await.is_empty());
}

#[tokio::test]
async fn truncated_stream_is_a_transient_failure() {
    let build = Build::at(Task::Execute).await;
    assert_eq!(build.run(Cut(vec![Delta::Text("Half a".into())])).await, RunEnd::Finished);
    let (class, message) = failure(&build).await;
    assert_eq!(class, ErrorClass::Transient);
    assert!(message.contains("cut off"), "{message}");
    assert_eq!(sources(&build).await, ["model"]);
    assert!(build.messages().await.is_empty(), "half a reply is no reply");
}

#[tokio::test]
async fn model_without_configuration_is_a_configuration_failure() {
    let build = Build::at(Task::Execute).await;
    build.run(Offline::without_scenario()).await;
    let (class, message) = failure(&build).await;
    assert_eq!(class, ErrorClass::Config);
    assert!(message.contains("ANTHROPIC_API_KEY"), "{message}");
}

#[tokio::test]
async fn run_fails_after_its_maximum_of_turns() {
    let build = Build::at(Task::Execute).await;
    build.file("a.txt", &"x\n".repeat(50));
    let turns: Vec<_> = (1..20)
        .map(|n| calls(&[("read_file", json!({"path": "a.txt", "offset": n, "limit": 1}))]))
        .collect();
    let model = scripted("phase-0/execute", json!(turns));
    build.try_run(model, |run| run.max_turns = 5).await.unwrap();
    let (class, message) = failure(&build).await;
    assert_eq!(class, ErrorClass::Unknown);
    assert!(message.contains("5 replies"), "{message}");
}

#[tokio::test]
async fn failing_sandbox_ends_the_run() {
    let build = Build::at(Task::Execute).await;
    let turns = json!([calls(&[("run_command", json!({"command": "true"}))])]);
    let nowhere = build.root().join("none");
    let model = scripted("phase-0/execute", turns);
    build
        .try_run(model, |run| {
            let runner = sandbox::Runner::new(nowhere.join("runs")).unwrap();
            let runner = runner.with_supervisor(nowhere.join("supervisor"));
            let policy = sandbox::Policy::new(sandbox::Level::None, build.root());
            let preview = std::sync::Arc::new(|_| {});
            run.commands =
                forgeguard::tools::Commands::new(runner, policy, build.cancel.clone(), preview);
        })
        .await
        .unwrap();
    assert_eq!(failure(&build).await.0, ErrorClass::Resource);
    assert_eq!(sources(&build).await, ["tool:run_command"]);
}
