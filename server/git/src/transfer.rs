//! Copies commits between local repositories, without remotes, refspecs or hooks.

use std::{cell::RefCell, collections::HashSet};

use git2::{ObjectType, Odb, Oid, Repository, Sort};

use crate::{error::GitError, packed_copy};

/// Up to this many commits are copied as loose objects, more as a pack.
const MAX_LOOSE_COMMITS: usize = 64;

/// Copies the missing history of `tips` to `to`. `there` are commits reachable from references of
/// `to`; the more recent they are, the less is copied. Parents are written before children, so an
/// interrupted copy is detected as incomplete.
pub(crate) fn copy(
    from: &Repository,
    to: &Repository,
    tips: &[Oid],
    there: &[Oid],
) -> Result<(), GitError> {
    if tips.is_empty() {
        return Ok(());
    }
    let known: Vec<Oid> =
        there.iter().copied().filter(|oid| from.find_commit(*oid).is_ok()).collect();
    if known.is_empty() {
        return packed_copy::copy(from, to, tips, &known);
    }
    let commits = walk(from, tips, &known)?.collect::<Result<Vec<_>, _>>()?;
    if commits.len() > MAX_LOOSE_COMMITS {
        return packed_copy::copy(from, to, tips, &known);
    }
    let objects =
        Objects { from, source: from.odb()?, target: to.odb()?, seen: RefCell::default() };
    for oid in commits {
        let commit = from.find_commit(oid)?;
        let before = match commit.parent_count() {
            0 => None,
            _ => Some(commit.parent(0)?.tree_id()),
        };
        objects.copy_tree(commit.tree_id(), before)?;
        objects.copy_one(oid)?;
    }
    Ok(())
}

fn walk<'a>(
    from: &'a Repository,
    tips: &[Oid],
    known: &[Oid],
) -> Result<git2::Revwalk<'a>, git2::Error> {
    let mut walk = from.revwalk()?;
    walk.set_sorting(Sort::TOPOLOGICAL | Sort::REVERSE)?;
    for tip in tips {
        walk.push(*tip)?;
    }
    for oid in known {
        walk.hide(*oid)?;
    }
    Ok(walk)
}

struct Objects<'a> {
    from: &'a Repository,
    source: Odb<'a>,
    target: Odb<'a>,
    /// Visited trees: one can occur in many places.
    seen: RefCell<HashSet<Oid>>,
}

enum Step {
    /// Copies what differs from `before`, a tree that the target has.
    Enter { tree: Oid, before: Option<Oid> },
    /// Writes a tree whose entries are there.
    Write(Oid),
}

impl Objects<'_> {
    /// Copies what differs from `before`, a tree that `target` has. Not recursive, because pushed
    /// trees can have any depth.
    fn copy_tree(&self, tree: Oid, before: Option<Oid>) -> Result<(), GitError> {
        let mut steps = vec![Step::Enter { tree, before }];
        while let Some(step) = steps.pop() {
            match step {
                Step::Write(tree) => self.copy_one(tree)?,
                Step::Enter { tree, before } => self.enter(tree, before, &mut steps)?,
            }
        }
        Ok(())
    }

    fn enter(&self, tree: Oid, before: Option<Oid>, steps: &mut Vec<Step>) -> Result<(), GitError> {
        if Some(tree) == before || !self.seen.borrow_mut().insert(tree) {
            return Ok(());
        }
        steps.push(Step::Write(tree));
        let entries = self.from.find_tree(tree)?;
        let old = before.map(|oid| self.from.find_tree(oid)).transpose()?;
        for entry in entries.iter() {
            let old = old.as_ref().and_then(|old| old.get_name_bytes(entry.name_bytes()));
            if old.as_ref().map(git2::TreeEntry::id) == Some(entry.id()) {
                continue;
            }
            match entry.kind() {
                Some(ObjectType::Tree) => {
                    let old = old.filter(|old| old.kind() == Some(ObjectType::Tree));
                    let before = old.map(|old| old.id());
                    steps.push(Step::Enter { tree: entry.id(), before });
                }
                Some(ObjectType::Blob) => self.copy_one(entry.id())?,
                // A submodule's commit is in another repository.
                _ => {}
            }
        }
        Ok(())
    }

    fn copy_one(&self, oid: Oid) -> Result<(), GitError> {
        let object = self.source.read(oid)?;
        self.target.write(object.kind(), object.data())?;
        Ok(())
    }
}
