//! Replies of each role, and what follows from them.

use super::*;
use crate::store::new_id;
use domain::{
    criterion::ExitCriterion, errors::Severity, failure::ErrorClass, phases::PhaseOutline,
    state::PlanStep, stop_code::StopCode,
};
use llm::{Message, Usage, UserBlock};
use serde_json::json;

const PLAN: &str = "=== PLAN ===\n1. Write\n2. Test\nGates: test\n=== END PLAN ===";

fn phase() -> PhaseState {
    PhaseState::new(PhaseOutline {
        number: 3,
        title: "t".into(),
        scope: vec![],
        deliverables: vec!["d".into()],
        covers: vec![],
        exit_criteria: ["tests pass", "README names it"]
            .map(|text| ExitCriterion::reviewed(text.into()))
            .into(),
    })
}

fn call(name: &str) -> ToolCall {
    ToolCall { id: name.into(), name: name.into(), input: json!({}) }
}

fn reply(text: &str, tools: &[&str]) -> Reply {
    Reply {
        text: text.into(),
        reasoning: String::new(),
        tool_calls: tools.iter().map(|name| call(name)).collect(),
        stop_reason: if tools.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse },
        usage: Usage::default(),
        provider: None,
    }
}

/// A conversation with these replies, each followed by a message to the model.
fn after(turns: &[(&str, &[&str], &str)]) -> Transcript {
    let mut transcript = Transcript::new(new_id());
    for (text, tools, message) in turns {
        transcript.extend([reply(text, tools).into_message(), Message::user(*message)]);
    }
    transcript
}

fn place(task: Task, phase: &PhaseState) -> Place<'_> {
    Place { task, phase, has_changes: true, last_finding: 4 }
}

fn next(task: Task, before: &Transcript, reply: &Reply) -> Next {
    parse_reply(place(task, &phase()), before, reply).next
}

fn failure(next: &Next) -> &str {
    match next {
        Next::End(Ending::Failed { error_class: ErrorClass::Unknown, message, .. }) => message,
        other => panic!("{other:?}"),
    }
}

const FETCH: &str = "forge_get_project_contract";

#[test]
fn empty_reply_ends_a_run_only_after_work() {
    let (fresh, empty) = (after(&[]), reply(" \n", &[]));
    assert_eq!(next(Task::Scout, &fresh, &empty), Next::Remind(EMPTY));
    let reminded = after(&[("", &[], EMPTY)]);
    assert_eq!(
        failure(&next(Task::Scout, &reminded, &empty)),
        "it replied with neither text nor calls"
    );
    let worked = after(&[("", &["write_file"], "")]);
    assert!(matches!(next(Task::Execute, &worked, &empty), Next::End(Ending::Completed { .. })));
}

#[test]
fn planner_must_read_a_file_first() {
    let (fresh, task) = (after(&[]), Task::Plan);
    assert_eq!(next(task, &fresh, &reply(PLAN, &[])), Next::Remind(READ_FIRST));
    assert_eq!(parse_reply(place(task, &phase()), &fresh, &reply(PLAN, &[])).plan, None);
    let reads = next(task, &fresh, &reply("", &["read_file"]));
    assert_eq!(reads, Next::Calls(Some(READ_FIRST)));
    assert_eq!(next(task, &fresh, &reply("", &["read_file", FETCH])), Next::Calls(None));
    let warned = after(&[("", &["read_file"], READ_FIRST)]);
    assert!(
        failure(&next(task, &warned, &reply(PLAN, &[]))).contains("without reading a contract")
    );
    assert!(failure(&next(task, &warned, &reply("", &["read_file"]))).contains("contract"));
    assert_eq!(next(task, &warned, &reply("", &[FETCH])), Next::Calls(None));
    assert_eq!(next(Task::Scout, &fresh, &reply("", &["read_file"])), Next::Calls(None));
}

#[test]
fn planner_ends_with_a_plan() {
    let read = after(&[("", &[FETCH], "the contract")]);
    let parsed = parse_reply(place(Task::Plan, &phase()), &read, &reply(PLAN, &[]));
    assert_eq!(parsed.plan.unwrap().steps, ["Write", "Test"]);
    assert!(matches!(parsed.next, Next::End(Ending::Completed { .. })));
    assert_eq!(next(Task::Plan, &read, &reply("Done.", &[])), Next::Remind(PLAN_MISSING));
    let reminded = after(&[("", &[FETCH], "the contract"), ("Done.", &[], PLAN_MISSING)]);
    assert!(failure(&next(Task::Plan, &reminded, &reply("No.", &[]))).contains("a plan"));
    let planned = after(&[("", &[FETCH], ""), (PLAN, &["read_file"], "")]);
    let end = next(Task::Plan, &planned, &reply("That is it.", &[]));
    assert!(matches!(end, Next::End(Ending::Completed { .. })));
    let too_early = after(&[(PLAN, &["read_file"], READ_FIRST), ("", &[FETCH], "")]);
    assert_eq!(next(Task::Plan, &too_early, &reply("Done.", &[])), Next::Remind(PLAN_MISSING));
}

#[test]
fn open_tasks_are_completed_only_by_work() {
    let mut phase = phase();
    let step = |done| PlanStep { text: "s".into(), done, dropped: None };
    phase.plan = vec![step(false), step(true), step(false)];
    let lines: String = [3, 1, 2, 3, 0, 9].map(|n| format!("=== TASK DONE: {n} ===\n")).concat();
    let reply = reply(&lines, &["run_tests"]);
    let done = |task| parse_reply(place(task, &phase), &after(&[]), &reply).tasks_done;
    assert_eq!(done(Task::Execute), [3, 1]);
    assert_eq!(done(Task::Fix), [3, 1]);
    assert!(done(Task::Audit).is_empty() && done(Task::Plan).is_empty());
}

#[test]
fn open_steps_are_dropped_with_a_reason() {
    let mut phase = phase();
    let step = |done| PlanStep { text: "s".into(), done, dropped: None };
    phase.plan = vec![step(false), step(true), step(false)];
    let text = "=== TASK DONE: 1 ===\n=== TASK DROPPED: 1: x ===\n=== TASK DROPPED: 2: x ===\n\
        === TASK DROPPED: 3: not needed ===\n=== TASK DROPPED: 3: again ===\n\
        === TASK DROPPED: 9: x ===\n=== ALREADY DONE: it is there ===";
    let of = |task| parse_reply(place(task, &phase), &after(&[]), &reply(text, &[]));
    let parsed = of(Task::Execute);
    assert_eq!(parsed.tasks_dropped, [(3, "not needed".to_owned())]);
    assert_eq!(parsed.already_done.as_deref(), Some("it is there"));
    assert!(matches!(parsed.next, Next::End(Ending::Completed { .. })), "no step is open");
    let audit = of(Task::Audit);
    assert!(audit.tasks_dropped.is_empty() && audit.already_done.is_none());
}

/// A conversation in which a file was read.
fn read() -> Transcript {
    let mut transcript = after(&[]);
    let content = "1\thello".to_owned();
    let result = UserBlock::ToolResult { call_id: "read_file".into(), content, is_error: false };
    let mut asked = reply("", &["read_file"]);
    asked.tool_calls[0].input = json!({ "path": "a.js" });
    transcript.extend([asked.into_message(), Message::User { content: vec![result] }]);
    transcript
}

#[test]
fn auditor_signs_off_or_gives_findings() {
    let judge = |text: &str| {
        let parsed = parse_reply(place(Task::Audit, &phase()), &read(), &reply(text, &[]));
        match parsed.next {
            Next::End(Ending::Judged { judgement, .. }) => {
                (judgement.signed_off, judgement.findings, judgement.criteria)
            }
            other => panic!("{other:?}"),
        }
    };
    let block = |word: &str, lines: &str| {
        format!("Read.\n=== PHASE SIGN-OFF: {word} ===\n{lines}\n=== END PHASE SIGN-OFF ===")
    };
    let (signed_off, findings, criteria) =
        judge(&block("PASS", "criterion 1: passed — a.js:1\ncriterion 9: passed — x"));
    assert!(signed_off && findings.is_empty());
    assert_eq!((criteria.len(), criteria[0].text.as_str()), (1, "tests pass"));
    assert_eq!((criteria[0].phase, criteria[0].evidence.as_str()), (3, "a.js:1"));

    let (signed_off, findings, _) = judge(&block("PASS", "criterion 2: failed — not there"));
    assert!(!signed_off);
    assert_eq!(findings[0].clause.as_deref(), Some("criterion 2"));
    assert_eq!(findings[0].text, "README names it — not there");

    let (signed_off, findings, _) = judge(&block("FAIL", "finding: warning a.js:1 hm"));
    assert!(!signed_off);
    assert_eq!(findings.iter().map(|f| f.severity).max(), Some(Severity::Error));
    let ids: Vec<_> = findings.iter().map(|finding| finding.id.map(|id| id.0)).collect();
    assert_eq!(ids, [Some(5), None], "only the auditor's own findings have ids");

    assert_eq!(
        next(Task::Audit, &after(&[]), &reply("Fine.", &[])),
        Next::Remind(SIGN_OFF_MISSING)
    );
    let reminded = after(&[("Fine.", &[], SIGN_OFF_MISSING)]);
    assert!(failure(&next(Task::Audit, &reminded, &reply("Fine!", &[]))).contains("judgement"));
}

#[test]
fn stop_code_ends_a_run_without_calls() {
    for task in [Task::Scout, Task::Execute, Task::Audit, Task::Fix] {
        let end = next(task, &after(&[]), &reply("I stop.\nCONTRACT_CONFLICT: a and b", &[]));
        let Next::End(Ending::Stopped { code, text }) = end else { panic!("{end:?}") };
        assert_eq!(code, StopCode::ContractConflict);
        assert!(text.starts_with("I stop."));
    }
    let beside = next(Task::Execute, &after(&[]), &reply("AMBIGUOUS_INTENT", &["read_file"]));
    assert_eq!(beside, Next::Calls(None));
}

#[test]
fn truncated_reply_is_continued_and_refusal_ends_the_run() {
    let with = |stop_reason| Reply { stop_reason, ..reply("I", &[]) };
    let of = |stop_reason| next(Task::Execute, &after(&[]), &with(stop_reason));
    assert_eq!(of(StopReason::MaxTokens), Next::Remind(CUT_OFF));
    assert!(failure(&of(StopReason::Refusal)).contains("declined"));
    assert_eq!(of(StopReason::Paused), Next::Remind(CUT_OFF));
    assert!(failure(&of(StopReason::Other("odd".into()))).contains("`odd`"));
}

#[test]
fn summary_is_the_last_message() {
    let before = after(&[("All is written.", &["run_tests"], "")]);
    let end = next(Task::Execute, &before, &reply(" ", &[]));
    assert_eq!(end, Next::End(Ending::Completed { summary: "All is written.".into() }));
}

/// A conversation that ends with a call of sign_off.
fn submitted(input: serde_json::Value, is_error: bool) -> Transcript {
    let mut transcript = read();
    let mut submits = reply("", &["sign_off"]);
    submits.tool_calls[0].input = input;
    let content = "The judgement is recorded.".to_owned();
    let result = UserBlock::ToolResult { call_id: "sign_off".into(), content, is_error };
    transcript.extend([submits.into_message(), Message::User { content: vec![result] }]);
    transcript
}

#[test]
fn accepted_call_of_the_sign_off_tool_ends_the_run() {
    let cites = json!([{ "path": "a.js", "first_line": 1 }]);
    let line =
        |index| json!({ "index": index, "result": "passed", "evidence": "", "citations": cites });
    let input = json!({ "verdict": "pass", "criteria": [line(1), line(2)] });
    let phase = phase();
    let end = |transcript: &Transcript| accepted_end(place(Task::Audit, &phase), transcript);
    let Some(Ending::Judged { summary, judgement }) = end(&submitted(input.clone(), false)) else {
        panic!("it was accepted");
    };
    assert!(judgement.signed_off && judgement.criteria.len() == 2, "{judgement:?}");
    assert_eq!(summary, "Signed off: 2 of 2 exit criteria passed, new findings: 0.");
    assert_eq!(end(&submitted(input, true)), None);
    assert_eq!(end(&read()), None);
}
