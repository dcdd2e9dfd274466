//! What changed between a commit and a commit or a worktree.

mod hunks;
mod moved;
mod texts;
mod types;
mod words;

use git2::{Delta, Diff, DiffDelta, DiffFindOptions, Patch, Repository, Tree};

pub use hunks::MAX_LINES;
pub use moved::find_lines;
pub use texts::diff_texts;
pub use types::{FileChange, FileDiff, FileStatus, Hunk, Line, LineKind, Span};

use crate::{
    clone::WorkingClone,
    content::{self, FileContent},
    error::GitError,
    history,
    path::RepoPath,
    repository,
    sha::Sha,
    worktree::Worktree,
};

/// Pairs of files looked at when renames are sought.
const RENAME_LIMIT: usize = 400;

/// What a commit is compared with.
#[derive(Debug, Clone, Copy)]
pub enum DiffTarget<'a> {
    /// A commit.
    Commit(Sha),
    /// The files as they are now, new ones included.
    Worktree(&'a Worktree),
}

/// The changed files, by path. Attributes files have no say in what counts as binary.
pub fn diff_files(
    clone: &WorkingClone,
    from: Sha,
    to: DiffTarget<'_>,
) -> Result<Vec<FileChange>, GitError> {
    let repo = clone.repository()?;
    let diff = compare(&repo, from, to)?;
    let mut files = Vec::new();
    for (at, delta) in diff.deltas().enumerate() {
        let patch = Patch::from_diff(&diff, at)?;
        let (insertions, deletions) = match &patch {
            Some(patch) => {
                let (_, insertions, deletions) = patch.line_stats()?;
                (insertions, deletions)
            }
            None => (0, 0),
        };
        let (path, old_path, status) = describe(&delta);
        let binary = is_binary(patch.as_ref());
        files.push(FileChange { path, old_path, status, insertions, deletions, binary });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// One changed file with its lines; `path` is its path after the change, or before it when it was
/// deleted. [`GitError::NoSuchFile`] when it did not change.
pub fn diff_file(
    clone: &WorkingClone,
    from: Sha,
    to: DiffTarget<'_>,
    path: &RepoPath,
) -> Result<FileDiff, GitError> {
    let repo = clone.repository()?;
    let diff = compare(&repo, from, to)?;
    let found = diff
        .deltas()
        .enumerate()
        .map(|(at, delta)| (at, describe(&delta)))
        .find(|(_, (found, ..))| found == path.as_str());
    let Some((at, (path, old_path, status))) = found else {
        return Err(GitError::NoSuchFile(path.to_string()));
    };
    let patch = Patch::from_diff(&diff, at)?;
    let binary = is_binary(patch.as_ref());
    let (hunks, truncated) = match &patch {
        Some(patch) if !binary => hunks::read(patch)?,
        _ => (Vec::new(), false),
    };
    Ok(FileDiff { path, old_path, status, binary, truncated, hunks })
}

/// A file as it is on one side of a comparison, at most `max_bytes` of it.
pub fn read_side(
    clone: &WorkingClone,
    side: DiffTarget<'_>,
    path: &RepoPath,
    max_bytes: usize,
) -> Result<FileContent, GitError> {
    let repo = clone.repository()?;
    content::read_in(&repo, &tree_of(&repo, side)?, path, max_bytes)
}

fn tree_of<'a>(repo: &'a Repository, side: DiffTarget<'_>) -> Result<Tree<'a>, GitError> {
    match side {
        DiffTarget::Commit(sha) => Ok(repository::commit(repo, sha)?.tree()?),
        DiffTarget::Worktree(worktree) => Ok(repo.find_tree(worktree.snapshot()?)?),
    }
}

fn compare<'a>(repo: &'a Repository, from: Sha, to: DiffTarget<'_>) -> Result<Diff<'a>, GitError> {
    let (old, new) = (tree_of(repo, DiffTarget::Commit(from))?, tree_of(repo, to)?);
    let mut diff = history::changes(repo, Some(&old), Some(&new), 3)?;
    diff.find_similar(Some(DiffFindOptions::new().renames(true).rename_limit(RENAME_LIMIT)))?;
    Ok(diff)
}

fn is_binary(patch: Option<&Patch<'_>>) -> bool {
    patch.is_none_or(|patch| patch.delta().flags().is_binary())
}

fn describe(delta: &DiffDelta<'_>) -> (String, Option<String>, FileStatus) {
    let text =
        |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let (old, new) = (text(delta.old_file().path_bytes()), text(delta.new_file().path_bytes()));
    match delta.status() {
        Delta::Added => (new, None, FileStatus::Added),
        Delta::Deleted => (old, None, FileStatus::Deleted),
        Delta::Renamed => (new, Some(old), FileStatus::Renamed),
        _ => (new, None, FileStatus::Modified),
    }
}
