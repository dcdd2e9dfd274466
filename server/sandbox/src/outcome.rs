//! The outcome of a run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::level::Level;
use crate::output::CappedOutput;

/// The outcome of a run, once all its processes are gone.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub ending: Ending,
    /// The command's exit code as in a shell: 128 + n after signal n. `None` unless it exited by
    /// itself.
    pub exit_code: Option<i32>,
    /// Standard output and standard error.
    pub output: CappedOutput,
    /// From start until the last process was gone.
    pub duration: Duration,
    pub level: Level,
    /// The kernel's Landlock version, if its rules were applied.
    pub landlock_abi: Option<i32>,
    /// Refused connections, one line each.
    pub network_refusals: Vec<String>,
    /// The command had changed the worktree's `.git` file, which was restored.
    pub git_pointer_restored: bool,
}

impl Outcome {
    pub(crate) fn cancelled(level: Level) -> Self {
        Self {
            ending: Ending::Cancelled,
            exit_code: None,
            output: CappedOutput::empty(),
            duration: Duration::ZERO,
            level,
            landlock_abi: None,
            git_pointer_restored: false,
            network_refusals: Vec::new(),
        }
    }

    pub fn succeeded(&self) -> bool {
        self.exit_code == Some(0)
    }

    /// The signal that killed the command, if the exit code indicates one.
    pub fn signal(&self) -> Option<i32> {
        self.exit_code.filter(|code| (129..=192).contains(code)).map(|code| code - 128)
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The command exited by itself.
    Exited,
    TimedOut,
    Cancelled,
    /// It had more processes and threads than allowed.
    TooManyProcesses,
    /// Its processes together used more memory than allowed.
    TooMuchMemory,
    /// The disk that it writes to was nearly full.
    DiskNearlyFull,
}
