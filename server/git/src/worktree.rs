//! Worktrees of builds, accessed through the clone's record of them.

use std::path::{Path, PathBuf};

use git2::{Delta, Oid, Repository};
use rootdir::RootDir;

use crate::{
    checkout::checkout,
    clone::WorkingClone,
    error::GitError,
    history,
    name::BuildBranchName,
    record::{self, Record},
    repository,
    rescue::{self, Rescue},
    staging,
};

/// A git worktree with one build branch checked out.
///
/// Agents write to its files at any time, so no link is followed and no pipe is waited for. Its
/// `.git` file is only for the agents' `git` command.
#[derive(Debug, Clone)]
pub struct Worktree {
    path: PathBuf,
    record: Record,
    clone: WorkingClone,
    branch: BuildBranchName,
}

impl Worktree {
    /// Opens the worktree of a branch, creating or completing it if necessary. Existing files that
    /// differ from the branch are saved to a rescue reference before they are overwritten. Opening
    /// a complete worktree is cheap.
    pub fn open_or_create(
        clone: &WorkingClone,
        branch: &BuildBranchName,
        path: &Path,
    ) -> Result<Self, GitError> {
        let record = Record::create(clone, &record_name(branch))?;
        if !record::is_directory(path) {
            record.mark_unfinished()?;
            record::make_directory(path)?;
        }
        let path = record::absolute(path)?;
        let worktree = Worktree { path, record, clone: clone.clone(), branch: branch.clone() };
        worktree.record.write(&worktree.path, &format!("ref: {}", branch.full()))?;
        worktree.record.write_pointer(&worktree.root()?)?;
        if !worktree.record.is_finished() {
            worktree.fill()?;
        }
        Ok(worktree)
    }

    /// Opens the worktree of a branch without creating or repairing it. [`GitError::NoWorktree`]
    /// unless it exists and is complete.
    pub fn open(
        clone: &WorkingClone,
        branch: &BuildBranchName,
        path: &Path,
    ) -> Result<Self, GitError> {
        let is_there = record::is_directory(path);
        let record = Record::open(clone, &record_name(branch))?.filter(|_| is_there);
        let record = record.ok_or_else(|| GitError::NoWorktree(path.to_owned()))?;
        let path = record::absolute(path)?;
        Ok(Worktree { path, record, clone: clone.clone(), branch: branch.clone() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The branch that is checked out.
    pub fn branch(&self) -> &BuildBranchName {
        &self.branch
    }

    /// The clone with this worktree's index.
    pub(crate) fn repository(&self) -> Result<Repository, GitError> {
        self.record.repository()
    }

    /// The open root directory of the files.
    pub(crate) fn root(&self) -> Result<RootDir, GitError> {
        RootDir::open(&self.path).map_err(GitError::io("open the worktree"))
    }

    pub(crate) fn clone_repository(&self) -> Result<Repository, GitError> {
        self.clone.repository()
    }

    pub(crate) fn head(&self) -> Result<Oid, GitError> {
        repository::direct(&self.clone.repository()?, &self.branch.full())?
            .ok_or_else(|| GitError::BranchMissing(self.branch.to_string()))
    }

    pub(crate) fn record(&self) -> &Record {
        &self.record
    }

    /// Checks the branch out over existing files, after saving those that would be lost.
    fn fill(&self) -> Result<Option<Rescue>, GitError> {
        let head = self.head()?;
        let (repository, root) = (self.repository()?, self.root()?);
        let tree = repository.find_commit(head)?.tree()?;
        let mut index = self.record.index()?;
        let found = root.read_dir("").map_err(GitError::io("list the worktree"))?;
        let mut saved = None;
        if found.iter().any(|entry| entry.name != ".git") {
            index.read_tree(&tree)?;
            let staged = staging::stage_all(&repository, &root, index)?;
            let there = repository.find_tree(staged.tree)?;
            let diff = history::changes(&repository, Some(&tree), Some(&there), 0)?;
            // Missing files need no rescue.
            if diff.deltas().any(|delta| delta.status() != Delta::Deleted) {
                let clone = self.clone_repository()?;
                saved = Some(rescue::save(&clone, &self.branch, staged.tree, head)?);
            }
            index = staged.into_known_index()?;
        }
        checkout(&repository, &root, &mut index, &tree)?;
        index.write()?;
        Ok(saved)
    }

    /// The required content of the `.git` file.
    pub fn pointer(&self) -> Vec<u8> {
        self.record.pointer()
    }
}

fn record_name(branch: &BuildBranchName) -> String {
    format!("build-{}", branch.suffix())
}
