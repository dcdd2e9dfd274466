//! Background removal of files left by runs.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use rootdir::{Removal, RootDir};
use uuid::Uuid;

/// Name of the directory, below that of the runs, from which trees are removed.
pub const REMOVAL_DIR: &str = "removed";
/// Time spent on one tree before switching to the next.
const SLICE_DURATION: Duration = Duration::from_millis(100);
/// For removing a tree on another file system, which cannot be moved.
const IN_PLACE_TIMEOUT: Duration = Duration::from_secs(60);

/// Moves `name` into the removal directory below `runs`, in constant time. A tree on another file
/// system is removed immediately instead.
pub fn move_away(from: &RootDir, name: &OsStr, runs: &Path) -> io::Result<()> {
    // Commands can remove the permissions that moving a directory requires.
    match from.make_accessible(name) {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
        made => made?,
    }
    let moved = from.rename(name, &open_removal_dir(runs)?, Uuid::now_v7().to_string());
    match moved {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            match from.remove_all(name, Instant::now() + IN_PLACE_TIMEOUT)? {
                Removal::Done => Ok(()),
                Removal::Unfinished => Err(io::ErrorKind::TimedOut.into()),
            }
        }
        moved => moved,
    }
}

fn open_removal_dir(runs: &Path) -> io::Result<RootDir> {
    let area = runs.join(REMOVAL_DIR);
    DirBuilder::new().recursive(true).mode(0o700).create(&area)?;
    RootDir::open(&area)
}

/// A thread that empties the removal directory, one slice of each tree at a time. It stops when its
/// last owner is dropped; the next one continues.
#[derive(Debug)]
pub struct RemovalWorker {
    wake: SyncSender<()>,
}

impl RemovalWorker {
    /// Starts the thread, beginning with trees that an earlier service left.
    pub fn start(runs: PathBuf) -> io::Result<Self> {
        // One pending wake-up is enough: the directory itself is the queue.
        let (wake, woken) = sync_channel(1);
        std::thread::Builder::new()
            .name("sandbox-removal".into())
            .spawn(move || remove_trees(&runs, &woken))?;
        let worker = Self { wake };
        worker.wake();
        Ok(worker)
    }

    /// Must be called after a tree was moved into the removal directory.
    pub fn wake(&self) {
        let _ = self.wake.try_send(());
    }
}

fn remove_trees(runs: &Path, woken: &Receiver<()>) {
    // Failures are logged once and retried at the next start, or the log would fill up.
    let mut failed = HashSet::new();
    while woken.recv().is_ok() {
        while let Some(names) = pending_trees(runs, &failed) {
            for name in names {
                if let Err(error) = remove_slice(runs, &name) {
                    tracing::warn!(?name, %error, "files left by a command could not be removed");
                    failed.insert(name);
                }
            }
        }
    }
}

/// The trees to remove, or `None` if there are none.
fn pending_trees(runs: &Path, failed: &HashSet<OsString>) -> Option<Vec<OsString>> {
    let area = RootDir::open(&runs.join(REMOVAL_DIR)).ok()?;
    let names: Vec<OsString> = area
        .read_dir("")
        .ok()?
        .into_iter()
        .map(|entry| entry.name)
        .filter(|name| !failed.contains(name))
        .collect();
    (!names.is_empty()).then_some(names)
}

fn remove_slice(runs: &Path, name: &OsStr) -> io::Result<Removal> {
    RootDir::open(&runs.join(REMOVAL_DIR))?.remove_all(name, Instant::now() + SLICE_DURATION)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn worker_empties_the_directory_and_skips_trees_that_failed() {
        let top = tempfile::tempdir().unwrap();
        let runs = top.path();
        fs::create_dir(runs.join("tree")).unwrap();
        for n in 0..1000 {
            fs::create_dir(runs.join(format!("tree/{n}"))).unwrap();
        }
        let root = RootDir::open(runs).unwrap();
        move_away(&root, OsStr::new("tree"), runs).unwrap();
        assert_eq!(fs::read_dir(runs).unwrap().count(), 1);
        let names = pending_trees(runs, &HashSet::new()).unwrap();
        assert_eq!(pending_trees(runs, &names.into_iter().collect()), None);

        let (wake, woken) = sync_channel(1);
        wake.send(()).unwrap();
        drop(wake);
        remove_trees(runs, &woken);
        assert_eq!(fs::read_dir(runs.join(REMOVAL_DIR)).unwrap().count(), 0);
    }
}
