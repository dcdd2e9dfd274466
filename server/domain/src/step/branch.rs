//! The build's branch and its commits.

use super::guards::{OTHER_TREE, Reason, ensure, is_same_tree};
use crate::{
    event::{
        agents::Task,
        branch::{AuthorKind, BranchStatus, CommitCreated},
    },
    state::{BuildState, PhaseStatus, Stage},
};

impl BuildState {
    pub(super) fn set_branch(&mut self, status: &BranchStatus) -> Result<(), Reason> {
        let branch = self.branch.as_mut().ok_or("it has not started")?;
        let same = branch.branch == status.branch && branch.baseline_sha == status.baseline_sha;
        ensure(same, "that is another branch")?;
        *branch = status.clone();
        self.branch_ready = true;
        Ok(())
    }

    pub(super) fn commit(&mut self, commit: &CommitCreated) -> Result<(), Reason> {
        ensure(self.branch_ready, "there is no branch")?;
        let branch = self.branch.as_mut().ok_or("it has not started")?;
        ensure(branch.head_sha != commit.sha, "that commit is recorded already")?;
        branch.head_sha.clone_from(&commit.sha);
        branch.commit_count += 1;
        // The files of a merge are those that the base branch changed, too.
        let is_merge = self.base.conflict.is_some();
        let current = self.phase_mut().filter(|phase| phase.status == PhaseStatus::Running);
        if let Some(phase) = current.filter(|_| !is_merge) {
            phase.files_committed += u64::from(commit.files);
        }
        if let Some(number) = commit.phase {
            let phase = self.current(number)?;
            ensure(phase.stage == Stage::Commit, "the phase is not signed off")?;
            ensure(is_same_tree(&phase.gate_tree, &commit.tree_sha), OTHER_TREE)?;
            phase.stage = Stage::Push;
        }
        if commit.author_kind == AuthorKind::Human {
            self.invalidate_gate_results();
            if let Some(open) = &mut self.base.conflict {
                open.is_outdated = true;
            }
        }
        Ok(())
    }

    /// A user changed the code: results of gates and auditor are for other code.
    pub(super) fn invalidate_gate_results(&mut self) {
        self.final_gates.clear();
        self.test_evidence = Default::default();
        let Some(phase) = self.phase_mut() else { return };
        match phase.stage {
            // The auditor receives a message about the change; afterwards the gates run again.
            Stage::Agent(Task::Audit) => {}
            Stage::Gates | Stage::Commit | Stage::Push => {
                phase.stage = Stage::Gates;
                (phase.signed_off, phase.is_recheck) = (false, false);
            }
            Stage::Agent(_) | Stage::Refused | Stage::Complete => return,
        }
        phase.gates.clear();
        phase.gate_tree = None;
        phase.criteria.clear();
    }

    /// Whether the branch has a commit besides the seal's own.
    pub(super) fn has_commits_before(&self, seal_commit: &str) -> bool {
        self.branch
            .as_ref()
            .is_some_and(|branch| branch.commit_count > u32::from(branch.head_sha == seal_commit))
    }
}
