//! Taking in what people pushed to a build's branch, in two steps, so that a journal can be written
//! between them: [`BuildBranch::fetch`] moves nothing, [`BuildBranch::advance`] moves branch and
//! files to what was recorded.
//!
//! The clone's branch so never holds anything but commits made here and commits that are recorded:
//! after a crash between the steps, what is at origin and not in the clone's branch is still
//! somebody else's, whatever it says of itself.

use std::collections::HashSet;

use git2::{Index, IndexConflict, IndexEntry, Oid, Repository, build::CheckoutBuilder};

use crate::{
    branch::BuildBranch,
    error::GitError,
    history::{self, AuthorKind, Commit},
    message, repository,
    rescue::{self, Rescue},
    sha::Sha,
    transfer,
    worktree::Worktree,
};

/// Files that are named of what people changed.
const NAMED: usize = 20;

/// What the branch is to get beyond what is recorded of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Where the branch is to stand.
    pub head: Sha,
    /// Oldest first. Whoever made one is judged by how it came here, not by what it says.
    pub commits: Vec<Commit>,
    /// The first of the files that people's commits change.
    pub paths: Vec<String>,
    /// How many files there are.
    pub path_count: usize,
    /// Files of which people's version will stand where work from here does not fit with it.
    pub set_aside: Vec<String>,
    /// Where the worktree's content is kept, if files that are not committed are among those.
    pub rescue: Option<Rescue>,
}

impl BuildBranch {
    /// Whether origin's branch has commits that the clone's has not.
    pub fn is_behind(&self) -> Result<bool, GitError> {
        let (here, there) = self.clone_and_origin()?;
        let head = self.head_in(&here)?;
        Ok(match repository::direct(&there, &self.name().full())? {
            None => false,
            Some(theirs) => !has(&here, head, theirs)?,
        })
    }

    /// Brings origin's commits of this branch into the clone's objects, joins them with commits
    /// from here that origin lacks by a merge at `at` (Unix seconds), and says what follows beyond
    /// `recorded`, which the clone's branch has. `None` when nothing does. No branch and no file
    /// is touched; what the worktree would lose is saved to a rescue reference.
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
        let target = if has(&here, head, theirs)? {
            head
        } else if has(&here, theirs, head)? {
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
        let carried = carry(&here, worktree, head, target)?;
        if !carried.set_aside.is_empty() {
            rescue = Some(rescue::save(&here, self.name(), carried.ours, head)?);
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
        let paths = paths.into_iter().take(NAMED).collect();
        let head = target.into();
        Ok(Some(Arrival { head, commits, paths, path_count, set_aside, rescue }))
    }

    /// Brings the clone's branch and the worktree forward to a commit that the clone has and that
    /// goes on from the branch. Uncommitted changes stay; of a file where both changed the same
    /// lines, the commit's version stands. Repeating it does nothing.
    pub fn advance(&self, worktree: &Worktree, to: Sha) -> Result<(), GitError> {
        self.check_worktree(worktree)?;
        let (here, _) = self.clone_and_origin()?;
        let head = self.head_in(&here)?;
        repository::commit(&here, to)?;
        if has(&here, head, to.oid())? {
            return Ok(());
        }
        if !has(&here, to.oid(), head)? {
            return Err(GitError::NonFastForward(self.name().to_string()));
        }
        // Files first: cut here, the files are carried once more, which changes nothing in them.
        let carried = carry(&here, worktree, head, to.oid())?;
        let files = worktree.repository()?;
        let tree = files.find_tree(carried.tree)?;
        let mut checkout = CheckoutBuilder::new();
        checkout.force().disable_filters(true);
        files.checkout_tree(tree.as_object(), Some(&mut checkout))?;
        self.move_here(&here, head, to.oid())
    }

    /// Both steps at once, for whoever keeps no journal.
    pub fn integrate(&self, worktree: &Worktree) -> Result<Option<Arrival>, GitError> {
        let head = self.head()?;
        let at = repository::commit(&self.clone_and_origin()?.0, head)?.time().seconds();
        let arrival = self.fetch(worktree, head, &[], at)?;
        if let Some(arrival) = &arrival {
            self.advance(worktree, arrival.head)?;
        }
        Ok(arrival)
    }
}

/// Whether `commit` is `head` or an ancestor of it; one that is not in the repository is not.
fn has(repository: &Repository, head: Oid, commit: Oid) -> Result<bool, GitError> {
    let known = repository.find_commit(commit).is_ok();
    Ok(known && (head == commit || repository.graph_descendant_of(head, commit)?))
}

/// A commit that has both, people's version standing where the two do not fit.
fn merge(
    repository: &Repository,
    ours: Oid,
    theirs: Oid,
    trailers: &[(String, String)],
    at: i64,
) -> Result<(Oid, Vec<String>), GitError> {
    let (ours, theirs) = (repository.find_commit(ours)?, repository.find_commit(theirs)?);
    let mut index = repository.merge_commits(&ours, &theirs, None)?;
    let conflicts = yield_to_theirs(&mut index)?;
    let tree = repository.find_tree(index.write_tree_to(repository)?)?;
    let text = message::compose("join what was pushed meanwhile", "", trailers)?;
    let bot = message::bot(at)?;
    let oid = repository.commit(None, &bot, &bot, &text, &tree, &[&ours, &theirs])?;
    Ok((oid, conflicts))
}

/// The worktree as it is, and as it is to be.
struct Carried {
    ours: Oid,
    tree: Oid,
    set_aside: Vec<String>,
}

/// What the worktree holds, with the change from `head` to `target` brought into it.
fn carry(
    repository: &Repository,
    worktree: &Worktree,
    head: Oid,
    target: Oid,
) -> Result<Carried, GitError> {
    let base = repository.find_commit(head)?.tree()?;
    let ours = worktree.snapshot()?;
    let theirs = repository.find_commit(target)?.tree()?;
    let mut index = repository.merge_trees(&base, &repository.find_tree(ours)?, &theirs, None)?;
    let set_aside = yield_to_theirs(&mut index)?;
    Ok(Carried { ours, tree: index.write_tree_to(repository)?, set_aside })
}

/// Settles every conflict with the other side's file; gives the paths.
fn yield_to_theirs(index: &mut Index) -> Result<Vec<String>, GitError> {
    let conflicts = index.conflicts()?.collect::<Result<Vec<IndexConflict>, _>>()?;
    let mut paths = Vec::new();
    for IndexConflict { ancestor, our, their } in conflicts {
        let sides = [ancestor.as_ref(), our.as_ref(), their.as_ref()];
        for entry in sides.into_iter().flatten() {
            let path = entry.path.as_slice();
            let name = String::from_utf8_lossy(path).into_owned();
            index.remove_path(as_path(path))?;
            paths.push(name);
        }
        if let Some(their) = their {
            // Its stage is in the flags: nought is a file that is settled.
            index.add(&IndexEntry { flags: 0, flags_extended: 0, ..their })?;
        }
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

fn as_path(bytes: &[u8]) -> &std::path::Path {
    use std::os::unix::ffi::OsStrExt;
    std::path::Path::new(std::ffi::OsStr::from_bytes(bytes))
}

/// The files that `theirs` changes since it left the history of `head`.
fn changed(repository: &Repository, head: Oid, theirs: Oid) -> Result<Vec<String>, GitError> {
    let base = repository.merge_base(head, theirs)?;
    let tree = |oid| repository.find_commit(oid).and_then(|commit| commit.tree());
    let diff = history::changes(repository, Some(&tree(base)?), Some(&tree(theirs)?), 0)?;
    let paths = diff.deltas().filter_map(|delta| {
        let file = if delta.status() == git2::Delta::Deleted {
            delta.old_file()
        } else {
            delta.new_file()
        };
        file.path_bytes().map(|path| String::from_utf8_lossy(path).into_owned())
    });
    Ok(paths.collect())
}
