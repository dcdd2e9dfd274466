//! Plans that users approve or send back.

use domain::{
    decide::{Effect, decide},
    event::{
        EventBody,
        agents::Task,
        life::{Actor, PlanApproval},
        questions::{ClarificationKind, ClarificationRequest, ClarificationResolved, ResolvedHow},
    },
    state::{BuildState, Stage, Status},
    step::step,
};

use crate::{choices::Choices, player::Life, samples};

fn after(state: &BuildState, body: EventBody) -> BuildState {
    step(Some(state.clone()), 1_000, state.last_at, &body).unwrap()
}

/// A build whose first plan is finished.
fn planned(approval: PlanApproval) -> BuildState {
    let mut life = Life::begin(Choices::kind(), false);
    life.play_until(|_, effect| matches!(effect, Effect::StartIteration { n: 1, .. }));
    let mut state = life.state().clone();
    state.queued.plan_approval = approval;
    state
}

fn asked(state: &BuildState) -> BuildState {
    assert_eq!(decide(state, state.last_at), Effect::AskPlanApproval);
    let request = ClarificationRequest {
        question_id: samples::id(77),
        kind: ClarificationKind::Plan,
        question: "Carry out the plan?".into(),
        context: None,
        options: vec!["Approve".into()],
        multiple: false,
        asked_by: domain::event::agents::Role::Coder,
        run_id: samples::id(0),
        call_id: String::new(),
        requirement: None,
        expires_at: None,
    };
    let state = after(state, request.into());
    assert_eq!(state.status, Status::AwaitingInput);
    state
}

fn answered(state: &BuildState, how: ResolvedHow, answer: Option<&str>) -> BuildState {
    let resolved = ClarificationResolved {
        question_id: samples::id(77),
        answer: answer.map(str::to_owned),
        how,
        by: Actor::Forge,
    };
    after(&asked(state), resolved.into())
}

#[test]
fn approved_plan_is_carried_out() {
    let state = planned(PlanApproval::FirstPhase);
    for (how, answer) in [(ResolvedHow::Answered, Some(" approve ")), (ResolvedHow::Skipped, None)]
    {
        let approved = answered(&state, how, answer);
        assert!(approved.phase().unwrap().plan_approved);
        let next = decide(&approved, approved.last_at);
        assert!(matches!(next, Effect::StartIteration { n: 1, .. }), "{next:?}");
    }
}

#[test]
fn plan_with_a_comment_goes_back_to_the_coder() {
    let state = planned(PlanApproval::EveryPhase);
    let sent_back = answered(&state, ResolvedHow::Answered, Some("Test it first."));
    let phase = sent_back.phase().unwrap();
    assert_eq!(phase.plan_comment.as_deref(), Some("Test it first."));
    assert!(phase.plan.is_empty() && phase.stage == Stage::Agent(Task::Plan));
    let next = decide(&sent_back, sent_back.last_at);
    assert!(matches!(next, Effect::RunAgent { task: Task::Plan, run: None, .. }), "{next:?}");
}

#[test]
fn only_the_chosen_phases_wait_for_approval() {
    let state = planned(PlanApproval::Never);
    assert_eq!(state.plan_to_approve(), None);
    let mut later = planned(PlanApproval::FirstPhase);
    assert!(later.plan_to_approve().is_some());
    let mut other = later.phases[0].clone();
    other.outline.number += 1_000;
    later.phases.insert(0, other);
    let is_current = later.phases[0].outline.number == later.phase().unwrap().outline.number;
    assert_eq!(later.plan_to_approve().is_some(), is_current);
}
