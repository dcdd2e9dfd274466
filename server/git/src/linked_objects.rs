//! Shares the objects of a repository on the same file system, as `git clone --local` does: files of
//! objects never change.

use std::{collections::HashSet, fs, io::ErrorKind, path::Path};

use crate::{error::GitError, repack::names};

/// Packs are listed again this often while they are being replaced.
const MAX_LISTINGS: u32 = 10;

/// Links all objects of the git directory `from` into `to`, in time that depends on the number of
/// files, not on their size. False if it cannot: objects then have to be copied, and those that were
/// linked may stay. Objects that `from` itself takes from elsewhere are not linked: those of an
/// alternate, and those that a partial clone would fetch when they are read.
pub(crate) fn link_objects(from: &Path, to: &Path) -> Result<bool, GitError> {
    let (from, to) = (from.join("objects"), to.join("objects"));
    let is_promisor = |name: &String| name.ends_with(".promisor");
    if from.join("info/alternates").exists() || names(&from.join("pack"))?.iter().any(is_promisor) {
        return Ok(false);
    }
    // First, because objects move from loose files to packs, and never back.
    for directory in names(&from)?.into_iter().filter(|name| is_fan_out(name)) {
        if !link_loose(&from.join(&directory), &to.join(&directory))? {
            return Ok(false);
        }
    }
    link_packs(&from.join("pack"), &to.join("pack"))
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
