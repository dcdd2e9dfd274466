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
        self.expect(&[Status::Running])?;
        self.running(request.run_id)?;
        ensure(self.question.is_none(), "a question is open already")?;
        let (asked, limit) = match request.kind {
            ClarificationKind::Question => {
                (&mut self.spent.clarifications, self.budgets.clarifications)
            }
            ClarificationKind::Permission => {
                (&mut self.spent.permission_prompts, MAX_PERMISSION_PROMPTS)
            }
        };
        ensure(*asked < limit, "no questions are left")?;
        *asked += 1;
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
        if resolved.how == ResolvedHow::TimedOut {
            self.unanswered.push(open.request.question.clone());
        }
        self.question = None;
        if self.status == Status::AwaitingInput {
            self.status = Status::Running;
        }
        Ok(())
    }
}
