//! Assumptions that users confirm, change or remove before the work begins.

use domain::{
    assumptions::ONLY_CRITERION,
    criterion::ExitCriterion,
    decide::{Effect, decide},
    event::{
        EventBody,
        confirmations::{RequirementChange, RequirementChanged},
        questions::{ClarificationKind, ClarificationRequest, ClarificationResolved, ResolvedHow},
    },
    requirement::RequirementId,
    requirements::Source,
    seal,
    state::BuildState,
    step::step,
};

use crate::{choices::Choices, player::Life, samples};

/// A build with the assumptions, of which the first is about to be asked about.
pub fn ready() -> BuildState {
    let mut life = Life::begin(Choices::kind(), false);
    let is_next = |_: &BuildState, effect: &Effect| matches!(effect, Effect::StartPhase { .. });
    life.play_until(is_next);
    let mut state = life.state().clone();
    state.queued.requirements = samples::assumptions();
    assert_eq!(decide(&state, state.last_at), Effect::AskAssumption { id: id("R-1") });
    state
}

fn id(text: &str) -> RequirementId {
    text.parse().unwrap()
}

fn after(state: &BuildState, body: EventBody) -> BuildState {
    step(Some(state.clone()), 1_000, state.last_at, &body).unwrap()
}

fn asked(state: &BuildState) -> BuildState {
    let Effect::AskAssumption { id } = decide(state, state.last_at) else {
        panic!("no assumption comes next")
    };
    let question = state.assumption_question(id).unwrap();
    let request = ClarificationRequest {
        question_id: samples::id(77),
        kind: ClarificationKind::Assumption,
        question: question.question,
        context: Some(question.context),
        options: question.options,
        multiple: false,
        asked_by: domain::event::agents::Role::Scout,
        run_id: samples::id(0),
        call_id: String::new(),
        requirement: Some(id),
        expires_at: None,
    };
    after(state, request.into())
}

fn resolved(state: &BuildState, how: ResolvedHow, answer: Option<&str>) -> BuildState {
    let (question_id, by) = (samples::id(77), samples::ada());
    let asked = state.questions[0].request.requirement.unwrap();
    let changes = answer.map(|answer| state.changes_by_answer(asked, answer, &by).unwrap());
    let answer = answer.map(str::to_owned);
    let resolved = ClarificationResolved { question_id, answer, how, by };
    let state = after(state, resolved.into());
    let changes = changes.unwrap_or_default().into_iter().map(EventBody::from);
    changes.fold(state, |state, change| after(&state, change))
}

fn answered(state: &BuildState, answer: &str) -> BuildState {
    resolved(&asked(state), ResolvedHow::Answered, Some(answer))
}

fn texts(state: &BuildState) -> Vec<(String, &str, Source)> {
    let requirements = state.queued.requirements.iter();
    requirements.map(|it| (it.id.to_string(), it.text.as_str(), it.source)).collect()
}

#[test]
fn each_assumption_is_asked_about_before_the_first_phase() {
    let state = answered(&ready(), "Confirm");
    assert_eq!(decide(&state, state.last_at), Effect::AskAssumption { id: id("R-2") });
    let state = answered(&state, "  It adds\n twice. ");
    assert_eq!(decide(&state, state.last_at), Effect::StartPhase { phase: 0 });
    let expected = [
        ("R-1".to_owned(), "It counts.", Source::Stated),
        ("R-2".to_owned(), "It adds twice.", Source::Stated),
    ];
    assert_eq!(texts(&state), expected);
    assert_eq!(state.spent.clarifications, 2);
    assert_eq!(state.requirement_changes.len(), 2);
}

#[test]
fn all_assumptions_are_confirmed_at_once() {
    let state = answered(&ready(), "Confirm all");
    assert!(texts(&state).iter().all(|(_, _, source)| *source == Source::Stated));
    assert_eq!(decide(&state, state.last_at), Effect::StartPhase { phase: 0 });
}

#[test]
fn removed_assumption_takes_its_exit_criteria_with_it() {
    let mut state = ready();
    let criterion = |text: &str| ExitCriterion::parse(text).unwrap();
    let outline = &mut state.phases[0].outline;
    outline.exit_criteria = vec![criterion("R-1.a — review"), criterion("It counts")];
    outline.covers = vec![id("R-1"), id("R-2")];
    let state = answered(&state, "Remove");
    assert_eq!(texts(&state).len(), 1);
    let outline = &state.phases[0].outline;
    assert_eq!((outline.exit_criteria.len(), &outline.covers), (1, &vec![id("R-2")]));
}

#[test]
fn assumption_that_alone_gives_a_phase_its_criteria_is_not_removed() {
    let mut state = ready();
    let only = vec![ExitCriterion::parse("R-1.a — review").unwrap()];
    state.phases[0].outline.exit_criteria = only;
    let question = state.assumption_question(id("R-1")).unwrap();
    assert_eq!(question.options, ["Confirm", "Confirm all"]);
    let refused = state.changes_by_answer(id("R-1"), "Remove", &samples::ada());
    assert_eq!(refused, Err(ONLY_CRITERION));
    let (id, change) = (id("R-1"), RequirementChange::Removed);
    let removed = RequirementChanged { id, change, by: samples::ada() };
    assert!(step(Some(state.clone()), 1_000, state.last_at, &removed.into()).is_err());
}

#[test]
fn unanswered_assumption_stays_open_and_the_others_are_not_asked() {
    let state = resolved(&asked(&ready()), ResolvedHow::TimedOut, None);
    assert_eq!(decide(&state, state.last_at), Effect::StartPhase { phase: 0 });
    assert!(texts(&state).iter().all(|(_, _, source)| *source == Source::Assumed));
    let proofs = seal::evidence(&state).clauses.into_iter().flat_map(|clause| clause.proofs);
    let texts: Vec<String> = proofs.map(|proof| proof.what).collect();
    assert!(texts.iter().any(|text| text.starts_with("unanswered: R-1")), "{texts:?}");
    let skipped = resolved(&asked(&ready()), ResolvedHow::Skipped, None);
    assert_eq!(decide(&skipped, skipped.last_at), Effect::AskAssumption { id: id("R-2") });
}

#[test]
fn questions_about_assumptions_count_towards_the_limit() {
    let mut state = ready();
    state.budgets.clarifications = 1;
    let state = answered(&state, "Confirm");
    assert_eq!(decide(&state, state.last_at), Effect::StartPhase { phase: 0 });
}

#[test]
fn requirements_do_not_change_once_the_work_has_begun() {
    let mut state = answered(&ready(), "Confirm");
    state.phases[0].status = domain::state::PhaseStatus::Running;
    let changed = RequirementChanged {
        id: id("R-2"),
        change: RequirementChange::Confirmed,
        by: samples::ada(),
    };
    assert!(step(Some(state.clone()), 1_000, state.last_at, &changed.into()).is_err());
}
