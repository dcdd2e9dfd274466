//! What can go wrong around a command, as opposed to in it.

use std::io;
use std::path::PathBuf;

use crate::level::Level;

/// Why a command could not be run or its end is unknown.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The command has no program.
    #[error("the command is empty")]
    CommandEmpty,
    /// No such program inside the sandbox.
    #[error("no program called `{0}` can be found inside the sandbox")]
    ProgramNotFound(String),
    /// A path of the policy does not exist or is not absolute.
    #[error("the path {path} of the policy cannot be used: {reason}")]
    PathUnusable {
        /// The path as given.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The working directory is not below the worktree.
    #[error("the directory {0} is not inside the worktree")]
    DirectoryOutside(PathBuf),
    /// A hidden path lies in the writable worktree.
    #[error("{0} is to be hidden but lies inside the worktree")]
    HiddenInsideWorktree(PathBuf),
    /// The git directory lies in the worktree, which this level cannot carve out.
    #[error("{0} lies inside the worktree, so only the strict level can keep it read-only")]
    GitDirWritable(PathBuf),
    /// The level's walls could not be put up, so nothing was run.
    #[error("the command was not run, because the {level} sandbox could not be set up: {reason}")]
    NotConfined {
        /// The level asked for.
        level: Level,
        /// What failed.
        reason: String,
    },
    /// The supervising process ended without a report; its tree was ended too.
    #[error("the sandbox's supervisor ended without a report")]
    SupervisorLost,
    /// The system refused something on the outside.
    #[error("{doing}: {source}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// The system's answer.
        source: io::Error,
    },
}

impl SandboxError {
    /// Names what was being done when the system refused.
    pub(crate) fn system(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::System { doing, source }
    }
}
