//! The weakened tests that an auditor is shown.

use domain::{
    audited_weakening::{AuditedWeakening, MAX_AUDITED},
    event::agents::Task,
    state::BuildState,
    weakened_tests::Weakening,
};
use git::{DiffTarget, GitError, Sha};

use super::{branch, driver::Driver, error::EngineError, weakened_tests};

impl Driver {
    /// Those in files that the phase changed, and gates that ran fewer tests, unless an earlier audit
    /// has cleared them. None for other tasks than an audit.
    pub(super) async fn weakened_tests(
        &self,
        state: &BuildState,
        task: Task,
    ) -> Result<Vec<AuditedWeakening>, EngineError> {
        let phase = state.phase().filter(|_| task == Task::Audit);
        let Some(phase) = phase else { return Ok(Vec::new()) };
        let Some(tree) = &phase.gate_tree else { return Ok(Vec::new()) };
        let tree: Sha = tree.parse().map_err(GitError::from)?;
        let (baseline, since) = (branch::files_base(state)?, branch::phase_base(state)?);
        let clone = self.workspace().await?.clone;
        let find = move || {
            let changed = git::diff_files(&clone, since, DiffTarget::Tree(tree))?.files;
            let mut found = weakened_tests::find(&clone, baseline, tree)?;
            // What was not compared has no lines to judge.
            found.retain(|it| it.kind != Weakening::NotCompared);
            found.retain(|it| changed.iter().any(|change| change.path == it.path));
            Ok(found)
        };
        let found = self.engine.blocking(find).await?;
        let fewer = state.gates_with_fewer_tests(&phase.gates);
        let all = found.iter().map(AuditedWeakening::from).chain(fewer);
        let open = all.filter(|it| state.cleared_by_auditor(it).is_none());
        Ok(open.take(MAX_AUDITED).collect())
    }
}
