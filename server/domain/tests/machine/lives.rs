//! Whole lives: every one ends, keeps the rules, and can be taken up anywhere in its journal.

use std::collections::HashSet;

use domain::{
    decide::{Effect, decide},
    errors::Severity,
    event::{
        agents::{RunOutcome, Task},
        gates::CriterionResult,
        life::{BlockReason, Blocked},
    },
    failure::ErrorClass,
    state::{BuildState, Status},
    step::step,
    verdict::Verdict,
};
use proptest::prelude::*;

use crate::{
    agents,
    choices::{Choices, any_choices},
    people,
    player::{End, Life},
    samples,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    // The player itself panics where a rule is broken or `step` refuses what `decide` asked for.
    #[test]
    fn every_life_ends_within_the_rules(choices in any_choices()) {
        let mut life = Life::begin(choices, false);
        let end = life.play();
        let final_status = life.state().status.is_final();
        prop_assert_eq!(final_status, end != End::Parked);
        if life.cancelled && end != End::Parked {
            prop_assert_eq!(life.state().status, Status::Abandoned);
        }
    }

    #[test]
    fn people_who_are_faster_never_bring_a_build_to_a_halt(choices in any_choices()) {
        let mut life = Life::begin(choices, true);
        let end = life.play();
        if life.cancelled {
            // Only a seal commit that was pushed before the request could be read comes first.
            let was_sealed = end == End::Sealed && life.state().cancel_requested.is_some();
            prop_assert!(end == End::Abandoned || was_sealed, "{end:?}");
        }
    }

    // One step from a stored state is all that has to be shown: longer ways are many of those.
    #[test]
    fn a_journal_cut_anywhere_folds_to_the_same_state(choices in any_choices()) {
        let mut life = Life::begin(choices, false);
        life.play();
        for (index, state) in life.states.iter().enumerate() {
            let stored = serde_json::to_string(state).unwrap();
            let restored: BuildState = serde_json::from_str(&stored).unwrap();
            prop_assert_eq!(&restored, state);
            let Some(event) = life.events.get(index + 1) else { continue };
            let next = step(Some(restored), event.seq, event.at, &event.body);
            prop_assert_eq!(next.as_ref(), Ok(&life.states[index + 1]));
        }
    }

    #[test]
    fn what_has_ended_accepts_nothing(choices in any_choices()) {
        let mut life = Life::begin(choices, false);
        life.play();
        let last = life.state().clone();
        prop_assume!(last.status.is_final());
        prop_assert_eq!(decide(&last, life.now), Effect::Nothing);
        for event in &life.events {
            let seq = life.events.len() as u64 + 1;
            prop_assert!(step(Some(last.clone()), seq, life.now, &event.body).is_err());
        }
    }
}

#[test]
fn build_without_failures_is_certified() {
    let mut life = Life::begin(Choices::kind(), false);
    assert_eq!(life.play(), End::Sealed);
    assert_eq!(life.state().sealed.as_ref().unwrap().verdict, Verdict::Certified);
}

/// The properties above would prove little if luck never led anywhere.
#[test]
fn random_builds_reach_every_status_ending_and_verdict() {
    let (mut statuses, mut ends, mut verdicts) = (HashSet::new(), HashSet::new(), HashSet::new());
    for seed in 0..200 {
        let mut life = Life::begin(Choices::of_seed(seed, 250), seed % 2 == 1);
        ends.insert(life.play());
        statuses.extend(life.states.iter().map(|state| state.status));
        verdicts.extend(life.state().sealed.iter().map(|sealed| sealed.verdict.name()));
    }
    assert_eq!(statuses.len(), Status::ALL.len(), "{statuses:?}");
    assert_eq!(ends.len(), 3, "{ends:?}");
    assert_eq!(verdicts.len(), 3, "{verdicts:?}");
}

/// A retry that is followed by an answer of the model and the same failure is one try more.
#[test]
fn run_that_fails_after_replies_is_retried_a_limited_number_of_times() {
    let failed = RunOutcome::Failed {
        retry_after_s: None,
        error_class: ErrorClass::Unknown,
        message: "no".into(),
    };
    let mut life = Life::begin(Choices::kind(), false);
    for _ in 0..4 {
        life.play_until(|_, effect| matches!(effect, Effect::RunAgent { .. }));
        let run = life.start_agent(0, Task::Scout).unwrap();
        let ended = samples::finished(run, failed.clone());
        life.append(vec![samples::turn(run, 0, 10).into(), ended.into()]).unwrap();
    }
    let effect = decide(life.state(), life.now);
    assert_eq!(effect, Effect::Block { reason: BlockReason::Retries });
}

/// One resumption is enough, also where a pause was asked for just before the build got stuck.
#[test]
fn blocked_build_continues_at_the_first_resume() {
    let mut life = Life::begin(Choices::kind(), false);
    life.play_until(|_, effect| matches!(effect, Effect::RunAgent { .. }));
    life.append(vec![people::pause()]).unwrap();
    let (reason, report) = (BlockReason::Stopped, String::new());
    life.append(vec![Blocked { reason, last_failures: vec![], report }.into()]).unwrap();
    life.append(vec![people::resume(None)]).unwrap();
    assert_eq!(decide(life.state(), life.now), Effect::Unpause { by: samples::ada() });
    assert_eq!(life.play(), End::Sealed);
}

/// What an auditor verified on older code is not verified any more.
#[test]
fn new_round_clears_earlier_results() {
    let mut life = Life::begin(Choices::new(vec![0, 0, 1]), false);
    life.play_until(|_, effect| matches!(effect, Effect::RunAgent { task: Task::Audit, .. }));
    let run = life.start_agent(0, Task::Audit).unwrap();
    let criterion = agents::criterion(0, 1, "criterion 0 of 0", CriterionResult::Passed);
    let mut refused = samples::finished(run, RunOutcome::Completed);
    refused.findings.push(samples::finding(Severity::Error));
    life.append(vec![criterion, refused.into()]).unwrap();
    assert_eq!(life.state().phases[0].criteria.len(), 1);
    life.play_until(|_, effect| matches!(effect, Effect::RunGates { .. }));
    assert!(life.state().phases[0].criteria.is_empty());
}

#[test]
fn worker_records_once_that_it_continues_a_build() {
    let mut life = Life::begin(Choices::kind(), false);
    assert_eq!(life.state().resumed(1, "b", 1), None, "it has not started");
    life.play_until(|_, effect| matches!(effect, Effect::RunAgent { .. }));
    let started = life.state().attempt;
    assert_eq!(life.state().resumed(9, "b", started), None, "this worker started it");
    let resumed = life.state().resumed(9, "b", started + 1).expect("another worker continues");
    life.append(vec![resumed.into()]).unwrap();
    assert_eq!(life.state().resumed(10, "b", started + 1), None, "that is recorded");
    life.play();
    assert_eq!(life.state().resumed(99, "b", started + 2), None, "it has ended");
}
