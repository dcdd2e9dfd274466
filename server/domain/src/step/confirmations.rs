//! What users confirm, clear, dismiss and change.

use super::guards::{Reason, ensure};
use crate::{
    criterion::ProofType,
    errors::Severity,
    event::confirmations::{
        ConfirmationResult, CriterionConfirmed, FindingDismissed, RequirementChange,
        RequirementChanged, WeakenedTestCleared,
    },
    requirement::RequirementId,
    requirements::Source,
    state::{BuildState, Dismissal, DismissedFinding, Status},
};

const BY_GATES: Reason = "a test or a command proves that criterion";
const NO_FINDING: Reason = "there is no such open finding";
const NO_REASON: Reason = "it gives no reason";

impl BuildState {
    pub(super) fn confirm_criterion(
        &mut self,
        confirmed: &CriterionConfirmed,
    ) -> Result<(), Reason> {
        self.expect_confirmation(&confirmed.head_sha)?;
        let is_rejected = confirmed.result == ConfirmationResult::Rejected;
        let has_note = confirmed.note.as_deref().is_some_and(|note| !note.trim().is_empty());
        ensure(has_note || !is_rejected, NO_REASON)?;
        let phase = self.phases.iter_mut().find(|it| it.outline.number == confirmed.phase);
        let phase = phase.ok_or("there is no such phase")?;
        let criteria = &phase.outline.exit_criteria;
        let criterion = (confirmed.index as usize).checked_sub(1).and_then(|at| criteria.get(at));
        let proof = &criterion.ok_or("there is no such criterion")?.proof;
        ensure(matches!(proof, ProofType::Person | ProofType::Review), BY_GATES)?;
        phase.confirmations.insert(confirmed.index, confirmed.clone());
        Ok(())
    }

    pub(super) fn clear_weakened_test(
        &mut self,
        cleared: &WeakenedTestCleared,
    ) -> Result<(), Reason> {
        self.expect_confirmation(&cleared.head_sha)?;
        ensure(!cleared.reason.trim().is_empty(), NO_REASON)?;
        let places = self.weakened_places();
        let place = places.iter().find(|place| place.number == cleared.number);
        let place = place.ok_or("there is no such weakened test")?;
        ensure(place.cleared.is_none(), "it is cleared already")?;
        let dismissal = Dismissal::by(&cleared.by, &cleared.reason);
        self.test_evidence.cleared.insert(cleared.number, dismissal);
        Ok(())
    }

    pub(super) fn dismiss_finding(&mut self, dismissed: &FindingDismissed) -> Result<(), Reason> {
        // The seal covers the findings that were open when its commit was made.
        ensure(self.status != Status::Sealing, "it is being sealed")?;
        ensure(!dismissed.reason.trim().is_empty(), NO_REASON)?;
        let dismissal = Dismissal::by(&dismissed.by, &dismissed.reason);
        let is_it = |id| id == Some(dismissed.id);
        let mut phases = self.phases.iter_mut();
        let phase = phases.find(|phase| phase.findings.iter().any(|one| is_it(one.id)));
        let phase = phase.ok_or(NO_FINDING)?;
        let at = phase.findings.iter().position(|one| is_it(one.id)).ok_or(NO_FINDING)?;
        let is_fatal = phase.findings[at].severity == Severity::Fatal;
        ensure(!is_fatal, "a fatal finding cannot be dismissed")?;
        let (phase, finding) = (phase.outline.number, phase.findings.remove(at));
        self.dismissed_findings.push(DismissedFinding { phase, finding, dismissal });
        Ok(())
    }

    pub(super) fn change_requirement(
        &mut self,
        changed: &RequirementChanged,
    ) -> Result<(), Reason> {
        // A build may be paused while a user answers.
        self.expect(&[Status::Running, Status::Paused])?;
        let has_begun = self.has_begun();
        ensure(!has_begun, "the work has begun")?;
        let is_it = |id: RequirementId| id.requirement() == changed.id;
        let requirements = &mut self.queued.requirements;
        let found = requirements.iter_mut().find(|requirement| requirement.id == changed.id);
        let found = found.ok_or("there is no such requirement")?;
        ensure(found.source == Source::Assumed, "it is not an assumption")?;
        found.source = Source::Stated;
        match &changed.change {
            RequirementChange::Confirmed => {}
            RequirementChange::Reworded { text } => {
                ensure(!text.trim().is_empty(), "it has no text")?;
                found.text.clone_from(text);
            }
            RequirementChange::Removed => {
                requirements.retain(|requirement| requirement.id != changed.id);
                ensure(
                    !self.is_only_criterion(changed.id),
                    "a phase would have no exit criterion",
                )?;
                for phase in &mut self.phases {
                    phase.outline.covers.retain(|id| !is_it(*id));
                    phase.outline.exit_criteria.retain(|one| !one.id.is_some_and(is_it));
                }
            }
        }
        self.requirement_changes.push(changed.clone());
        Ok(())
    }

    /// What users see belongs to the commit on which the final gates ran.
    fn expect_confirmation(&self, head_sha: &str) -> Result<(), Reason> {
        ensure(self.is_being_confirmed(), "it is not waiting for a confirmation")?;
        let head = self.branch.as_ref().map(|branch| branch.head_sha.as_str());
        let is_head = head == Some(head_sha) && self.due_final_gates().is_empty();
        ensure(is_head, "the branch has changed since")
    }
}
