//! Which gates run in which round: all of them at first, after a fix those that failed, and all
//! before a phase is signed off and before the seal.

use std::collections::BTreeMap;

use domain::{
    decide::{Effect, decide},
    errors::{ResolutionMethod, Severity},
    event::{
        EventBody,
        agents::{AgentFinished, RunOutcome, Task},
        gates::GateStarted,
    },
    ids::Id,
    rounds,
    state::Status,
    tracking::{self, ObservedFailure},
};
use uuid::Uuid;

use crate::{choices::Choices, player::Life, samples};

/// A phase without a declared scope in a project with the gates `test`, required, and `lint`.
fn at_the_gates() -> Life {
    // One phase, not scoped; default limits; both gates.
    let mut life = Life::begin(Choices::new(vec![0, 0, 0, 0, 0, 0, 0, 0, 1]), false);
    life.play_until(|_, effect| matches!(effect, Effect::RunGates { .. }));
    life
}

fn due(life: &Life) -> Vec<String> {
    match decide(life.state(), life.now) {
        Effect::RunGates { phase: Some(0), names } => names,
        other => panic!("no gates but {other:?}"),
    }
}

fn say(life: &mut Life, gate: &str, passed: bool) {
    complain(life, gate, passed, &[]);
}

/// A gate speaks, with these errors.
fn complain(life: &mut Life, gate: &str, passed: bool, errors: &[&str]) {
    let started = GateStarted {
        gate: gate.to_owned(),
        command: String::new(),
        phase: Some(0),
        tree_sha: None,
    };
    let mut finished = samples::gate_finished(gate, Some(0), passed, samples::BASELINE);
    finished.required = gate != "lint";
    life.append(vec![started.into(), finished.into()]).unwrap();
    let seen = errors
        .iter()
        .map(|told| ObservedFailure::new(rounds::gate_source(gate), Severity::Error, *told));
    let mut number = life.events.len() as u128;
    let new_id = || {
        number += 1;
        Id::from_uuid(Uuid::from_u128(number))
    };
    let tracked = tracking::track_all(life.state(), life.build, new_id, life.now, seen);
    life.append(tracked).unwrap();
}

/// Judges the round, and lets a fixer do its work where something was refused.
fn judge_and_fix(life: &mut Life) {
    fix_saying(life, "That was it.");
}

fn fix_saying(life: &mut Life, summary: &str) {
    assert!(matches!(decide(life.state(), life.now), Effect::JudgeRound { phase: 0 }));
    life.append(rounds::finish_round(life.state())).unwrap();
    life.play_until(|_, effect| matches!(effect, Effect::RunAgent { task: Task::Fix, .. }));
    let run = life.start_agent(0, Task::Fix).unwrap();
    let summary = summary.to_owned();
    let finished = AgentFinished { summary, ..samples::finished(run, RunOutcome::Completed) };
    life.append(vec![finished.into()]).unwrap();
}

#[test]
fn failed_gates_run_first_after_a_fix() {
    let mut life = at_the_gates();
    assert_eq!(due(&life), ["validate", "test", "lint"], "the first round asks all, at once");
    for (gate, passed) in [("validate", true), ("test", false), ("lint", false)] {
        say(&mut life, gate, passed);
    }
    judge_and_fix(&mut life);
    assert_eq!(due(&life), ["test"], "what need not pass is not mended either");
    say(&mut life, "test", false);
    judge_and_fix(&mut life);
    assert_eq!(due(&life), ["test"]);
    say(&mut life, "test", true);
    assert_eq!(due(&life), ["validate", "lint"], "a fix may break what it did not mean to touch");
    say(&mut life, "validate", false);
    say(&mut life, "lint", true);
    judge_and_fix(&mut life);
    assert_eq!(due(&life), ["validate"]);
    say(&mut life, "validate", true);
    assert_eq!(due(&life), ["test", "lint"]);
    say(&mut life, "test", true);
    say(&mut life, "lint", true);
    life.append(rounds::finish_round(life.state())).unwrap();
    let next = decide(life.state(), life.now);
    assert!(matches!(next, Effect::RunAgent { task: Task::Audit, .. }), "{next:?}");
}

#[test]
fn error_is_resolved_with_the_summaries_of_fixes_since_its_last_occurrence() {
    let mut life = at_the_gates();
    say(&mut life, "validate", true);
    say(&mut life, "lint", true);
    complain(&mut life, "test", false, &["adds", "subtracts"]);
    fix_saying(&mut life, "Mended adding.");
    complain(&mut life, "test", false, &["subtracts"]);
    let open = |life: &Life| life.state().open_errors();
    assert_eq!(open(&life), 2, "what a red gate does not say is not settled by that");
    fix_saying(&mut life, "Mended subtracting.");
    say(&mut life, "test", true);
    say(&mut life, "validate", true);
    say(&mut life, "lint", true);

    let counts: BTreeMap<_, _> =
        life.state().errors.values().map(|error| (error.id, error.occurrence_count)).collect();
    let told = rounds::finish_round(life.state());
    let settled = told.iter().filter_map(|event| match event {
        EventBody::BuildErrorResolved(it) => {
            assert_eq!(it.method, ResolutionMethod::AutoFix);
            Some((counts[&it.error_id], it.summary.clone().unwrap()))
        }
        _ => None,
    });
    let settled: BTreeMap<u32, String> = settled.collect();
    assert_eq!(settled[&1], "Mended adding.\nThen: Mended subtracting.");
    assert_eq!(settled[&2], "Mended subtracting.");
    life.append(told).unwrap();
    assert_eq!(open(&life), 0);
}

#[test]
fn round_cannot_pass_before_every_gate_has_run() {
    let mut life = at_the_gates();
    say(&mut life, "test", true);
    let early: Vec<EventBody> = rounds::finish_round(life.state());
    assert_eq!(life.append(early).unwrap_err().why, "a gate has not run");
}

#[test]
fn final_gates_run_before_sealing() {
    let mut life = at_the_gates();
    life.play_until(|state, _| state.status == Status::Sealing);
    let Effect::RunGates { phase: None, names } = decide(life.state(), life.now) else { panic!() };
    // At the end `scope` runs over the whole branch, where a phase had one.
    assert_eq!(names, ["validate", "test", "lint"]);
}
