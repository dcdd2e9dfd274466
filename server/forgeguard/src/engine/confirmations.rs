//! Questions that ForgeGuard itself asks: whether assumptions hold, whether a plan is carried out, and
//! what is open before the seal.

use chrono::TimeDelta;
use domain::{
    event::{
        agents::Role,
        questions::{ClarificationKind, ClarificationRequest},
    },
    ids::{Id, RunId},
    plan_approval::APPROVE,
    requirement::RequirementId,
    state::BuildState,
};
use uuid::Uuid;

use super::{driver::Driver, error::EngineError};
use crate::store;

const SEAL: &str = "Seal the build";

impl Driver {
    pub(super) async fn ask_assumption(
        &self,
        state: &BuildState,
        id: RequirementId,
    ) -> Result<(), EngineError> {
        let Some(asked) = state.assumption_question(id) else { return Ok(()) };
        let request = ClarificationRequest {
            question: asked.question,
            context: Some(asked.context),
            options: asked.options,
            requirement: Some(id),
            ..request(state, ClarificationKind::Assumption, Role::Scout)
        };
        self.append(vec![request.into()]).await.map(drop)
    }

    pub(super) async fn ask_plan_approval(&self, state: &BuildState) -> Result<(), EngineError> {
        let Some(phase) = state.plan_to_approve() else { return Ok(()) };
        let number = phase.outline.number;
        let steps = match phase.plan.len() {
            1 => "1 step".to_owned(),
            count => format!("{count} steps"),
        };
        let request = ClarificationRequest {
            question: format!("Carry out the plan for phase {number}, with {steps}?"),
            context: Some(
                "The steps are listed under Plan. Approve them, or type what should be planned \
                 differently."
                    .to_owned(),
            ),
            options: vec![APPROVE.to_owned()],
            // A user has asked to be asked: the build does not continue without them.
            expires_at: None,
            ..request(state, ClarificationKind::Plan, Role::Coder)
        };
        self.append(vec![request.into()]).await.map(drop)
    }

    pub(super) async fn ask_confirmation(&self, state: &BuildState) -> Result<(), EngineError> {
        let question = match state.open_items().count() {
            1 => "1 item is open. Settle it now, or seal the build as it is.".to_owned(),
            count => {
                format!("{count} items are open. Settle them now, or seal the build as it is.")
            }
        };
        let context = "Confirm what you have checked, and dismiss what you accept. What stays open \
                       makes the seal conditional.";
        let request = ClarificationRequest {
            question,
            context: Some(context.to_owned()),
            options: vec![SEAL.to_owned()],
            ..request(state, ClarificationKind::Confirmation, Role::Auditor)
        };
        self.append(vec![request.into()]).await.map(drop)
    }
}

/// A question for which no agent waits.
fn request(state: &BuildState, kind: ClarificationKind, asked_by: Role) -> ClarificationRequest {
    let timeout = state.queued.clarification_timeout_s;
    ClarificationRequest {
        question_id: store::new_id(),
        kind,
        question: String::new(),
        context: None,
        options: Vec::new(),
        multiple: false,
        asked_by,
        run_id: RunId::from_uuid(Uuid::nil()),
        call_id: String::new(),
        requirement: None,
        expires_at: timeout.map(|s| store::now() + TimeDelta::seconds(s.into())),
    }
}
