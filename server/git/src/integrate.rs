//! Taking in what people pushed to a build's branch.

use git2::{Index, Oid, Repository, build::CheckoutBuilder};

use crate::{
    branch::BuildBranch, error::GitError, history, repository, transfer, worktree::Worktree,
};

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Integration {
    /// Origin has nothing new.
    UpToDate,
    /// The branch now stands at origin's head.
    FastForwarded,
    /// Commits not yet pushed were made anew on top of origin's head.
    Replayed,
    /// These files conflict; nothing was changed.
    Conflict(Vec<String>),
}

impl BuildBranch {
    /// Brings origin's commits of this branch into the clone and the worktree. Uncommitted changes
    /// stay; where both changed the same lines, it is a conflict.
    pub fn integrate(&self, worktree: &Worktree) -> Result<Integration, GitError> {
        self.check_worktree(worktree)?;
        let (here, there) = self.clone_and_origin()?;
        let head = self.head_in(&here)?;
        let theirs = match repository::direct(&there, &self.name().full())? {
            Some(oid) if oid != head => oid,
            _ => return Ok(Integration::UpToDate),
        };
        let tracked = repository::branches(&here, "refs/remotes/origin/")?;
        let known: Vec<Oid> = tracked.into_iter().map(|(_, oid)| oid).chain([head]).collect();
        transfer::copy(&there, &here, &[theirs], &known)?;
        if here.graph_descendant_of(head, theirs)? {
            return Ok(Integration::UpToDate);
        }
        let (target, done) = match here.graph_descendant_of(theirs, head)? {
            true => (theirs, Integration::FastForwarded),
            false => match replay(&here, head, theirs)? {
                Ok(oid) => (oid, Integration::Replayed),
                Err(files) => return Ok(Integration::Conflict(files)),
            },
        };
        // Files first: cut here, the next commit holds their change once more instead of undoing it.
        if let Err(files) = check_out(&here, worktree, head, target)? {
            return Ok(Integration::Conflict(files));
        }
        self.move_here(&here, head, target)?;
        Ok(done)
    }
}

/// Makes the commits of `head` that `onto` lacks anew on top of it, in memory.
fn replay(
    repository: &Repository,
    head: Oid,
    onto: Oid,
) -> Result<Result<Oid, Vec<String>>, GitError> {
    let mut tip = repository.find_commit(onto)?;
    for oid in history::between(repository, onto, head)?.into_iter().rev() {
        let commit = repository.find_commit(oid)?;
        let mut merged = repository.cherrypick_commit(&commit, &tip, 0, None)?;
        if merged.has_conflicts() {
            return Ok(Err(conflicts(&merged)?));
        }
        let tree = repository.find_tree(merged.write_tree_to(repository)?)?;
        let message = String::from_utf8_lossy(commit.message_raw_bytes()).into_owned();
        let (author, committer) = (commit.author(), commit.committer());
        let made = repository.commit(None, &author, &committer, &message, &tree, &[&tip])?;
        tip = repository.find_commit(made)?;
    }
    Ok(Ok(tip.id()))
}

/// Brings the change from `head` to `target` into the files, beside what is not committed there.
fn check_out(
    repository: &Repository,
    worktree: &Worktree,
    head: Oid,
    target: Oid,
) -> Result<Result<(), Vec<String>>, GitError> {
    let files = worktree.repository()?;
    let base = repository.find_commit(head)?.tree()?;
    let ours = repository.find_tree(worktree.snapshot()?)?;
    let theirs = repository.find_commit(target)?.tree()?;
    let mut merged = repository.merge_trees(&base, &ours, &theirs, None)?;
    if merged.has_conflicts() {
        return Ok(Err(conflicts(&merged)?));
    }
    let tree = files.find_tree(merged.write_tree_to(repository)?)?;
    let mut checkout = CheckoutBuilder::new();
    checkout.force().disable_filters(true);
    files.checkout_tree(tree.as_object(), Some(&mut checkout))?;
    Ok(Ok(()))
}

fn conflicts(index: &Index) -> Result<Vec<String>, GitError> {
    let mut files = Vec::new();
    for conflict in index.conflicts()? {
        let conflict = conflict?;
        let entry = conflict.our.or(conflict.their).or(conflict.ancestor);
        files.extend(entry.map(|entry| String::from_utf8_lossy(&entry.path).into_owned()));
    }
    files.sort();
    files.dedup();
    Ok(files)
}
