//! Emptying worktrees without losing what is in them.

use std::{fs, io, os::unix::fs::PermissionsExt, path::Path};

use git2::{Delta, build::CheckoutBuilder};

use crate::{
    error::GitError,
    history,
    rescue::{self, Rescue},
    staging,
    worktree::Worktree,
};

impl Worktree {
    /// Removes the files and the clone's record of them; commits stay. Content that is not committed
    /// is saved first and returned. Ignored files are not saved. Cut short, it can be repeated after
    /// [`Worktree::open_or_create`].
    pub fn remove(self) -> Result<Option<Rescue>, GitError> {
        let saved = save(&self)?;
        self.mark_unfinished()?;
        remove_all(self.path()).map_err(GitError::io("remove the worktree"))?;
        remove_all(self.admin()).map_err(GitError::io("remove the worktree's record"))?;
        Ok(saved)
    }

    /// Brings the files back to the head of the branch: the last checkpoint. Content that is not
    /// committed is saved first and returned. Ignored files stay.
    pub fn restore(&self) -> Result<Option<Rescue>, GitError> {
        let Some(saved) = save(self)? else { return Ok(None) };
        let repo = self.repository()?;
        let tree = repo.find_commit(self.head()?)?.tree()?;
        let there = repo.find_commit(saved.sha.oid())?.tree()?;
        let diff = history::changes(&repo, Some(&tree), Some(&there), 0)?;
        for delta in diff.deltas().filter(|delta| delta.status() == Delta::Added) {
            if let Some(path) = delta.new_file().path() {
                remove_file(self.path(), path).map_err(GitError::io("remove a new file"))?;
            }
        }
        let mut checkout = CheckoutBuilder::new();
        checkout.force().disable_filters(true);
        repo.checkout_tree(tree.as_object(), Some(&mut checkout))?;
        Ok(Some(saved))
    }
}

fn save(worktree: &Worktree) -> Result<Option<Rescue>, GitError> {
    let repo = worktree.repository()?;
    let head = worktree.head()?;
    let tree = staging::stage(&repo, worktree.path())?.tree;
    if tree == repo.find_commit(head)?.tree_id() {
        return Ok(None);
    }
    let clone = worktree.clone_repository()?;
    rescue::save(&clone, worktree.branch(), tree, head).map(Some)
}

/// Removes a file and the directories which that leaves empty.
fn remove_file(root: &Path, path: &Path) -> io::Result<()> {
    fs::remove_file(root.join(path))?;
    for parent in path.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()) {
        if fs::remove_dir(root.join(parent)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Some tools leave read-only directories behind; these are opened up and tried again.
fn remove_all(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path)?;
            fs::remove_dir_all(path)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

fn open_up(directory: &Path) -> io::Result<()> {
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}
