//! Checks `.gitmodules` files with the rules that git applies to pushes.

use std::{fs, process::Stdio};

use git2::{Buf, Oid, Repository};

use crate::{error::GitError, program};

/// Why git would reject a push in which this blob is `.gitmodules`; `None` if it is valid.
///
/// The blob is written to a pack, which git checks like a pushed one: for names and URLs that make
/// a later `git submodule` run commands or write elsewhere.
pub(crate) fn find_violation(
    repository: &Repository,
    blob: Oid,
    mode: u32,
) -> Result<Option<String>, GitError> {
    let mut tree = repository.treebuilder(None)?;
    tree.insert(".gitmodules", blob, mode.cast_signed())?;
    let tree = tree.write()?;
    let mut pack = repository.packbuilder()?;
    pack.insert_object(blob, None)?;
    pack.insert_object(tree, None)?;
    let mut bytes = Buf::new();
    pack.write_buf(&mut bytes)?;

    let directory = tempfile::tempdir().map_err(GitError::io("make a directory for a pack"))?;
    let file = directory.path().join("submodules.pack");
    fs::write(&file, &*bytes).map_err(GitError::io("write a pack"))?;
    let output = program::command()
        // Git's check reads objects from a repository; the pack is not added to it.
        .env("GIT_DIR", repository.commondir())
        .args(["index-pack", "--strict"])
        .arg(&file)
        .current_dir(directory.path())
        .stdin(Stdio::null())
        .output()
        .map_err(GitError::io("run git index-pack"))?;
    if output.status.success() {
        return Ok(None);
    }
    // "error: object <id>: gitmodulesUrl: disallowed submodule url: …"
    let text = String::from_utf8_lossy(&output.stderr);
    let reason = text.lines().find_map(|line| line.split_once(": gitmodules"));
    match reason.and_then(|(_, rest)| rest.split_once(": ")) {
        Some((_, reason)) => Ok(Some(reason.to_owned())),
        None => Err(GitError::Program { name: "index-pack", stderr: text.trim().to_owned() }),
    }
}
