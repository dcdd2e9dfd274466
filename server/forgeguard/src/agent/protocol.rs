//! Interprets a reply: continue, remind the model, or end the run. Pure.

use domain::{
    criterion::ExitCriterion,
    errors::Severity,
    event::{
        agents::{Finding, Task},
        gates::{CriterionChecked, CriterionResult},
    },
    markers::{self, Plan, SignOff},
    state::PhaseState,
};
use llm::{Reply, StopReason, ToolCall};

use super::{citations::ReadLines, ending::Ending, transcript::Transcript};

/// Sent once to a planner whose first reply fetches no contract.
pub const READ_FIRST: &str = "You have not read any contract yet, and the plan depends on them. \
    Fetch those that apply to this phase now, with forge_get_project_contract or \
    forge_get_phase_window.";
/// Sent once to a planner that ends without a plan.
pub const PLAN_MISSING: &str = "There is no plan in your reply. End with one, between the lines \
    `=== PLAN ===` and `=== END PLAN ===`, with numbered steps.";
/// Sent once to an auditor that ends without a judgement.
pub const SIGN_OFF_MISSING: &str = "There is no judgement in your reply. End with the block that \
    begins with `=== PHASE SIGN-OFF: PASS ===` or `=== PHASE SIGN-OFF: FAIL ===` and ends with \
    `=== END PHASE SIGN-OFF ===`.";
/// Sent once to an auditor that signs off without reading a file.
pub const UNREAD: &str = "You have not read any file yet, and a phase can be signed off only after \
    reading. Read the files that the phase changed, then judge.";
/// Sent once to an auditor whose evidence cannot be checked.
pub const UNCHECKED: &str = "Your evidence for at least one criterion names a line that you have not \
    read in this run, or neither a line nor a gate that passed. Read the lines with read_file, then \
    repeat the whole block with what you have read, as `path:line`.";
/// Sent once to a coder that ends with open steps.
pub const OPEN_STEPS: &str = "Some steps of your plan are still open. Carry them out, and write \
    `=== TASK DONE: N ===` in your reply for each that is done. If one cannot be done, say which and \
    why.";
/// Sent once to a model whose first reply has neither text nor calls.
pub const EMPTY: &str =
    "Your reply was empty. Begin with the task: call tools, or reply with text.";
/// Sent to a model whose reply reached its length limit.
pub const CUT_OFF: &str = "Your reply was cut off at its length limit. Continue where it stops.";

/// Tools whose results contain lines of files.
const READING_TOOLS: [&str; 2] = ["read_file", "search_code"];
const CONTRACT_TOOLS: [&str; 2] = ["forge_get_project_contract", "forge_get_phase_window"];

/// The content of a reply, and the next step.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedReply {
    /// A valid plan.
    pub plan: Option<Plan>,
    /// Steps of the plan that are newly reported as done.
    pub tasks_done: Vec<u32>,
    /// Judged criteria, each once.
    pub criteria: Vec<CriterionChecked>,
    pub next: Next,
}

/// The step after a reply.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Make its tool calls, and send this reminder with their results.
    Calls(Option<&'static str>),
    /// Request another reply after this reminder.
    Remind(&'static str),
    /// End the run.
    End(Ending),
}

/// Interprets a reply. `before` is the conversation without it; `has_changes` is whether the phase
/// has changed files.
pub fn parse_reply(
    task: Task,
    phase: &PhaseState,
    has_changes: bool,
    before: &Transcript,
    reply: &Reply,
) -> ParsedReply {
    let fetched_before = before.replies().any(|(_, calls)| fetches(calls));
    let fetched = fetched_before || fetches(&reply.tool_calls);
    let plan = (task == Task::Plan && fetched).then(|| markers::plan(&reply.text)).flatten();
    let works = matches!(task, Task::Execute | Task::Fix);
    let tasks_done = if works { new_tasks(phase, &reply.text) } else { Vec::new() };
    let next = match unread(task, before, fetched, reply) {
        Some(next) => next,
        None if !reply.tool_calls.is_empty() => Next::Calls(None),
        None => {
            let progress = Progress {
                planned_now: plan.is_some(),
                has_open_steps: has_open_steps(phase, &tasks_done),
                has_changes,
            };
            at_the_end(task, phase, before, reply, progress)
        }
    };
    let ended = matches!(next, Next::End(Ending::Judged { .. }));
    let block = ended.then(|| markers::sign_off(&reply.text)).flatten();
    let criteria = block.map_or(Vec::new(), |block| judged(phase, before, &block));
    ParsedReply { plan, tasks_done, criteria, next }
}

/// The progress at the end of a run.
#[derive(Clone, Copy)]
struct Progress {
    /// This reply contains a plan.
    planned_now: bool,
    /// Not all steps of the plan are done.
    has_open_steps: bool,
    /// The phase has changed files.
    has_changes: bool,
}

fn has_open_steps(phase: &PhaseState, done_now: &[u32]) -> bool {
    (1..).zip(&phase.plan).any(|(number, step)| !step.done && !done_now.contains(&number))
}

fn has_read(before: &Transcript) -> bool {
    let finished = before.finished_calls();
    finished.iter().any(|call| !call.failed && READING_TOOLS.contains(&call.tool))
}

fn fetches(calls: &[ToolCall]) -> bool {
    calls.iter().any(|call| CONTRACT_TOOLS.contains(&call.name.as_str()))
}

fn new_tasks(phase: &PhaseState, text: &str) -> Vec<u32> {
    let mut new: Vec<u32> = Vec::new();
    for task in markers::tasks_done(text) {
        let index = (task as usize).checked_sub(1);
        let open = index.and_then(|index| phase.plan.get(index)).is_some_and(|step| !step.done);
        if open && !new.contains(&task) {
            new.push(task);
        }
    }
    new
}

/// Requires a planner to fetch a contract in its first reply, because plans made without one ignore
/// them.
fn unread(task: Task, before: &Transcript, fetched: bool, reply: &Reply) -> Option<Next> {
    if task != Task::Plan || fetched {
        return None;
    }
    Some(match (before.turns(), reply.tool_calls.is_empty()) {
        (0, true) => Next::Remind(READ_FIRST),
        (0, false) => Next::Calls(Some(READ_FIRST)),
        _ => Next::End(Ending::protocol_violation(
            task.role(),
            "it planned without reading a contract",
        )),
    })
}

fn at_the_end(
    task: Task,
    phase: &PhaseState,
    before: &Transcript,
    reply: &Reply,
    progress: Progress,
) -> Next {
    let text = reply.text.trim().to_owned();
    let fail = |why: &str| Next::End(Ending::protocol_violation(task.role(), why));
    match &reply.stop_reason {
        StopReason::MaxTokens | StopReason::Paused => return Next::Remind(CUT_OFF),
        StopReason::Refusal => return fail(&format!("the model declined: {text}")),
        StopReason::Other(reason) => {
            return fail(&format!("the model stopped for an unknown reason, `{reason}`"));
        }
        StopReason::EndTurn | StopReason::ToolUse => {}
    }
    if let Some(code) = markers::stop_code(&text) {
        return Next::End(Ending::Stopped { code, text });
    }
    let remind = |reminder: &'static str, why: &str| match before.was_sent(reminder) {
        false => Next::Remind(reminder),
        true => fail(why),
    };
    // After some work an empty reply is the end of the run.
    let idle = |(text, calls): (&str, &[ToolCall])| text.trim().is_empty() && calls.is_empty();
    if text.is_empty() && before.replies().all(idle) {
        return remind(EMPTY, "it replied with neither text nor calls");
    }
    match task {
        Task::Plan if !progress.planned_now && !planned_before(before) => {
            remind(PLAN_MISSING, "it ended without a plan")
        }
        // Steps that stay open lower the verdict.
        Task::Execute if progress.has_open_steps && !before.was_sent(OPEN_STEPS) => {
            Next::Remind(OPEN_STEPS)
        }
        Task::Audit => match markers::sign_off(&text) {
            Some(block) if block.passed && !has_read(before) => {
                remind(UNREAD, "it signed off without reading a file")
            }
            Some(block)
                if block.passed
                    && has_unchecked(phase, before, &block)
                    && !before.was_sent(UNCHECKED) =>
            {
                Next::Remind(UNCHECKED)
            }
            Some(block) => Next::End(verdict(phase, progress.has_changes, before, &block, text)),
            None => remind(SIGN_OFF_MISSING, "it ended without a judgement"),
        },
        _ => Next::End(Ending::Completed { summary: last_words(before, text) }),
    }
}

/// Plans before the first fetched contract do not count.
fn planned_before(before: &Transcript) -> bool {
    let mut replies = before.replies().skip_while(|(_, calls)| !fetches(calls));
    replies.any(|(text, _)| markers::plan(text).is_some())
}

fn last_words(before: &Transcript, text: String) -> String {
    if !text.is_empty() {
        return text;
    }
    let earlier = before.replies().rev().map(|(text, _)| text.trim());
    earlier.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned()
}

/// The last judgement of each criterion of the phase. A pass whose evidence cannot be checked is
/// unverified.
fn judged(phase: &PhaseState, before: &Transcript, block: &SignOff) -> Vec<CriterionChecked> {
    let read = ReadLines::of(before);
    let criteria = (1..).zip(&phase.outline.exit_criteria);
    criteria
        .filter_map(|(index, criterion): (u32, &ExitCriterion)| {
            let line = block.criteria.iter().rev().find(|line| line.index == index)?;
            let (mut result, mut evidence) = (line.result, line.evidence.clone());
            if result == CriterionResult::Passed
                && let Some(objection) = read.objection(&evidence, phase)
            {
                result = CriterionResult::Unverified;
                evidence = format!("{evidence} (not counted: {objection})");
            }
            let phase = phase.outline.number;
            Some(CriterionChecked { phase, index, text: criterion.text.clone(), result, evidence })
        })
        .collect()
}

fn has_unchecked(phase: &PhaseState, before: &Transcript, block: &SignOff) -> bool {
    let read = ReadLines::of(before);
    let passed = block.criteria.iter().filter(|line| line.result == CriterionResult::Passed);
    let known = passed.filter(|line| line.index as usize <= phase.outline.exit_criteria.len());
    known.into_iter().any(|line| read.objection(&line.evidence, phase).is_some())
}

/// A pass counts only without failed criteria and with changed files. A rejection always has a
/// finding, because the fixer works from the findings.
fn verdict(
    phase: &PhaseState,
    has_changes: bool,
    before: &Transcript,
    block: &SignOff,
    summary: String,
) -> Ending {
    let error = |text: &str| {
        let (severity, text) = (Severity::Error, text.to_owned());
        Finding { severity, place: None, clause: None, text }
    };
    let failed: Vec<Finding> = judged(phase, before, block)
        .into_iter()
        .filter(|criterion| criterion.result == CriterionResult::Failed)
        .map(|criterion| Finding {
            severity: Severity::Error,
            place: None,
            clause: Some(format!("criterion {}", criterion.index)),
            text: format!("{} — {}", criterion.text, criterion.evidence),
        })
        .collect();
    let signed_off = block.passed && failed.is_empty() && has_changes;
    let mut findings = block.findings.clone();
    findings.extend(failed);
    if !has_changes {
        findings.push(error("the phase changed no file, so there is nothing to sign off"));
    }
    if !signed_off && !findings.iter().any(|finding| finding.severity >= Severity::Error) {
        findings.push(error("the auditor did not sign off and named no error"));
    }
    Ending::Judged { summary, findings, signed_off }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::new_id;
    use domain::{failure::ErrorClass, phases::PhaseOutline, state::PlanStep, stop_code::StopCode};
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

    fn next(task: Task, before: &Transcript, reply: &Reply) -> Next {
        parse_reply(task, &phase(), true, before, reply).next
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
        assert!(matches!(
            next(Task::Execute, &worked, &empty),
            Next::End(Ending::Completed { .. })
        ));
    }

    #[test]
    fn planner_must_read_a_file_first() {
        let (fresh, task) = (after(&[]), Task::Plan);
        assert_eq!(next(task, &fresh, &reply(PLAN, &[])), Next::Remind(READ_FIRST));
        assert_eq!(parse_reply(task, &phase(), true, &fresh, &reply(PLAN, &[])).plan, None);
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
        let parsed = parse_reply(Task::Plan, &phase(), true, &read, &reply(PLAN, &[]));
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
        let step = |done| PlanStep { text: "s".into(), done };
        phase.plan = vec![step(false), step(true), step(false)];
        let lines: String =
            [3, 1, 2, 3, 0, 9].map(|n| format!("=== TASK DONE: {n} ===\n")).concat();
        let reply = reply(&lines, &["run_tests"]);
        let done = |task| parse_reply(task, &phase, true, &after(&[]), &reply).tasks_done;
        assert_eq!(done(Task::Execute), [3, 1]);
        assert_eq!(done(Task::Fix), [3, 1]);
        assert!(done(Task::Audit).is_empty() && done(Task::Plan).is_empty());
    }

    /// A conversation in which a file was read.
    fn read() -> Transcript {
        let mut transcript = after(&[]);
        let content = "1\thello".to_owned();
        let result =
            UserBlock::ToolResult { call_id: "read_file".into(), content, is_error: false };
        let mut asked = reply("", &["read_file"]);
        asked.tool_calls[0].input = json!({ "path": "a.js" });
        transcript.extend([asked.into_message(), Message::User { content: vec![result] }]);
        transcript
    }

    #[test]
    fn auditor_signs_off_or_gives_findings() {
        let judge = |text: &str| {
            let parsed = parse_reply(Task::Audit, &phase(), true, &read(), &reply(text, &[]));
            match parsed.next {
                Next::End(Ending::Judged { findings, signed_off, .. }) => {
                    (signed_off, findings, parsed.criteria)
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
}
