//! Read-only access to a build's branch and worktree.

use std::{collections::BTreeSet, time::Duration};

use git::{
    BuildBranch, BuildBranchName, Commit, DiffTarget, GitError, Sha, WorkingClone, Worktree,
};

use super::{api_error::ApiError, app::App, owned::ProjectBuild};
use crate::{store::builds::Build, threads};

const READ_TIMEOUT: Duration = Duration::from_secs(60);

pub struct BranchView {
    clone: WorkingClone,
    name: BuildBranchName,
    baseline: Sha,
    head: Sha,
    /// The current files, unless the build has ended.
    worktree: Option<Worktree>,
}

impl BranchView {
    /// The repository that contains the branch.
    pub fn clone(&self) -> &WorkingClone {
        &self.clone
    }

    /// The newest recorded commit.
    pub fn head(&self) -> Sha {
        self.head
    }

    /// Newest first.
    pub fn commits(&self) -> Result<Vec<Commit>, GitError> {
        BuildBranch::open(&self.clone, self.name.clone())?.commits_since(self.baseline)
    }

    /// The authors' addresses, in lower case.
    pub fn author_emails(&self) -> Result<BTreeSet<String>, GitError> {
        BuildBranch::open(&self.clone, self.name.clone())?.author_emails_since(self.baseline)
    }

    /// The files at a commit of the branch or its baseline; by default the current files, or those of
    /// the branch's head if the build has ended.
    pub fn files_at(&self, commit: Option<Sha>) -> Result<DiffTarget<'_>, GitError> {
        match (commit, &self.worktree) {
            (None, Some(worktree)) => Ok(DiffTarget::Worktree(worktree)),
            _ => Ok(DiffTarget::Commit(self.commit(commit)?)),
        }
    }

    /// A commit of the branch or its baseline; by default the branch's head.
    pub fn commit(&self, commit: Option<Sha>) -> Result<Sha, GitError> {
        let Some(commit) = commit else { return Ok(self.head) };
        let is_known = commit == self.baseline || commit == self.head;
        if is_known || self.commits()?.iter().any(|found| found.sha == commit) {
            return Ok(commit);
        }
        Err(GitError::NoSuchCommit(commit))
    }

    /// The sides of a diff: a commit and its first parent; otherwise the baseline and the current
    /// files, or the branch's head if the build has ended.
    pub fn sides(&self, commit: Option<Sha>) -> Result<(Sha, DiffTarget<'_>), GitError> {
        let Some(commit) = commit else {
            let head = DiffTarget::Commit(self.head);
            return Ok((self.baseline, self.worktree.as_ref().map_or(head, DiffTarget::Worktree)));
        };
        let found = self.commits()?.into_iter().find(|found| found.sha == commit);
        let found = found.ok_or(GitError::NoSuchCommit(commit))?;
        Ok((found.parent.unwrap_or(self.baseline), DiffTarget::Commit(commit)))
    }
}

/// Runs `read` on a build's branch, off the async threads. None while the build has no branch.
pub async fn read<T: Send + 'static>(
    app: &App,
    build: &ProjectBuild,
    read: impl FnOnce(BranchView) -> Result<T, GitError> + Send + 'static,
) -> Result<Option<T>, ApiError> {
    let (paths, build) = (app.engine.paths().clone(), build.build.clone());
    let result = threads::run(READ_TIMEOUT, move || {
        let (work, origin) = (paths.work(build.project_id), paths.hosted(build.project_id));
        let view = open(&build, &work, &origin, &paths.worktree(build.id))?;
        view.map(read).transpose()
    });
    result.await?.map_err(ApiError::from)
}

fn open(
    build: &Build,
    work: &std::path::Path,
    origin: &std::path::Path,
    worktree: &std::path::Path,
) -> Result<Option<BranchView>, GitError> {
    let (Some(baseline), Some(head)) = (&build.baseline_sha, &build.head_sha) else {
        return Ok(None);
    };
    let clone = WorkingClone::open_or_create(work, &origin.display().to_string())?;
    let name: BuildBranchName = build.branch.as_deref().unwrap_or_default().parse()?;
    let live = !build.status.is_final();
    let worktree = if live { Worktree::open(&clone, &name, worktree).ok() } else { None };
    let (baseline, head) = (baseline.parse()?, head.parse()?);
    Ok(Some(BranchView { clone, name, baseline, head, worktree }))
}
