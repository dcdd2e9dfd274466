//! Errors of accessing a worktree's files.

use std::io;

use rustix::io::Errno;

use super::work_path::{InvalidPath, WorkPath};

#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The text is not a valid path.
    #[error("`{path}`: {reason}")]
    Refused { path: String, reason: InvalidPath },
    /// There is no such file.
    #[error("`{0}` does not exist")]
    NotFound(WorkPath),
    /// A link leads out of the worktree, or to itself.
    #[error("`{0}` is or passes through a link that leads out of the project's folder")]
    LeadsOut(WorkPath),
    /// The rules do not allow the place that a link leads to.
    #[error("`{path}` leads to `{place}`, which the rules do not allow")]
    Forbidden { path: WorkPath, place: WorkPath },
    /// The last name is a link; links are never written through.
    #[error("`{0}` is a symbolic link; write to the file that it points to")]
    IsLink(WorkPath),
    /// Nothing is overwritten by a move.
    #[error("`{0}` exists already; delete it first if it is to be replaced")]
    Exists(WorkPath),
    /// It is a folder or a special file.
    #[error("`{0}` is not a file")]
    NotAFile(WorkPath),
    /// A parent is a file.
    #[error("`{0}` is not a folder, or something on the way to it is not")]
    NotADirectory(WorkPath),
    /// The file exceeds the caller's limit.
    #[error("`{path}` has {bytes} bytes, and the most is {cap}")]
    TooLarge { path: WorkPath, bytes: u64, cap: u64 },
    #[error("`{path}`: {source}")]
    System { path: WorkPath, source: io::Error },
}

impl WorktreeError {
    /// Whether the disk or the quota is full.
    pub fn is_out_of_space(&self) -> bool {
        let Self::System { source, .. } = self else { return false };
        matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    pub(super) fn from_io(path: &WorkPath, source: io::Error) -> Self {
        match Errno::from_io_error(&source) {
            Some(errno) => Self::from_errno(path, errno),
            None => Self::System { path: path.clone(), source },
        }
    }

    pub(super) fn from_errno(path: &WorkPath, errno: Errno) -> Self {
        let path = path.clone();
        match errno {
            Errno::NOENT => Self::NotFound(path),
            Errno::LOOP | Errno::XDEV => Self::LeadsOut(path),
            Errno::NOTDIR => Self::NotADirectory(path),
            Errno::ISDIR => Self::NotAFile(path),
            errno => Self::System { path, source: errno.into() },
        }
    }
}
