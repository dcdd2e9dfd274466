//! Build branches, the only way to commit and push.

use std::{collections::BTreeSet, iter, path::Path};

use git2::{ErrorCode, Oid, Repository};

use crate::{
    clone::WorkingClone,
    diff::{self, FileChange},
    error::{GitError, Place},
    guard,
    history::{self, Commit},
    message,
    name::BuildBranchName,
    repository,
    sha::Sha,
    staging::{self, Staged},
    transfer,
    worktree::Worktree,
};

/// Parameters of a commit.
#[derive(Debug, Clone)]
pub struct CommitRequest {
    /// One line; the prefix `[forge] ` is added if missing.
    pub title: String,
    /// May be empty.
    pub body: String,
    /// Name and value, in this order.
    pub trailers: Vec<(String, String)>,
    /// Author's and committer's time, Unix seconds.
    pub at: i64,
    /// Whether to commit even if nothing changed.
    pub allow_empty: bool,
}

/// One build's branch. It can move `refs/heads/forge/build-…` forward in the clone and at
/// origin, and no other reference; before each move it checks that no default branch is affected
/// ([`GitError::DefaultBranch`]).
#[derive(Debug, Clone)]
pub struct BuildBranch {
    clone: WorkingClone,
    name: BuildBranchName,
}

impl BuildBranch {
    /// Creates the branch in the clone. [`GitError::BranchExists`] if it exists there or at origin.
    pub fn create(
        clone: &WorkingClone,
        name: BuildBranchName,
        baseline: Sha,
    ) -> Result<Self, GitError> {
        let branch = BuildBranch { clone: clone.clone(), name };
        let (here, there) = (clone.repository()?, clone.origin_repository()?);
        branch.check(&here, &there)?;
        let exists = |place| GitError::BranchExists { name: branch.name.to_string(), place };
        if repository::direct(&there, &branch.name.full())?.is_some() {
            return Err(exists(Place::Origin));
        }
        repository::commit(&here, baseline)?;
        match here.reference(&branch.name.full(), baseline.oid(), false, "build") {
            Ok(_) => Ok(branch.clone()),
            Err(error) if error.code() == ErrorCode::Exists => Err(exists(Place::Clone)),
            Err(error) => Err(error.into()),
        }
    }

    /// For resuming: opens a branch that is exactly at `expected`, or creates it there if it is in
    /// neither repository (or at origin at `expected`). Otherwise [`GitError::UnexpectedHead`].
    pub fn adopt_or_create(
        clone: &WorkingClone,
        name: BuildBranchName,
        expected: Sha,
    ) -> Result<Self, GitError> {
        let branch = BuildBranch { clone: clone.clone(), name };
        let (here, there) = (clone.repository()?, clone.origin_repository()?);
        branch.check(&here, &there)?;
        let full = branch.name.full();
        let found = match repository::direct(&here, &full)? {
            Some(oid) => Some((Place::Clone, oid)),
            None => repository::direct(&there, &full)?.map(|oid| (Place::Origin, oid)),
        };
        match found {
            Some((Place::Clone, oid)) if oid == expected.oid() => return Ok(branch),
            Some((place, oid)) if oid != expected.oid() => {
                let (name, actual) = (branch.name.to_string(), oid.into());
                return Err(GitError::UnexpectedHead { name, place, expected, actual });
            }
            _ => {}
        }
        repository::commit(&here, expected)?;
        here.reference(&full, expected.oid(), false, "build")?;
        Ok(branch)
    }

    /// Opens a branch of the clone; otherwise [`GitError::BranchMissing`].
    pub fn open(clone: &WorkingClone, name: BuildBranchName) -> Result<Self, GitError> {
        let branch = BuildBranch { clone: clone.clone(), name };
        branch.head()?;
        Ok(branch)
    }

    pub fn name(&self) -> &BuildBranchName {
        &self.name
    }

    /// Its commit in the clone.
    pub fn head(&self) -> Result<Sha, GitError> {
        self.head_in(&self.clone.repository()?).map(Sha::from)
    }

    /// Commits the worktree without ignored files, `.git` and `Forge`; `None` if nothing changed.
    /// Does nothing and returns [`GitError::Moved`] if the branch moved meanwhile. Paths that git
    /// cannot store are errors.
    pub fn commit(
        &self,
        worktree: &Worktree,
        request: &CommitRequest,
    ) -> Result<Option<Commit>, GitError> {
        self.commit_with(worktree, request, None)
    }

    /// The same with a second parent, whose changes the worktree contains.
    pub fn commit_merge(
        &self,
        worktree: &Worktree,
        request: &CommitRequest,
        merged: Sha,
    ) -> Result<Option<Commit>, GitError> {
        self.commit_with(worktree, request, Some(merged))
    }

    fn commit_with(
        &self,
        worktree: &Worktree,
        request: &CommitRequest,
        merged: Option<Sha>,
    ) -> Result<Option<Commit>, GitError> {
        self.check_worktree(worktree)?;
        let text = message::compose(&request.title, &request.body, &request.trailers)?;
        let (here, there) = (self.clone.repository()?, self.clone.origin_repository()?);
        self.check(&here, &there)?;
        let head = self.head_in(&here)?;
        let parent = here.find_commit(head)?;

        let files = worktree.repository()?;
        let Staged { mut index, tree, .. } = staging::stage(&files, &worktree.root()?)?.whole()?;
        if tree == parent.tree_id() && !request.allow_empty {
            return Ok(None);
        }
        let bot = message::bot(request.at)?;
        let tree = here.find_tree(tree)?;
        let merged = merged.map(|sha| repository::commit(&here, sha)).transpose()?;
        let parents: Vec<_> = iter::once(&parent).chain(merged.as_ref()).collect();
        let oid = here.commit(None, &bot, &bot, &text, &tree, &parents)?;
        self.move_here(&here, head, oid)?;
        // Last, because an outdated index only makes the next commit read more files.
        index.write()?;
        history::describe(&here, oid).map(Some)
    }

    /// Pushes the branch to origin, fast-forward only, and returns the head. Idempotent.
    /// [`GitError::NonFastForward`] if origin has commits that the clone does not.
    pub fn push(&self) -> Result<Sha, GitError> {
        let (here, there) = (self.clone.repository()?, self.clone.origin_repository()?);
        self.check(&here, &there)?;
        let full = self.name.full();
        let head = self.head_in(&here)?;
        let behind = || GitError::NonFastForward(self.name.to_string());
        let pushed = match repository::direct(&there, &full)? {
            Some(oid) if oid == head => return Ok(head.into()),
            Some(oid) => {
                if here.find_commit(oid).is_err() || !here.graph_descendant_of(head, oid)? {
                    return Err(behind());
                }
                transfer::copy(&here, &there, &[head], &[oid])?;
                guard::check(&there, &self.name)?;
                there.reference_matching(&full, head, true, oid, "push")
            }
            None => {
                transfer::copy(&here, &there, &[head], &repository::defaults(&there))?;
                guard::check(&there, &self.name)?;
                there.reference(&full, head, false, "push")
            }
        };
        match pushed {
            Ok(_) => {}
            Err(error) if raced(&error) => return Err(behind()),
            Err(error) => return Err(error.into()),
        }
        here.reference(&format!("refs/remotes/origin/{}", self.name), head, true, "push")?;
        Ok(head.into())
    }

    /// The commits of the branch that `baseline` does not have, newest first.
    pub fn commits_since(&self, baseline: Sha) -> Result<Vec<Commit>, GitError> {
        let repo = self.clone.repository()?;
        repository::commit(&repo, baseline)?;
        let head = self.head_in(&repo)?;
        history::between(&repo, baseline.oid(), head)?
            .into_iter()
            .map(|oid| history::describe(&repo, oid))
            .collect()
    }

    /// Email addresses of all authors of commits that `baseline` does not have, in lower case.
    pub fn author_emails_since(&self, baseline: Sha) -> Result<BTreeSet<String>, GitError> {
        let repo = self.clone.repository()?;
        repository::commit(&repo, baseline)?;
        let commits = history::between(&repo, baseline.oid(), self.head_in(&repo)?)?;
        history::author_emails(&repo, &commits)
    }

    /// The newest commit of ForgeGuard after `after` that carries all of these trailers: after a
    /// crash, a commit that was not recorded. Users' commits are ignored.
    pub fn find_commit_with_trailers(
        &self,
        after: Sha,
        trailers: &[(&str, &str)],
    ) -> Result<Option<Commit>, GitError> {
        let repo = self.clone.repository()?;
        repository::commit(&repo, after)?;
        for oid in history::between(&repo, after.oid(), self.head_in(&repo)?)? {
            if history::carries(&repo.find_commit(oid)?, trailers) {
                return history::describe(&repo, oid).map(Some);
            }
        }
        Ok(None)
    }

    /// Compares the worktree with a commit, including uncommitted files. For very large changes,
    /// not all lines are counted.
    pub fn changed_files(
        &self,
        worktree: &Worktree,
        since: Sha,
    ) -> Result<Vec<FileChange>, GitError> {
        self.check_worktree(worktree)?;
        diff::list_all(&self.clone, since, worktree)
    }

    pub(crate) fn clone_and_origin(&self) -> Result<(Repository, Repository), GitError> {
        let (here, there) = (self.clone.repository()?, self.clone.origin_repository()?);
        self.check(&here, &there)?;
        Ok((here, there))
    }

    /// The git directories of the clone and of origin.
    pub(crate) fn places(&self) -> (&Path, &Path) {
        (self.clone.path(), self.clone.origin())
    }

    pub(crate) fn head_in(&self, here: &Repository) -> Result<Oid, GitError> {
        repository::direct(here, &self.name.full())?
            .ok_or_else(|| GitError::BranchMissing(self.name.to_string()))
    }

    /// Compare and swap: moves the clone's reference if it is still at `from`.
    pub(crate) fn move_here(&self, here: &Repository, from: Oid, to: Oid) -> Result<(), GitError> {
        guard::check(here, &self.name)?;
        match here.reference_matching(&self.name.full(), to, true, from, "build") {
            Ok(_) => Ok(()),
            Err(error) if raced(&error) => Err(GitError::Moved(self.name.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn check_worktree(&self, worktree: &Worktree) -> Result<(), GitError> {
        if worktree.branch() == &self.name {
            return Ok(());
        }
        Err(GitError::WrongWorktree {
            path: worktree.path().to_owned(),
            expected: self.name.to_string(),
            actual: worktree.branch().to_string(),
        })
    }

    fn check(&self, here: &Repository, there: &Repository) -> Result<(), GitError> {
        guard::check(here, &self.name)?;
        guard::check(there, &self.name)
    }
}

fn raced(error: &git2::Error) -> bool {
    matches!(
        error.code(),
        ErrorCode::Modified | ErrorCode::NotFound | ErrorCode::Exists | ErrorCode::Locked
    )
}
