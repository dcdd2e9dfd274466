//! Looks up which paths show the deliverables, at the commit that is to be sealed.

use std::collections::HashSet;

use domain::{deliverable, event::phases::DeliverablesChecked, state::BuildState};
use git::{DiffTarget, RepoPath, diff_files};

use super::{branch, driver::Driver, error::EngineError};

impl Driver {
    /// Records what shows each deliverable: a path of the commit, or one that the build has changed.
    pub(super) async fn check_deliverables(&self, state: &BuildState) -> Result<(), EngineError> {
        let (baseline, head) = (branch::baseline(state)?, branch::head(state)?);
        let clone = self.clone_of_project().await?;
        let phases = state.phases.clone();
        let deliverables = self
            .engine
            .blocking(move || {
                let changes = diff_files(&clone, baseline, DiffTarget::Commit(head))?.files;
                let changed: HashSet<String> = changes
                    .into_iter()
                    .flat_map(|change| [Some(change.path), change.old_path])
                    .flatten()
                    .collect();
                let is_present = |path: &str| {
                    let exists = |path: RepoPath| clone.has_path(head, &path);
                    changed.contains(path) || path.parse().and_then(exists).unwrap_or(false)
                };
                Ok(deliverable::check_all(&phases, is_present))
            })
            .await?;
        let head_sha = head.to_string();
        self.append(vec![DeliverablesChecked { head_sha, deliverables }.into()]).await.map(drop)
    }
}
