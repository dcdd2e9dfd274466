//! Removing and restoring worktrees without losing uncommitted content.

use git2::Repository;

use crate::{
    checkout::checkout,
    error::GitError,
    record,
    rescue::{self, Rescue},
    staging::{self, Staged},
    worktree::Worktree,
};

impl Worktree {
    /// Removes the files and the clone's record of them; commits are kept. Uncommitted content is
    /// saved first and returned, except ignored files. If interrupted, it can be repeated after
    /// [`Worktree::open_or_create`].
    pub fn remove(self) -> Result<Option<Rescue>, GitError> {
        let repository = self.repository()?;
        let staged = staging::stage(&repository, &self.root()?)?;
        if let Some(error) = staged.incomplete.as_ref().or(staged.refused.first()) {
            tracing::warn!(%error, "not all files of a removed worktree could be saved");
        }
        let saved = save(&self, &repository, &staged)?;
        self.record().mark_unfinished()?;
        record::remove_directory(self.path()).map_err(GitError::io("remove the worktree"))?;
        self.record().remove()?;
        Ok(saved)
    }

    /// Restores the files to the head of the branch. Uncommitted content is saved first and
    /// returned. Ignored files are kept.
    pub fn restore(&self) -> Result<Option<Rescue>, GitError> {
        let (repository, root) = (self.repository()?, self.root()?);
        let staged = staging::stage(&repository, &root)?.complete()?;
        let saved = save(self, &repository, &staged)?;
        if saved.is_none() && staged.unread.is_empty() {
            return Ok(None);
        }
        let tree = repository.find_commit(self.head()?)?.tree()?;
        let mut index = staged.into_known_index()?;
        checkout(&repository, &root, &mut index, &tree)?;
        index.write()?;
        Ok(saved)
    }
}

fn save(
    worktree: &Worktree,
    repository: &Repository,
    staged: &Staged,
) -> Result<Option<Rescue>, GitError> {
    let head = worktree.head()?;
    if staged.tree == repository.find_commit(head)?.tree_id() {
        return Ok(None);
    }
    let clone = worktree.clone_repository()?;
    rescue::save(&clone, worktree.branch(), staged.tree, head).map(Some)
}
