//! How far a build is, in one line and as a share of its work.

use crate::{
    event::agents::Task,
    state::{BuildState, MAX_FIX_ATTEMPTS, PhaseState, PhaseStatus, Stage, Status},
};

/// The share of the phases; the rest is that of the final gates.
const PHASES_PERCENT: u32 = 95;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current step, such as `Plan`.
    pub step: String,
    /// An estimate from 0 to 100, which is reached at the end only. A fix may lower it.
    pub percent: u32,
}

impl Progress {
    /// All phases count the same.
    pub fn of(state: &BuildState) -> Self {
        let included = || state.phases.iter().filter(|it| it.status != PhaseStatus::Skipped);
        let done: u32 = included().map(done_percent).sum();
        let count = u32::try_from(included().count().max(1)).unwrap_or(u32::MAX);
        let percent = match (state.status, state.phase()) {
            (Status::Sealed, _) => 100,
            (_, None) => PHASES_PERCENT,
            (_, Some(_)) => done / count * PHASES_PERCENT / 100,
        };
        Self { step: step(state), percent }
    }
}

/// Of a phase.
fn done_percent(phase: &PhaseState) -> u32 {
    match (phase.status, phase.stage) {
        (PhaseStatus::Complete, _) => 100,
        (PhaseStatus::Pending | PhaseStatus::Skipped, _) => 0,
        (PhaseStatus::Running, stage) => match stage {
            Stage::Agent(Task::Scout) => 0,
            Stage::Agent(Task::Plan) => 5,
            Stage::Agent(Task::Execute) => 15 + 50 * steps_over(phase) / steps(phase).max(1),
            Stage::Gates => 65,
            Stage::Refused | Stage::Agent(Task::Fix) => 70,
            Stage::Agent(Task::Audit) => 85,
            Stage::Commit | Stage::Push | Stage::Complete => 95,
        },
    }
}

fn step(state: &BuildState) -> String {
    match state.status {
        Status::Queued => return "Queued".to_owned(),
        Status::AwaitingInput => return "Waiting for an answer".to_owned(),
        Status::Paused => return "Paused".to_owned(),
        Status::Retrying => return "Waiting to retry".to_owned(),
        Status::Blocked => return "Blocked".to_owned(),
        Status::Sealing => return "Final gates".to_owned(),
        Status::Sealed => return "Sealed".to_owned(),
        Status::Abandoned => return "Cancelled".to_owned(),
        Status::Running => {}
    }
    let Some(phase) = state.phase() else { return "Final gates".to_owned() };
    match phase.stage {
        Stage::Agent(Task::Scout) => "Exploration".to_owned(),
        Stage::Agent(Task::Plan) => "Plan".to_owned(),
        Stage::Agent(Task::Execute) => match (steps_over(phase) + 1, steps(phase)) {
            (current, count) if current <= count => {
                format!("Implementation, step {current} of {count}")
            }
            _ => "Implementation".to_owned(),
        },
        Stage::Agent(Task::Fix) | Stage::Refused => match &phase.fix {
            Some(fix) => format!("Fix, attempt {} of {MAX_FIX_ATTEMPTS}", fix.attempt),
            None => "Fix".to_owned(),
        },
        Stage::Agent(Task::Audit) => "Audit".to_owned(),
        Stage::Gates => "Gates".to_owned(),
        Stage::Commit | Stage::Push | Stage::Complete => "Commit".to_owned(),
    }
}

fn steps(phase: &PhaseState) -> u32 {
    u32::try_from(phase.plan.len()).unwrap_or(u32::MAX)
}

/// Done or dropped.
fn steps_over(phase: &PhaseState) -> u32 {
    u32::try_from(phase.plan.iter().filter(|step| !step.is_open()).count()).unwrap_or(u32::MAX)
}
