//! The repository of this machine that a command names, and its branch.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use git::LocalRepository;

use super::failure::Failure;

pub struct ChosenBranch {
    /// Absolute.
    pub path: PathBuf,
    pub repository: LocalRepository,
    pub branch: String,
}

impl ChosenBranch {
    /// The branch that is named, or the one that is checked out, with its whole history. `option`
    /// names one.
    pub fn find(directory: &Path, branch: Option<&str>, option: &str) -> Result<Self, Failure> {
        let given = directory.display();
        let not_readable =
            |error: &dyn fmt::Display| Failure::invalid_input(format!("{given}: {error}"));
        let path = directory.canonicalize().map_err(|error| not_readable(&error))?;
        let repository = LocalRepository::open(&path).map_err(|error| not_readable(&error))?;
        let head = repository.head_branch().map_err(|error| not_readable(&error))?;
        let branch = branch.map(str::to_owned).or(head).ok_or_else(|| {
            Failure::invalid_input(format!("no branch is checked out; name one with {option}"))
        })?;
        if repository.is_shallow().map_err(|error| not_readable(&error))? {
            return Err(Failure::invalid_input(format!(
                "{given} does not have its whole history; run `git -C {given} fetch --unshallow` first"
            )));
        }
        if repository.head_of(&branch).map_err(|error| not_readable(&error))?.is_none() {
            return Err(Failure::invalid_input(format!(
                "{given} has no branch {branch} with a commit; commit something first, or choose \
                 another branch with {option}"
            )));
        }
        Ok(Self { path, repository, branch })
    }
}
