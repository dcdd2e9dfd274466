//! Plans that users approve before they are carried out.

use crate::{
    event::{agents::Task, life::PlanApproval},
    state::{BuildState, PhaseState, PhaseStatus, Stage},
};

/// The answer that approves a plan. Any other answer sends it back with a comment.
pub const APPROVE: &str = "Approve";

impl BuildState {
    /// The phase whose plan a user has to approve next.
    pub fn plan_to_approve(&self) -> Option<&PhaseState> {
        let phase = self.phase().filter(|phase| !phase.plan_approved)?;
        let is_planned = phase.stage == Stage::Agent(Task::Execute) && phase.iteration == 0;
        let number = phase.outline.number;
        let first = self.phases.iter().find(|it| it.status != PhaseStatus::Skipped);
        let is_first = first.is_some_and(|it| it.outline.number == number);
        let is_due = match self.queued.plan_approval {
            PlanApproval::Never => false,
            PlanApproval::FirstPhase => is_first,
            PlanApproval::EveryPhase => true,
        };
        (is_planned && is_due).then_some(phase)
    }
}
