//! Combines the loose objects and small packs of a repository into few packs, with `git repack`.
//!
//! Safe while others read and write the repository: git deletes a pack or a loose object only after
//! a complete pack with the same objects is in place, and readers that miss a pack look again. It
//! also removes emptied folders, which can make a concurrent push fail; `http::receive_pack` repeats
//! that push.
//! Unreachable objects are packed too and never deleted, because a build may be about to refer to
//! them.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs::{self, File, TryLockError},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    pin::pin,
    process::Stdio,
};

use rustix::process::setpriority_pgrp;
use tokio::{io::AsyncReadExt, process::Command};

use crate::{
    error::GitError,
    program::{self, MEMORY_SETTINGS, ProcessGroup},
    repository,
};

const LOCK_FILE: &str = "repack.lock";

/// Beyond these a repository is repacked. A small push adds up to a hundred loose objects, a larger
/// one a pack. Repacking leaves a number of packs that grows with the logarithm of the number of
/// objects.
pub const MAX_LOOSE_OBJECTS: usize = 2_000;
pub const MAX_PACKS: usize = 20;

/// Each pack has at least this many times as many objects as the next smaller one.
const GEOMETRIC_FACTOR: &str = "--geometric=2";
const LOWEST_PRIORITY: i32 = 19;
const MAX_STDERR: u64 = 4 * 1024;

/// A repository that should be repacked, locked for that.
#[derive(Debug)]
pub struct Repack {
    path: PathBuf,
    lock: File,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repacked {
    Done,
    /// Its processes were terminated and have exited. An additional pack may be left, or temporary
    /// files, which the next run removes.
    Stopped,
}

impl Repack {
    /// `None` if the repository is missing, has few loose objects and packs, or is being repacked by
    /// another process.
    pub fn begin(path: &Path) -> Result<Option<Self>, GitError> {
        if !is_due(path)? {
            return Ok(None);
        }
        repository::open(path)?;
        let Some(lock) = try_lock(path, LOCK_FILE)? else { return Ok(None) };
        remove_leftovers(&path.join("objects/pack"))?;
        Ok(Some(Self { path: path.to_owned(), lock }))
    }

    /// Runs `git repack` with the lowest priority, and terminates it when `stop` completes.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<Repacked, GitError> {
        let failed = || GitError::io("run git repack");
        let mut child = command(&self.path, self.lock).spawn().map_err(failed())?;
        let leader = program::limit_resources(&child, None).map_err(failed())?;
        // The children of `git repack` do not hold its lock, and their packs must not appear later.
        let mut group = ProcessGroup::new(leader);
        if let Err(error) = setpriority_pgrp(Some(leader), LOWEST_PRIORITY) {
            tracing::debug!(%error, "git repack runs with normal priority");
        }
        let errors = child.stderr.take();
        let mut exit = pin!(async {
            let mut stderr = Vec::new();
            if let Some(errors) = errors {
                errors.take(MAX_STDERR).read_to_end(&mut stderr).await?;
            }
            io::Result::Ok((child.wait().await?, stderr))
        });
        let (status, stderr) = tokio::select! {
            exited = &mut exit => exited.map_err(failed())?,
            () = stop => {
                group.terminate();
                // Its children write to the same pipe, so they have exited too when that ends.
                exit.await.map_err(failed())?;
                group.set_ended();
                return Ok(Repacked::Stopped);
            }
        };
        group.set_ended();
        if !status.success() {
            let stderr = String::from_utf8_lossy(&stderr).trim().to_owned();
            return Err(GitError::Program {
                name: "repack",
                stderr: format!("{status}: {stderr}"),
            });
        }
        Ok(Repacked::Done)
    }
}

/// Whether the repository has too many loose objects or packs. A missing one has none.
fn is_due(path: &Path) -> Result<bool, GitError> {
    let objects = path.join("objects");
    let packs = names(&objects.join("pack"))?;
    let kept: HashSet<_> = packs.iter().filter_map(|name| name.strip_suffix(".keep")).collect();
    let packs = packs.iter().filter_map(|name| name.strip_suffix(".pack"));
    if packs.filter(|pack| !kept.contains(pack)).count() > MAX_PACKS {
        return Ok(true);
    }
    let mut loose = 0;
    for first_byte in 0..=u8::MAX {
        loose += names(&objects.join(format!("{first_byte:02x}")))?.len();
        if loose > MAX_LOOSE_OBJECTS {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `git` gets the lock as its standard input, which it does not read, and therefore holds it even if
/// this process is killed.
fn command(path: &Path, lock: File) -> Command {
    let mut command = Command::from(program::command());
    command
        .env("GIT_NO_LAZY_FETCH", "1")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"])
        .args(["-c", "repack.writeBitmaps=false", "-c", "core.fsmonitor=false"])
        .args(MEMORY_SETTINGS.iter().flat_map(|setting| ["-c", setting]))
        .arg("--git-dir")
        .arg(path)
        .args(["repack", "-d", GEOMETRIC_FACTOR, "-l", "-n", "-q"])
        .stdin(lock)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    command
}

/// `None` if another process holds the lock.
pub(crate) fn try_lock(path: &Path, name: &str) -> Result<Option<File>, GitError> {
    let failed = || GitError::io(format!("lock the repository with {name}"));
    let mut options = File::options();
    let file = options.create(true).truncate(false).write(true).open(path.join(name));
    let file = file.map_err(failed())?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed()(error)),
    }
}

/// Removes the temporary files of a `git repack` that was killed. Only the holder of the lock may
/// call this: pushes write theirs elsewhere.
fn remove_leftovers(directory: &Path) -> Result<(), GitError> {
    for name in names(directory)? {
        if name.starts_with(".tmp-") || name.starts_with("tmp_") {
            repository::remove_file(&directory.join(name))?;
        }
    }
    Ok(())
}

/// Removes the temporary packs of a fetch that was killed. Only for the one that fetches.
pub(crate) fn remove_temporary_packs(repository: &Path) -> Result<(), GitError> {
    let Some(_lock) = try_lock(repository, LOCK_FILE)? else { return Ok(()) };
    remove_leftovers(&repository.join("objects/pack"))
}

/// Names in a directory; none if it does not exist.
pub(crate) fn names(directory: &Path) -> Result<Vec<String>, GitError> {
    let list = || -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let name = |entry: io::Result<fs::DirEntry>| {
            entry.map(|entry| OsStr::to_string_lossy(&entry.file_name()).into_owned())
        };
        entries.map(name).collect()
    };
    list().map_err(GitError::io("list the objects of a repository"))
}
