//! What users confirm, clear and dismiss before the seal, and what that makes of the verdict.

use domain::{
    audited_weakening::{AuditedWeakening, ClearedWeakening},
    criterion::ProofType,
    decide::{Effect, decide},
    errors::Severity,
    event::{
        EventBody,
        agents::Finding,
        confirmations::{
            ConfirmationResult, CriterionConfirmed, FindingDismissed, WeakenedTestCleared,
        },
        gates::CriterionResult,
        questions::{ClarificationKind, ClarificationRequest, ClarificationResolved, ResolvedHow},
    },
    finding_id::FindingId,
    seal,
    state::{BuildState, Status},
    step::{Illegal, step},
};

use crate::{choices::Choices, people, player::Life, samples};

/// A build about to be sealed, with one item of each kind open.
pub fn ready() -> BuildState {
    let setup = [1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1];
    let mut life = Life::begin(Choices::new(setup.to_vec()), false);
    life.play_until(|_, effect| *effect == Effect::Seal);
    let mut state = life.state().clone();
    state.phases[0].outline.exit_criteria[0].proof = ProofType::Person;
    let warning = Finding { id: Some(FindingId(1)), ..samples::finding(Severity::Warning) };
    state.phases[1].findings.push(warning);
    state.test_evidence.compared.as_mut().unwrap().weakened.push(samples::weakened_test());
    state
}

fn after(state: &BuildState, body: impl Into<EventBody>) -> Result<BuildState, Illegal> {
    step(Some(state.clone()), 1_000, state.last_at, &body.into())
}

/// The same while users are asked.
pub fn asked(state: &BuildState) -> BuildState {
    assert_eq!(decide(state, state.last_at), Effect::AskConfirmation);
    let request = ClarificationRequest {
        question_id: samples::id(77),
        kind: ClarificationKind::Confirmation,
        question: "3 items are open.".to_owned(),
        context: None,
        options: Vec::new(),
        multiple: false,
        asked_by: domain::event::agents::Role::Auditor,
        run_id: samples::id(0),
        call_id: String::new(),
        requirement: None,
        expires_at: None,
    };
    let asked = after(state, request).unwrap();
    assert_eq!(asked.status, Status::AwaitingInput);
    asked
}

fn resolved(state: &BuildState, how: ResolvedHow) -> BuildState {
    let (question_id, by) = (samples::id(77), samples::ada());
    after(state, ClarificationResolved { question_id, answer: None, how, by }).unwrap()
}

fn confirmed(state: &BuildState, result: ConfirmationResult) -> EventBody {
    people::confirm(0, 1, result, state.branch.clone().unwrap().head_sha)
}

fn cleared(state: &BuildState, reason: &str) -> WeakenedTestCleared {
    let head_sha = state.branch.clone().unwrap().head_sha;
    let (number, reason) = (1, reason.to_owned());
    WeakenedTestCleared { number, reason, head_sha, by: samples::ada() }
}

fn verdict(state: &BuildState) -> &'static str {
    seal::verdict(&seal::evidence(state)).name()
}

/// All proofs of a seal as text.
fn proofs(state: &BuildState) -> String {
    let proofs = seal::evidence(state).clauses.into_iter().flat_map(|clause| clause.proofs);
    proofs.map(|proof| proof.what).collect::<Vec<_>>().join("\n")
}

#[test]
fn build_is_certified_when_a_user_settles_everything_that_is_open() {
    let mut state = asked(&ready());
    assert_eq!(verdict(&state), "CONDITIONAL");
    assert_eq!(state.open_items().count(), 3);
    let events = [
        confirmed(&state, ConfirmationResult::Confirmed),
        cleared(&state, "it was out of date").into(),
        people::dismiss_finding(FindingId(1)),
    ];
    for event in events {
        state = after(&state, event).unwrap();
    }
    assert_eq!(state.open_items().count(), 0);
    let state = resolved(&state, ResolvedHow::TimedOut);
    assert_eq!(decide(&state, state.last_at), Effect::Seal);
    assert_eq!(verdict(&state), "CERTIFIED");
    let text = proofs(&state);
    for expected in [
        "confirmed by Ada: I tried it",
        "tests/fine.js:3: tests are skipped: it.skip('adds') — accepted by Ada: it was out of date",
        "a warning of the auditor — dismissed by Ada: it is intended",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}

#[test]
fn build_without_an_answer_is_conditional_and_says_so() {
    let state = resolved(&asked(&ready()), ResolvedHow::TimedOut);
    assert_eq!(decide(&state, state.last_at), Effect::Seal, "users are asked once");
    assert_eq!(verdict(&state), "CONDITIONAL");
    assert!(proofs(&state).contains("unanswered: 3 items are open."), "{}", proofs(&state));
    assert!(proofs(&state).contains("a person must confirm it in the review"));
}

#[test]
fn rejected_criterion_is_flagged() {
    let state = asked(&ready());
    let state = after(&state, confirmed(&state, ConfirmationResult::Rejected)).unwrap();
    assert_eq!(verdict(&state), "FLAGGED");
    assert!(proofs(&state).contains("rejected by Ada: I tried it"));
    let state = after(&state, confirmed(&state, ConfirmationResult::Confirmed)).unwrap();
    assert_eq!(verdict(&state), "CONDITIONAL", "the last judgement counts");
}

#[test]
fn confirmation_does_not_hold_for_another_commit() {
    let state = asked(&ready());
    let old = people::confirm(0, 1, ConfirmationResult::Confirmed, "0".repeat(40));
    assert!(after(&state, old).is_err());
    let mut state = after(&state, confirmed(&state, ConfirmationResult::Confirmed)).unwrap();
    state = after(&state, cleared(&state, "fine")).unwrap();
    let state = after(&state, people::commit(4_000, None)).unwrap();
    assert!(!proofs(&state).contains("confirmed by Ada"));
    assert!(state.test_evidence.cleared.is_empty());
    let late = confirmed(&state, ConfirmationResult::Confirmed);
    assert!(after(&state, late).is_err(), "no final gate has run on it");
}

#[test]
fn confirmation_replaces_neither_a_test_nor_an_objection() {
    let mut state = ready();
    let names = vec!["counts".to_owned()];
    state.phases[0].outline.exit_criteria[0].proof = ProofType::Test { names };
    let mut state = asked(&state);
    assert!(after(&state, confirmed(&state, ConfirmationResult::Confirmed)).is_err());
    for proof in [ProofType::Review, ProofType::Person] {
        state.phases[0].outline.exit_criteria[0].proof = proof;
        state.phases[0].criteria.get_mut(&1).unwrap().result = CriterionResult::Failed;
        let confirmed = confirmed(&state, ConfirmationResult::Confirmed);
        assert_eq!(verdict(&after(&state, confirmed).unwrap()), "FLAGGED");
    }
}

#[test]
fn criterion_that_the_auditor_could_not_verify_is_confirmed_by_a_user() {
    let mut state = ready();
    state.phases[0].outline.exit_criteria[0].proof = ProofType::Review;
    assert!(state.open_items().criteria.is_empty(), "the auditor judged it");
    state.phases[0].criteria.get_mut(&1).unwrap().result = CriterionResult::Unverified;
    let state = asked(&state);
    assert_eq!(state.open_items().criteria.len(), 1);
    let state = after(&state, confirmed(&state, ConfirmationResult::Confirmed)).unwrap();
    assert!(proofs(&state).contains("confirmed by Ada"));
    assert_eq!(state.open_items().count(), 2, "it stays listed, and is settled");
}

#[test]
fn nothing_is_settled_without_a_reason_or_outside_the_question() {
    let before = ready();
    let state = asked(&before);
    let by = samples::ada();
    let dismissed =
        |reason: &str| FindingDismissed { id: FindingId(1), reason: reason.into(), by: by.clone() };
    let EventBody::BuildCriterionConfirmed(rejected) =
        confirmed(&state, ConfirmationResult::Rejected)
    else {
        unreachable!("it is one")
    };
    let silent = CriterionConfirmed { note: Some(" ".to_owned()), ..rejected.clone() };
    let without_reason: [EventBody; 3] =
        [dismissed(" ").into(), cleared(&state, "").into(), silent.into()];
    for refused in without_reason {
        assert!(after(&state, refused).is_err());
    }
    let while_sealing: [EventBody; 3] =
        [dismissed("fine").into(), cleared(&before, "fine").into(), rejected.into()];
    for refused in while_sealing {
        assert!(after(&before, refused).is_err(), "the seal covers what was open");
    }
    let unknown = FindingDismissed { id: FindingId(9), ..dismissed("fine") };
    assert!(after(&state, unknown).is_err());
    let again = after(&state, cleared(&state, "fine")).unwrap();
    assert!(after(&again, cleared(&state, "fine")).is_err());
}

#[test]
fn fatal_finding_cannot_be_dismissed() {
    let mut state = asked(&ready());
    for (severity, is_dismissed) in [(Severity::Error, true), (Severity::Fatal, false)] {
        state.phases[1].findings[0].severity = severity;
        let tried = after(&state, people::dismiss_finding(FindingId(1)));
        assert_eq!(tried.is_ok(), is_dismissed, "{severity:?}");
    }
}

#[test]
fn users_are_not_asked_when_a_required_gate_failed_or_nothing_is_open() {
    let mut state = ready();
    assert!(state.needs_confirmation());
    state.final_gates.get_mut("test").unwrap().passed = false;
    assert!(!state.needs_confirmation());
    let mut state = ready();
    state.phases[0].outline.exit_criteria[0].proof = ProofType::Review;
    state.phases[1].findings.clear();
    state.test_evidence.compared.as_mut().unwrap().weakened.clear();
    assert!(!state.needs_confirmation());
}

#[test]
fn weakened_test_that_the_auditor_has_cleared_is_not_open() {
    let mut state = ready();
    let weakening = AuditedWeakening::from(&samples::weakened_test());
    let reason = "another test covers it (tests/fine.js:9)".to_owned();
    state.phases[0].cleared_weakenings.push(ClearedWeakening { weakening, reason });
    assert_eq!(state.open_items().weakened_tests, []);
    let proofs = proofs(&state);
    assert!(proofs.contains("accepted by the auditor of phase 0: another test covers"), "{proofs}");
}
