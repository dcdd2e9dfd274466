//! What users request of phases, gates and errors.

use chrono::TimeDelta;
use domain::{
    decide::{Effect, decide},
    errors::Severity,
    event::{
        EventBody,
        agents::{RunOutcome, Task},
        gates::RetryScheduled,
        life::{BlockReason, Blocked, FirstPhase, Paused, Unpaused},
    },
    failure::ErrorClass,
    rounds,
    state::{BuildState, MAX_FIX_ATTEMPTS, PhaseStatus, Stage, Status},
    step::{Illegal, step},
    tracking::{self, ObservedFailure},
};

use crate::{choices::Choices, people, player::Life, samples};

fn tried(state: &BuildState, body: EventBody) -> Result<BuildState, Illegal> {
    step(Some(state.clone()), 1_000, state.last_at, &body)
}

fn after(state: &BuildState, body: EventBody) -> BuildState {
    tried(state, body).expect("the event is legal")
}

fn next(state: &BuildState) -> Effect {
    decide(state, state.last_at)
}

/// A build of three phases that reached this point.
fn reached(is_there: impl Fn(&Effect) -> bool) -> BuildState {
    let mut life = Life::begin(Choices::new(vec![2]), false);
    life.play_until(|_, effect| is_there(effect));
    life.state().clone()
}

fn paused(state: &BuildState) -> BuildState {
    let state = after(state, people::pause());
    after(&state, Paused { by: samples::ada(), reason: None }.into())
}

fn blocked(state: &BuildState) -> BuildState {
    let (reason, report) = (BlockReason::FixAttempts, String::new());
    after(state, Blocked { reason, last_failures: Vec::new(), report }.into())
}

fn continued(state: &BuildState) -> BuildState {
    let Effect::Unpause { by } = next(state) else { panic!("{:?}", next(state)) };
    after(state, Unpaused { by, question_expires_at: None, question_expiries: Vec::new() }.into())
}

/// The state after the worker has done what was requested of the phase.
fn controlled(state: &BuildState) -> BuildState {
    let Effect::ControlPhase { request } = next(state) else { panic!("{:?}", next(state)) };
    rounds::control_phase(state, &request, None)
        .into_iter()
        .fold(state.clone(), |state, body| after(&state, body))
}

/// The first phase after its gates rejected it as often as is tried, with the error of a gate.
fn stuck() -> BuildState {
    let mut state = reached(|effect| matches!(effect, Effect::JudgeRound { .. }));
    let seen = ObservedFailure::new("gate:test", Severity::Error, "one failed");
    let tracked = tracking::track(&state, samples::id(9), samples::id(70), state.last_at, seen);
    state = after(&state, tracked);
    let phase = &mut state.phases[0];
    phase.stage = Stage::Refused;
    phase.fix_attempts = MAX_FIX_ATTEMPTS;
    phase.iteration = 4;
    blocked(&state)
}

#[test]
fn retried_phase_begins_again_without_its_conversation_and_counters() {
    let state = after(&stuck(), people::retry_phase(&stuck(), true).unwrap());
    let state = controlled(&state);
    let phase = &state.phases[0];
    assert_eq!((phase.status, phase.stage), (PhaseStatus::Pending, Stage::Agent(Task::Scout)));
    assert_eq!((phase.iteration, phase.fix_attempts), (0, 0));
    assert!(phase.conversation.is_empty() && phase.plan.is_empty() && phase.gates.is_empty());
    assert_eq!(phase.base_sha, stuck().phases[0].base_sha);
    let state = continued(&state);
    assert_eq!((state.status, state.blocked), (Status::Running, None));
    assert_eq!(next(&state), Effect::StartPhase { phase: 0 });
}

#[test]
fn skipped_phase_is_left_out_and_the_next_one_begins() {
    let state = paused(&reached(|effect| matches!(effect, Effect::RunAgent { .. })));
    let state = controlled(&after(&state, people::skip_phase(&state).unwrap()));
    let skipped = state.phases[0].skipped.as_deref().unwrap();
    assert_eq!((skipped.by.name(), &*skipped.reason), ("Ada", "it is not needed"));
    let state = continued(&state);
    assert_eq!(next(&state), Effect::StartPhase { phase: 1 });
}

#[test]
fn open_question_of_a_phase_is_cancelled_when_it_begins_again() {
    let mut life = Life::begin(Choices::new(vec![2]), false);
    life.play_until(|_, effect| matches!(effect, Effect::RunAgent { .. }));
    let run = life.start_agent(0, Task::Scout).unwrap();
    let asked = crate::agents::At {
        build: samples::id(9),
        run,
        task: Task::Scout,
        now: life.now,
        id: uuid::Uuid::from_u128(6),
    };
    let asked = crate::agents::any_question(life.state(), asked, &mut Choices::kind());
    let waiting = after(life.state(), asked);
    assert_eq!(waiting.status, Status::AwaitingInput);
    let state = controlled(&after(&waiting, people::retry_phase(&waiting, false).unwrap()));
    assert!(state.questions.is_empty() && state.phases[0].run.is_none());
    assert_eq!(next(&state), Effect::StartPhase { phase: 0 });
}

#[test]
fn retried_phase_does_not_wait_when_its_build_has_just_been_continued() {
    let mut life = Life::begin(Choices::new(vec![2]), false);
    life.play_until(|_, effect| matches!(effect, Effect::RunAgent { .. }));
    let run = life.start_agent(0, Task::Scout).unwrap();
    let (error_class, attempt) = (ErrorClass::Transient, 1);
    let retry_at = life.now + TimeDelta::hours(1);
    let message = "the provider is overloaded".to_owned();
    let failed = RunOutcome::Failed { error_class, retry_after_s: None, message };
    let failed = after(life.state(), samples::finished(run, failed).into());
    let retry = RetryScheduled { error_class, attempt, max_attempts: 9, retry_at };
    let halted = paused(&after(&failed, retry.into()));
    // The worker decided to continue before the request came.
    let state = after(&halted, people::resume(None));
    let (state, retried) = (after(&state, people::retry_phase(&state, true).unwrap()), state);
    let Effect::Unpause { by } = next(&retried) else { panic!("{:?}", next(&retried)) };
    let unpaused = Unpaused { by, question_expires_at: None, question_expiries: Vec::new() };
    let state = controlled(&after(&state, unpaused.into()));
    assert_eq!((state.status, &state.retry), (Status::Running, &None));
    assert_eq!(next(&state), Effect::StartPhase { phase: 0 });
}

#[test]
fn only_the_current_phase_is_retried_or_skipped_and_only_while_nothing_runs() {
    let running = reached(|effect| matches!(effect, Effect::RunAgent { .. }));
    assert!(tried(&running, people::retry_phase(&running, true).unwrap()).is_err());
    assert!(tried(&running, people::skip_phase(&running).unwrap()).is_err());
    let halted = paused(&running);
    let EventBody::BuildPhaseSkipRequested(mut other) = people::skip_phase(&halted).unwrap() else {
        panic!("it is a request")
    };
    other.phase = 1;
    assert!(tried(&halted, other.clone().into()).is_err());
    (other.phase, other.reason) = (0, " ".to_owned());
    assert!(tried(&halted, other.into()).is_err());
    let requested = after(&halted, people::skip_phase(&halted).unwrap());
    assert!(tried(&requested, people::retry_phase(&halted, true).unwrap()).is_err());
    let pending = paused(&reached(|effect| *effect == Effect::StartPhase { phase: 0 }));
    assert!(tried(&pending, people::retry_phase(&pending, true).unwrap()).is_err());
    let committed = paused(&reached(|effect| *effect == Effect::Push));
    assert!(tried(&committed, people::skip_phase(&committed).unwrap()).is_err());
}

#[test]
fn last_remaining_phase_is_not_skipped() {
    let mut state = paused(&reached(|effect| matches!(effect, Effect::RunAgent { .. })));
    for phase in 0..state.phases.len() - 1 {
        state = controlled(&after(&state, people::skip_phase(&state).unwrap()));
        assert_eq!(state.phases[phase].status, PhaseStatus::Skipped);
    }
    let refused = tried(&state, people::skip_phase(&state).unwrap()).unwrap_err();
    assert_eq!(refused.why, "no phase would be left: cancel the build instead");
}

#[test]
fn build_begins_with_its_first_phase_and_still_runs_its_gates_on_the_baseline() {
    let life = Life::begin(Choices::new(vec![2]), false);
    let mut queued = life.state().queued.clone();
    queued.first_phase = Some(Box::new(FirstPhase { number: 2, by: samples::ada() }));
    queued.preflight = true;
    let state = step(None, 1, samples::dawn(), &queued.into()).unwrap();
    let statuses: Vec<PhaseStatus> = state.phases.iter().map(|phase| phase.status).collect();
    assert_eq!(statuses, [PhaseStatus::Skipped, PhaseStatus::Skipped, PhaseStatus::Pending]);
    assert_eq!(state.phases[0].skipped.as_ref().unwrap().reason, "started at phase 2");
    assert_eq!(state.phase().unwrap().outline.number, 2);
    assert!(!state.preflight_gates().is_empty());
}

#[test]
fn requested_gates_run_once_and_change_nothing_else() {
    let state = stuck();
    let mut checked = after(&state, people::run_gates());
    assert!(tried(&checked, people::run_gates()).is_err());
    let Effect::RunRequestedGates { names } = next(&checked) else { panic!("{checked:?}") };
    for name in &names {
        checked = after(&checked, samples::requested_gate_finished(name, 0).into());
        assert!(tried(&checked, samples::requested_gate_finished(name, 0).into()).is_err());
    }
    assert_eq!(next(&checked), Effect::Park);
    assert_eq!(BuildState { last_at: state.last_at, ..checked }, state);
}

#[test]
fn resumed_build_does_not_wait_for_requested_gates() {
    let state = after(&after(&stuck(), people::run_gates()), people::resume(None));
    let state = continued(&state);
    assert_eq!((state.gate_request, state.status), (None, Status::Running));
}

#[test]
fn fix_that_a_user_requests_is_about_the_chosen_error_only() {
    let mut state = stuck();
    state.phases[0].gates.values_mut().for_each(|gate| gate.passed = false);
    let state = continued(&after(&state, people::fix_error(&state).unwrap()));
    let causes = vec!["test".to_owned()];
    assert_eq!(next(&state), Effect::StartFix { phase: 0, attempt: 1, causes });
}

#[test]
fn error_of_a_phase_that_is_audited_goes_back_to_a_fix() {
    let mut life = Life::begin(Choices::new(vec![2]), false);
    life.play_until(|_, effect| matches!(effect, Effect::RunAgent { task: Task::Audit, .. }));
    life.start_agent(0, Task::Audit).unwrap();
    let seen = ObservedFailure::new("gate:lint", Severity::Warning, "unused");
    let state = life.state();
    let tracked = tracking::track(state, samples::id(9), samples::id(70), state.last_at, seen);
    let state = paused(&after(state, tracked));
    let state = continued(&after(&state, people::fix_error(&state).unwrap()));
    let causes = vec!["lint".to_owned()];
    assert_eq!(next(&state), Effect::StartFix { phase: 0, attempt: 1, causes });
}

#[test]
fn agent_that_still_writes_is_not_stopped_to_fix_an_error() {
    let mut life = Life::begin(Choices::new(vec![2]), false);
    life.play_until(|_, effect| matches!(effect, Effect::RunAgent { task: Task::Execute, .. }));
    let run = life.start_agent(0, Task::Execute).unwrap();
    let stopped = samples::finished(run, RunOutcome::DoomLoop { tool: "x".to_owned() });
    let seen = ObservedFailure::new("gate:test", Severity::Error, "one failed");
    let state = life.state();
    let tracked = tracking::track(state, samples::id(9), samples::id(70), state.last_at, seen);
    let state = blocked(&after(&after(state, tracked), stopped.into()));
    let state = continued(&after(&state, people::fix_error(&state).unwrap()));
    assert!(matches!(next(&state), Effect::RunAgent { task: Task::Execute, .. }));
}
