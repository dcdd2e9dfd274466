//! Questions to the user.

use super::guards::{Reason, ensure};
use crate::{
    event::{
        agents::Task,
        questions::{ClarificationKind, ClarificationRequest, ClarificationResolved, ResolvedHow},
    },
    plan_approval::APPROVE,
    state::{BuildState, OpenQuestion, Stage, Status},
};

impl BuildState {
    pub(super) fn ask_question(&mut self, request: &ClarificationRequest) -> Result<(), Reason> {
        if !self.joins_open_questions(request) {
            ensure(self.questions.is_empty(), "a question is open already")?;
            let is_confirmation = request.kind == ClarificationKind::Confirmation;
            self.expect(&[if is_confirmation { Status::Sealing } else { Status::Running }])?;
        }
        match request.kind {
            ClarificationKind::Question => {
                self.running(request.run_id)?;
                count(&mut self.spent.clarifications, self.budgets.clarifications)?;
            }
            ClarificationKind::Permission => {
                self.running(request.run_id)?;
                count(&mut self.spent.permission_prompts, self.budgets.permission_prompts)?;
            }
            ClarificationKind::Work => {
                self.running(request.run_id)?;
                ensure(request.expires_at.is_none(), "work has no time limit")?;
            }
            ClarificationKind::Assumption => {
                let next = self.assumption_to_confirm().map(|requirement| requirement.id);
                let next = next.filter(|id| Some(*id) == request.requirement);
                self.asked_assumptions
                    .ids
                    .insert(next.ok_or("that assumption does not come next")?);
                self.spent.clarifications += 1;
            }
            ClarificationKind::Plan => {
                ensure(self.plan_to_approve().is_some(), "there is no plan to approve")?;
            }
            ClarificationKind::Confirmation => {
                ensure(self.needs_confirmation(), "there is nothing to confirm")?;
                let head = self.branch.as_ref().map(|branch| branch.head_sha.clone());
                self.confirmations_asked_at = head;
            }
        }
        self.questions.push(OpenQuestion { request: request.clone(), remaining_ms: None });
        self.status = Status::AwaitingInput;
        Ok(())
    }

    pub(super) fn resolve_question(
        &mut self,
        resolved: &ClarificationResolved,
    ) -> Result<(), Reason> {
        let is_it = |open: &OpenQuestion| open.request.question_id == resolved.question_id;
        let place = self.questions.iter().position(is_it).ok_or("that question is not open")?;
        let OpenQuestion { request, .. } = self.questions.remove(place);
        let kind = request.kind;
        let is_work = kind == ClarificationKind::Work;
        let is_finished = matches!(resolved.how, ResolvedHow::Answered | ResolvedHow::Cancelled);
        ensure(!is_work || is_finished, "only a user does this work")?;
        if resolved.how == ResolvedHow::TimedOut {
            let is_settled =
                kind == ClarificationKind::Confirmation && self.open_items().count() == 0;
            if !is_settled {
                self.unanswered.push(request.question);
            }
            self.asked_assumptions.is_unanswered |= kind == ClarificationKind::Assumption;
        }
        if kind == ClarificationKind::Plan {
            self.settle_plan(resolved)?;
        }
        if self.status == Status::AwaitingInput && self.questions.is_empty() {
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

impl BuildState {
    /// Whether this is another question of the reply whose questions are open.
    fn joins_open_questions(&self, request: &ClarificationRequest) -> bool {
        let is_of_run = |asked: &ClarificationRequest| {
            asked.kind == ClarificationKind::Question && asked.run_id == request.run_id
        };
        self.status == Status::AwaitingInput
            && request.kind == ClarificationKind::Question
            && self.questions.iter().all(|open| is_of_run(&open.request))
    }

    /// A plan that is not approved in an answer goes back to the coder with the answer.
    fn settle_plan(&mut self, resolved: &ClarificationResolved) -> Result<(), Reason> {
        let comment = resolved.answer.as_deref().map(str::trim);
        let comment = comment.filter(|answer| !answer.eq_ignore_ascii_case(APPROVE));
        let phase = self.phase_mut().ok_or("no phase is open")?;
        match (resolved.how, comment) {
            (ResolvedHow::Cancelled, _) => {}
            (ResolvedHow::Answered, Some(comment)) => {
                phase.plan.clear();
                phase.stage = Stage::Agent(Task::Plan);
                phase.plan_comment = Some(comment.to_owned());
            }
            _ => (phase.plan_approved, phase.plan_comment) = (true, None),
        }
        Ok(())
    }
}

fn count(asked: &mut u32, limit: u32) -> Result<(), Reason> {
    ensure(*asked < limit, "no questions are left")?;
    *asked += 1;
    Ok(())
}
