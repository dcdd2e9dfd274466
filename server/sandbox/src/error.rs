//! Errors of the sandbox itself, as opposed to failures of the command.

use std::io;
use std::path::PathBuf;

use crate::level::Level;

/// Why a command could not be run, or why its outcome is unknown.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("the command is empty")]
    CommandEmpty,
    #[error("program `{0}` not found inside the sandbox")]
    ProgramNotFound(String),
    /// A path of the policy does not exist, is not absolute or is not UTF-8.
    #[error("invalid path {path} in the policy: {reason}")]
    PathUnusable { path: PathBuf, reason: String },
    #[error("the directory {0} is not inside the worktree")]
    DirectoryOutside(PathBuf),
    /// A hidden path is inside the writable worktree.
    #[error("the hidden path {0} is inside the worktree")]
    HiddenInsideWorktree(PathBuf),
    /// The git directory is inside the worktree, where this level cannot make it read-only.
    #[error("{0} is inside the worktree, where only the strict level can keep it read-only")]
    GitDirWritable(PathBuf),
    /// The restrictions could not be applied, so nothing was run.
    #[error("the command was not run, because the {level} sandbox could not be set up: {reason}")]
    NotConfined { level: Level, reason: String },
    /// The command requires network access at a level that cannot restrict it.
    #[error(
        "the command was not run, because it requires network access, which only the strict \
         sandbox can restrict to allowed destinations: use the strict level (install bubblewrap \
         and allow user namespaces), or run the command without network access"
    )]
    NetworkNeedsStrict,
    /// The command reaches the service over its own network, which only the strict level has.
    #[error(
        "the command was not run, because it reaches models through a network of its own, which \
         only the strict sandbox has: install bubblewrap and allow user namespaces"
    )]
    ServiceNeedsStrict,
    /// The command keeps its home directory, which only the strict level can show it.
    #[error(
        "the command was not run, because it keeps its home directory, which only the strict \
         sandbox can do: install bubblewrap and allow user namespaces"
    )]
    HomeNeedsStrict,
    /// The command requires network access, which is disabled on this installation.
    #[error(
        "the command was not run, because it requires network access, which is disabled on \
         this installation"
    )]
    NetworkTurnedOff,
    /// The supervisor exited without a report; its process tree was killed.
    #[error("the sandbox supervisor exited without a report")]
    SupervisorLost,
    /// A system call outside the sandbox failed.
    #[error("{doing}: {source}")]
    System { doing: &'static str, source: io::Error },
}

impl SandboxError {
    /// Whether the error is due to a full disk or quota.
    pub fn is_out_of_space(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        let Self::System { source, .. } = self else { return false };
        matches!(source.kind(), StorageFull | QuotaExceeded)
    }

    /// Adds the operation that failed.
    pub(crate) fn system(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { doing, source }
    }
}
