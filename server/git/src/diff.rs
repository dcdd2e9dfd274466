//! Differences between a commit and another commit or a worktree.

mod compare;
mod hunks;
mod moved;
mod texts;
mod types;
mod words;

use std::time::Instant;

use git2::{Delta, DiffDelta, DiffOptions, Patch, Repository};
use rootdir::RootDir;

pub use hunks::MAX_LINES;
pub use moved::find_lines;
pub use texts::diff_texts;
pub use types::{
    ChangedFiles, DiffTarget, FileChange, FileDiff, FileStatus, Hunk, Line, LineKind, Span,
};

use self::compare::{Side, Unread};
use crate::{
    clone::WorkingClone,
    content::{self, FileContent},
    error::GitError,
    path::RepoPath,
    repository, scan,
    sha::Sha,
    staging,
    worktree::Worktree,
};

/// Lists changed files by path. Attributes files do not affect what counts as binary. Files that
/// did not change since the last commit are not read.
pub fn diff_files(
    clone: &WorkingClone,
    from: Sha,
    to: DiffTarget<'_>,
) -> Result<ChangedFiles, GitError> {
    let deadline = compare::deadline();
    let repo = clone.repository()?;
    list(&repo, from, compare::side(&repo, to, None)?, deadline)
}

/// Lists all changed files of a worktree, without limits.
pub(crate) fn list_all(
    clone: &WorkingClone,
    from: Sha,
    worktree: &Worktree,
) -> Result<Vec<FileChange>, GitError> {
    let repo = clone.repository()?;
    let side = compare::whole_side(&repo, worktree)?;
    Ok(list(&repo, from, side, compare::deadline())?.files)
}

/// After the deadline, lines are not counted.
fn list(
    repo: &Repository,
    from: Sha,
    side: Side<'_>,
    deadline: Instant,
) -> Result<ChangedFiles, GitError> {
    let Side { tree, unread, incomplete } = side;
    let diff = compare::compare(repo, from, &tree, &mut DiffOptions::new())?;
    let mut truncated = incomplete || !unread.is_empty();
    let mut files = Vec::new();
    for (at, delta) in diff.deltas().enumerate() {
        let (path, old_path, status) = describe(&delta);
        let id = match status {
            FileStatus::Deleted => delta.old_file().id(),
            _ => delta.new_file().id(),
        };
        let mut change = FileChange {
            path,
            old_path,
            status,
            insertions: 0,
            deletions: 0,
            binary: false,
            content_id: Some(id.to_string()),
        };
        if Instant::now() > deadline {
            truncated = true;
        } else {
            let patch = Patch::from_diff(&diff, at)?;
            change.binary = is_binary(patch.as_ref());
            if let Some(patch) = patch {
                (_, change.insertions, change.deletions) = patch.line_stats()?;
            }
        }
        files.push(change);
    }
    add_unread(&mut files, unread);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(ChangedFiles { files, truncated })
}

/// Lists files whose content was not read as binary ones.
fn add_unread(files: &mut Vec<FileChange>, unread: Vec<Unread>) {
    for Unread { path, is_new } in unread {
        let status = if is_new { FileStatus::Added } else { FileStatus::Modified };
        match files.iter_mut().find(|file| file.path == path) {
            Some(known) => {
                (known.insertions, known.deletions, known.binary) = (0, 0, true);
                known.content_id = None;
            }
            None => files.push(FileChange {
                path,
                old_path: None,
                status,
                insertions: 0,
                deletions: 0,
                binary: true,
                content_id: None,
            }),
        }
    }
}

/// One changed file with its lines; `path` is its path after the change, or before it when it was
/// deleted. [`GitError::NoSuchFile`] if it did not change.
pub fn diff_file(
    clone: &WorkingClone,
    from: Sha,
    to: DiffTarget<'_>,
    path: &RepoPath,
) -> Result<FileDiff, GitError> {
    diff_file_with(clone, from, to, path, &mut DiffOptions::new())
}

/// As [`diff_file`]; lines that differ only in whitespace count as unchanged.
pub fn diff_file_ignoring_whitespace(
    clone: &WorkingClone,
    from: Sha,
    to: DiffTarget<'_>,
    path: &RepoPath,
) -> Result<FileDiff, GitError> {
    diff_file_with(clone, from, to, path, DiffOptions::new().ignore_whitespace(true))
}

fn diff_file_with(
    clone: &WorkingClone,
    from: Sha,
    to: DiffTarget<'_>,
    path: &RepoPath,
    options: &mut DiffOptions,
) -> Result<FileDiff, GitError> {
    let repo = clone.repository()?;
    let Side { tree, unread, .. } = compare::side(&repo, to, Some(path))?;
    let diff = compare::compare(&repo, from, &tree, options)?;
    let found = diff
        .deltas()
        .enumerate()
        .map(|(at, delta)| (at, describe(&delta)))
        .find(|(_, (found, ..))| found == path.as_str());
    if let Some(Unread { path, is_new }) = unread.into_iter().find(|u| u.path == path.as_str()) {
        let status = if is_new { FileStatus::Added } else { FileStatus::Modified };
        let (old_path, hunks) = (None, Vec::new());
        return Ok(FileDiff { path, old_path, status, binary: true, truncated: false, hunks });
    }
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

/// A file on one side of a comparison, at most `max_bytes` of it. An ignored file of a
/// worktree is [`GitError::NoSuchFile`].
pub fn read_side(
    clone: &WorkingClone,
    side: DiffTarget<'_>,
    path: &RepoPath,
    max_bytes: usize,
) -> Result<FileContent, GitError> {
    match side {
        DiffTarget::Commit(sha) => {
            let repo = clone.repository()?;
            content::read_in(&repo, &repository::commit(&repo, sha)?.tree()?, path, max_bytes)
        }
        DiffTarget::Tree(sha) => {
            let repo = clone.repository()?;
            content::read_in(&repo, &repo.find_tree(sha.oid())?, path, max_bytes)
        }
        DiffTarget::Worktree(worktree) => {
            let (_, tracked) = staging::open_index(&worktree.repository()?)?;
            let root: RootDir = worktree.root()?;
            let reading = || GitError::io(format!("read `{path}` in the worktree"));
            if !scan::is_visible(&root, &tracked, path.as_path()).map_err(reading())? {
                return Err(GitError::NoSuchFile(path.to_string()));
            }
            content::read_below(&root, path, max_bytes)
        }
    }
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
