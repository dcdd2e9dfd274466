//! Gates that are changed while a build is paused or blocked, and gates that run while agents work.

use domain::{
    decide::{Effect, decide},
    event::{
        EventBody,
        agents::Task,
        gates::GatesChanged,
        life::{BlockReason, Blocked, Unpaused},
    },
    gate::GateDefinition,
    seal,
    state::{BuildState, MAX_FIX_ATTEMPTS, Stage, Status},
    step::{Illegal, step},
    verdict::Standing,
};

use crate::{choices::Choices, people, player::Life, samples, seals};

fn tried(state: &BuildState, body: EventBody) -> Result<BuildState, Illegal> {
    step(Some(state.clone()), 1_000, state.last_at, &body)
}

fn after(state: &BuildState, body: EventBody) -> BuildState {
    tried(state, body).expect("the event is legal")
}

fn blocked(state: &BuildState) -> BuildState {
    let (reason, report) = (BlockReason::FixAttempts, String::new());
    after(state, Blocked { reason, last_failures: Vec::new(), report }.into())
}

/// The build continues with these gates of its project.
fn resumed_with(halted: &BuildState, gates: Vec<GateDefinition>) -> BuildState {
    let requested = after(halted, people::resume(Some(samples::more())));
    let changed = samples::gates_changed(&requested, gates);
    let state = after(&requested, changed.into());
    let (by, question_expiries) = (samples::ada(), Vec::new());
    after(&state, Unpaused { by, question_expiries, question_expires_at: None }.into())
}

/// A finished build that was blocked on its way to the seal.
fn blocked_at_the_end() -> BuildState {
    blocked(&seals::ready())
}

/// The same build after all gates have passed again.
fn checked_again(mut state: BuildState) -> BuildState {
    let head = state.branch.as_ref().unwrap().head_sha.clone();
    let sealed = seals::ready();
    for name in state.gate_names(None) {
        let required = state.gate(&name).is_none_or(|gate| gate.required);
        let mut result = sealed.final_gates["test"].clone();
        (result.required, result.head_sha) = (required, head.clone());
        state.final_gates.insert(name, result);
    }
    state.test_evidence = sealed.test_evidence;
    state
}

/// Why the build is not certified.
fn open_proofs(state: &BuildState) -> Vec<String> {
    let clauses = seal::evidence(state).clauses.into_iter();
    let proofs = clauses.flat_map(|clause| clause.proofs);
    proofs.filter(|proof| proof.standing != Standing::Holds).map(|proof| proof.what).collect()
}

#[test]
fn gates_that_a_project_no_longer_requires_are_part_of_the_verdict() {
    let (test, lint) = (samples::gate("test", true), samples::gate("lint", false));
    let optional = samples::gate("test", false);
    let renamed = GateDefinition { name: "check".to_owned(), ..test.clone() };
    let other = GateDefinition { command: "make all".to_owned(), ..test.clone() };
    let table = [
        ("removed", vec![lint.clone()], Some("test: removed since Ada resumed the build")),
        ("optional", vec![optional], Some("test: no longer required since Ada resumed the build")),
        ("renamed", vec![renamed, lint.clone()], None),
        ("another command", vec![other, lint.clone()], None),
        ("an optional one removed", vec![test.clone()], None),
        ("one more", vec![test.clone(), lint.clone(), samples::gate("late", true)], None),
    ];
    let restored = vec![test, lint];
    for (what, gates, reason) in table {
        let state = resumed_with(&blocked_at_the_end(), gates);
        assert!(state.final_gates.is_empty(), "{what}: all gates run again");
        let checked = checked_again(state.clone());
        let open = open_proofs(&checked);
        assert_eq!(open.iter().any(|proof| Some(proof.as_str()) == reason), reason.is_some());
        assert_eq!(open.is_empty(), reason.is_none(), "{what}: {open:?}");
        let again = resumed_with(&blocked(&state), restored.clone());
        assert_eq!(open_proofs(&checked_again(again)), [""; 0], "{what}");
    }
}

#[test]
fn changed_command_is_named_beside_the_result() {
    let gate = GateDefinition { command: "true".to_owned(), ..samples::gate("test", true) };
    let state = resumed_with(&blocked_at_the_end(), vec![gate]);
    let evidence = seal::evidence(&checked_again(state));
    let named = "test: passed, tests run: 3 (its command was changed during the build)";
    let proofs = evidence.clauses.iter().flat_map(|clause| &clause.proofs);
    assert!(proofs.into_iter().any(|proof| proof.what == named), "{evidence:#?}");
}

#[test]
fn rejected_round_is_judged_again_by_the_changed_gates() {
    let mut life = Life::begin(Choices::new(vec![2]), false);
    life.play_until(|_, effect| matches!(effect, Effect::JudgeRound { .. }));
    let mut state = life.state().clone();
    let phase = &mut state.phases[0];
    (phase.stage, phase.fix_attempts) = (Stage::Refused, MAX_FIX_ATTEMPTS);
    let state = resumed_with(&blocked(&state), vec![samples::gate("late", true)]);
    let Effect::RunGates { phase: Some(0), names } = decide(&state, state.last_at) else {
        panic!("{:?}", decide(&state, state.last_at))
    };
    assert_eq!(names, ["validate", "late"]);
}

#[test]
fn gates_change_only_with_a_resume_and_as_the_event_says() {
    let halted = blocked_at_the_end();
    let changed = samples::gates_changed(&halted, Vec::new());
    assert!(tried(&halted, changed.clone().into()).is_err(), "it was not resumed");
    let requested = after(&halted, people::resume(Some(samples::more())));
    let silent = GatesChanged { changes: changed.changes[1..].to_vec(), ..changed.clone() };
    assert!(tried(&requested, silent.into()).is_err());
    let state = after(&requested, changed.into());
    assert!(tried(&state, samples::gates_changed(&state, Vec::new()).into()).is_err());
}

#[test]
fn requested_gates_run_between_the_steps_of_an_agent() {
    let mut life = Life::begin(Choices::new(vec![2]), false);
    life.play_until(|_, effect| matches!(effect, Effect::RunAgent { task: Task::Execute, .. }));
    let run = life.start_agent(0, Task::Execute).unwrap();
    let working = life.state().clone();
    let mut state = after(&working, people::run_gates());
    assert!(state.wants_attention() && !state.is_interrupted());
    let Effect::RunRequestedGates { names } = decide(&state, state.last_at) else {
        panic!("{:?}", decide(&state, state.last_at))
    };
    for name in names {
        state = after(&state, samples::requested_gate_finished(&name, 0).into());
    }
    assert!(!state.wants_attention());
    let next = Effect::RunAgent { phase: 0, task: Task::Execute, run: Some(run) };
    assert_eq!((decide(&state, state.last_at), state.status), (next, Status::Running));
    assert_eq!(state.phases, working.phases);
}
