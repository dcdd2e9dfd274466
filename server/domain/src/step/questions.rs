//! Questions to the user.

use super::guards::{Reason, ensure};
use crate::{
    budget::MAX_PERMISSION_PROMPTS,
    event::questions::{
        ClarificationKind, ClarificationRequest, ClarificationResolved, ResolvedHow,
    },
    state::{BuildState, OpenQuestion, Status},
};

impl BuildState {
    pub(super) fn ask_question(&mut self, request: &ClarificationRequest) -> Result<(), Reason> {
        let is_confirmation = request.kind == ClarificationKind::Confirmation;
        self.expect(&[if is_confirmation { Status::Sealing } else { Status::Running }])?;
        ensure(self.question.is_none(), "a question is open already")?;
        match request.kind {
            ClarificationKind::Question => {
                self.running(request.run_id)?;
                count(&mut self.spent.clarifications, self.budgets.clarifications)?;
            }
            ClarificationKind::Permission => {
                self.running(request.run_id)?;
                count(&mut self.spent.permission_prompts, MAX_PERMISSION_PROMPTS)?;
            }
            ClarificationKind::Assumption => {
                let next = self.assumption_to_confirm().map(|requirement| requirement.id);
                let next = next.filter(|id| Some(*id) == request.requirement);
                self.asked_assumptions
                    .ids
                    .insert(next.ok_or("that assumption does not come next")?);
                self.spent.clarifications += 1;
            }
            ClarificationKind::Confirmation => {
                ensure(self.needs_confirmation(), "there is nothing to confirm")?;
                let head = self.branch.as_ref().map(|branch| branch.head_sha.clone());
                self.confirmations_asked_at = head;
            }
        }
        self.question = Some(OpenQuestion { request: request.clone(), remaining_ms: None });
        self.status = Status::AwaitingInput;
        Ok(())
    }

    pub(super) fn resolve_question(
        &mut self,
        resolved: &ClarificationResolved,
    ) -> Result<(), Reason> {
        let open = self.question.as_ref().ok_or("no question is open")?;
        ensure(open.request.question_id == resolved.question_id, "that question is not open")?;
        let kind = open.request.kind;
        if resolved.how == ResolvedHow::TimedOut {
            let is_settled =
                kind == ClarificationKind::Confirmation && self.open_items().count() == 0;
            if !is_settled {
                self.unanswered.push(open.request.question.clone());
            }
            self.asked_assumptions.is_unanswered |= kind == ClarificationKind::Assumption;
        }
        self.question = None;
        if self.status == Status::AwaitingInput {
            self.status = match kind {
                ClarificationKind::Confirmation => Status::Sealing,
                _ => Status::Running,
            };
        }
        if self.status == Status::Sealing {
            // All work is done: there is nothing to pause.
            self.pause_requested = None;
        }
        Ok(())
    }
}

fn count(asked: &mut u32, limit: u32) -> Result<(), Reason> {
    ensure(*asked < limit, "no questions are left")?;
    *asked += 1;
    Ok(())
}
