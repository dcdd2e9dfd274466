//! A build's branch and worktree, opened to look at them: nothing is made or moved here.

use domain::ids::Id;
use git::{
    BuildBranch, BuildBranchName, Commit, DiffTarget, GitError, Sha, WorkingClone, Worktree,
};

use super::{app::App, owned::ProjectBuild, problem::Problem};
use crate::store::builds::Build;

/// What there is of a build in git.
pub struct BranchView {
    clone: WorkingClone,
    name: BuildBranchName,
    baseline: Sha,
    head: Sha,
    /// The files as they are now, while the build is live.
    worktree: Option<Worktree>,
}

impl BranchView {
    /// The repository to compare in.
    pub fn clone(&self) -> &WorkingClone {
        &self.clone
    }

    /// The newest commit that is recorded.
    pub fn head(&self) -> Sha {
        self.head
    }

    /// The commits of the branch, newest first.
    pub fn commits(&self) -> Result<Vec<Commit>, GitError> {
        BuildBranch::open(&self.clone, self.name.clone())?.commits_since(self.baseline)
    }

    /// What to compare: one commit with its first parent; else the baseline with the files as
    /// they are now, or with the branch's head once the build has ended.
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

/// Looks at a build's branch off the async threads. `None` while it has no branch yet.
pub async fn look<T: Send + 'static>(
    app: &App,
    build: &ProjectBuild,
    look: impl FnOnce(BranchView) -> Result<T, GitError> + Send + 'static,
) -> Result<Option<T>, Problem> {
    let (paths, build) = (app.engine.paths().clone(), build.build.clone());
    let looked = tokio::task::spawn_blocking(move || {
        let (work, origin) = (paths.work(build.project_id), paths.hosted(build.project_id));
        let view = open(&build, &work, &origin, &paths.worktree(build.id))?;
        view.map(look).transpose()
    });
    looked.await.map_err(Problem::internal)?.map_err(Problem::from)
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
    let name = BuildBranchName::of_build(&build.id.uuid().hyphenated().to_string())?;
    let live = !build.status.is_final();
    let worktree = if live { Worktree::open(&clone, &name, worktree).ok() } else { None };
    let (baseline, head) = (baseline.parse()?, head.parse()?);
    Ok(Some(BranchView { clone, name, baseline, head, worktree }))
}
