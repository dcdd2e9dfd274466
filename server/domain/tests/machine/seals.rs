//! The verdict: what each kind of evidence makes of it, and that worse evidence never helps.

use std::sync::Arc;

use domain::{
    criterion::ProofType,
    decide::{Effect, decide},
    errors::Severity,
    event::{
        EventBody,
        agents::DeliverableJudgement,
        branch::AuthorKind,
        gates::{CriterionChecked, CriterionResult},
        life::Sealed,
        phases::{CheckedDeliverable, DeliverableResult},
        test_checks::{MutantsTested, TestChange, TestOrigin, TestsCompared},
    },
    gate::{NamedTest, TestCounts, TestOutcome},
    seal,
    state::{BuildState, ErrorState, PhaseStatus, RedCheck},
    step::step,
    verdict::{Clause, ClauseKind, Evidence, Proof, Standing, Verdict},
    weakened_tests::{WeakenedTest, Weakening},
};
use proptest::prelude::*;

use crate::{
    choices::{Choices, any_choices},
    people,
    player::Life,
    samples,
};

/// A build of two phases with criteria, a required and an optional gate, about to be sealed.
pub(crate) fn ready() -> BuildState {
    let setup = [1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1];
    let mut life = Life::begin(Choices::new(setup.to_vec()), false);
    life.play_until(|_, effect| *effect == Effect::Seal);
    life.state().clone()
}

fn judged(state: &BuildState) -> (&'static str, u8) {
    let evidence = seal::evidence(state);
    (seal::verdict(&evidence).name(), seal::score(&evidence))
}

fn open_error(severity: Severity, resolved: bool) -> ErrorState {
    ErrorState {
        dismissed: false,
        dismissal: None,
        id: samples::id(70),
        first_seen: samples::dawn(),
        occurrence_count: 1,
        severity,
        source: "gate:test".to_owned(),
        phase: None,
        round: 0,
        resolved,
        regression: false,
    }
}

pub(crate) fn criterion(state: &mut BuildState) -> &mut CriterionChecked {
    state.phases[0].criteria.get_mut(&1).unwrap()
}

#[test]
fn each_kind_of_evidence_affects_the_verdict() {
    type Change = fn(&mut BuildState);
    let table: [(&str, Change, &str, u8); 39] = [
        ("nothing", |_| {}, "CERTIFIED", 100),
        ("a phase that is not signed off", |s| s.phases[1].signed_off = false, "FLAGGED", 85),
        ("a phase not done", |s| s.phases[1].status = PhaseStatus::Running, "FLAGGED", 85),
        ("a phase without a changed file", |s| s.phases[0].files_committed = 0, "FLAGGED", 85),
        ("an open step", |s| s.phases[0].plan[1].done = false, "CONDITIONAL", 92),
        (
            "a dropped step",
            |s| {
                s.phases[0].plan[1].done = false;
                s.phases[0].plan[1].dropped = Some("not needed".into());
            },
            "CERTIFIED",
            100,
        ),
        ("a phase that was done already", |s| already_done(s), "CERTIFIED", 100),
        (
            "one without proof",
            |s| {
                already_done(s);
                criterion(s).result = CriterionResult::Unverified;
            },
            "FLAGGED",
            78,
        ),
        (
            "a missing deliverable",
            |s| deliverable(s).result = DeliverableResult::Missing,
            "CONDITIONAL",
            92,
        ),
        (
            "a deliverable that nothing shows",
            |s| deliverable(s).result = DeliverableResult::Unknown,
            "CONDITIONAL",
            92,
        ),
        (
            "a deliverable that the auditor misses",
            |s| {
                let missing = DeliverableJudgement { index: 1, shown_by: None };
                s.phases[0].deliverables = vec![missing];
            },
            "CONDITIONAL",
            92,
        ),
        (
            "deliverables of another commit",
            |s| s.deliverables.as_mut().unwrap().head_sha = "0".into(),
            "CONDITIONAL",
            92,
        ),
        (
            "phases without criteria",
            |s| s.phases.iter_mut().for_each(|phase| phase.outline.exit_criteria.clear()),
            "CONDITIONAL",
            92,
        ),
        ("a gate that failed", |s| gate(s, "test").passed = false, "FLAGGED", 85),
        ("an optional gate that failed", |s| gate(s, "lint").passed = false, "CONDITIONAL", 92),
        ("a gate on another commit", |s| gate(s, "test").head_sha = "0".into(), "FLAGGED", 85),
        ("a gate on another tree", |s| gate(s, "test").tree_sha = Some("0".into()), "FLAGGED", 85),
        ("an optional one there", |s| gate(s, "lint").head_sha = "0".into(), "CONDITIONAL", 92),
        ("a gate that did not run", |s| drop(s.final_gates.remove("test")), "FLAGGED", 85),
        ("a built-in one", |s| drop(s.final_gates.remove("validate")), "FLAGGED", 85),
        ("no test runner", |s| gate(s, "test").tests = None, "CONDITIONAL", 85),
        (
            "an empty selection of tests",
            |s| gate(s, "test").tests = Some(TestCounts::default()),
            "CONDITIONAL",
            85,
        ),
        (
            "a gate that passes although tests fail",
            |s| gate(s, "test").tests = Some(TestCounts { passed: 1, failed: 1, skipped: 0 }),
            "CONDITIONAL",
            85,
        ),
        (
            "fewer tests than in an earlier run",
            |s| s.most_tests.extend([("test".to_owned(), 4)]),
            "CONDITIONAL",
            92,
        ),
        ("fewer killed mutants than required", |s| min_killed(s, 51), "CONDITIONAL", 92),
        ("as many as required", |s| min_killed(s, 50), "CERTIFIED", 100),
        ("gates that cannot run twice", |s| sample(s).is_repeatable = false, "CONDITIONAL", 92),
        ("mutants that were not built", |s| sample(s).mutants.clear(), "CERTIFIED", 100),
        ("a weakened test", add_weakened_test, "CONDITIONAL", 92),
        ("a failed criterion", |s| criterion(s).result = CriterionResult::Failed, "FLAGGED", 85),
        (
            "an unverified criterion",
            |s| criterion(s).result = CriterionResult::Unverified,
            "CONDITIONAL",
            92,
        ),
        ("a forgotten criterion", |s| s.phases[0].criteria.clear(), "CONDITIONAL", 92),
        ("an open warning", |s| add_error(s, Severity::Warning, false), "CONDITIONAL", 92),
        ("an open error", |s| add_error(s, Severity::Error, false), "FLAGGED", 85),
        ("a fatal error", |s| add_error(s, Severity::Fatal, false), "FLAGGED", 85),
        ("a settled error", |s| add_error(s, Severity::Fatal, true), "CERTIFIED", 100),
        ("a finding that is a warning", |s| add_finding(s, Severity::Warning), "CONDITIONAL", 92),
        ("a finding that is an error", |s| add_finding(s, Severity::Error), "FLAGGED", 85),
        ("an unanswered question", |s| s.unanswered.push("Which?".into()), "CONDITIONAL", 92),
    ];
    for (what, change, verdict, score) in table {
        let mut state = ready();
        change(&mut state);
        assert_eq!(judged(&state), (verdict, score), "{what}");
    }
}

pub(crate) fn already_done(state: &mut BuildState) {
    state.phases[0].files_committed = 0;
    state.phases[0].already_done = Some("it is there".to_owned());
}

pub(crate) fn deliverable(state: &mut BuildState) -> &mut CheckedDeliverable {
    &mut state.deliverables.as_mut().unwrap().deliverables[0]
}

pub(crate) fn gate<'a>(state: &'a mut BuildState, name: &str) -> &'a mut domain::state::GateResult {
    state.final_gates.get_mut(name).unwrap()
}

pub(crate) fn add_error(state: &mut BuildState, severity: Severity, resolved: bool) {
    Arc::make_mut(&mut state.errors).insert("f".to_owned(), open_error(severity, resolved));
}

fn add_weakened_test(state: &mut BuildState) {
    let (kind, path, text) = (Weakening::SkipAdded, "a.test.js".to_owned(), String::new());
    let compared = state.test_evidence.compared.as_mut().unwrap();
    compared.weakened.push(WeakenedTest { kind, path, line: Some(1), text });
}

pub(crate) fn sample(state: &mut BuildState) -> &mut MutantsTested {
    state.test_evidence.mutants.as_mut().unwrap()
}

fn min_killed(state: &mut BuildState, percent: u32) {
    let sample = state.queued.test_checks.mutation_sample.as_mut().unwrap();
    sample.min_killed_percent = percent;
}

pub(crate) fn add_finding(state: &mut BuildState, severity: Severity) {
    state.phases[0].findings.push(samples::finding(severity));
}

#[test]
fn evidence_contains_commit_command_and_output_of_every_gate() {
    let state = ready();
    let evidence = seal::evidence(&state);
    let head = &state.branch.as_ref().unwrap().head_sha;
    assert_eq!(&evidence.head_sha, head);
    let gates = evidence.clauses.iter().find(|clause| clause.clause == ClauseKind::Gates).unwrap();
    let names: Vec<_> = gates.proofs.iter().map(|proof| proof.what.as_str()).collect();
    assert_eq!(names, ["validate: passed", "test: passed, tests run: 3", "lint: passed"]);
    for proof in &gates.proofs {
        assert_eq!(proof.commit.as_ref(), Some(head));
        assert!(proof.command.is_some() && proof.exit_code == Some(0));
        assert_eq!(proof.output_sha256.as_ref().unwrap().len(), 64);
        assert!(proof.sandbox.is_some());
    }
}

#[test]
fn evidence_without_clauses_is_not_certified() {
    let rules = seal::RULES;
    let nothing = Evidence { rules, head_sha: String::new(), tree_sha: None, clauses: Vec::new() };
    assert_eq!((seal::verdict(&nothing), seal::score(&nothing)), (Verdict::Flagged, 0));
}

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

/// The named tests of the first criterion come from there.
pub(crate) fn compare(state: &mut BuildState, change: TestChange) {
    let compared = samples::tests_compared(state);
    let origins = compared.origins.into_iter();
    let origins = origins.map(|origin| TestOrigin { change: change.clone(), ..origin }).collect();
    state.test_evidence.compared = Some(TestsCompared { origins, ..compared });
}

/// Changes how the first criterion is proven.
pub(crate) fn declare(state: &mut BuildState, proof: ProofType) {
    state.phases[0].outline.exit_criteria[0].proof = proof;
}

fn judge(state: &mut BuildState, result: Option<CriterionResult>) {
    match result {
        Some(result) => criterion(state).result = result,
        None => drop(state.phases[0].criteria.remove(&1)),
    }
}

fn first_criterion(state: &BuildState) -> Proof {
    let clauses = seal::evidence(state).clauses;
    let criteria = clauses.into_iter().find(|clause| clause.clause == ClauseKind::Criteria);
    criteria.unwrap().proofs.remove(0)
}

#[test]
fn criterion_with_a_command_holds_if_it_exited_with_0_on_the_sealed_commit() {
    let mut state = ready();
    declare(&mut state, ProofType::Command { command: "npm run size".to_owned() });
    assert_eq!(first_criterion(&state).standing, Standing::Open);
    let name = "criterion:0.1";
    assert_eq!(state.gate_names(None).last().map(String::as_str), Some(name));
    assert!(state.gate_names(Some(&state.phases[0])).iter().any(|gate| gate == name));
    assert!(!state.gate_names(Some(&state.phases[1])).iter().any(|gate| gate == name));
    assert_eq!(state.gate(name).unwrap().command, "npm run size");
    let run = domain::state::GateResult {
        command: "npm run size".to_owned(),
        ..gate(&mut state, "test").clone()
    };
    state.final_gates.insert(name.to_owned(), run);
    judge(&mut state, None);
    assert_eq!(first_criterion(&state).standing, Standing::Holds);
    assert_eq!(judged(&state).0, "CERTIFIED");
    gate(&mut state, name).exit_code = Some(1);
    gate(&mut state, name).passed = false;
    assert_eq!(first_criterion(&state).standing, Standing::Broken);
}

#[test]
fn command_of_a_required_gate_is_not_run_twice() {
    let mut state = ready();
    let (gates, command) = (state.gate_names(None), state.queued.gates[0].command.clone());
    declare(&mut state, ProofType::Command { command });
    assert_eq!(state.gate_names(None), gates);
}

#[test]
fn criterion_that_a_person_proves_is_open_until_the_review() {
    let mut state = ready();
    declare(&mut state, ProofType::Person);
    assert_eq!(judged(&state).0, "CONDITIONAL");
    let reason = seal::reason(&seal::evidence(&state)).unwrap();
    assert!(reason.starts_with("Prove every exit criterion: "), "{reason}");
}

#[test]
fn seals_of_earlier_rules_are_judged_by_them() {
    let mut state = ready();
    let before = seal::evidence_by(&state, 2);
    declare(&mut state, ProofType::Test { names: vec!["missing".to_owned()] });
    assert_eq!(seal::evidence_by(&state, 2), before);
    assert_eq!(judged(&state).0, "CONDITIONAL");
}

#[test]
fn build_is_sealed_only_after_its_tests_were_checked() {
    let mut state = ready();
    state.test_evidence = Default::default();
    assert_eq!(decide(&state, samples::dawn()), Effect::CompareTests);
    let evidence = seal::evidence(&state);
    let sealed = Sealed {
        verdict: seal::verdict(&evidence),
        score: seal::score(&evidence),
        seal_commit: "cd".repeat(20),
        journal_head: String::new(),
        evidence,
        audit_log: None,
    };
    let step = |sealed: &Sealed| {
        let at = state.last_at;
        step(Some(state.clone()), 500, at, &sealed.clone().into())
    };
    assert_eq!(step(&sealed).unwrap_err().why, "its tests have not been checked");
    // Builds that were sealed by earlier rules had no such checks.
    let evidence = seal::evidence_by(&state, 3);
    assert!(step(&Sealed { evidence, ..sealed }).is_ok());
    let mut failed = state;
    gate(&mut failed, "test").passed = false;
    assert_eq!(decide(&failed, samples::dawn()), Effect::Seal);
}

#[test]
fn clause_without_proofs_is_open() {
    let state = ready();
    let evidence = seal::evidence(&state);
    assert!(evidence.clauses.iter().all(|clause| !clause.proofs.is_empty()));
    let mut without = state;
    without.phases.iter_mut().for_each(|phase| phase.outline.exit_criteria.clear());
    let evidence = seal::evidence(&without);
    let criteria = evidence.clauses.iter().find(|c| c.clause == ClauseKind::Criteria).unwrap();
    assert!(criteria.proofs.is_empty());
    assert_eq!(criteria.standing, Standing::Open);
}

#[test]
fn seal_commit_does_not_count_as_a_commit_of_the_build() {
    let mut life = Life::begin(Choices::kind(), false);
    life.play_until(|_, effect| *effect == Effect::Seal);
    let mut state = life.state().clone();
    state.branch.as_mut().unwrap().commit_count = 0;
    let evidence = seal::evidence(&state);
    let commit = people::commit_by(AuthorKind::Forge, 77, None);
    let EventBody::BuildCommitCreated(made) = &commit else { panic!("{commit:?}") };
    let sealed = Sealed {
        verdict: seal::verdict(&evidence),
        score: seal::score(&evidence),
        seal_commit: made.sha.clone(),
        journal_head: String::new(),
        evidence,
        audit_log: None,
    };
    let state = step(Some(state), 500, life.now, &commit).unwrap();
    let refused = step(Some(state), 501, life.now, &sealed.into()).unwrap_err();
    assert_eq!(refused.why, "the branch has no commit");
}

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
