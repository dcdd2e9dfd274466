//! Merges the branch that a build started from into the build's branch. Nothing is moved here: the
//! caller records the merge first, and [`BuildBranch::advance`] follows.

use git2::{
    Commit, Index, IndexConflict, IndexEntry, MergeFileInput, MergeFileOptions, Oid, Repository,
};

use crate::{
    branch::{BuildBranch, CommitRequest},
    error::GitError,
    history, index_entry, message,
    path::of_bytes,
    pushed_commits::{changed, contains_commit},
    repository,
    sha::Sha,
};

/// Limit on listed files.
const MAX_LISTED_FILES: usize = 20;
/// Limit on listed files with conflicts.
const MAX_LISTED_CONFLICTS: usize = 500;

/// A merge of the base branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseMerge {
    /// The build's branch contains the tip. `base`: the tip, if it is newer than what the build's
    /// changes were compared with.
    Contained {
        base: Option<Sha>,
    },
    /// The merge commit, which is on no branch yet.
    Clean {
        commit: history::Commit,
        base: Sha,
        paths: Vec<String>,
        path_count: usize,
    },
    Conflict(BaseConflict),
}

/// A merge with conflicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseConflict {
    /// What the build's changes are compared with after the merge: the tip, or a merge of it with
    /// the commit that they were compared with before.
    pub base: Sha,
    /// The first files with conflicts.
    pub paths: Vec<String>,
    pub path_count: usize,
    /// A tree in which these files contain conflict markers; files that only one side has or that are
    /// not text are as on one side.
    pub marked_tree: Sha,
    /// A commit, on no branch, with these files as on the build's branch.
    pub kept: Sha,
}

impl BuildBranch {
    /// Merges `tip`, the newest commit of the branch `base_name`, into the branch, which is at `head`
    /// and whose changes are compared with `base`.
    pub fn merge_base_branch(
        &self,
        (head, base, tip): (Sha, Sha, Sha),
        base_name: &str,
        request: &CommitRequest,
    ) -> Result<BaseMerge, GitError> {
        let (here, _) = self.clone_and_origin()?;
        let (ours, theirs) = (repository::commit(&here, head)?, repository::commit(&here, tip)?);
        let is_newer = tip != base && contains_commit(&here, tip.oid(), base.oid())?;
        if contains_commit(&here, head.oid(), tip.oid())? {
            return Ok(BaseMerge::Contained { base: is_newer.then_some(tip) });
        }
        let base = match is_newer || tip == base {
            true => tip,
            false => joined(&here, &repository::commit(&here, base)?, &theirs)?.into(),
        };
        let mut index = here.merge_commits(&ours, &theirs, None)?;
        if index.has_conflicts() {
            return conflict(&here, &mut index, (&ours, base), base_name).map(BaseMerge::Conflict);
        }
        let tree = here.find_tree(index.write_tree_to(&here)?)?;
        let text = message::compose(&request.title, &request.body, &request.trailers)?;
        let bot = message::bot(request.at)?;
        let parents = [&ours, &repository::commit(&here, base)?];
        let oid = here.commit(None, &bot, &bot, &text, &tree, &parents)?;
        let paths = changed(&here, head.oid(), tip.oid())?;
        let path_count = paths.len();
        let paths = paths.into_iter().take(MAX_LISTED_FILES).collect();
        Ok(BaseMerge::Clean { commit: history::describe(&here, oid)?, base, paths, path_count })
    }

    /// What the work from `begun` to `head` is compared with: `begun`, joined with what was merged
    /// from the base branch since, whose newest commit is `tip`.
    pub fn base_of_work(&self, begun: Sha, head: Sha, tip: Sha) -> Result<Sha, GitError> {
        let (here, _) = self.clone_and_origin()?;
        let merged = here.merge_base(head.oid(), tip.oid())?;
        if contains_commit(&here, begun.oid(), merged)? {
            return Ok(begun);
        }
        let begun = repository::commit(&here, begun)?;
        Ok(joined(&here, &begun, &here.find_commit(merged)?)?.into())
    }
}

/// A merge of both commits, for comparisons only: files with conflicts are as in `theirs`.
fn joined(here: &Repository, ours: &Commit<'_>, theirs: &Commit<'_>) -> Result<Oid, GitError> {
    let mut index = here.merge_commits(ours, theirs, None)?;
    for conflict in take_conflicts(&mut index)? {
        add(&mut index, conflict.their)?;
    }
    unlisted_commit(here, &mut index, "join the base branch", &[ours, theirs])
}

/// The same commits and content give the same commit.
fn unlisted_commit(
    here: &Repository,
    index: &mut Index,
    title: &str,
    parents: &[&Commit<'_>],
) -> Result<Oid, GitError> {
    let tree = here.find_tree(index.write_tree_to(here)?)?;
    let newest = parents.iter().map(|parent| parent.time().seconds()).max().unwrap_or_default();
    let bot = message::bot(newest)?;
    let text = message::compose(title, "", &[])?;
    Ok(here.commit(None, &bot, &bot, &text, &tree, parents)?)
}

fn conflict(
    here: &Repository,
    index: &mut Index,
    (ours, base): (&Commit<'_>, Sha),
    base_name: &str,
) -> Result<BaseConflict, GitError> {
    let conflicts = take_conflicts(index)?;
    let mut paths: Vec<String> = conflicts
        .iter()
        .flat_map(|conflict| [&conflict.our, &conflict.their, &conflict.ancestor])
        .flatten()
        .map(|entry| String::from_utf8_lossy(&entry.path).into_owned())
        .collect();
    paths.sort();
    paths.dedup();
    let path_count = paths.len();
    paths.truncate(MAX_LISTED_CONFLICTS);
    let mut marked = Vec::new();
    for conflict in conflicts {
        marked.push(with_markers(here, &conflict, base_name)?);
        add(index, conflict.our)?;
    }
    let kept = unlisted_commit(here, index, "merge without the files with conflicts", &[ours])?;
    for entry in marked {
        add(index, entry)?;
    }
    let marked_tree = index.write_tree_to(here)?.into();
    Ok(BaseConflict { base, paths, path_count, marked_tree, kept: kept.into() })
}

/// Removes all conflicts from the index.
fn take_conflicts(index: &mut Index) -> Result<Vec<IndexConflict>, GitError> {
    let conflicts = index.conflicts()?.collect::<Result<Vec<IndexConflict>, _>>()?;
    for conflict in &conflicts {
        let sides = [&conflict.ancestor, &conflict.our, &conflict.their];
        for entry in sides.into_iter().flatten() {
            index.remove_path(of_bytes(&entry.path))?;
        }
    }
    Ok(conflicts)
}

/// Adds one side of a conflict as the result.
fn add(index: &mut Index, entry: Option<IndexEntry>) -> Result<(), GitError> {
    let Some(entry) = entry else { return Ok(()) };
    // The flags contain the stage; zero means resolved.
    Ok(index.add(&IndexEntry { flags: 0, flags_extended: 0, ..entry })?)
}

/// The file with conflict markers; the side that exists, if it is not text on both sides.
fn with_markers(
    here: &Repository,
    conflict: &IndexConflict,
    base_name: &str,
) -> Result<Option<IndexEntry>, GitError> {
    let (Some(our), Some(their)) = (&conflict.our, &conflict.their) else {
        return Ok(copied(conflict.our.as_ref().or(conflict.their.as_ref())));
    };
    let is_file = |entry: &IndexEntry| entry.mode & 0o170_000 == index_entry::FILE & 0o170_000;
    if !(is_file(our) && is_file(their)) {
        return Ok(copied(Some(our)));
    }
    let (ours, theirs) = (here.find_blob(our.id)?, here.find_blob(their.id)?);
    let ancestor = conflict.ancestor.as_ref().map(|entry| here.find_blob(entry.id)).transpose()?;
    let before = ancestor.as_ref().map_or(&[][..], git2::Blob::content);
    if ours.is_binary() || theirs.is_binary() {
        return Ok(copied(Some(our)));
    }
    let input = |content| {
        let mut input = MergeFileInput::new();
        input.content(content);
        input
    };
    let mut options = MergeFileOptions::new();
    options.our_label("this build").their_label(base_name);
    let merged = git2::merge_file(
        &input(before),
        &input(ours.content()),
        &input(theirs.content()),
        Some(&mut options),
    )?;
    let id = here.blob(merged.content())?;
    Ok(Some(index_entry::without_stat(&our.path, id, our.mode)))
}

fn copied(entry: Option<&IndexEntry>) -> Option<IndexEntry> {
    entry.map(|entry| index_entry::without_stat(&entry.path, entry.id, entry.mode))
}
