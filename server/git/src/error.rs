//! Errors of this crate.

use std::{fmt, io, path::PathBuf};

use crate::{
    pack::PackError,
    sha::{BadSha, Sha},
    special_names::{MAX_DEPTH, MAX_PATH_BYTES},
};

/// One of the two repositories of a project.
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

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    #[error(
        "`{0}` is not a build branch: it must be forge/build-<number>, with a slug, or forge/build-<uuid>"
    )]
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
    #[error("{name} is a symbolic reference to {target}; only direct branches can be moved")]
    SymbolicBranch { name: String, target: String },
    #[error("branch {name} already exists {place}")]
    BranchExists { name: String, place: Place },
    #[error("branch {0} does not exist in the working clone")]
    BranchMissing(String),
    #[error("branch {name} is at {actual} {place}, not at {expected}")]
    UnexpectedHead { name: String, place: Place, expected: Sha, actual: Sha },
    #[error("branch {0} was moved by someone else while the commit was made")]
    Moved(String),
    #[error("branch {0} at origin has commits that are not in the working clone's branch")]
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
    #[error("that commit has too many files or too many nested directories")]
    TreeTooLarge,
    #[error("there is no file `{0}` in that commit")]
    NoSuchFile(String),
    #[error("the directory {0} is not empty")]
    DirectoryNotEmpty(PathBuf),
    #[error("there is no finished worktree at {0}")]
    NoWorktree(PathBuf),
    #[error("the files of the worktree {0} change while they are being restored")]
    Unrestorable(PathBuf),
    #[error("the worktree {path} belongs to {actual}, not to {expected}")]
    WrongWorktree { path: PathBuf, expected: String, actual: String },
    #[error("git cannot store a file named `{0}`")]
    UnstorablePath(String),
    #[error(
        "the path `{0}…` is longer than {MAX_PATH_BYTES} bytes or deeper than {MAX_DEPTH} directories"
    )]
    PathTooLong(String),
    #[error("`{path}` has more than {limit} bytes; remove it or name it in .gitignore")]
    FileTooLarge { path: String, limit: u64 },
    #[error(
        "there are more than {0} files that are not ignored; remove them or add them to .gitignore"
    )]
    TooManyFiles(usize),
    #[error("the worktree could not be read in time")]
    DeadlineExceeded,
    #[error("`{path}` is rejected, as git would reject it in a push: {reason}")]
    BadSubmodules { path: String, reason: String },
    #[error("invalid push request: {0}")]
    BadPush(String),
    #[error(transparent)]
    Pack(#[from] PackError),
    #[error("`{0}` is not a supported service; use git-upload-pack or git-receive-pack")]
    UnknownService(String),
    #[error("invalid bundle: {0}")]
    BadBundle(String),
    #[error("git {name} failed: {stderr}")]
    Program { name: &'static str, stderr: String },
    #[error("cannot {what}: {source}")]
    Io { what: String, source: io::Error },
    #[error("git: {}", .0.message())]
    Git(#[from] git2::Error),
}

impl GitError {
    /// Whether the error is due to a full disk or quota.
    pub fn is_out_of_space(&self) -> bool {
        let text = match self {
            Self::Io { source, .. } => {
                use io::ErrorKind::{QuotaExceeded, StorageFull};
                return matches!(source.kind(), StorageFull | QuotaExceeded);
            }
            Self::Git(error) => error.message(),
            Self::Program { stderr, .. } => stderr,
            _ => return false,
        };
        // libgit2 and git report it only as text.
        ["No space left on device", "Disk quota exceeded"].iter().any(|words| text.contains(words))
    }

    /// For `map_err`: an I/O error with the operation that failed.
    pub(crate) fn io<W: Into<String>>(what: W) -> impl FnOnce(io::Error) -> GitError {
        move |source| GitError::Io { what: what.into(), source }
    }
}
