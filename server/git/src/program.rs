//! Runs the `git` program with a clean environment.

use std::{ffi::OsString, io, path::PathBuf, process::Command, sync::OnceLock};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use tokio::process::Child;

use crate::error::GitError;

/// The directories of programs on most systems.
const DEFAULT_SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Memory limit of one git process: enough for the largest object with its delta and base, and for
/// the index of the maximum number of objects.
const MAX_PROCESS_MEMORY: u64 = 1024 * 1024 * 1024;
/// CPU time of one git process.
const PROCESS_CPU_LIMIT_S: u64 = 600;

/// Git settings that limit memory: large objects are streamed, and one thread is used.
pub(crate) const MEMORY_SETTINGS: [&str; 4] = [
    "core.bigFileThreshold=16m",
    "core.deltaBaseCacheLimit=64m",
    "pack.threads=1",
    "pack.windowMemory=64m",
];

/// Process-wide, like `PATH`. Set once, before the first command.
static SEARCH_PATH: OnceLock<OsString> = OnceLock::new();

/// Sets the directories that are searched for `git`. Later calls have no effect.
pub fn set_search_path(directories: &[PathBuf]) -> Result<(), GitError> {
    let path = std::env::join_paths(directories)
        .map_err(|error| GitError::io("read the search path")(io::Error::other(error)))?;
    let _ = SEARCH_PATH.set(path);
    Ok(())
}

/// The version text, such as `git version 2.47.3`; an error if git is missing.
pub fn version() -> Result<String, GitError> {
    let output = command().arg("--version").output().map_err(GitError::io("run git"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(GitError::Program { name: "--version", stderr: text(&output.stderr) }),
    }
}

/// The `git` command, without system or user configuration.
pub(crate) fn command() -> Command {
    command_of("git")
}

/// Another program that belongs to git or SSH, with the same environment.
pub(crate) fn command_of(program: &str) -> Command {
    let path = SEARCH_PATH.get().cloned().unwrap_or_else(|| DEFAULT_SEARCH_PATH.into());
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", path)
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0");
    command
}

/// Sets resource limits for a process and the children that it starts afterwards.
pub(crate) fn limit_resources(child: &Child, max_file_size: Option<u64>) -> io::Result<Pid> {
    let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
    let pid = pid.ok_or_else(|| io::Error::other("the process has exited"))?;
    let limits = [
        (Resource::Data, Some(MAX_PROCESS_MEMORY)),
        (Resource::Cpu, Some(PROCESS_CPU_LIMIT_S)),
        (Resource::Fsize, max_file_size),
    ];
    for (resource, limit) in limits {
        if limit.is_some() {
            prlimit(Some(pid), resource, Rlimit { current: limit, maximum: limit })?;
        }
    }
    Ok(pid)
}

/// The group of a process and its children, which would continue without it: killed on drop.
pub(crate) struct ProcessGroup {
    id: Pid,
    has_ended: bool,
}

impl ProcessGroup {
    /// The group of its leader. Drop it before the leader, whose id is free from then on.
    pub fn new(id: Pid) -> Self {
        Self { id, has_ended: false }
    }

    /// `git` and its children remove their temporary files when they are terminated.
    pub fn terminate(&self) {
        if let Err(error) = kill_process_group(self.id, Signal::TERM) {
            tracing::debug!(%error, "git has exited");
        }
    }

    pub fn kill(&self) {
        // Fails if there are no such processes.
        let _ = kill_process_group(self.id, Signal::KILL);
    }

    /// To be called once the leader was waited for: its id may belong to other processes then.
    pub fn set_ended(&mut self) {
        self.has_ended = true;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.has_ended {
            self.kill();
        }
    }
}
