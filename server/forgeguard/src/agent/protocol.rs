//! Interprets a reply: continue, remind the model, or end the run. Pure.

use domain::{
    event::{
        agents::Task,
        gates::{CriterionChecked, CriterionResult},
    },
    markers::{self, Plan},
    sign_off::{Judgement, ReadLines, SignOff, SignOffCheck},
    state::{PhaseState, PlanStep},
};
use llm::{Reply, StopReason, ToolCall};

use super::{citations::read_lines, ending::Ending, transcript::Transcript};
use crate::tools::{ToolName, finish_phase, sign_off};

/// Sent once to a planner whose first reply fetches no contract.
pub const READ_FIRST: &str = "You have not read any contract yet, and the plan depends on them. \
    Call forge_get_phase_brief now; it returns those that apply to this phase.";
/// Sent once to a planner that ends without a plan.
pub const PLAN_MISSING: &str = "There is no plan yet. Submit it by calling submit_plan.";
/// Sent once to an auditor that ends without a judgement.
pub const SIGN_OFF_MISSING: &str = "There is no judgement in your reply. Submit it by calling \
    sign_off.";
/// Sent once to an auditor that signs off without reading a file.
pub const UNREAD: &str = "You have not read any file yet, and a phase can be signed off only after \
    reading. Read the files that the phase changed, then judge.";
/// Sent once to an auditor whose evidence in a text cannot be checked.
pub const UNCHECKED: &str = "Your evidence for at least one criterion names a line that you have not \
    read in this run, or neither a line nor a gate that passed, or an earlier finding is not \
    answered. Read the lines with read_file, then judge again by calling sign_off.";
/// Sent once to a coder that ends with open steps.
pub const OPEN_STEPS: &str = "Some steps of your plan are still open. Carry them out, call \
    finish_step for each that is done, or with the reason for each that will not be done, and then \
    finish_phase.";
/// Sent once to a model whose first reply has neither text nor calls.
pub const EMPTY: &str =
    "Your reply was empty. Begin with the task: call tools, or reply with text.";
/// Sent to a model whose reply reached its length limit.
pub const CUT_OFF: &str = "Your reply was cut off at its length limit. Continue where it stops.";

/// Tools whose results contain lines of files.
const READING_TOOLS: [ToolName; 2] = [ToolName::ReadFile, ToolName::SearchCode];
const CONTRACT_TOOLS: [&str; 2] = ["forge_get_phase_brief", "forge_get_project_contract"];

/// The content of a reply, and the next step.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedReply {
    /// A valid plan.
    pub plan: Option<Plan>,
    /// Steps of the plan that are newly reported as done.
    pub tasks_done: Vec<u32>,
    /// Open steps of the plan that will not be done, with reasons.
    pub tasks_dropped: Vec<(u32, String)>,
    /// Why the coder says that there is nothing to do.
    pub already_done: Option<String>,
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

/// The run that a reply belongs to.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub task: Task,
    pub phase: &'a PhaseState,
    /// Whether the phase has changed files.
    pub has_changes: bool,
    /// The number of the newest finding of the build.
    pub last_finding: u32,
}

/// Interprets a reply. `before` is the conversation without it.
pub fn parse_reply(place: Place<'_>, before: &Transcript, reply: &Reply) -> ParsedReply {
    let Place { task, phase, .. } = place;
    let fetched_before = before.replies().any(|(_, calls)| fetches(calls));
    let fetched = fetched_before || fetches(&reply.tool_calls);
    let plan = (task == Task::Plan && fetched).then(|| markers::plan(&reply.text)).flatten();
    let works = matches!(task, Task::Execute | Task::Fix);
    let tasks_done = if works { new_tasks(phase, &reply.text) } else { Vec::new() };
    let tasks_dropped = if works { dropped(phase, &reply.text, &tasks_done) } else { Vec::new() };
    let declares = task == Task::Execute && phase.already_done.is_none();
    let already_done = declares.then(|| markers::already_done(&reply.text)).flatten();
    let next = match unread(task, before, fetched, reply) {
        Some(next) => next,
        None if !reply.tool_calls.is_empty() => Next::Calls(None),
        None => {
            let progress = Progress {
                planned_now: plan.is_some(),
                has_open_steps: has_open_steps(phase, &tasks_done, &tasks_dropped),
            };
            at_the_end(place, before, reply, progress)
        }
    };
    ParsedReply { plan, tasks_done, tasks_dropped, already_done, next }
}

/// The end of a run whose call of the tool that ends its task was accepted.
pub fn accepted_end(place: Place<'_>, conversation: &Transcript) -> Option<Ending> {
    let ends = match place.task {
        Task::Scout => return None,
        Task::Plan => ToolName::SubmitPlan,
        Task::Execute | Task::Fix => ToolName::FinishPhase,
        Task::Audit => ToolName::SignOff,
    };
    let calls = conversation.own_finished_calls();
    let call = calls.iter().rev().find(|call| call.tool_name() == Some(ends) && !call.failed)?;
    let input = call.input.clone();
    Some(match place.task {
        Task::Audit => judged(place, conversation, sign_off::sign_off(input).ok()?),
        Task::Plan => {
            let steps = place.phase.plan.len();
            Ending::Completed { summary: format!("A plan with {steps} steps.") }
        }
        _ => Ending::Completed { summary: finish_phase::summary(input)? },
    })
}

fn judged(place: Place<'_>, conversation: &Transcript, sign_off: SignOff) -> Ending {
    let read = read_lines(conversation);
    let judgement = place.check(&read).judge(sign_off);
    let last = conversation.replies().next_back();
    let summary = match last.map_or("", |(text, _)| text.trim()) {
        "" => summary(&judgement),
        text => text.to_owned(),
    };
    Ending::Judged { summary, judgement }
}

/// Whether an earlier reply of the conversation has fetched a contract.
pub fn has_read_contract(conversation: &Transcript) -> bool {
    conversation.replies().rev().skip(1).any(|(_, calls)| fetches(calls))
}

impl<'a> Place<'a> {
    fn check(self, read: &'a ReadLines) -> SignOffCheck<'a> {
        let Self { phase, has_changes, last_finding, .. } = self;
        SignOffCheck { phase, last_finding, read, has_changes }
    }
}

fn summary(judgement: &Judgement) -> String {
    let word = if judgement.signed_off { "Signed off" } else { "Not signed off" };
    let passed = |one: &&CriterionChecked| one.result == CriterionResult::Passed;
    let (passed, all) = (judgement.criteria.iter().filter(passed).count(), &judgement.criteria);
    let findings = judgement.findings.len();
    format!("{word}: {passed} of {} exit criteria passed, new findings: {findings}.", all.len())
}

/// The progress at the end of a run.
#[derive(Clone, Copy)]
struct Progress {
    /// This reply contains a plan.
    planned_now: bool,
    /// Not all steps of the plan are done.
    has_open_steps: bool,
}

fn has_open_steps(phase: &PhaseState, done: &[u32], dropped: &[(u32, String)]) -> bool {
    let is_open =
        |number| !done.contains(&number) && !dropped.iter().any(|(dropped, _)| *dropped == number);
    (1..).zip(&phase.plan).any(|(number, step)| step.is_open() && is_open(number))
}

/// Open steps that the text drops, each once.
pub(super) fn dropped(phase: &PhaseState, text: &str, done: &[u32]) -> Vec<(u32, String)> {
    let mut new: Vec<(u32, String)> = Vec::new();
    for (task, reason) in markers::tasks_dropped(text) {
        let index = (task as usize).checked_sub(1);
        let is_open = index.and_then(|it| phase.plan.get(it)).is_some_and(PlanStep::is_open);
        let is_known = done.contains(&task) || new.iter().any(|(known, _)| *known == task);
        if is_open && !is_known {
            new.push((task, reason));
        }
    }
    new
}

fn has_read(before: &Transcript) -> bool {
    let is_reading = |tool| READING_TOOLS.contains(&tool);
    let finished = before.finished_calls();
    finished.iter().any(|call| !call.failed && call.tool_name().is_some_and(is_reading))
}

fn fetches(calls: &[ToolCall]) -> bool {
    calls.iter().any(|call| CONTRACT_TOOLS.contains(&call.name.as_str()))
}

/// Open steps that the text reports as done, each once.
pub(super) fn new_tasks(phase: &PhaseState, text: &str) -> Vec<u32> {
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

fn at_the_end(place: Place<'_>, before: &Transcript, reply: &Reply, progress: Progress) -> Next {
    let (task, text) = (place.task, reply.text.trim().to_owned());
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
    if text.is_empty() && before.own_replies().all(idle) {
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
        Task::Audit => {
            let Some(sign_off) = markers::sign_off(&text) else {
                return remind(SIGN_OFF_MISSING, "it ended without a judgement");
            };
            let read = read_lines(before);
            let check = place.check(&read);
            if sign_off.passed && !has_read(before) {
                return remind(UNREAD, "it signed off without reading a file");
            }
            if sign_off.passed && check.has_unchecked(&sign_off) && !before.was_sent(UNCHECKED) {
                return Next::Remind(UNCHECKED);
            }
            Next::End(Ending::Judged { judgement: check.judge(sign_off), summary: text })
        }
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
    let earlier = before.own_replies().rev().map(|(text, _)| text.trim());
    earlier.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
