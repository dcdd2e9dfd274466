//! Verification of a build's branch: its head, trailers, and the integrity of its objects.

use std::{collections::HashSet, path::Path};

use git2::{ObjectType, Oid, Repository};

use crate::{error::GitError, history, name::BuildBranchName, repository, sha::Sha};

/// A build's branch in one repository, opened for verification.
pub struct SealedBranch {
    repository: Repository,
    head: Oid,
}

impl SealedBranch {
    /// The branch in the repository at `path`.
    ///
    /// # Errors
    /// [`GitError::NoRepository`] or [`GitError::BranchMissing`] if it does not exist.
    pub fn open(path: &Path, name: &BuildBranchName) -> Result<Self, GitError> {
        let repository = repository::open(path)?;
        let head = repository::direct(&repository, &name.full())?
            .ok_or_else(|| GitError::BranchMissing(name.to_string()))?;
        Ok(Self { repository, head })
    }

    pub fn head(&self) -> Sha {
        self.head.into()
    }

    /// Whether ForgeGuard made the last commit and it has all of these trailers.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub fn head_carries(&self, trailers: &[(&str, &str)]) -> Result<bool, GitError> {
        Ok(history::carries(&self.repository.find_commit(self.head)?, trailers))
    }

    /// Its commits that `baseline` does not have, newest first.
    ///
    /// # Errors
    /// If commits are missing or damaged.
    pub fn commits_since(&self, baseline: Sha) -> Result<Vec<Sha>, GitError> {
        let commits = history::between(&self.repository, baseline.oid(), self.head)?;
        Ok(commits.into_iter().map(Sha::from).collect())
    }

    /// Reads all objects of the baseline and of later commits, and compares each with its id.
    /// Earlier history is not part of the build.
    ///
    /// # Errors
    /// If an object is missing or damaged.
    pub fn read_objects(&self, baseline: Sha) -> Result<(), GitError> {
        let mut commits = history::between(&self.repository, baseline.oid(), self.head)?;
        commits.push(baseline.oid());
        Ok(read_trees(&self.repository, commits.into_iter().map(Ok))?)
    }
}

/// Reads the trees of commits with all their files; libgit2 compares each object with its id.
pub(crate) fn read_trees(
    repository: &Repository,
    commits: impl Iterator<Item = Result<Oid, git2::Error>>,
) -> Result<(), git2::Error> {
    let odb = repository.odb()?;
    let mut seen = HashSet::<Oid>::new();
    for commit in commits {
        let mut pending = vec![repository.find_commit(commit?)?.tree_id()];
        while let Some(tree) = pending.pop() {
            if !seen.insert(tree) {
                continue;
            }
            for entry in &repository.find_tree(tree)? {
                match entry.kind() {
                    Some(ObjectType::Tree) => pending.push(entry.id()),
                    Some(ObjectType::Blob) if seen.insert(entry.id()) => {
                        odb.read(entry.id())?;
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(())
}
