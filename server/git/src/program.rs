//! Runs the `git` program with a clean environment.

use std::{ffi::OsString, path::PathBuf, process::Command, sync::OnceLock};

use crate::error::GitError;

/// The directories of programs on most systems.
const DEFAULT_SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Process-wide, like `PATH`. Set once, before the first command.
static SEARCH_PATH: OnceLock<OsString> = OnceLock::new();

/// Sets the directories that are searched for `git`. Later calls have no effect.
pub fn set_search_path(directories: &[PathBuf]) -> Result<(), GitError> {
    let path = std::env::join_paths(directories)
        .map_err(|error| GitError::io("read the search path")(std::io::Error::other(error)))?;
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
    let path = SEARCH_PATH.get().cloned().unwrap_or_else(|| DEFAULT_SEARCH_PATH.into());
    let mut command = Command::new("git");
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
