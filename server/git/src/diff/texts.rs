//! Two texts compared without a repository.

use git2::Patch;

use super::{
    hunks,
    types::{FileDiff, FileStatus},
};
use crate::error::GitError;

/// Two texts compared, as if they were a file before and after a change.
pub fn diff_texts(path: &str, old: &str, new: &str) -> Result<FileDiff, GitError> {
    let patch = Patch::from_buffers(old.as_bytes(), None, new.as_bytes(), None, None)?;
    let (hunks, truncated) = hunks::read(&patch)?;
    let (path, status) = (path.to_owned(), FileStatus::Modified);
    Ok(FileDiff { path, old_path: None, status, binary: false, truncated, hunks })
}
