//! What must hold from one event to the next, whatever happens.

use chrono::{DateTime, Utc};
use domain::{
    decide::Effect,
    event::EventBody,
    progress::Progress,
    state::{BuildState, MAX_FIX_ATTEMPTS, PhaseStatus, Stage, Status},
    usage::ModelUse,
};

/// Every change of status there is; the design's table.
pub const TRANSITIONS: [(Status, &[Status]); 9] = [
    (Status::Queued, &[Status::Running, Status::Blocked, Status::Abandoned]),
    (
        Status::Running,
        &[
            Status::AwaitingInput,
            Status::Paused,
            Status::Retrying,
            Status::Blocked,
            Status::Sealing,
            Status::Abandoned,
        ],
    ),
    // It is abandoned by way of running or sealing: its question is cancelled first.
    (Status::AwaitingInput, &[Status::Running, Status::Paused, Status::Sealing]),
    (
        Status::Paused,
        &[Status::Running, Status::AwaitingInput, Status::Retrying, Status::Abandoned],
    ),
    (
        Status::Retrying,
        &[Status::Running, Status::Sealing, Status::Paused, Status::Blocked, Status::Abandoned],
    ),
    (Status::Blocked, &[Status::Queued, Status::Running, Status::Abandoned]),
    (
        Status::Sealing,
        &[
            Status::AwaitingInput,
            Status::Sealed,
            Status::Retrying,
            Status::Blocked,
            Status::Abandoned,
        ],
    ),
    (Status::Sealed, &[]),
    (Status::Abandoned, &[]),
];

/// Whether the table has this change, or nothing changed.
pub fn may_become(before: Status, after: Status) -> bool {
    let row = TRANSITIONS.iter().find(|(from, _)| *from == before);
    before == after || row.is_some_and(|(_, to)| to.contains(&after))
}

/// Panics where an accepted event breaks a rule.
pub fn check_event(before: &BuildState, at: DateTime<Utc>, body: &EventBody, after: &BuildState) {
    let event = body.type_name();
    let (was, is) = (before.status, after.status);
    assert!(may_become(was, is), "{event}: {} became {}", was.name(), is.name());
    let gap = (at - before.last_at).num_milliseconds().max(0);
    let starts_again =
        matches!(body, EventBody::BuildResumed(_) | EventBody::BuildClockCorrected(_));
    let counts = was.is_working() && !starts_again && !body.is_command();
    let worked = after.spent.working_ms - before.spent.working_ms;
    assert_eq!(worked, if counts { gap } else { 0 }, "{event} while {}", was.name());
    assert!(after.spent.tokens_in >= before.spent.tokens_in, "{event}");
    check_state(after);
}

fn check_state(state: &BuildState) {
    check_usage(state);
    check_progress(state);
    let waits = state.status == Status::AwaitingInput;
    let may_wait = waits || state.status == Status::Paused;
    let asked = !state.questions.is_empty();
    assert!(asked == waits || (asked && may_wait), "{}", state.status.name());
    assert!(state.spent.clarifications <= state.budgets.clarifications);
    assert!(state.spent.permission_prompts <= state.budgets.permission_prompts);
    let is_stopped = state.questions.iter().any(|open| open.remaining_ms.is_some());
    assert!(!is_stopped || state.status == Status::Paused);
    if state.status != Status::Abandoned {
        let paused = state.status == Status::Paused;
        assert_eq!(state.retry.is_some() && !paused, state.status == Status::Retrying);
        assert_eq!(state.blocked.is_some(), state.status == Status::Blocked);
    }
    let running = state.phases.iter().filter(|phase| phase.status == PhaseStatus::Running);
    assert!(running.count() <= 1);
    let is_done = matches!(state.status, Status::Queued | Status::Sealing);
    assert!(state.gate_request.is_none() || !is_done);
    for phase in &state.phases {
        assert_eq!(phase.skipped.is_some(), phase.status == PhaseStatus::Skipped);
        assert!(phase.iteration <= state.budgets.iterations);
        assert!(phase.fix_attempts <= MAX_FIX_ATTEMPTS);
        let is_signed_off = matches!(phase.stage, Stage::Commit | Stage::Push | Stage::Complete);
        if is_signed_off && phase.status == PhaseStatus::Running {
            let green = |name: &String| {
                phase.gates.get(name).is_some_and(|gate| !gate.required || gate.passed)
            };
            // A gate may have been changed after the commit.
            let is_later = |name: &String| {
                phase.stage != Stage::Commit && state.changed_gates.contains_key(name)
            };
            let names = state.gate_names(Some(phase));
            let mut due = names.iter().filter(|name| !is_later(name));
            assert!(due.all(green), "signed off without a gate");
        }
        for (class, tried) in &phase.retries {
            assert!(*tried as usize <= state.queued.waits.of(*class).len(), "{class:?}: {tried}");
        }
    }
    if matches!(state.status, Status::Sealing | Status::Sealed) {
        assert!(state.phases.iter().all(|phase| phase.signed_off || phase.skipped.is_some()));
        assert!(state.pause_requested.is_none());
    }
}

fn check_progress(state: &BuildState) {
    let Progress { step, percent } = Progress::of(state);
    assert!(!step.is_empty() && percent <= 100);
    assert_eq!(percent == 100, state.status == Status::Sealed, "{step}");
}

/// What roles and models used is what the build spent.
fn check_usage(state: &BuildState) {
    let sum = |count: fn(&ModelUse) -> u64| state.usage.models.iter().map(count).sum::<u64>();
    let sent = sum(|used| used.tokens_in + used.cache_read + used.cache_write);
    assert_eq!(sent, state.spent.tokens_in);
    assert_eq!(sum(|used| used.tokens_out), state.spent.tokens_out);
    assert_eq!(sum(|used| used.cost_usd_micros), state.spent.usd_micros);
}

/// Panics where an effect would spend what is not there.
pub fn check_effect(state: &BuildState, effect: &Effect) {
    let spends = matches!(
        effect,
        Effect::RunAgent { .. } | Effect::StartIteration { .. } | Effect::StartFix { .. }
    );
    if spends {
        let rounds = state.phase().map_or(0, |phase| phase.iteration);
        let rounds = rounds + u32::from(matches!(effect, Effect::StartFix { .. }));
        assert_eq!(state.budgets.exhausted(&state.spent, rounds), None, "{effect:?}");
    }
}
