//! What agents do between two boundaries of their run.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    contract::{ContractSource, ContractType},
    errors::Severity,
    event::{
        EventBody,
        agents::{
            AgentFinished, ContextCompacted, ContractRead, FileChanged, FileOperation, Finding,
            RunOutcome, Task, ToolCallFinished, ToolCallStarted,
        },
        gates::{CriterionChecked, CriterionResult},
        phases::{LogLevel, LogLine, PlanUpdated, TaskDone, TaskDropped},
        questions::{ClarificationKind, ClarificationRequest},
    },
    failure::ErrorClass,
    finding_id::FindingId,
    ids::{BuildId, Id, RunId},
    state::{BuildState, PhaseState, PlanStep},
    stop_code::StopCode,
    tracking::{self, ObservedFailure},
};
use uuid::Uuid;

use crate::{choices::Choices, samples};

/// Where an agent is.
#[derive(Clone, Copy)]
pub struct At {
    pub build: BuildId,
    pub run: RunId,
    pub task: Task,
    pub now: DateTime<Utc>,
    /// For whatever needs a new one.
    pub id: Uuid,
}

/// What it does in one go.
pub struct Deed {
    pub events: Vec<EventBody>,
    /// It has ended.
    pub last: bool,
}

/// The next thing that an agent does, having seen the journal up to `seen`.
pub fn act(state: &BuildState, at: At, seen: u64, choices: &mut Choices) -> Deed {
    let phase = state.phase().expect("an agent works on a phase");
    let At { run, task, .. } = at;
    let go_on = |event: EventBody| Deed { events: vec![event], last: false };
    match choices.pick(16) {
        0 | 1 => complete(phase, at, seen, choices),
        2..=4 => go_on(samples::turn(run, seen, 10 * choices.pick(256) as u64).into()),
        5 | 6 => tool_call(at, choices),
        7 => go_on(file_changed(run)),
        8 => go_on(contract_read(at)),
        9 => go_on(
            ContextCompacted { run_id: run, before: 9, after: 3, contracts_read: vec![] }.into(),
        ),
        10 => go_on(task_done(phase).unwrap_or_else(log)),
        11 | 12 => questions(state, at, choices).unwrap_or_else(|| go_on(log())),
        13 => go_on(error(state, at, choices)),
        14 if task == Task::Audit => refuse(at, choices),
        _ => give_up(at, choices),
    }
}

fn complete(phase: &PhaseState, at: At, seen: u64, choices: &mut Choices) -> Deed {
    let At { run, task, .. } = at;
    let number = phase.outline.number;
    let mut events: Vec<EventBody> = vec![samples::turn(run, seen, 100).into()];
    let mut finished = samples::finished(run, RunOutcome::Completed);
    match task {
        Task::Plan => events.push(plan(number)),
        Task::Audit => {
            for (index, one) in (1..).zip(&phase.outline.exit_criteria) {
                let results =
                    [CriterionResult::Passed, CriterionResult::Unverified, CriterionResult::Failed];
                let result = if choices.one_in(6) { choices.of(&results) } else { results[0] };
                events.push(criterion(number, index, &one.text, result));
            }
            finished.signed_off = true;
            if choices.one_in(6) {
                let id = Some(FindingId(seen as u32));
                finished.findings.push(Finding { id, ..samples::finding(Severity::Warning) });
            }
        }
        Task::Execute if !choices.one_in(6) => {
            let open = (1..).zip(&phase.plan).filter(|(_, step)| !step.done);
            events.extend(open.map(|(step, _)| task_done_of(number, step)));
        }
        Task::Scout | Task::Execute | Task::Fix => {}
    }
    events.push(finished.into());
    Deed { events, last: true }
}

/// A plan of two steps.
pub fn plan(phase: u32) -> EventBody {
    let steps = vec!["write it".to_owned(), "test it".to_owned()];
    PlanUpdated { phase, steps, gates: vec!["test".to_owned()] }.into()
}

/// A judgement of a criterion.
pub fn criterion(phase: u32, index: u32, text: &str, result: CriterionResult) -> EventBody {
    let (text, evidence) = (text.to_owned(), "test/a.js:3".to_owned());
    CriterionChecked { phase, index, text, result, evidence }.into()
}

/// The next step of the plan that is not done, done.
pub fn task_done(phase: &PhaseState) -> Option<EventBody> {
    let undone = phase.plan.iter().position(|step| !step.done)?;
    Some(task_done_of(phase.outline.number, undone as u32 + 1))
}

/// A step of a plan, done.
pub fn task_done_of(phase: u32, task: u32) -> EventBody {
    TaskDone { phase, task }.into()
}

/// The next open step of the plan, dropped; the first if none is open.
pub fn task_dropped(phase: &PhaseState) -> EventBody {
    let open = phase.plan.iter().position(PlanStep::is_open).unwrap_or_default();
    let (phase, reason) = (phase.outline.number, "not needed".to_owned());
    TaskDropped { phase, task: open as u32 + 1, reason }.into()
}

/// A question of a reply, sometimes with a second one if the agent may ask two. This uses up no more
/// choices than one question.
fn questions(state: &BuildState, at: At, choices: &mut Choices) -> Option<Deed> {
    let first = question(state, at, choices)?;
    let mut events = vec![first.clone()];
    let left = state.budgets.clarifications - state.spent.clarifications;
    if let EventBody::BuildClarificationRequest(request) = first
        && left > 1
        && at.id.as_u128().is_multiple_of(5)
    {
        let question_id = Id::from_uuid(Uuid::from_u128(at.id.as_u128() | 1 << 100));
        events.push(ClarificationRequest { question_id, ..request }.into());
    }
    Some(Deed { events, last: false })
}

/// A question, if the agent may ask one.
pub fn question(state: &BuildState, at: At, choices: &mut Choices) -> Option<EventBody> {
    let may_ask = matches!(at.task, Task::Scout | Task::Plan | Task::Execute);
    let left = state.spent.clarifications < state.budgets.clarifications;
    (may_ask && left).then(|| any_question(state, at, choices))
}

/// A question, whether the agent may ask it or not.
pub fn any_question(state: &BuildState, at: At, choices: &mut Choices) -> EventBody {
    let timeout = state.queued.clarification_timeout_s;
    let request = ClarificationRequest {
        question_id: Id::from_uuid(at.id),
        kind: ClarificationKind::Question,
        question: "Which one?".to_owned(),
        context: None,
        options: choices.of(&[vec!["a".to_owned(), "b".to_owned()], vec![]]),
        multiple: false,
        asked_by: at.task.role(),
        run_id: at.run,
        call_id: "c1".to_owned(),
        requirement: None,
        expires_at: timeout.map(|seconds| at.now + TimeDelta::seconds(i64::from(seconds))),
    };
    request.into()
}

/// A line for people.
pub fn log() -> EventBody {
    let (source, message) = ("agent".to_owned(), "so far so good".to_owned());
    LogLine { level: LogLevel::Info, source, message }.into()
}

/// A file that was written.
pub fn file_changed(run_id: RunId) -> EventBody {
    let (path, operation) = ("src/a.js".to_owned(), FileOperation::Modified);
    FileChanged { run_id, path, operation, insertions: 3, deletions: 1 }.into()
}

/// A contract that was read.
pub fn contract_read(at: At) -> EventBody {
    let (role, contract) = (at.task.role(), ContractType::Stack);
    ContractRead { run_id: at.run, role, contract, version: 1, source: ContractSource::Snapshot }
        .into()
}

fn tool_call(at: At, choices: &mut Choices) -> Deed {
    let (run_id, call_id, tool) = (at.run, at.id.to_string(), "read_file".to_owned());
    let input = serde_json::json!({ "path": "src/a.js" });
    let started = ToolCallStarted { run_id, call_id: call_id.clone(), tool: tool.clone(), input };
    let (ok, output) = (!choices.one_in(4), "line 1".to_owned());
    let finished = ToolCallFinished { run_id, call_id, tool, ok, output, duration_ms: 3 };
    Deed { events: vec![started.into(), finished.into()], last: false }
}

fn error(state: &BuildState, at: At, choices: &mut Choices) -> EventBody {
    let severity = choices.of(&[Severity::Warning, Severity::Error, Severity::Fatal]);
    let message = choices.of(&["no such file", "out of reach"]).to_owned();
    let seen = ObservedFailure::new("tool:read_file", severity, message);
    tracking::track(state, at.build, Id::from_uuid(at.id), at.now, seen)
}

fn refuse(at: At, choices: &mut Choices) -> Deed {
    let mut finished: AgentFinished = samples::finished(at.run, RunOutcome::Completed);
    finished.signed_off = choices.one_in(2);
    finished.findings.push(samples::finding(Severity::Error));
    Deed { events: vec![finished.into()], last: true }
}

fn give_up(at: At, choices: &mut Choices) -> Deed {
    let failed = |error_class| RunOutcome::Failed {
        retry_after_s: None,
        error_class,
        message: "no".to_owned(),
    };
    let (code, text) = (StopCode::AmbiguousIntent, "two readings".to_owned());
    let outcome = choices.of(&[
        failed(ErrorClass::Transient),
        failed(ErrorClass::CodeError),
        failed(ErrorClass::TestFailure),
        failed(ErrorClass::Resource),
        failed(ErrorClass::Unknown),
        failed(ErrorClass::Config),
        RunOutcome::Stopped { code, text },
        RunOutcome::DoomLoop { tool: "read_file".to_owned() },
    ]);
    Deed { events: vec![samples::finished(at.run, outcome).into()], last: true }
}
