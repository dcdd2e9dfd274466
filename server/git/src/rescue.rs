//! Rescue commits: backups of a worktree's content before it is overwritten.

use git2::{ErrorCode, Oid, Repository};

use crate::{error::GitError, message, name::BuildBranchName, repository, sha::Sha};

/// A commit with the content of a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// `refs/forge/rescue/build-<suffix of the branch>/<n>`, in the working clone.
    pub reference: String,
    /// Its parent is the head of the branch at that time.
    pub sha: Sha,
}

/// Saves a tree under the next free number. The commit has the time of its parent.
pub(crate) fn save(
    repository: &Repository,
    branch: &BuildBranchName,
    tree: Oid,
    head: Oid,
) -> Result<Rescue, GitError> {
    let parent = repository.find_commit(head)?;
    let bot = message::bot(parent.time().seconds())?;
    let text = message::compose("rescued worktree", "", &[])?;
    let tree = repository.find_tree(tree)?;
    let oid = repository.commit(None, &bot, &bot, &text, &tree, &[&parent])?;

    let prefix = format!("refs/forge/rescue/build-{}/", branch.suffix());
    let taken = repository::branches(repository, &prefix)?;
    let mut next =
        taken.iter().filter_map(|(n, _)| n.parse::<u32>().ok()).max().unwrap_or_default() + 1;
    loop {
        let reference = format!("{prefix}{next}");
        match repository.reference(&reference, oid, false, "rescue") {
            Ok(_) => return Ok(Rescue { reference, sha: oid.into() }),
            Err(error) if error.code() == ErrorCode::Exists => next += 1,
            Err(error) => return Err(error.into()),
        }
    }
}
