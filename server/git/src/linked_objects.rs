//! Shares the objects of a repository on the same file system, as `git clone --local` does: files of
//! objects never change.

use std::{collections::HashSet, fs, io::ErrorKind, path::Path};

use git2::{ObjectType, Oid, Repository};

use crate::{
    error::GitError,
    parallel::{in_parts, part_length},
    repack::names,
};

/// In longer histories most objects are in packs.
const MAX_COMMITS: usize = 64;
/// Packs are listed again this often while they are being replaced.
const MAX_LISTINGS: u32 = 10;

/// Links all objects of the git directory `from` into `to`, in time that depends on the number of
/// files, not on their size. False if it cannot: objects then have to be copied, and those that were
/// linked may stay.
pub(crate) fn link_objects(from: &Path, to: &Path) -> Result<bool, GitError> {
    let (from, to) = (from.join("objects"), to.join("objects"));
    // First, because objects move from loose files to packs, and never back.
    let directories: Vec<String> =
        names(&from)?.into_iter().filter(|name| is_fan_out(name)).collect();
    let is_complete = link_parts(&directories, |part| {
        for directory in part {
            if !link_loose(&from.join(directory), &to.join(directory))? {
                return Ok(false);
            }
        }
        Ok(true)
    })?;
    if !is_complete {
        return Ok(false);
    }
    link_packs(&from.join("pack"), &to.join("pack"))
}

/// Links the loose objects that a commit reaches, and no others, such as stashed changes. False if its
/// history is long or not all of it is loose: objects then have to be copied, and those that were
/// linked may stay.
pub(crate) fn link_reachable(
    from: &Repository,
    to: &Repository,
    tip: Oid,
) -> Result<bool, GitError> {
    let mut history = from.revwalk()?;
    history.push(tip)?;
    let commits: Vec<Oid> = history.take(MAX_COMMITS + 1).collect::<Result<_, _>>()?;
    if commits.len() > MAX_COMMITS {
        return Ok(false);
    }
    let (mut reached, mut seen) = (Vec::new(), HashSet::new());
    for commit in commits {
        reached.push(commit);
        let mut trees = vec![from.find_commit(commit)?.tree_id()];
        while let Some(tree) = trees.pop() {
            if !seen.insert(tree) {
                continue;
            }
            reached.push(tree);
            for entry in from.find_tree(tree)?.iter() {
                match entry.kind() {
                    Some(ObjectType::Tree) => trees.push(entry.id()),
                    Some(ObjectType::Blob) if seen.insert(entry.id()) => reached.push(entry.id()),
                    // A submodule's commit is in another repository.
                    _ => {}
                }
            }
        }
    }
    // Objects of a directory follow each other.
    reached.sort_unstable();
    let (source, target) = (from.commondir().join("objects"), to.path().join("objects"));
    link_parts(&reached, |part| {
        let mut made = String::new();
        for oid in part {
            let id = oid.to_string();
            let (directory, name) = id.split_at(2);
            let there = target.join(directory);
            if made != directory {
                make_directory(&there)?;
                made = directory.to_owned();
            }
            match link(&source.join(directory).join(name), &there.join(name)) {
                Linked::Done => {}
                Linked::Missing | Linked::Impossible => return Ok(false),
            }
        }
        Ok(true)
    })
}

/// Links items in parts. False if any part cannot be linked.
fn link_parts<T: Sync>(
    items: &[T],
    link_part: impl Fn(&[T]) -> Result<bool, GitError> + Sync,
) -> Result<bool, GitError> {
    let linked = in_parts(items, part_length(items.len(), 1), link_part)?;
    Ok(linked.into_iter().all(|part| part))
}

fn link_loose(from: &Path, to: &Path) -> Result<bool, GitError> {
    make_directory(to)?;
    for name in names(from)? {
        match link(&from.join(&name), &to.join(&name)) {
            // A missing one is in a pack by now.
            Linked::Done | Linked::Missing => {}
            Linked::Impossible => return Ok(false),
        }
    }
    Ok(true)
}

fn link_packs(from: &Path, to: &Path) -> Result<bool, GitError> {
    make_directory(to)?;
    let mut linked = HashSet::new();
    for _ in 0..MAX_LISTINGS {
        let mut is_complete = true;
        for name in names(from)? {
            let Some(pack) = name.strip_suffix(".idx") else { continue };
            if linked.contains(pack) {
                continue;
            }
            is_complete = false;
            // The index comes last: git ignores a pack without one.
            for file in [format!("{pack}.pack"), name.clone()] {
                match link(&from.join(&file), &to.join(&file)) {
                    Linked::Done => {}
                    // A newer pack has replaced it.
                    Linked::Missing => break,
                    Linked::Impossible => return Ok(false),
                }
            }
            linked.insert(pack.to_owned());
        }
        if is_complete {
            return Ok(true);
        }
    }
    Ok(false)
}

enum Linked {
    Done,
    Missing,
    /// Such as between file systems.
    Impossible,
}

fn link(from: &Path, to: &Path) -> Linked {
    match fs::hard_link(from, to).map_err(|error| error.kind()) {
        Ok(()) | Err(ErrorKind::AlreadyExists) => Linked::Done,
        Err(ErrorKind::NotFound) => Linked::Missing,
        Err(_) => Linked::Impossible,
    }
}

/// Whether the directory contains the loose objects whose ids begin with its name.
fn is_fan_out(name: &str) -> bool {
    name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn make_directory(path: &Path) -> Result<(), GitError> {
    fs::create_dir_all(path).map_err(GitError::io("create a directory of objects"))
}
