//! Runs that complete their task.

use std::sync::Arc;

use domain::contract::ContractType;
use domain::event::{
    EventBody,
    agents::{RunOutcome, Task},
    gates::CriterionResult,
};
use forgeguard::agent::RunEnd;
use llm::{Message, UserBlock};
use serde_json::{Value, json};

use crate::{
    build::{Build, ChangedFiles, interject, note},
    model::{ObservedModel, calls, says, scripted},
};

#[tokio::test]
async fn coder_carries_out_its_plan() {
    let build = Build::with_open_steps().await;
    build.file("old.js", "export const old = 1;\n");
    let model = scripted(
        "phase-0/execute",
        json!([
            calls(&[
                ("list_directory", json!({})),
                ("read_file", json!({"path": "old.js"})),
                ("write_file", json!({"path": "greeting.js", "content": "export const hello = 1;\n"})),
                ("edit_file", json!({"path": "old.js", "old_text": "= 1", "new_text": "= 2"})),
                ("check_syntax", json!({"path": "greeting.js"})),
            ]),
            {"text": "=== TASK DONE: 1 ===\n=== TASK DONE: 1 ===\n=== TASK DONE: 9 ===",
             "tool_calls": [{"name": "run_tests", "input": {}}]},
            {"text": "=== TASK DONE: 2 ===\nIt greets now.", "tokens": {"input": 10, "output": 7}},
        ]),
    );
    assert_eq!(build.run(model).await, RunEnd::Finished);

    assert_eq!(build.read("greeting.js"), "export const hello = 1;\n");
    assert_eq!(build.read("old.js"), "export const old = 2;\n");
    let finished = build.finished().await;
    assert_eq!(finished.outcome, RunOutcome::Completed);
    assert!(finished.summary.ends_with("It greets now."));
    assert!(build.phase().await.plan.iter().all(|step| step.done));
    let spent = build.state().await.spent;
    assert!(spent.tokens_in > 10 && spent.usd_micros >= 7, "{spent:?}");

    let types = build.event_types().await;
    let count = |name| types.iter().filter(|found| **found == name).count();
    assert_eq!(count("build_agent_turn"), 3);
    assert_eq!(count("build_tool_call_started"), 6);
    assert_eq!(count("build_tool_call_finished"), 6);
    assert_eq!(count("build_file_changed"), 2);
    assert_eq!(count("build_task_done"), 2);
    assert_eq!(count("build_error_tracked"), 0);
    for body in build.events().await {
        if let EventBody::BuildToolCallFinished(call) = body {
            assert!(call.ok, "{}: {}", call.tool, call.output);
        }
    }
}

#[tokio::test]
async fn transcript_contains_all_messages() {
    let build = Build::at(Task::Execute).await;
    build.file("a.txt", "a\n");
    let read = ("read_file", json!({"path": "a.txt"}));
    let turns = json!([calls(&[read.clone(), read.clone()]), says("Read.")]);
    build.run(scripted("phase-0/execute", turns)).await;
    let messages = build.messages().await;
    let [Message::User { content: first }, Message::Assistant { .. }, results @ .., last] =
        messages.as_slice()
    else {
        panic!("{messages:?}")
    };
    assert!(first[0].content().contains("Carry out the plan"), "{first:?}");
    assert!(first[0].content().contains("# User Notes\n\nBe brief."));
    assert_eq!(results.len(), 2);
    for result in results {
        let Message::User { content } = result else { panic!("{result:?}") };
        assert!(
            matches!(&content[..], [UserBlock::ToolResult { content, .. }] if content == "1\ta\n")
        );
    }
    assert!(matches!(last, Message::Assistant { text, .. } if text == "Read."));
}

#[tokio::test]
async fn command_runs_in_the_worktree() {
    let build = Build::at(Task::Execute).await;
    let run = |line: &str| ("run_command", json!({"command": line}));
    let turns = json!([
        calls(&[run("echo one > made.txt; pwd; exit 3")]),
        [{"when": "exit code 3", "text": "It exits with 3."}, {"text": "It did not run."}],
    ]);
    build.run(scripted("phase-0/execute", turns)).await;
    assert_eq!(build.finished().await.summary, "It exits with 3.");
    assert_eq!(build.read("made.txt"), "one\n");
}

#[tokio::test]
async fn planner_reads_contracts_and_plans() {
    let build = Build::at(Task::Plan).await;
    let turns = json!([
        calls(&[
            ("forge_get_project_contract", json!({"contract_type": "stack"})),
            ("forge_get_phase_brief", json!({"phase_number": 0})),
        ]),
        says("=== PLAN ===\n1. Write\n2. Test\nGates: test\n=== END PLAN ==="),
    ]);
    build.run(scripted("phase-0/plan", turns)).await;
    assert_eq!(build.finished().await.outcome, RunOutcome::Completed);
    let phase = build.phase().await;
    assert_eq!(phase.plan.len(), 2);
    let types = build.event_types().await;
    let reads = types.iter().filter(|found| **found == "build_contract_read").count();
    assert_eq!(reads, 1 + ContractType::ALL.len(), "the brief contains all of them");
    assert!(types.contains(&"build_plan_updated"));
}

#[tokio::test]
async fn plan_mode_rejects_changes_and_commands() {
    let build = Build::at(Task::Plan).await;
    let turns = json!([
        calls(&[
            ("forge_get_project_contract", json!({"contract_type": "stack"})),
            ("write_file", json!({"path": "a.js", "content": "1"})),
            ("run_command", json!({"command": "touch b"})),
            ("forge_scratchpad", json!({"operation": "write", "key": "k", "value": "v"})),
        ]),
        [{"when": "not allowed while planning",
          "text": "=== PLAN ===\n1. Write a.js\n=== END PLAN ==="}],
    ]);
    build.run(scripted("phase-0/plan", turns)).await;
    let ok: Vec<(String, bool)> = build
        .events()
        .await
        .into_iter()
        .filter_map(|body| match body {
            EventBody::BuildToolCallFinished(call) => Some((call.tool, call.ok)),
            _ => None,
        })
        .collect();
    let ok: Vec<(&str, bool)> = ok.iter().map(|(tool, ok)| (tool.as_str(), *ok)).collect();
    assert_eq!(
        ok,
        [
            ("forge_get_project_contract", true),
            ("write_file", false),
            ("run_command", false),
            ("forge_scratchpad", true)
        ]
    );
    assert_eq!(std::fs::read_dir(build.root()).unwrap().count(), 0);
}

#[tokio::test]
async fn planner_that_reads_nothing_is_reminded_once() {
    let build = Build::at(Task::Plan).await;
    let turns = json!([
        calls(&[("list_directory", json!({}))]),
        [{"when": "not read any contract", "tool_calls": [
            {"name": "forge_get_project_contract", "input": {"contract_type": "ui"}}]}],
        says("=== PLAN ===\n1. Write\n=== END PLAN ==="),
    ]);
    build.run(scripted("phase-0/plan", turns)).await;
    assert_eq!(build.finished().await.outcome, RunOutcome::Completed);
}

#[tokio::test]
async fn dossier_of_the_scout_is_sent_to_the_planner() {
    let mut build = Build::at(Task::Scout).await;
    build.run(scripted("phase-0/scout", json!([says("There are no files yet.")]))).await;
    assert_eq!(build.finished().await.outcome, RunOutcome::Completed);
    build.task = Task::Plan;
    build.run_id = forgeguard::store::new_id();
    build.append(vec![started(&build)]).await;
    let turns = json!([[
        {"when": "There are no files yet.", "text": "AMBIGUOUS_INTENT: dossier received", "tool_calls": [
            {"name": "forge_get_phase_brief", "input": {"phase_number": 0}}]},
    ], says("AMBIGUOUS_INTENT: dossier received")]);
    build.run(scripted("phase-0/plan", turns)).await;
    assert!(matches!(build.finished().await.outcome, RunOutcome::Stopped { .. }));
}

fn started(build: &Build) -> EventBody {
    domain::event::agents::AgentStarted {
        run_id: build.run_id,
        role: build.task.role(),
        task: build.task,
        phase: 0,
        model: "scripted".into(),
        weakened_tests: Vec::new(),
        continues: None,
        executor: domain::executor::Executor::Builtin,
    }
    .into()
}

#[tokio::test]
async fn interjection_is_sent_before_the_next_reply() {
    let build = Build::at(Task::Execute).await;
    build.interject("Use green.").await;
    let (journal, id) = (build.journal.clone(), build.id);
    let turns = json!([
        [{"when": "Use green.", "text": "Green.", "tool_calls": [{"name": "list_directory", "input": {}}]}],
        [{"when": "Rather blue.", "text": "Blue, then."}, {"text": "Nothing new."}],
    ]);
    let model = ObservedModel::new(scripted("phase-0/execute", turns), move |turn| {
        let journal = journal.clone();
        async move {
            if turn == 0 {
                interject(&journal, id, "Rather blue.").await;
            }
        }
    });
    build.run(model).await;
    assert_eq!(build.finished().await.summary, "Blue, then.");
    assert!(build.state().await.interjections.is_empty());
    let seen: Vec<u64> = build
        .events()
        .await
        .iter()
        .filter_map(|body| match body {
            EventBody::BuildAgentTurn(turn) => Some(turn.interjections_seen),
            _ => None,
        })
        .collect();
    assert!(seen[0] > 0 && seen[1] > seen[0], "{seen:?}");
}

#[tokio::test]
async fn changed_notes_are_sent_once() {
    let build = Build::at(Task::Execute).await;
    let (journal, id) = (build.journal.clone(), build.id);
    let look = json!([{"name": "list_directory", "input": {}}]);
    let turns = json!([
        [{"when": "Be brief.", "text": "Yes.", "tool_calls": look}],
        [{"when": "They now read:\n\nUse spaces.", "text": "Spaces.", "tool_calls": look}],
        [{"text": "Nothing new.", "tool_calls": [{"name": "forge_scratchpad", "input": {"operation": "list"}}]}],
        [{"when": "They are now empty.", "text": "No notes."}, {"text": "Nothing new."}],
    ]);
    let model = ObservedModel::new(scripted("phase-0/execute", turns), move |turn| {
        let journal = journal.clone();
        async move {
            match turn {
                0 => note(&journal, id, "Use spaces.", 1).await,
                2 => note(&journal, id, "", 2).await,
                _ => {}
            }
        }
    });
    build.run(model).await;
    assert_eq!(build.finished().await.summary, "No notes.");
    let versions: Vec<u32> = build
        .events()
        .await
        .iter()
        .filter_map(|body| match body {
            EventBody::BuildAgentTurn(turn) => Some(turn.notes_version),
            _ => None,
        })
        .collect();
    assert_eq!(versions, [1, 2, 2, 3]);
}

#[tokio::test]
async fn auditor_judges_criteria_and_reports_findings() {
    let build = Build::at(Task::Audit).await;
    let block = "=== PHASE SIGN-OFF: FAIL ===\ncriterion 1: passed — a.js:1\n\
        criterion 2: failed — a.js:2 shouts\n\
        finding: error a.js:2 [manifesto] it shouts\n=== END PHASE SIGN-OFF ===";
    build.file("a.js", "hello\nHELLO\n");
    let turns = json!([read_a(), says("Looks fine."), [{"when": "no judgement", "text": block}]]);
    build.run(scripted("phase-0/audit", turns)).await;
    let finished = build.finished().await;
    assert!(!finished.signed_off);
    assert_eq!(finished.findings.len(), 2, "{:?}", finished.findings);
    let phase = build.phase().await;
    assert_eq!(phase.criteria[&1].result, CriterionResult::Passed);
    assert_eq!(phase.criteria[&2].evidence, "a.js:2 shouts");
    let errors = build.state().await.errors.clone();
    assert!(errors.values().all(|error| error.source == "audit") && errors.len() == 2);
}

#[tokio::test]
async fn auditor_signs_off() {
    let build = Build::at(Task::Audit).await;
    let block = "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — a.js:1\n\
        criterion 2: passed — a.js:2\n=== END PHASE SIGN-OFF ===";
    build.file("a.js", "hello\nworld\n");
    build.run(scripted("phase-0/audit", json!([read_a(), says(block)]))).await;
    assert!(build.finished().await.signed_off);
    assert!(build.phase().await.signed_off && build.state().await.errors.is_empty());
}

#[tokio::test]
async fn auditor_signs_off_with_the_tool_once_its_judgement_is_complete() {
    let build = Build::at(Task::Audit).await;
    build.file("a.js", "hello\nworld\n");
    let submits = |line: u32, deliverables: Value| {
        let cites = json!([{ "path": "a.js", "first_line": line }]);
        let passed = |index: u32| json!({ "index": index, "result": "passed", "evidence": "seen", "citations": cites });
        json!({ "verdict": "pass", "criteria": [passed(1), passed(2)], "deliverables": deliverables })
    };
    let shown = json!([{ "index": 1, "shown_by": "a.js" }]);
    let call = |input: Value| json!([{ "name": "sign_off", "input": input }]);
    let again = call(submits(2, shown.clone()));
    let turns = json!([
        read_a(),
        calls(&[("sign_off", submits(999, json!([])))]),
        [{ "when": "the auditor has not read a.js:999", "text": "Again.", "tool_calls": again }],
    ]);
    build.run(scripted("phase-0/audit", turns)).await;
    let finished = build.finished().await;
    assert!(finished.signed_off, "{finished:?}");
    assert_eq!(finished.summary, "Again.");
    assert_eq!(finished.deliverables.len(), 1);
    let phase = build.phase().await;
    assert!(phase.signed_off && phase.deliverables == finished.deliverables);
    assert_eq!(phase.criteria[&1].evidence, "seen (a.js:2)");
    assert_eq!(phase.criteria[&2].result, CriterionResult::Passed);
}

#[tokio::test]
async fn earlier_finding_closes_only_with_a_checked_citation() {
    for (answer, is_open) in [
        ("", true),
        ("earlier F-1: fixed — trust me\n", true),
        ("earlier F-1: fixed — a.js:999\n", true),
        ("earlier F-1: still present\n", true),
        ("earlier F-1: fixed — a.js:1\n", false),
    ] {
        let build = Build::with_finding().await;
        build.file("a.js", "hello\n");
        let block = format!(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — a.js:1\n\
             criterion 2: passed — a.js:1\n{answer}=== END PHASE SIGN-OFF ==="
        );
        let turns = json!([read_a(), says(&block), says(&block)]);
        build.run(scripted("phase-0/audit", turns)).await;
        let (finished, phase) = (build.finished().await, build.phase().await);
        assert_eq!(finished.signed_off, !is_open, "{answer}: {finished:?}");
        assert_eq!(phase.findings.len(), usize::from(is_open), "{answer}");
        let errors = build.state().await.errors.clone();
        assert!(errors.values().all(|error| error.resolved != is_open), "{answer}: {errors:?}");
    }
}

#[tokio::test]
async fn citation_of_a_line_that_does_not_exist_is_returned_once_and_then_ignored() {
    let build = Build::at(Task::Audit).await;
    let block = "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — a.js:999\n\
        criterion 2: passed — a.js:1\n=== END PHASE SIGN-OFF ===";
    build.file("a.js", "hello\n");
    let again = json!([{"when": "you have not read", "text": block}]);
    build.run(scripted("phase-0/audit", json!([read_a(), says(block), again]))).await;
    let phase = build.phase().await;
    assert_eq!(phase.criteria[&1].result, CriterionResult::Unverified);
    assert!(phase.criteria[&1].evidence.contains("has not read a.js:999"), "{phase:?}");
    assert_eq!(phase.criteria[&2].result, CriterionResult::Passed);
}

const PASS: &str = "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — a.js:1\n\
    criterion 2: passed — a.js:1\n=== END PHASE SIGN-OFF ===";

fn read_a() -> Value {
    calls(&[("read_file", json!({"path": "a.js"}))])
}

#[tokio::test]
async fn auditor_that_passes_without_reading_is_reminded() {
    let build = Build::at(Task::Audit).await;
    build.file("a.js", "hello\n");
    let read = json!([{"name": "read_file", "input": {"path": "a.js"}}]);
    let turns = json!([
        says(PASS),
        [{"when": "You have not read any file", "text": "Reading.", "tool_calls": read}],
        says(PASS),
    ]);
    build.run(scripted("phase-0/audit", turns)).await;
    assert!(build.finished().await.signed_off);
    assert_eq!(build.messages().await.len(), 6, "it was reminded, read and judged again");
}

#[tokio::test]
async fn auditor_does_not_sign_off_when_it_has_read_nothing() {
    let build = Build::at(Task::Audit).await;
    let failed_read = calls(&[("read_file", json!({"path": "none.js"}))]);
    build.run(scripted("phase-0/audit", json!([failed_read, says(PASS), says(PASS)]))).await;
    let finished = build.finished().await;
    assert!(!finished.signed_off);
    match finished.outcome {
        RunOutcome::Failed { message, .. } => {
            assert!(message.contains("without reading"), "{message}")
        }
        other => panic!("{other:?}"),
    }
    assert!(build.phase().await.criteria.is_empty(), "what it claims counts for nothing");
}

#[tokio::test]
async fn auditor_cannot_sign_off_a_phase_that_changed_nothing() {
    let build = Build::at(Task::Audit).await;
    build.file("a.js", "hello\n");
    let model = scripted("phase-0/audit", json!([read_a(), says(PASS)]));
    build.try_run(model, |run| run.changes = Arc::new(ChangedFiles(Vec::new()))).await.unwrap();
    let finished = build.finished().await;
    assert!(!finished.signed_off && !build.phase().await.signed_off);
    assert!(finished.findings[0].text.contains("changed no file"), "{:?}", finished.findings);
}

#[tokio::test]
async fn coder_that_ends_with_open_steps_is_reminded_once() {
    let build = Build::with_open_steps().await;
    let done = "=== TASK DONE: 1 ===\n=== TASK DONE: 2 ===\nDone.";
    let turns = json!([says("All is written."), [{"when": "steps of your plan", "text": done}]]);
    build.run(scripted("phase-0/execute", turns)).await;
    assert_eq!(build.finished().await.summary, done);
    assert!(build.phase().await.plan.iter().all(|step| step.done));

    let build = Build::with_open_steps().await;
    let turns = json!([says("All is written."), says("I cannot test it.")]);
    build.run(scripted("phase-0/execute", turns)).await;
    assert_eq!(build.finished().await.summary, "I cannot test it.");
    assert!(build.phase().await.plan.iter().all(|step| !step.done));
}
