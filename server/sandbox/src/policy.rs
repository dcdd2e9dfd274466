//! What a command may access, and its limits.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::mpsc;

use serde::{Deserialize, Serialize};

use crate::egress::EgressRules;
use crate::level::Level;

/// The permissions of a run. All paths are absolute.
#[derive(Clone, Debug)]
pub struct Policy {
    pub level: Level,
    /// The only writable directory besides a private temporary one and `home`.
    pub worktree: PathBuf,
    /// Read-only directories and files in addition to the system's own, such as a toolchain. At the
    /// strict level, a Unix socket in one of them can be connected to.
    pub readable: Vec<PathBuf>,
    /// Directories searched for programs before the system's. They become readable too.
    pub path: Vec<PathBuf>,
    /// Trees that stay inaccessible even if a readable path contains them.
    pub hidden: Vec<PathBuf>,
    /// The repository of the worktree: readable, never writable.
    pub git_dir: Option<PathBuf>,
    /// The required content of the worktree's `.git` file, which is restored before and after each
    /// run. `None` if that file is not protected.
    pub git_pointer: Option<Vec<u8>>,
    /// Where the command may connect to; nowhere if `None`. Only the strict level can enforce this:
    /// the landlock level refuses to run such a command, and the level `none` never restricts the
    /// network.
    pub network: Option<EgressRules>,
    /// Receives a listener at [`SERVICE_ADDRESS`](crate::SERVICE_ADDRESS) in the command's network
    /// namespace, on which the caller can serve requests of this run and of nothing else. Only at
    /// the strict level; other levels refuse to run such a command.
    pub service: Option<mpsc::Sender<TcpListener>>,
    /// A directory that is shown as the home directory, writable, and not removed after the run. Only at
    /// the strict level; other levels refuse to run such a command. `None` for a private one.
    pub home: Option<PathBuf>,
    /// Environment variables, which override the default ones.
    pub environment: Vec<(String, String)>,
    pub limits: Limits,
}

impl Policy {
    /// A policy for one worktree with default limits, no network and no other paths.
    pub fn new(level: Level, worktree: impl Into<PathBuf>) -> Self {
        Self {
            level,
            worktree: worktree.into(),
            readable: Vec::new(),
            path: Vec::new(),
            hidden: Vec::new(),
            git_dir: None,
            git_pointer: None,
            network: None,
            service: None,
            home: None,
            environment: Vec::new(),
            limits: Limits::default(),
        }
    }

    /// The same with access to these toolchains.
    pub fn with_toolchains(mut self, toolchains: &Toolchains) -> Self {
        let Toolchains { path, readable, environment } = toolchains.clone();
        (self.path, self.readable, self.environment) = (path, readable, environment);
        self
    }
}

/// Toolchains that are not the system's own. All paths are absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toolchains {
    /// Directories of programs.
    pub path: Vec<PathBuf>,
    /// What these programs need besides.
    pub readable: Vec<PathBuf>,
    /// Tells them where it is.
    pub environment: Vec<(String, String)>,
}

/// Resource limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of memory, private and shared: private memory of each process is limited by the
    /// kernel, all memory of the whole tree by its control group or by the supervisor.
    pub memory_bytes: u64,
    /// Processes and threads at a time in the whole tree.
    pub processes: u64,
    /// Bytes of the largest file that can be written.
    pub file_size_bytes: u64,
    /// Bytes that must stay free on the worktree's file system.
    pub free_disk_bytes: u64,
    /// Open files of one process.
    pub open_files: u64,
    /// Bytes of output kept, half from its start and half from its end.
    pub output_bytes: usize,
    /// Seconds of CPU time of one process.
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
            output_bytes: 1 << 20,
            cpu_seconds: 3600,
            timeout: Duration::from_secs(600),
        }
    }
}

/// Unnoticed by readers.
const OUTPUT_DELAY: Duration = Duration::from_millis(50);

/// One command to run. Its standard input is empty.
#[derive(Clone, Debug)]
pub struct Command {
    /// Program and arguments; the program is looked up in the PATH of the sandbox.
    pub argv: Vec<String>,
    /// The working directory, relative to the worktree.
    pub cwd: PathBuf,
    /// A short description for the log, if the run outlives a crash of the service.
    pub label: String,
    /// Whether it gets SIGINT rather than SIGTERM before it is killed.
    pub interrupted_first: bool,
    /// How long output may be held back while it runs, so that more is sent together.
    pub output_delay: Duration,
}

impl Command {
    /// Program and arguments, started in the worktree's root.
    pub fn new<I, S>(argv: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        let argv: Vec<String> = argv.into_iter().map(Into::into).collect();
        let label = argv.first().cloned().unwrap_or_default();
        let output_delay = OUTPUT_DELAY;
        Self { argv, cwd: PathBuf::new(), label, interrupted_first: false, output_delay }
    }

    /// The same, for programs that close their session on SIGINT.
    pub fn interrupted_first(mut self) -> Self {
        self.interrupted_first = true;
        self
    }

    /// The same, for programs that report what they do line by line.
    pub fn with_output_delay(mut self, delay: Duration) -> Self {
        self.output_delay = delay;
        self
    }

    /// A command line for `/bin/sh`.
    pub fn shell(line: impl Into<String>) -> Self {
        Self::new(["/bin/sh".to_owned(), "-c".to_owned(), line.into()])
    }

    pub fn in_directory(mut self, cwd: impl AsRef<Path>) -> Self {
        self.cwd = cwd.as_ref().to_owned();
        self
    }

    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}
