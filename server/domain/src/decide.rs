//! `decide`: the next effect for a build, from its state.

use chrono::{DateTime, Utc};

use crate::{
    budget::Exhausted,
    event::{
        agents::{RunOutcome, Task},
        life::{Actor, BlockReason},
    },
    failure::{ErrorClass, RetryWaits},
    ids::{ClarificationId, RunId},
    next_test_check::TestCheck,
    requirement::RequirementId,
    state::{BuildState, MAX_FIX_ATTEMPTS, PhaseRequest, PhaseState, PhaseStatus, Stage, Status},
};

/// The next thing to do for a build. The driver performs it, appends the result and decides again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The build has ended.
    Nothing,
    /// Wait until the journal grows, or until the given time.
    Wait { until: Option<DateTime<Utc>> },
    /// Wait for a user: the worker hands the build back.
    Park,
    /// Determine the baseline and append `build_started`.
    Start,
    /// Create the branch and its worktree, and push it.
    CreateBranch,
    /// Append `build_paused`.
    Pause { by: Actor },
    /// Append `build_unpaused`.
    Unpause { by: Actor },
    /// Cancel the open question and append `build_abandoned`.
    Abandon { by: Actor, reason: Option<String> },
    /// Ask whether an assumption holds.
    AskAssumption { id: RequirementId },
    /// Ask whether the plan of the current phase is carried out.
    AskPlanApproval,
    /// Ask users to settle what is open before the seal.
    AskConfirmation,
    /// Resolve a question that has expired.
    TimeOut { question_id: ClarificationId },
    /// Block the build, with a report.
    Block { reason: BlockReason },
    /// Schedule a retry.
    Retry {
        error_class: ErrorClass,
        /// From 1.
        attempt: u32,
        wait_s: u32,
    },
    /// Let the current phase begin again, or leave it out, after saving uncommitted changes.
    ControlPhase { request: PhaseRequest },
    /// Run these gates on the files as they are.
    RunRequestedGates { names: Vec<String> },
    /// Append `build_phase_started`.
    StartPhase { phase: u32 },
    /// Start a round.
    StartIteration {
        phase: u32,
        /// From 1.
        n: u32,
    },
    /// Start a run of an agent, or continue it.
    RunAgent {
        phase: u32,
        task: Task,
        /// The run to continue.
        run: Option<RunId>,
    },
    /// Run these gates on the baseline.
    RunPreflight { names: Vec<String> },
    /// Run these gates, concurrently if they are independent.
    RunGates {
        /// `None` for the final gates.
        phase: Option<u32>,
        /// Those that have not run in this round.
        names: Vec<String>,
    },
    /// All gates of the round have run: append the results of the fix and the round.
    JudgeRound { phase: u32 },
    /// Start an attempt to fix.
    StartFix {
        phase: u32,
        /// From 1.
        attempt: u32,
        /// Gate names, or `audit`.
        causes: Vec<String>,
    },
    /// Commit the phase.
    Commit { phase: u32 },
    /// Push the branch.
    Push,
    /// Resolve the phase's errors and append `build_phase_complete`.
    CompletePhase { phase: u32 },
    /// Compare the branch with its base branch, and merge that if it has moved.
    CompareBase,
    /// All phases are complete: start the final gates.
    BeginSealing,
    /// Find out which of the tests that prove exit criteria the build added or changed.
    CompareTests,
    /// Run a gate on an earlier commit with the tests of the branch.
    RunRedCheck { base_sha: String, gate: String },
    /// Run the gates on small changes to the code that the build added.
    TestMutants,
    /// Look up what shows each deliverable.
    CheckDeliverables,
    /// All final gates have run, tests and deliverables are checked: commit and append the seal.
    Seal,
}

/// The next effect. Pure: equal state and time give equal results.
pub fn decide(state: &BuildState, now: DateTime<Utc>) -> Effect {
    if state.status.is_final() {
        return Effect::Nothing;
    }
    if let Some((by, reason)) = state.cancel_requested.clone() {
        return Effect::Abandon { by, reason };
    }
    if let Some(request) = state.phase_request.as_deref().cloned() {
        return Effect::ControlPhase { request };
    }
    match state.status {
        Status::Queued => Effect::Start,
        Status::Paused | Status::Blocked => {
            let names = state.requested_gates();
            match (state.resume_requested.clone(), names.is_empty()) {
                (Some(by), _) => Effect::Unpause { by },
                (None, false) => Effect::RunRequestedGates { names },
                (None, true) => Effect::Park,
            }
        }
        Status::Sealing => final_effect(state),
        _ => match (state.pause_requested.clone(), state.requested_gates()) {
            (Some(by), _) => Effect::Pause { by },
            (None, names) if !names.is_empty() => Effect::RunRequestedGates { names },
            (None, _) => working_effect(state, now),
        },
    }
}

fn final_effect(state: &BuildState) -> Effect {
    if let Some(effect) = exhausted_gate_effect(state) {
        return effect;
    }
    let names = state.due_final_gates();
    if !names.is_empty() {
        return Effect::RunGates { phase: None, names };
    }
    if !state.deliverables_checked() {
        return Effect::CheckDeliverables;
    }
    match state.next_test_check() {
        Some(TestCheck::Compare) => Effect::CompareTests,
        Some(TestCheck::Red { base_sha, gate }) => Effect::RunRedCheck { base_sha, gate },
        Some(TestCheck::Mutants) => Effect::TestMutants,
        None if state.needs_confirmation() => Effect::AskConfirmation,
        None => Effect::Seal,
    }
}

fn working_effect(state: &BuildState, now: DateTime<Utc>) -> Effect {
    if !state.questions.is_empty() {
        let asked = state.questions.iter().map(|open| &open.request);
        let expiries = asked.filter_map(|asked| Some((asked.expires_at?, asked.question_id)));
        return match expiries.min() {
            Some((until, question_id)) if until <= now => Effect::TimeOut { question_id },
            next => Effect::Wait { until: next.map(|(until, _)| until) },
        };
    }
    if let Some(retry) = state.retry.as_ref().filter(|retry| retry.retry_at > now) {
        return Effect::Wait { until: Some(retry.retry_at) };
    }
    if !state.branch_ready {
        return Effect::CreateBranch;
    }
    if state.retry.is_none()
        && let Some(effect) = exhausted_gate_effect(state)
    {
        return effect;
    }
    let names = state.preflight_gates();
    if !names.is_empty() {
        return Effect::RunPreflight { names };
    }
    if state.lacks_program() {
        return Effect::Block { reason: BlockReason::Config };
    }
    if let Some(assumption) = state.assumption_to_confirm() {
        return Effect::AskAssumption { id: assumption.id };
    }
    if state.must_compare_base() {
        return Effect::CompareBase;
    }
    let Some(phase) = state.phase() else {
        return match state.base.conflict {
            // Every phase was skipped.
            Some(_) => Effect::Block { reason: BlockReason::RebaseConflict },
            None => Effect::BeginSealing,
        };
    };
    let number = phase.outline.number;
    if phase.status == PhaseStatus::Pending {
        return Effect::StartPhase { phase: number };
    }
    if state.retry.is_none()
        && let Some(effect) = failure_effect(phase, &state.queued.waits)
    {
        return effect;
    }
    if state.plan_to_approve().is_some() {
        return Effect::AskPlanApproval;
    }
    stage_effect(state, phase, number)
}

/// A gate that ran out of memory or disk runs again later: this is no failure of the code.
fn exhausted_gate_effect(state: &BuildState) -> Option<Effect> {
    let gate = state.exhausted_gate.as_ref().filter(|gate| !gate.is_repeating)?;
    let attempt = gate.retries + 1;
    let error_class = ErrorClass::Resource;
    Some(match state.queued.waits.wait_s(error_class, attempt, None) {
        Some(wait_s) => Effect::Retry { error_class, attempt, wait_s },
        None => Effect::Block { reason: BlockReason::Retries },
    })
}

/// A failed run is handled before anything else.
fn failure_effect(phase: &PhaseState, waits: &RetryWaits) -> Option<Effect> {
    let (error_class, asked_s) = match phase.failure.as_ref()? {
        RunOutcome::Completed => return None,
        RunOutcome::Stopped { .. } => return Some(Effect::Block { reason: BlockReason::Stopped }),
        RunOutcome::DoomLoop { .. } => {
            return Some(Effect::Block { reason: BlockReason::DoomLoop });
        }
        RunOutcome::Failed { error_class, retry_after_s, .. } => (*error_class, *retry_after_s),
    };
    let attempt = phase.retries.get(&error_class).map_or(0, |tried| *tried) + 1;
    Some(match (error_class, waits.wait_s(error_class, attempt, asked_s)) {
        (ErrorClass::Config, _) => Effect::Block { reason: BlockReason::Config },
        (_, Some(wait_s)) => Effect::Retry { error_class, attempt, wait_s },
        (_, None) => Effect::Block { reason: BlockReason::Retries },
    })
}

fn stage_effect(state: &BuildState, phase: &PhaseState, number: u32) -> Effect {
    let spending = matches!(phase.stage, Stage::Agent(_) | Stage::Refused);
    if spending && let Some(limit) = state.exhausted() {
        return Effect::Block { reason: block_reason(limit) };
    }
    match phase.stage {
        Stage::Agent(Task::Execute) if phase.iteration == 0 => {
            Effect::StartIteration { phase: number, n: 1 }
        }
        Stage::Agent(task) => Effect::RunAgent { phase: number, task, run: phase.run },
        Stage::Gates => {
            let names = due_gates(state, phase);
            if names.is_empty() {
                Effect::JudgeRound { phase: number }
            } else {
                Effect::RunGates { phase: Some(number), names }
            }
        }
        Stage::Refused if phase.fix_attempts >= MAX_FIX_ATTEMPTS => {
            let reason = match state.base.conflict {
                Some(_) => BlockReason::RebaseConflict,
                None => BlockReason::FixAttempts,
            };
            Effect::Block { reason }
        }
        Stage::Refused => {
            let attempt = phase.fix_attempts + 1;
            Effect::StartFix { phase: number, attempt, causes: refusals(phase) }
        }
        Stage::Commit => Effect::Commit { phase: number },
        Stage::Push => Effect::Push,
        Stage::Complete => Effect::CompletePhase { phase: number },
    }
}

/// The gates of the round that have not run. After a fix, the gates that failed run first: while one
/// of them fails, the others are not needed. When they pass, the others run too, because a fix may
/// break other code.
fn due_gates(state: &BuildState, phase: &PhaseState) -> Vec<String> {
    let mut names = state.gate_names(Some(phase));
    names.retain(|name| !phase.gates.contains_key(name));
    let Some(fix) = &phase.fix else { return names };
    let failed: Vec<_> = names.iter().filter(|name| fix.causes.contains(name)).cloned().collect();
    if !failed.is_empty() {
        return failed;
    }
    let still_red =
        |cause| phase.gates.get(cause).is_some_and(|gate| gate.required && !gate.passed);
    if fix.causes.iter().any(still_red) { Vec::new() } else { names }
}

/// What rejected the result: gates by name, or `audit`.
pub fn refusals(phase: &PhaseState) -> Vec<String> {
    if let Some(cause) = &phase.requested_fix {
        return vec![cause.clone()];
    }
    if !phase.not_attempted.is_empty() {
        return phase.not_attempted.clone();
    }
    let failed = phase.gates.iter().filter(|(_, gate)| gate.required && !gate.passed);
    let mut names: Vec<String> = failed.map(|(name, _)| name.clone()).collect();
    if names.is_empty() {
        names.push("audit".to_owned());
    }
    names
}

/// The reason to block a build that has exhausted a limit.
pub fn block_reason(limit: Exhausted) -> BlockReason {
    match limit {
        Exhausted::Iterations => BlockReason::Iterations,
        Exhausted::Minutes => BlockReason::Minutes,
        Exhausted::Tokens => BlockReason::Tokens,
        Exhausted::Usd => BlockReason::Usd,
    }
}
