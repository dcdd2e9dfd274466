//! Converts the files of a worktree to a tree, without filters or line ending conversion.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::ffi::OsStrExt,
    time::Instant,
};

use git2::{ErrorClass, ErrorCode, Index, Oid, Repository};
use rootdir::{Entry, FileStat, RootDir};

use crate::{
    error::GitError,
    index_entry::{self, LINK},
    path::of_bytes,
    repository,
    scan::{Changed, MAX_REFUSED, Scan, Tracked, scan},
    special_names, submodules,
};

/// Size limit of committed files.
const MAX_FILE_BYTES: u64 = 512 * 1024 * 1024;
/// Larger files are streamed to the object database.
const MAX_BYTES_IN_MEMORY: u64 = 16 * 1024 * 1024;

/// A worktree read into an in-memory index.
pub(crate) struct Staged {
    pub(crate) index: Index,
    pub(crate) tree: Oid,
    /// What cannot be committed and is not in the tree, at most [`MAX_REFUSED`].
    pub(crate) refused: Vec<GitError>,
    /// Why not everything was looked at. What was not, is in the tree as it was in the index.
    pub(crate) incomplete: Option<GitError>,
    /// Changed files that are in the tree as in the index, because they cannot be committed or
    /// exceed the budget.
    pub(crate) unread: Vec<Vec<u8>>,
}

/// Limits on reading a worktree.
pub(crate) struct Budget<'a> {
    pub(crate) deadline: Instant,
    /// Of one file.
    pub(crate) file_bytes: u64,
    /// Of all files together.
    pub(crate) bytes: u64,
    /// A file that is read first.
    pub(crate) first: Option<&'a [u8]>,
}

impl Staged {
    /// Returns an error if the scan is incomplete.
    pub(crate) fn complete(self) -> Result<Self, GitError> {
        match self.incomplete {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// The index without entries that may differ from the worktree.
    pub(crate) fn into_known_index(self) -> Result<Index, GitError> {
        let mut index = self.index;
        if self.incomplete.is_some() {
            index.clear()?;
        }
        for path in self.unread {
            remove(&mut index, &path)?;
        }
        Ok(index)
    }

    /// An error unless the tree is the whole worktree.
    pub(crate) fn whole(mut self) -> Result<Self, GitError> {
        match self.refused.is_empty() {
            true => self.complete(),
            false => Err(self.refused.swap_remove(0)),
        }
    }
}

/// Reads what changed since the index of the repository was written, by size and time of the files.
pub(crate) fn stage(repository: &Repository, root: &RootDir) -> Result<Staged, GitError> {
    let (index, tracked) = open_index(repository)?;
    Staging::new(repository, root, index, None).run(&tracked)
}

/// Like [`stage`], within a budget.
pub(crate) fn stage_within(
    repository: &Repository,
    root: &RootDir,
    budget: Budget<'_>,
) -> Result<Staged, GitError> {
    let (index, tracked) = open_index(repository)?;
    Staging::new(repository, root, index, Some(budget)).run(&tracked)
}

/// Reads all files that are not ignored or are in the given index.
pub(crate) fn stage_all(
    repository: &Repository,
    root: &RootDir,
    index: Index,
) -> Result<Staged, GitError> {
    let tracked = Tracked { entries: index.iter().collect(), written: (0, 0) };
    Staging::new(repository, root, index, None).run(&tracked)
}

/// The index of the repository as it is on disk.
pub(crate) fn open_index(repository: &Repository) -> Result<(Index, Tracked), GitError> {
    // The time before the content: if it is replaced in between, more files count as changed.
    let (seconds, nanoseconds) = repository::index_written_at(repository)?;
    let written = index_entry::time(seconds, nanoseconds.unsigned_abs());
    let index = repository.index()?;
    let tracked =
        Tracked { entries: index.iter().collect(), written: index_entry::instant(written) };
    Ok((index, tracked))
}

struct Staging<'a> {
    repository: &'a Repository,
    root: &'a RootDir,
    index: Index,
    budget: Option<Budget<'a>>,
    refused: Vec<GitError>,
    unread: Vec<Vec<u8>>,
}

impl<'a> Staging<'a> {
    fn new(
        repository: &'a Repository,
        root: &'a RootDir,
        index: Index,
        budget: Option<Budget<'a>>,
    ) -> Self {
        Staging { repository, root, index, budget, refused: Vec::new(), unread: Vec::new() }
    }

    fn run(mut self, tracked: &Tracked) -> Result<Staged, GitError> {
        let deadline = self.budget.as_ref().map(|budget| budget.deadline);
        let Scan { mut changed, missing, refused, incomplete } = scan(self.root, tracked, deadline);
        self.refused = refused;
        // First, so that a directory can replace a file.
        for path in missing {
            remove(&mut self.index, &path)?;
        }
        let first = self.budget.as_ref().and_then(|budget| budget.first);
        // Small files first, because most of them did not change.
        changed.sort_by_key(|changed| (Some(changed.path.as_slice()) != first, changed.bytes));
        for Changed { path, bytes } in changed {
            if self.is_affordable(bytes) {
                self.take(&path)?;
            } else {
                self.unread.push(path);
            }
        }
        let tree = self.index.write_tree_to(self.repository)?;
        let Staging { index, refused, unread, .. } = self;
        Ok(Staged { index, tree, refused, incomplete, unread })
    }

    /// Adds the file at the path to the index.
    fn take(&mut self, path: &[u8]) -> Result<(), GitError> {
        let (id, mode, stat) = match self.read(path) {
            Ok(Some(read)) => read,
            Ok(None) => return remove(&mut self.index, path),
            Err(error) => {
                self.refuse(path, error);
                return Ok(());
            }
        };
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        if special_names::is_gitmodules(name)
            && let Some(reason) = submodules::find_violation(self.repository, id, mode)?
        {
            self.refuse(path, GitError::BadSubmodules { path: shown(path), reason });
            return Ok(());
        }
        match self.index.add(&index_entry::with_stat(path, id, mode, &stat)) {
            Err(error) if error.class() == ErrorClass::Index => {
                self.refuse(path, GitError::UnstorablePath(shown(path)));
                Ok(())
            }
            added => Ok(added?),
        }
    }

    /// Stores the content of a file or a link; `None` if neither exists any more.
    fn read(&self, path: &[u8]) -> Result<Option<(Oid, u32, FileStat)>, GitError> {
        let failed = || GitError::io(format!("read `{}` in the worktree", shown(path)));
        match self.root.entry(of_bytes(path)).map_err(failed())? {
            Entry::File(file, stat) => {
                let bytes = u64::try_from(stat.st_size).unwrap_or_default();
                if bytes > MAX_FILE_BYTES {
                    return Err(GitError::FileTooLarge {
                        path: shown(path),
                        limit: MAX_FILE_BYTES,
                    });
                }
                let id = self.store(file, bytes).map_err(failed())?;
                Ok(Some((id, index_entry::file_mode(&stat), stat)))
            }
            Entry::Link(target, stat) => {
                Ok(Some((self.repository.blob(target.as_os_str().as_bytes())?, LINK, stat)))
            }
            Entry::Missing | Entry::Directory(_) | Entry::Other => Ok(None),
        }
    }

    /// A file that grows meanwhile is stored with its size at opening.
    fn store(&self, file: File, bytes: u64) -> io::Result<Oid> {
        let mut file = file.take(bytes);
        if bytes > MAX_BYTES_IN_MEMORY {
            let mut blob = self.repository.blob_writer(None).map_err(io::Error::other)?;
            io::copy(&mut file, &mut blob)?;
            return blob.commit().map_err(io::Error::other);
        }
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        self.repository.blob(&content).map_err(io::Error::other)
    }

    fn refuse(&mut self, path: &[u8], error: GitError) {
        if self.refused.len() < MAX_REFUSED {
            self.refused.push(error);
        }
        self.unread.push(path.to_vec());
    }

    fn is_affordable(&mut self, bytes: u64) -> bool {
        let Some(budget) = &mut self.budget else { return true };
        if bytes > budget.file_bytes || bytes > budget.bytes || Instant::now() > budget.deadline {
            return false;
        }
        budget.bytes -= bytes;
        true
    }
}

fn remove(index: &mut Index, path: &[u8]) -> Result<(), GitError> {
    match index.remove(of_bytes(path), 0) {
        // Already replaced by another entry, or never in the index.
        Err(error) if error.code() == ErrorCode::NotFound => Ok(()),
        removed => Ok(removed?),
    }
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}
