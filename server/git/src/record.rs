//! The clone's administrative directory of a worktree: HEAD, an index, and the worktree's path.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use git2::{Index, Repository};
use rootdir::{FileKind, Removal, RootDir};

use crate::{clone::WorkingClone, error::GitError, repository};

/// Size limit for reading a `.git` file.
const MAX_POINTER_BYTES: u64 = 10_000;
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(300);

/// `<clone>/worktrees/<name>`. Agents' commands cannot write there.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    path: PathBuf,
}

impl Record {
    /// Creates the directory if it is missing.
    pub(crate) fn create(clone: &WorkingClone, name: &str) -> Result<Self, GitError> {
        let path = directory(clone).join(name);
        fs::create_dir_all(&path).map_err(GitError::io("make the worktree's record"))?;
        Ok(Record { path: absolute(&path)? })
    }

    /// A record with an index; `None` if there is none.
    pub(crate) fn open(clone: &WorkingClone, name: &str) -> Result<Option<Self>, GitError> {
        let record = Record { path: directory(clone).join(name) };
        match record.is_finished() {
            true => Ok(Some(Record { path: absolute(&record.path)? })),
            false => Ok(None),
        }
    }

    /// Whether the checkout was completed.
    pub(crate) fn is_finished(&self) -> bool {
        self.path.join("index").exists()
    }

    /// Marks the checkout as incomplete.
    pub(crate) fn mark_unfinished(&self) -> Result<(), GitError> {
        repository::remove_file(&self.path.join("index"))
    }

    /// This record's index, of which libgit2 does not look up every object that is added.
    pub(crate) fn index(&self) -> Result<Index, GitError> {
        Ok(Index::open(&self.path.join("index"))?)
    }

    /// The clone with this record's HEAD and index. It has no work directory for libgit2.
    pub(crate) fn repository(&self) -> Result<Repository, GitError> {
        repository::open(&self.path)
    }

    /// Writes the path of the files and the content of HEAD.
    pub(crate) fn write(&self, files: &Path, head: &str) -> Result<(), GitError> {
        let parts = [
            ("commondir", "../..\n".to_owned()),
            ("gitdir", format!("{}/.git\n", files.display())),
            ("HEAD", format!("{head}\n")),
        ];
        for (name, text) in parts {
            let file = self.path.join(name);
            if fs::read_to_string(&file).is_ok_and(|found| found == text) {
                continue;
            }
            fs::write(&file, text).map_err(GitError::io("write the worktree's record"))?;
        }
        Ok(())
    }

    /// The required content of the worktree's `.git` file.
    pub(crate) fn pointer(&self) -> Vec<u8> {
        format!("gitdir: {}\n", self.path.display()).into_bytes()
    }

    /// Writes the `.git` file that connects the files to this record, for the `git` command. This
    /// crate never reads it. A directory in its place is moved into the record.
    pub(crate) fn write_pointer(&self, root: &RootDir) -> Result<(), GitError> {
        let content = self.pointer();
        if root.read(".git", MAX_POINTER_BYTES).is_ok_and(|found| found == content) {
            return Ok(());
        }
        let is_directory =
            |stat: Option<_>| stat.is_some_and(|stat| FileKind::of(&stat) == FileKind::Directory);
        root.stat(".git")
            .and_then(|stat| if is_directory(stat) { self.move_aside(root) } else { Ok(()) })
            .and_then(|()| root.write(".git", &content, 0o644))
            .map_err(GitError::io("write the .git file"))
    }

    fn move_aside(&self, root: &RootDir) -> io::Result<()> {
        let own = RootDir::open(&self.path)?;
        let mut n = 1;
        while own.stat(format!("replaced-git-{n}"))?.is_some() {
            n += 1;
        }
        root.rename(".git", &own, format!("replaced-git-{n}"))
    }

    /// Removes the record. The files are kept.
    pub(crate) fn remove(&self) -> Result<(), GitError> {
        remove_directory(&self.path).map_err(GitError::io("remove the worktree's record"))
    }
}

/// Removes records whose names start with `prefix` and whose files no longer exist.
pub(crate) fn prune(clone: &WorkingClone, prefix: &str) -> Result<(), GitError> {
    let listing = || GitError::io("list the worktrees' records");
    for entry in fs::read_dir(directory(clone)).map_err(listing())? {
        let path = entry.map_err(listing())?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with(prefix) {
            continue;
        }
        // A record that is being created has no path yet.
        let Ok(pointer) = fs::read_to_string(path.join("gitdir")) else { continue };
        if Path::new(pointer.trim_end()).parent().is_some_and(|files| !files.exists()) {
            Record { path }.remove()?;
        }
    }
    Ok(())
}

/// Removes a directory that agents could write to. Can be repeated after a timeout.
pub(crate) fn remove_directory(path: &Path) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    match RootDir::open(parent)?.remove_all(name, Instant::now() + REMOVAL_TIMEOUT)? {
        Removal::Done => Ok(()),
        Removal::Unfinished => Err(io::ErrorKind::TimedOut.into()),
    }
}

/// Creates a directory for files if there is none.
pub(crate) fn make_directory(path: &Path) -> Result<(), GitError> {
    fs::create_dir_all(path).map_err(GitError::io(format!("make {}", path.display())))
}

/// Whether the path is a directory and not a link to one.
pub(crate) fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf, GitError> {
    fs::canonicalize(path).map_err(GitError::io(format!("find {}", path.display())))
}

fn directory(clone: &WorkingClone) -> PathBuf {
    clone.path().join("worktrees")
}
