//! How a run ended.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::level::Level;
use crate::output::CappedOutput;

/// What is known once every process of a run is gone.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What brought the end.
    pub ending: Ending,
    /// The command's exit code as a shell would give it: 128 + n after signal n.
    /// `None` unless it ended by itself.
    pub exit_code: Option<i32>,
    /// Everything it printed.
    pub output: CappedOutput,
    /// From start to the end of the last process.
    pub duration: Duration,
    /// The level it ran under.
    pub level: Level,
    /// The kernel's Landlock version, where its rules were in force.
    pub landlock_abi: Option<i32>,
    /// The worktree's `.git` file had been changed from inside and was put back.
    pub git_pointer_restored: bool,
}

impl Outcome {
    /// It ended by itself with exit code 0.
    pub fn succeeded(&self) -> bool {
        self.exit_code == Some(0)
    }

    /// The signal that ended the command, where the exit code tells of one.
    pub fn signal(&self) -> Option<i32> {
        self.exit_code.filter(|code| (129..=192).contains(code)).map(|code| code - 128)
    }
}

/// What brought a run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The command ended by itself.
    Exited,
    /// Its time was up.
    TimedOut,
    /// It was cancelled.
    Cancelled,
    /// It had more processes and threads than allowed.
    TooManyProcesses,
    /// Its processes together used more memory than allowed.
    TooMuchMemory,
    /// The disk that it writes to was nearly full.
    DiskNearlyFull,
}
