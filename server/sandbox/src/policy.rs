//! What a command may see, touch and use up.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::level::Level;

/// Everything a run is allowed. All paths are absolute.
#[derive(Clone, Debug)]
pub struct Policy {
    /// How strongly to confine.
    pub level: Level,
    /// The one directory that is writable, beside a private temporary one.
    pub worktree: PathBuf,
    /// Read-only directories and files beyond the system's own, such as a tool chain. At the
    /// strict level a socket that listens in one of them can be reached.
    pub readable: Vec<PathBuf>,
    /// Directories to look programs up in, before the system's. Made readable as well.
    pub path: Vec<PathBuf>,
    /// Trees that stay out of sight even where a readable path contains them.
    pub hidden: Vec<PathBuf>,
    /// The repository behind the worktree: readable, never writable.
    pub git_dir: Option<PathBuf>,
    /// Whether the host's network may be used.
    pub network: bool,
    /// Variables to set, after the fixed ones and in place of them.
    pub environment: Vec<(String, String)>,
    /// Ceilings.
    pub limits: Limits,
}

impl Policy {
    /// A policy for one worktree with default limits, no network and nothing else in sight.
    pub fn new(level: Level, worktree: impl Into<PathBuf>) -> Self {
        Self {
            level,
            worktree: worktree.into(),
            readable: Vec::new(),
            path: Vec::new(),
            hidden: Vec::new(),
            git_dir: None,
            network: false,
            environment: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// Ceilings of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of private memory: of each process by the kernel, of the whole tree by the watch.
    pub memory_bytes: u64,
    /// Processes and threads alive at once in the whole tree.
    pub processes: u64,
    /// Bytes of the largest file that can be written.
    pub file_size_bytes: u64,
    /// Bytes that are to stay free on the disk of the worktree.
    pub free_disk_bytes: u64,
    /// Open files of one process.
    pub open_files: u64,
    /// Seconds of processor time of one process.
    pub cpu_seconds: u64,
    /// Wall-clock time of the run.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 4 << 30,
            processes: 512,
            file_size_bytes: 1 << 30,
            free_disk_bytes: 1 << 30,
            open_files: 4096,
            cpu_seconds: 3600,
            timeout: Duration::from_secs(600),
        }
    }
}

/// One command to run. Its standard input is empty.
#[derive(Clone, Debug)]
pub struct Command {
    /// Program and arguments; the program is looked up in the PATH of the sandbox.
    pub argv: Vec<String>,
    /// Where to start, relative to the worktree.
    pub cwd: PathBuf,
    /// A few words for the record that a crash would leave behind.
    pub label: String,
}

impl Command {
    /// Program and arguments, started at the top of the worktree.
    pub fn new<I, S>(argv: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        let argv: Vec<String> = argv.into_iter().map(Into::into).collect();
        let label = argv.first().cloned().unwrap_or_default();
        Self { argv, cwd: PathBuf::new(), label }
    }

    /// A line for `/bin/sh`.
    pub fn shell(line: impl Into<String>) -> Self {
        Self::new(["/bin/sh".to_owned(), "-c".to_owned(), line.into()])
    }

    /// The same command, started in a directory below the worktree.
    pub fn in_directory(mut self, cwd: impl AsRef<Path>) -> Self {
        self.cwd = cwd.as_ref().to_owned();
        self
    }

    /// The same command under another label.
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}
