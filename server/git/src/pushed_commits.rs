//! Integrates commits that users pushed to a build's branch, in two steps, so that a journal can be
//! written in between: [`BuildBranch::fetch`] moves nothing, [`BuildBranch::advance`] moves branch
//! and files to the recorded commit.
//!
//! Therefore the clone's branch contains only commits made here and recorded commits: after a crash
//! between the steps, commits that only origin has were pushed by users, regardless of their
//! author.

use std::collections::HashSet;

use git2::{Delta, Index, IndexConflict, IndexEntry, Oid, Repository, Tree};

use crate::{
    branch::BuildBranch,
    checkout::checkout,
    error::GitError,
    history::{self, AuthorKind, Commit},
    index_entry, message,
    path::of_bytes,
    repository,
    rescue::{self, Rescue},
    sha::Sha,
    staging::{self, Staged},
    transfer,
    worktree::Worktree,
};

/// Limit on [`Arrival::files`].
const MAX_LISTED_FILES: usize = 20;

/// Pushed commits that are not recorded yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The new head of the branch.
    pub head: Sha,
    /// Oldest first. Authorship is determined by how a commit arrived, not by its metadata.
    pub commits: Vec<Commit>,
    /// The first files that users' commits change.
    pub paths: Vec<String>,
    /// Total number of changed files.
    pub path_count: usize,
    /// Files with conflicts, which are resolved in favour of the pushed version.
    pub set_aside: Vec<String>,
    /// The saved worktree content, if uncommitted files have conflicts.
    pub rescue: Option<Rescue>,
}

impl BuildBranch {
    /// Whether origin's branch has commits that the clone's branch does not.
    pub fn is_behind(&self) -> Result<bool, GitError> {
        let (here, there) = self.clone_and_origin()?;
        let head = self.head_in(&here)?;
        Ok(match repository::direct(&there, &self.name().full())? {
            None => false,
            Some(theirs) => !contains_commit(&here, head, theirs)?,
        })
    }

    /// Whether the references in the clone and at origin are the same commit, read without opening the
    /// repositories, which takes a millisecond. False also if that cannot be seen, as for a packed one.
    pub fn is_at_origin(&self) -> bool {
        let (clone, origin) = self.places();
        let head = |repository| repository::loose_reference(repository, &self.name().full());
        head(clone).is_some_and(|here| head(origin) == Some(here))
    }

    /// Fetches origin's commits of this branch into the clone's objects, merges them with local
    /// commits that origin lacks at `at` (Unix seconds), and returns the commits after `recorded`,
    /// which the clone's branch contains. `None` if there are none. No branch or file is changed;
    /// worktree content that would be overwritten is saved to a rescue reference.
    pub fn fetch(
        &self,
        worktree: &Worktree,
        recorded: Sha,
        trailers: &[(String, String)],
        at: i64,
    ) -> Result<Option<Arrival>, GitError> {
        self.check_worktree(worktree)?;
        let (here, there) = self.clone_and_origin()?;
        let head = self.head_in(&here)?;
        let theirs = repository::direct(&there, &self.name().full())?.unwrap_or(head);
        let tracked = repository::branches(&here, "refs/remotes/origin/")?;
        let known: Vec<Oid> = tracked.into_iter().map(|(_, oid)| oid).chain([head]).collect();
        transfer::copy(&there, &here, &[theirs], &known)?;

        let mut set_aside = Vec::new();
        let target = if contains_commit(&here, head, theirs)? {
            head
        } else if contains_commit(&here, theirs, head)? {
            theirs
        } else {
            let (merge, conflicts) = merge(&here, head, theirs, trailers, at)?;
            set_aside = conflicts;
            merge
        };
        if target == recorded.oid() {
            return Ok(None);
        }
        let mut rescue = None;
        let carried = merge_into_worktree(&here, worktree, head, target)?;
        if !carried.set_aside.is_empty() {
            rescue = Some(rescue::save(&here, self.name(), carried.staged.tree, head)?);
            set_aside.extend(carried.set_aside);
        }
        set_aside.sort();
        set_aside.dedup();

        let arrived: HashSet<Oid> = history::between(&here, head, theirs)?.into_iter().collect();
        let mut commits = Vec::new();
        for oid in history::between(&here, recorded.oid(), target)?.into_iter().rev() {
            let author_kind =
                if arrived.contains(&oid) { AuthorKind::Human } else { AuthorKind::Forge };
            commits.push(Commit { author_kind, ..history::describe(&here, oid)? });
        }
        let paths = changed(&here, head, theirs)?;
        let path_count = paths.len();
        let paths = paths.into_iter().take(MAX_LISTED_FILES).collect();
        let head = target.into();
        Ok(Some(Arrival { head, commits, paths, path_count, set_aside, rescue }))
    }

    /// Moves the clone's branch and the worktree forward to a commit in the clone that descends
    /// from the branch. Uncommitted changes are kept; in files where both changed the same lines,
    /// the commit's version is used. Idempotent.
    pub fn advance(&self, worktree: &Worktree, to: Sha) -> Result<(), GitError> {
        self.check_worktree(worktree)?;
        let (here, _) = self.clone_and_origin()?;
        let head = self.head_in(&here)?;
        repository::commit(&here, to)?;
        if contains_commit(&here, head, to.oid())? {
            return Ok(());
        }
        if !contains_commit(&here, to.oid(), head)? {
            return Err(GitError::NonFastForward(self.name().to_string()));
        }
        // Files first: if interrupted here, they are merged again, which changes nothing.
        let carried = merge_into_worktree(&here, worktree, head, to.oid())?;
        let files = worktree.repository()?;
        let mut index = carried.staged.index;
        checkout(&files, &worktree.root()?, &mut index, &files.find_tree(carried.tree)?)?;
        update_index(&files, &mut index, &files.find_commit(to.oid())?.tree()?)?;
        index.write()?;
        self.move_here(&here, head, to.oid())
    }
}

/// Whether `commit` is `head` or an ancestor of it; `false` if it is not in the repository.
pub(crate) fn contains_commit(
    repository: &Repository,
    head: Oid,
    commit: Oid,
) -> Result<bool, GitError> {
    let known = repository.find_commit(commit).is_ok();
    Ok(known && (head == commit || repository.graph_descendant_of(head, commit)?))
}

/// Creates a merge commit; conflicts are resolved in favour of the pushed version.
fn merge(
    repository: &Repository,
    ours: Oid,
    theirs: Oid,
    trailers: &[(String, String)],
    at: i64,
) -> Result<(Oid, Vec<String>), GitError> {
    let (ours, theirs) = (repository.find_commit(ours)?, repository.find_commit(theirs)?);
    let mut index = repository.merge_commits(&ours, &theirs, None)?;
    let conflicts = resolve_conflicts_with_theirs(&mut index)?;
    let tree = repository.find_tree(index.write_tree_to(repository)?)?;
    let text = message::compose("join what was pushed meanwhile", "", trailers)?;
    let bot = message::bot(at)?;
    let oid = repository.commit(None, &bot, &bot, &text, &tree, &[&ours, &theirs])?;
    Ok((oid, conflicts))
}

/// The worktree's current content, and the merged content.
struct MergedWorktree {
    staged: Staged,
    tree: Oid,
    set_aside: Vec<String>,
}

/// Merges the change from `head` to `target` into the worktree's content.
fn merge_into_worktree(
    repository: &Repository,
    worktree: &Worktree,
    head: Oid,
    target: Oid,
) -> Result<MergedWorktree, GitError> {
    let base = repository.find_commit(head)?.tree()?;
    let staged = staging::stage(&worktree.repository()?, &worktree.root()?)?.complete()?;
    let ours = repository.find_tree(staged.tree)?;
    let theirs = repository.find_commit(target)?.tree()?;
    let mut index = repository.merge_trees(&base, &ours, &theirs, None)?;
    let set_aside = resolve_conflicts_with_theirs(&mut index)?;
    Ok(MergedWorktree { staged, tree: index.write_tree_to(repository)?, set_aside })
}

/// Makes the index list exactly the files of a commit. File times are kept where the content is
/// that of the commit.
fn update_index(
    repository: &Repository,
    index: &mut Index,
    commit: &Tree<'_>,
) -> Result<(), GitError> {
    let diff = repository.diff_tree_to_index(Some(commit), Some(index), None)?;
    for delta in diff.deltas() {
        let (old, new) = (delta.old_file(), delta.new_file());
        if delta.status() == Delta::Added {
            index.remove(of_bytes(new.path_bytes().unwrap_or_default()), 0)?;
        } else if let Some(path) = old.path_bytes() {
            index.add(&index_entry::without_stat(path, old.id(), u32::from(old.mode())))?;
        }
    }
    Ok(())
}

/// Resolves all conflicts with the other side's file, and returns the paths.
fn resolve_conflicts_with_theirs(index: &mut Index) -> Result<Vec<String>, GitError> {
    let conflicts = index.conflicts()?.collect::<Result<Vec<IndexConflict>, _>>()?;
    let mut paths = Vec::new();
    for IndexConflict { ancestor, our, their } in conflicts {
        let sides = [ancestor.as_ref(), our.as_ref(), their.as_ref()];
        for entry in sides.into_iter().flatten() {
            let path = entry.path.as_slice();
            let name = String::from_utf8_lossy(path).into_owned();
            index.remove_path(of_bytes(path))?;
            paths.push(name);
        }
        if let Some(their) = their {
            // The flags contain the stage; zero means resolved.
            index.add(&IndexEntry { flags: 0, flags_extended: 0, ..their })?;
        }
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// The files that `theirs` changes since its merge base with `head`.
pub(crate) fn changed(
    repository: &Repository,
    head: Oid,
    theirs: Oid,
) -> Result<Vec<String>, GitError> {
    let base = repository.merge_base(head, theirs)?;
    let tree = |oid| repository.find_commit(oid).and_then(|commit| commit.tree());
    let diff = history::changes(repository, Some(&tree(base)?), Some(&tree(theirs)?), 0)?;
    let paths = diff.deltas().filter_map(|delta| {
        let file =
            if delta.status() == Delta::Deleted { delta.old_file() } else { delta.new_file() };
        file.path_bytes().map(|path| String::from_utf8_lossy(path).into_owned())
    });
    Ok(paths.collect())
}
