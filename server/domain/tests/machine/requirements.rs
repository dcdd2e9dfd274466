//! The requirements matrix, and what requirements make of the verdict.

use domain::{
    criterion::ProofType,
    decide::Effect,
    event::gates::CriterionResult,
    gate::{NamedTest, TestOutcome},
    requirements::{Priority, Requirement, Source},
    seal::{self, matrix},
    state::{BuildState, Status},
    verdict::{ClauseKind, Standing},
};

use crate::{choices::Choices, player::Life};

/// A build about to be sealed, whose first criterion proves R-1 by a test.
fn ready(priority: Priority, source: Source) -> BuildState {
    let setup = [1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1];
    let mut life = Life::begin(Choices::new(setup.to_vec()), false);
    life.play_until(|_, effect| *effect == Effect::Seal);
    let mut state = life.state().clone();
    let requirement = Requirement {
        id: "R-1".parse().unwrap(),
        priority,
        source,
        text: "It counts | adds.".to_owned(),
        line: 3,
        scenarios: Vec::new(),
    };
    state.queued.requirements = vec![requirement];
    // Whether the tests prove anything is another clause.
    state.queued.test_checks.red_check = false;
    let criterion = &mut state.phases[0].outline.exit_criteria[0];
    criterion.id = Some("R-1.a".parse().unwrap());
    criterion.proof = ProofType::Test { names: vec!["counts".to_owned()] };
    state
}

fn run_test(state: &mut BuildState, outcome: TestOutcome) {
    let test = NamedTest { name: "counts".to_owned(), outcome };
    state.final_gates.get_mut("test").unwrap().named_tests = vec![test];
}

fn verdict(state: &BuildState) -> &'static str {
    seal::verdict(&seal::evidence(state)).name()
}

#[test]
fn requirement_is_proven_by_its_criteria() {
    let mut state = ready(Priority::Must, Source::Stated);
    run_test(&mut state, TestOutcome::Passed);
    let rows = matrix::matrix(&state);
    assert_eq!((rows.len(), rows[0].standing, &rows[0].phases), (1, Standing::Holds, &vec![0]));
    assert_eq!(rows[0].reason, "1 of 1 criteria are proven");
    assert_eq!(
        rows[0].criteria[0].proof.commit.as_ref(),
        state.branch.as_ref().map(|it| &it.head_sha)
    );
    assert_eq!(verdict(&state), "CERTIFIED");
    let text = matrix::markdown(&rows);
    assert!(text.starts_with("1 of 1 requirements are proven."), "{text}");
    assert!(text.contains("| **R-1** It counts \\| adds. | must | proven | 0 |"), "{text}");
}

#[test]
fn unproven_must_is_flagged_and_an_attested_one_conditional() {
    let mut state = ready(Priority::Must, Source::Stated);
    assert_eq!(verdict(&state), "CONDITIONAL", "the auditor judged it");
    state.phases[0].criteria.get_mut(&1).unwrap().result = CriterionResult::Unverified;
    assert_eq!(verdict(&state), "FLAGGED");
    state.status = Status::Running;
    assert_eq!(matrix::matrix(&state)[0].standing, Standing::Open, "it may still be proven");
    let should = ready(Priority::Should, Source::Stated);
    assert_eq!(verdict(&should), "CONDITIONAL");
}

#[test]
fn requirement_without_a_criterion_is_not_proven() {
    for (priority, expected) in [(Priority::Must, "FLAGGED"), (Priority::Should, "CONDITIONAL")] {
        let mut state = ready(priority, Source::Stated);
        run_test(&mut state, TestOutcome::Passed);
        state.phases[0].outline.exit_criteria[0].id = None;
        assert_eq!(verdict(&state), expected);
        assert_eq!(matrix::matrix(&state)[0].reason, "no exit criterion proves it");
    }
}

#[test]
fn unconfirmed_must_assumption_is_conditional() {
    for (priority, expected) in [(Priority::Must, "CONDITIONAL"), (Priority::Should, "CERTIFIED")] {
        let mut state = ready(priority, Source::Assumed);
        run_test(&mut state, TestOutcome::Passed);
        assert_eq!(verdict(&state), expected);
    }
}

#[test]
fn blueprints_without_ids_have_no_such_clause() {
    let mut state = ready(Priority::Must, Source::Stated);
    run_test(&mut state, TestOutcome::Passed);
    state.queued.requirements.clear();
    assert!(matrix::matrix(&state).is_empty());
    let has_clause = |state: &BuildState, rules| {
        let clauses = seal::evidence_by(state, rules).clauses;
        clauses.iter().any(|clause| clause.clause == ClauseKind::Requirements)
    };
    assert!(!has_clause(&state, 4));
    let state = ready(Priority::Must, Source::Stated);
    assert!(has_clause(&state, 4) && !has_clause(&state, 3), "seals of earlier rules stay valid");
}

// A model's judgement never proves what a test is declared to prove.
#[test]
fn certified_means_that_each_must_was_observed() {
    let outcomes = [TestOutcome::Passed, TestOutcome::Skipped, TestOutcome::Failed];
    let results = [CriterionResult::Passed, CriterionResult::Unverified, CriterionResult::Failed];
    let ready = ready(Priority::Must, Source::Stated);
    for outcome in outcomes.map(Some).into_iter().chain([None]) {
        for judgement in results {
            let mut state = ready.clone();
            state.phases[0].criteria.get_mut(&1).unwrap().result = judgement;
            if let Some(outcome) = outcome {
                run_test(&mut state, outcome);
            }
            let is_proven =
                outcome == Some(TestOutcome::Passed) && judgement != CriterionResult::Failed;
            assert_eq!(verdict(&state) == "CERTIFIED", is_proven, "{outcome:?}, {judgement:?}");
        }
    }
}
