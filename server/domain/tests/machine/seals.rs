//! The verdict: what each kind of evidence makes of it.

use std::sync::Arc;

use crate::{choices::Choices, people, player::Life, samples};
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
    gate::TestCounts,
    seal,
    state::{BuildState, ErrorState, PhaseState, PhaseStatus, SkippedPhase},
    step::step,
    verdict::{ClauseKind, Evidence, Proof, Standing, Verdict},
    weakened_tests::{WeakenedTest, Weakening},
};

/// A build of two phases with criteria, a required and an optional gate, about to be sealed.
pub(crate) fn ready() -> BuildState {
    let setup = [1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1];
    let mut life = Life::begin(Choices::new(setup.to_vec()), false);
    life.play_until(|_, effect| *effect == Effect::Seal);
    life.state().clone()
}

pub(crate) fn judged(state: &BuildState) -> (&'static str, u8) {
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
    let table: [(&str, Change, &str, u8); 40] = [
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
        ("a skipped phase", |s| skip_phase(&mut s.phases[1]), "CONDITIONAL", 85),
        ("an unanswered question", |s| s.unanswered.push("Which?".into()), "CONDITIONAL", 92),
    ];
    for (what, change, verdict, score) in table {
        let mut state = ready();
        change(&mut state);
        assert_eq!(judged(&state), (verdict, score), "{what}");
    }
}

pub(crate) fn skip_phase(phase: &mut PhaseState) {
    *phase = PhaseState::new(phase.outline.clone());
    phase.status = PhaseStatus::Skipped;
    let reason = "it is not needed".to_owned();
    phase.skipped = Some(Box::new(SkippedPhase { by: samples::ada(), reason }));
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
    compared.weakened.push(WeakenedTest { kind, path, line: Some(1), text, blob_sha: None });
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

pub(crate) fn judge(state: &mut BuildState, result: Option<CriterionResult>) {
    match result {
        Some(result) => criterion(state).result = result,
        None => drop(state.phases[0].criteria.remove(&1)),
    }
}

pub(crate) fn first_criterion(state: &BuildState) -> Proof {
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

#[test]
fn final_gates_and_the_checks_of_tests_are_repeated_on_another_commit() {
    let mut life = Life::begin(Choices::kind(), false);
    life.play_until(|_, effect| *effect == Effect::Seal);
    let repeated = life.state().gate_names(None);
    life.append(vec![people::commit_by(AuthorKind::Forge, 77, None)]).unwrap();
    assert_eq!(life.state().due_final_gates(), repeated);
    let effect = decide(life.state(), life.now);
    assert_eq!(effect, Effect::RunGates { phase: None, names: repeated });
    life.play_until(|state, _| state.due_final_gates().is_empty());
    assert_eq!(life.state().test_evidence.compared, None);
    life.play_until(|_, effect| *effect == Effect::Seal);
    assert_eq!(judged(life.state()).0, "CERTIFIED");
}
