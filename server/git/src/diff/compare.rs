//! Comparison of two sides within limits of time and size.

use std::time::{Duration, Instant};

use git2::{Delta, Diff, DiffFindOptions, DiffOptions, Repository, Tree};

use super::types::DiffTarget;
use crate::{
    error::GitError,
    history::{self, MAX_TEXT_BYTES},
    path::{RepoPath, of_bytes},
    repository,
    sha::Sha,
    staging::{self, Budget, Staged},
    worktree::Worktree,
};

/// After this, files are listed without lines.
const DIFF_TIMEOUT: Duration = Duration::from_secs(10);
/// For finding the changed files of a worktree.
const STAGING_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes read from changed files of a worktree.
const MAX_READ_BYTES: u64 = 64 * 1024 * 1024;
/// Added and removed files among which renames with changes are detected.
const MAX_RENAME_CANDIDATES: usize = 2_000;
/// Added and removed files among which any renames are detected.
const MAX_EXACT_RENAME_CANDIDATES: usize = 20_000;
/// Pairs of files compared in rename detection.
const RENAME_LIMIT: usize = 400;

/// One side of a comparison.
pub(crate) struct Side<'a> {
    pub(crate) tree: Tree<'a>,
    /// Files that differ from the last commit and are too large to be compared, or too many.
    pub(crate) unread: Vec<Unread>,
    /// The comparison is incomplete.
    pub(crate) incomplete: bool,
}

/// A file of the worktree whose content is not known.
pub(crate) struct Unread {
    pub(crate) path: String,
    /// Not in the last commit.
    pub(crate) is_new: bool,
}

/// The deadline of a comparison that starts now.
pub(crate) fn deadline() -> Instant {
    Instant::now() + DIFF_TIMEOUT
}

/// Reads a side within the limits; the content of `path` is always read.
pub(crate) fn side<'a>(
    repository: &'a Repository,
    target: DiffTarget<'_>,
    path: Option<&RepoPath>,
) -> Result<Side<'a>, GitError> {
    let of_tree = |tree| Side { tree, unread: Vec::new(), incomplete: false };
    let worktree = match target {
        DiffTarget::Commit(sha) => {
            return Ok(of_tree(repository::commit(repository, sha)?.tree()?));
        }
        DiffTarget::Tree(sha) => return Ok(of_tree(repository.find_tree(sha.oid())?)),
        DiffTarget::Worktree(worktree) => worktree,
    };
    let budget = Budget {
        deadline: Instant::now() + STAGING_TIMEOUT,
        file_bytes: MAX_TEXT_BYTES.unsigned_abs(),
        bytes: MAX_READ_BYTES,
        first: path.map(|path| path.as_str().as_bytes()),
    };
    of_staged(
        repository,
        staging::stage_within(&worktree.repository()?, &worktree.root()?, budget)?,
    )
}

/// Reads a worktree without limits, except files that cannot be committed.
pub(crate) fn whole_side<'a>(
    repository: &'a Repository,
    worktree: &Worktree,
) -> Result<Side<'a>, GitError> {
    let staged = staging::stage(&worktree.repository()?, &worktree.root()?)?.complete()?;
    of_staged(repository, staged)
}

fn of_staged(repository: &Repository, staged: Staged) -> Result<Side<'_>, GitError> {
    let unread = staged.unread.iter().map(|path| Unread {
        path: String::from_utf8_lossy(path).into_owned(),
        is_new: staged.index.get_path(of_bytes(path), 0).is_none(),
    });
    let unread = unread.collect();
    let tree = repository.find_tree(staged.tree)?;
    Ok(Side { tree, unread, incomplete: staged.incomplete.is_some() })
}

/// The differences from a commit, with renames within the limits.
pub(crate) fn compare<'a>(
    repository: &'a Repository,
    from: Sha,
    to: &Tree<'_>,
    options: &mut DiffOptions,
) -> Result<Diff<'a>, GitError> {
    let old = repository::commit(repository, from)?.tree()?;
    let mut diff =
        history::changes_with(repository, Some(&old), Some(to), options.context_lines(3))?;
    let is_candidate = |status| matches!(status, Delta::Added | Delta::Deleted);
    let candidates = diff.deltas().filter(|delta| is_candidate(delta.status())).count();
    if candidates <= MAX_EXACT_RENAME_CANDIDATES {
        let mut renames = DiffFindOptions::new();
        renames.renames(true).rename_limit(RENAME_LIMIT);
        renames.exact_match_only(candidates > MAX_RENAME_CANDIDATES);
        diff.find_similar(Some(&mut renames))?;
    }
    Ok(diff)
}
