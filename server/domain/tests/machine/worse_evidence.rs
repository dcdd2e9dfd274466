//! Worse evidence never improves the verdict, and nothing is certified without tests that passed.

use domain::{
    criterion::ProofType,
    errors::Severity,
    event::{gates::CriterionResult, test_checks::TestChange},
    gate::{NamedTest, TestCounts, TestOutcome},
    seal,
    state::{BuildState, RedCheck},
    verdict::{Clause, ClauseKind, Evidence, Proof, Standing, Verdict},
};
use proptest::prelude::*;

use crate::{
    choices::any_choices,
    player::Life,
    samples,
    seals::{
        add_error, add_finding, compare, declare, first_criterion, gate, judge, judged, ready,
        skip_phase,
    },
};

/// 0 is the best.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Certified => 0,
        Verdict::Conditional => 1,
        Verdict::Flagged => 2,
    }
}

fn any_evidence() -> impl Strategy<Value = Evidence> {
    let standings = proptest::collection::vec(0..3_u8, 1..5);
    proptest::collection::vec(standings, 1..7).prop_map(|clauses| Evidence {
        rules: seal::RULES,
        tree_sha: None,
        head_sha: samples::BASELINE.to_owned(),
        clauses: clauses.iter().map(|standings| clause_of(standings)).collect(),
    })
}

fn clause_of(standings: &[u8]) -> Clause {
    let ways = [Standing::Holds, Standing::Open, Standing::Broken];
    let proof = |way: &u8| Proof {
        tree_sha: None,
        what: "it".to_owned(),
        standing: ways[usize::from(*way)],
        commit: None,
        command: None,
        exit_code: None,
        output_sha256: None,
        sandbox: None,
    };
    let proofs: Vec<Proof> = standings.iter().map(proof).collect();
    let standing = proofs.iter().map(|proof| proof.standing).max().unwrap_or(Standing::Open);
    Clause { clause: ClauseKind::Gates, standing, proofs }
}

proptest! {
    #[test]
    fn a_worse_proof_never_improves_the_verdict(
        evidence in any_evidence(),
        which in any::<prop::sample::Index>(),
        proof in 0..3_u8,
    ) {
        let mut worse = evidence.clone();
        let clause = which.get(&worse.clauses).clone();
        let mut standings: Vec<u8> = clause.proofs.iter().map(|p| p.standing as u8).collect();
        standings.push(proof);
        worse.clauses[which.index(evidence.clauses.len())] = clause_of(&standings);
        let (before, after) = (seal::verdict(&evidence), seal::verdict(&worse));
        prop_assert!(rank(after) >= rank(before), "{before:?} became {after:?}");
        prop_assert!(seal::score(&worse) <= seal::score(&evidence));
    }

    #[test]
    fn build_without_an_executed_test_is_not_certified(choices in any_choices()) {
        let mut life = Life::begin(choices, false);
        life.play();
        let mut state = life.state().clone();
        for gate in state.final_gates.values_mut() {
            gate.tests = gate.tests.map(|tests| TestCounts { passed: 0, failed: 0, ..tests });
        }
        prop_assert_ne!(seal::verdict(&seal::evidence(&state)), Verdict::Certified);
    }

    #[test]
    fn build_with_a_skipped_phase_is_not_certified(choices in any_choices(), which in 0..3_usize) {
        let mut life = Life::begin(choices, false);
        life.play();
        let mut state = life.state().clone();
        let index = which % state.phases.len();
        skip_phase(&mut state.phases[index]);
        let evidence = seal::evidence(&state);
        prop_assert_ne!(seal::verdict(&evidence), Verdict::Certified);
        let proofs = evidence.clauses.iter().flat_map(|clause| &clause.proofs);
        let skipped = format!("{}: skipped by Ada: it is not needed", state.phases[index].label());
        prop_assert!(proofs.into_iter().any(|proof| proof.what == skipped));
    }

    // Whatever the auditor says, and in whichever gates and states the test was seen.
    #[test]
    fn criterion_with_a_test_holds_only_if_a_required_gate_saw_it_pass(
        outcome in proptest::option::of(prop::sample::select(&OUTCOMES[..])),
        judgement in proptest::option::of(prop::sample::select(&RESULTS[..])),
        in_required in any::<bool>(),
        is_green in any::<bool>(),
        on_head in any::<bool>(),
    ) {
        let mut state = ready();
        declare(&mut state, ProofType::Test { names: vec!["fine".to_owned()] });
        judge(&mut state, judgement);
        compare(&mut state, TestChange::Unchanged);
        gate(&mut state, "test").named_tests.clear();
        let gate = gate(&mut state, if in_required { "test" } else { "lint" });
        gate.passed = is_green;
        if !on_head {
            gate.head_sha = "0".repeat(40);
        }
        gate.named_tests =
            outcome.map(|outcome| NamedTest { name: "fine".to_owned(), outcome }).into_iter().collect();
        let is_observed =
            in_required && is_green && on_head && outcome == Some(TestOutcome::Passed);
        let objects = judgement == Some(CriterionResult::Failed);
        let standing = first_criterion(&state).standing;
        prop_assert_eq!(standing == Standing::Holds, is_observed && !objects, "{:?}", state.final_gates);
        if !is_observed {
            prop_assert_ne!(judged(&state).0, "CERTIFIED");
        }
    }

    // Whatever else was found out about it.
    #[test]
    fn criterion_whose_test_passes_without_the_change_is_not_proven(
        is_changed in any::<bool>(),
        is_inline in any::<bool>(),
        before in proptest::option::of(proptest::option::of(prop::sample::select(&OUTCOMES[..]))),
        red_check in any::<bool>(),
    ) {
        let mut state = ready();
        declare(&mut state, ProofType::Test { names: vec![samples::TEST.to_owned()] });
        state.queued.test_checks.red_check = red_check;
        compare(&mut state, match (is_changed, is_inline) {
            (true, _) => TestChange::Changed { base_sha: samples::BASELINE.to_owned(), file: None },
            (false, true) => TestChange::Inline { path: "src/lib.rs".to_owned() },
            (false, false) => TestChange::Unchanged,
        });
        if let Some(outcome) = before {
            let check = samples::red_check(&state, samples::BASELINE, "test", false);
            let named = outcome.map(|outcome| NamedTest { outcome, ..samples::passed_test() });
            let check = RedCheck { named_tests: named.into_iter().collect(), ..(&check).into() };
            state.test_evidence.red_checks.push(check);
        }
        let failed_before = matches!(before, Some(outcome) if outcome != Some(TestOutcome::Passed));
        let holds = !red_check || !is_changed || failed_before;
        let proof = first_criterion(&state);
        prop_assert_eq!(proof.standing == Standing::Holds, holds, "{:?}", proof);
        prop_assert_eq!(judged(&state).0 == "CERTIFIED", holds);
        prop_assert!(seal::evidence_by(&state, 3).clauses.iter().all(|it| it.standing == Standing::Holds));
    }

    // The same on whole builds: whatever luck brought, one thing more that is wrong never helps.
    #[test]
    fn a_worse_build_is_never_judged_better(choices in any_choices(), what in 0..9_usize) {
        let mut life = Life::begin(choices, false);
        life.play();
        let state = life.state().clone();
        let mut worse = state.clone();
        worsen(&mut worse, what);
        let (before, after) = (seal::evidence(&state), seal::evidence(&worse));
        prop_assert!(rank(seal::verdict(&after)) >= rank(seal::verdict(&before)));
        prop_assert!(seal::score(&after) <= seal::score(&before));
    }
}

const OUTCOMES: [TestOutcome; 3] = [TestOutcome::Passed, TestOutcome::Skipped, TestOutcome::Failed];
const RESULTS: [CriterionResult; 3] =
    [CriterionResult::Passed, CriterionResult::Unverified, CriterionResult::Failed];

fn worsen(state: &mut BuildState, what: usize) {
    match what {
        0 => state.phases[0].signed_off = false,
        1 => state.final_gates.values_mut().for_each(|gate| gate.passed = false),
        2 => state.final_gates.clear(),
        // Those that have failed stay: to forget them would make it better.
        3 => state.phases.iter_mut().for_each(|phase| {
            phase.criteria.retain(|_, criterion| criterion.result != CriterionResult::Passed);
        }),
        4 => add_error(state, Severity::Warning, false),
        5 => add_error(state, Severity::Error, false),
        6 => add_finding(state, Severity::Warning),
        7 => add_finding(state, Severity::Fatal),
        _ => state.unanswered.push("Which?".to_owned()),
    }
}
