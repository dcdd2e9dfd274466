//! Checks that moving a branch cannot move a default branch through symbolic references or links.

use std::{fs, path::Path};

use git2::Repository;

use crate::{error::GitError, name::BuildBranchName, repository};

const DEFAULTS: [&str; 4] = ["HEAD", "refs/heads/main", "refs/heads/master", "refs/heads/develop"];
const MAX_CHAIN_LENGTH: usize = 10;

/// Fails if moving the branch in this repository could move a default branch: if HEAD, main, master
/// or develop is a reference to it, or if it is symbolic.
pub(crate) fn check(repository: &Repository, branch: &BuildBranchName) -> Result<(), GitError> {
    let full = branch.full();
    let refuse = |because: String| GitError::DefaultBranch { name: branch.to_string(), because };

    for default in DEFAULTS {
        if linked(repository.commondir(), default)? {
            return Err(refuse(format!("{default} is a link in the file system")));
        }
        if chain(repository, default)?.contains(&full) {
            return Err(refuse(format!("{default} leads to it")));
        }
    }
    for part in ["refs", "refs/heads", "refs/heads/forge", &full] {
        if linked(repository.commondir(), part)? {
            return Err(refuse(format!("{part} is a link in the file system")));
        }
    }
    let path = chain(repository, &full)?;
    if let Some(default) = path.iter().find(|name| DEFAULTS.contains(&name.as_str())) {
        return Err(refuse(format!("it leads to {default}")));
    }
    match path.into_iter().next() {
        Some(target) => Err(GitError::SymbolicBranch { name: branch.to_string(), target }),
        None => Ok(()),
    }
}

/// The references through which a symbolic reference resolves, without itself. Stops at a loop.
fn chain(repository: &Repository, start: &str) -> Result<Vec<String>, GitError> {
    let mut names: Vec<String> = Vec::new();
    while names.len() < MAX_CHAIN_LENGTH {
        let at = names.last().map_or(start, String::as_str);
        let Some(next) = repository::symbolic(repository, at)? else { break };
        if next == start || names.contains(&next) {
            break;
        }
        names.push(next);
    }
    Ok(names)
}

fn linked(git_dir: &Path, name: &str) -> Result<bool, GitError> {
    match fs::symlink_metadata(git_dir.join(name)) {
        Ok(metadata) => Ok(metadata.is_symlink()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(GitError::io(format!("look at {name}"))(error)),
    }
}
