//! Why a file of a worktree could not be reached.

use std::io;

use rustix::io::Errno;

use super::work_path::{InvalidPath, WorkPath};

/// Why a file could not be reached.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The text names nothing in a worktree.
    #[error("`{path}`: {reason}")]
    Refused {
        /// The text.
        path: String,
        /// Why.
        reason: InvalidPath,
    },
    /// Nothing is there.
    #[error("`{0}` does not exist")]
    NotFound(WorkPath),
    /// A link leads out of the worktree, or in a circle.
    #[error("`{0}` is or passes through a link that leads out of the project's folder")]
    LeadsOut(WorkPath),
    /// The last name is a link, which is never written through.
    #[error("`{0}` is a symbolic link; write to the file that it points to")]
    IsLink(WorkPath),
    /// It is a folder or something stranger.
    #[error("`{0}` is not a file")]
    NotAFile(WorkPath),
    /// A name on the way is a file.
    #[error("`{0}` is not a folder, or something on the way to it is not")]
    NotADirectory(WorkPath),
    /// The file is larger than the limit of the caller.
    #[error("`{path}` has {bytes} bytes, and the most is {cap}")]
    TooLarge {
        /// The file.
        path: WorkPath,
        /// Its size.
        bytes: u64,
        /// The limit.
        cap: u64,
    },
    /// The system refused.
    #[error("`{path}`: {source}")]
    System {
        /// The file.
        path: WorkPath,
        /// What the system said.
        source: io::Error,
    },
}

impl WorktreeError {
    /// The disk or the quota is used up.
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
