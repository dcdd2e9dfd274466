//! Copying commits from one local repository to another, without remotes, refspecs or hooks.

use std::io::Write;

use git2::{ObjectType, Odb, Oid, Repository, Sort};

use crate::error::GitError;

/// More commits than this travel as a pack, fewer as loose objects.
const FEW: usize = 64;

/// Gives `to` all it lacks of the history of `tips`. `there` are commits which references of `to`
/// reach; the more recent they are, the less is copied. Parents are written before children, so a
/// cut leaves nothing that looks whole.
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
    let commits = walk(from, tips, &known)?.collect::<Result<Vec<_>, _>>()?;
    if commits.is_empty() {
        return Ok(());
    }
    if known.is_empty() || commits.len() > FEW {
        return copy_pack(from, to, &mut walk(from, tips, &known)?);
    }
    let objects = Objects { from, source: from.odb()?, target: to.odb()? };
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

fn copy_pack(
    from: &Repository,
    to: &Repository,
    walk: &mut git2::Revwalk<'_>,
) -> Result<(), GitError> {
    let mut pack = from.packbuilder()?;
    pack.insert_walk(walk)?;
    let objects = to.odb()?;
    let mut writer = objects.packwriter()?;
    let mut failure = None;
    let written = pack.foreach(|bytes| match writer.write_all(bytes) {
        Ok(()) => true,
        Err(error) => {
            failure = Some(error);
            false
        }
    });
    if let Some(error) = failure {
        return Err(GitError::io("write a pack")(error));
    }
    written?;
    writer.commit()?;
    Ok(())
}

struct Objects<'a> {
    from: &'a Repository,
    source: Odb<'a>,
    target: Odb<'a>,
}

impl Objects<'_> {
    /// Copies what differs from `before`, a tree that `target` has.
    fn copy_tree(&self, tree: Oid, before: Option<Oid>) -> Result<(), GitError> {
        if Some(tree) == before {
            return Ok(());
        }
        let entries = self.from.find_tree(tree)?;
        let old = before.map(|oid| self.from.find_tree(oid)).transpose()?;
        for entry in entries.iter() {
            let old = old.as_ref().and_then(|old| old.get_name_bytes(entry.name_bytes()));
            let old_id = old.as_ref().map(git2::TreeEntry::id);
            if old_id == Some(entry.id()) {
                continue;
            }
            match entry.kind() {
                Some(ObjectType::Tree) => {
                    let old = old.filter(|old| old.kind() == Some(ObjectType::Tree));
                    self.copy_tree(entry.id(), old.map(|old| old.id()))?;
                }
                Some(ObjectType::Blob) => self.copy_one(entry.id())?,
                // A submodule's commit lives in another repository.
                _ => {}
            }
        }
        self.copy_one(tree)
    }

    fn copy_one(&self, oid: Oid) -> Result<(), GitError> {
        let object = self.source.read(oid)?;
        self.target.write(object.kind(), object.data())?;
        Ok(())
    }
}
