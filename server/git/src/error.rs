//! What can go wrong, each case by its name.

use std::{fmt, io, path::PathBuf};

use crate::sha::{BadSha, Sha};

/// Which of the two repositories is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The working clone.
    Clone,
    /// The hosted repository.
    Origin,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Place::Clone => "in the working clone",
            Place::Origin => "at origin",
        })
    }
}

/// Every failure of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say it
pub enum GitError {
    #[error("`{0}` is not a build branch: it must read forge/build-<lowercase uuid>")]
    BadBranchName(String),
    #[error(transparent)]
    BadSha(#[from] BadSha),
    #[error("`{0}` is not a path inside the repository")]
    BadPath(String),
    #[error(
        "`{0}` cannot be a trailer: a name of letters, digits and dashes, and one line of text"
    )]
    BadTrailer(String),
    #[error("a commit needs a title")]
    EmptyTitle,
    #[error("{name} may not be moved: {because}")]
    DefaultBranch { name: String, because: String },
    #[error("{name} is a symbolic reference to {target}; only real branches are moved")]
    SymbolicBranch { name: String, target: String },
    #[error("branch {name} already exists {place}")]
    BranchExists { name: String, place: Place },
    #[error("branch {0} does not exist in the working clone")]
    BranchMissing(String),
    #[error("branch {name} stands at {actual} {place}, not at {expected}")]
    UnexpectedHead { name: String, place: Place, expected: Sha, actual: Sha },
    #[error("branch {0} was moved by someone else while the commit was made")]
    Moved(String),
    #[error("branch {0} at origin has commits which are not in the working clone's branch")]
    NonFastForward(String),
    #[error("origin has no default branch: neither HEAD nor main, master or develop has a commit")]
    NoDefaultBranch,
    #[error("there is no repository at {0}")]
    NoRepository(PathBuf),
    #[error("the repository at {0} already has branches")]
    RepositoryExists(PathBuf),
    #[error("origin must be an absolute path on this machine, not `{0}`")]
    UnsupportedOrigin(String),
    #[error("the repository has no commit {0}")]
    NoSuchCommit(Sha),
    #[error("there is no file `{0}` in that commit")]
    NoSuchFile(String),
    #[error("there is no finished worktree at {0}")]
    NoWorktree(PathBuf),
    #[error("the .git file of the worktree {0} was replaced")]
    PointerRewritten(PathBuf),
    #[error("the worktree {path} belongs to {actual}, not to {expected}")]
    WrongWorktree { path: PathBuf, expected: String, actual: String },
    #[error("git cannot store a file named `{0}`")]
    UnstorablePath(String),
    #[error("the push cannot be read: {0}")]
    BadPush(String),
    #[error("`{0}` is not a service offered here; use git-upload-pack or git-receive-pack")]
    UnknownService(String),
    #[error("the bundle cannot be used: {0}")]
    BadBundle(String),
    #[error("git {name} failed: {said}")]
    Program { name: &'static str, said: String },
    #[error("cannot {what}: {source}")]
    Io { what: String, source: io::Error },
    #[error("git: {}", .0.message())]
    Git(#[from] git2::Error),
}

impl GitError {
    /// For `map_err`: an I/O failure with what was being done.
    pub(crate) fn io<W: Into<String>>(what: W) -> impl FnOnce(io::Error) -> GitError {
        move |source| GitError::Io { what: what.into(), source }
    }
}
