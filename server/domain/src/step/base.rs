//! Merges of the base branch between the last phase and the seal.

use super::guards::{Reason, ensure};
use crate::{
    event::base::{BaseCompared, BaseMerged, RebaseConflict},
    rounds::REBASE_CONFLICT,
    state::{BuildState, OpenConflict, PhaseStatus, Stage, Status},
};

const OTHER_HEAD: Reason = "that is not the branch's head";
const NOT_NOW: Reason = "the base branch is not compared now";

impl BuildState {
    pub(super) fn compare_base(&mut self, compared: &BaseCompared) -> Result<(), Reason> {
        self.expect_comparison(&compared.head_sha)?;
        if let Some(base_sha) = &compared.base_sha {
            self.compare_changes_with(base_sha);
        }
        let is_resolved = self.base.conflict.take().is_some();
        self.base.compared_head = Some(compared.head_sha.clone());
        if is_resolved && self.phase().is_some() {
            // A user resolved the conflicts: this is a change like any other.
            self.judge_last_phase_again(Stage::Gates);
        }
        Ok(())
    }

    /// After a merge without conflicts, the gates of the last phase run again.
    pub(super) fn merge_base(&mut self, merged: &BaseMerged) -> Result<(), Reason> {
        self.expect(&[Status::Running])?;
        ensure(self.is_head(&merged.commit_sha), OTHER_HEAD)?;
        let is_committed = self.phase().is_some_and(|phase| phase.stage == Stage::Push);
        match &self.base.conflict {
            Some(open) if is_committed => {
                ensure(open.found.base_sha == merged.base_sha, "that is another merge")?;
            }
            _ => {
                ensure(self.may_compare_base(), NOT_NOW)?;
                let is_signed_off = self.base.conflict.is_none();
                self.judge_last_phase_again(Stage::Gates);
                if let Some(phase) = self.phase_mut().filter(|_| is_signed_off) {
                    (phase.is_recheck, phase.signed_off) = (true, true);
                }
            }
        }
        self.compare_changes_with(&merged.base_sha);
        self.base.conflict = None;
        self.base.merges.push(merged.clone());
        Ok(())
    }

    /// An agent gets the task to resolve the conflicts.
    pub(super) fn report_rebase_conflict(
        &mut self,
        conflict: &RebaseConflict,
    ) -> Result<(), Reason> {
        self.expect_comparison(&conflict.head_sha)?;
        ensure(!conflict.paths.is_empty(), "it names no file")?;
        let (is_outdated, found) = (false, conflict.clone());
        self.base.conflict = Some(Box::new(OpenConflict { found, is_outdated }));
        self.judge_last_phase_again(Stage::Refused);
        if let Some(phase) = self.phase_mut() {
            phase.requested_fix = Some(REBASE_CONFLICT.to_owned());
        }
        self.record_failure(format!("{REBASE_CONFLICT}: {}", conflict.paths.join(", ")));
        Ok(())
    }

    fn expect_comparison(&self, head_sha: &str) -> Result<(), Reason> {
        self.expect(&[Status::Running])?;
        ensure(self.is_head(head_sha), OTHER_HEAD)?;
        ensure(self.may_compare_base(), NOT_NOW)
    }

    fn is_head(&self, sha: &str) -> bool {
        self.branch.as_ref().is_some_and(|branch| branch.head_sha == sha)
    }

    /// The build's own changes are those since this commit, also in its phases.
    fn compare_changes_with(&mut self, base_sha: &str) {
        let Some(branch) = &mut self.branch else { return };
        branch.baseline_sha = base_sha.to_owned();
        for base in self.phases.iter_mut().filter_map(|phase| phase.base_sha.as_mut()) {
            *base = base_sha.to_owned();
        }
    }

    /// The phase that is open, or else the last one that is complete, continues at this stage. None if
    /// every phase was skipped.
    fn judge_last_phase_again(&mut self, stage: Stage) {
        if self.phase().is_none() {
            let is_complete = |status| status == PhaseStatus::Complete;
            let last = self.phases.iter_mut().rfind(|phase| is_complete(phase.status));
            if let Some(last) = last {
                last.status = PhaseStatus::Running;
            }
        }
        let Some(phase) = self.phase_mut() else { return };
        (phase.stage, phase.run, phase.signed_off) = (stage, None, false);
        (phase.gate_tree, phase.checked_tree, phase.requested_fix) = (None, None, None);
        (phase.fix, phase.failure, phase.fix_attempts) = (None, None, 0);
        phase.is_recheck = false;
        phase.not_attempted.clear();
        phase.retries.clear();
        phase.gates.clear();
    }
}
