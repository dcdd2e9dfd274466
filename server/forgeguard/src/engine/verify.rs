//! Checks a build again: journal, seal, and the branch that carries the journal's head.

use std::collections::HashSet;

use domain::{event::branch::BranchLife, ids::BuildId};
use git::{BuildBranch, Sha};

use super::{
    branch::BUILD_TRAILER,
    commits,
    error::EngineError,
    handle::{self, Engine},
    sealing::HEAD_TRAILER,
};
use crate::{
    journal::verify::{Problem, Verification, verify},
    store,
};

impl Engine {
    /// Walks the journal, recomputes the seal and compares the branch with what they say.
    pub async fn verify(&self, build_id: BuildId) -> Result<Verification, EngineError> {
        let mut verification = verify(self.db(), build_id).await?;
        let mut conn = self.db().read().await?;
        let build = store::builds::get(&mut conn, build_id).await?;
        let recorded = commits::recorded(&mut conn, build_id).await?;
        drop(conn);
        let build = build.ok_or(EngineError::NotFound("build"))?;
        let Some(sealed) = verification.sealed.clone() else { return Ok(verification) };
        if build.branch_status != Some(BranchLife::Sealed) {
            let what = "the build is sealed, but its branch is not".to_owned();
            verification.add(Problem { seq: None, what });
        }
        let clone = self.working_clone(build.project_id).await?;
        let name = handle::branch_name(build_id)?;
        let baseline = build.baseline_sha.clone().unwrap_or_default();
        let problem = self
            .blocking(move || {
                let branch = BuildBranch::open(&clone, name)?;
                let baseline: Sha = baseline.parse().map_err(git::GitError::from)?;
                let id = build_id.to_string();
                let trailers =
                    [(BUILD_TRAILER, id.as_str()), (HEAD_TRAILER, sealed.journal_head.as_str())];
                let found = branch.find_commit_with_trailers(baseline, &trailers)?;
                let seal = sealed.seal_commit;
                if found.is_none_or(|commit| commit.sha.to_string() != seal) {
                    let what = "that carries the journal's head";
                    return Ok(Some(format!("the branch has no seal commit {seal} {what}")));
                }
                let recorded: HashSet<_> = recorded.into_iter().map(|one| one.sha).collect();
                let mut commits = branch.commits_since(baseline)?.into_iter();
                Ok(commits.find(|commit| !recorded.contains(&commit.sha.to_string())).map(
                    |commit| format!("the branch has commit {}, which nobody recorded", commit.sha),
                ))
            })
            .await?;
        if let Some(what) = problem {
            verification.add(Problem { seq: None, what });
        }
        Ok(verification)
    }
}
