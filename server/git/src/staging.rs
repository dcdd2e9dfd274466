//! From the files of a worktree to a tree, byte for byte: no filter and no line ending rule applies.

use std::{
    ffi::OsStr,
    fs,
    io::{self, Read},
    os::unix::ffi::OsStrExt,
    path::Path,
};

use git2::{Delta, DiffOptions, ErrorClass, Index, IndexEntry, IndexTime, Oid, Repository};
use rustix::fs::Stat;

use crate::{
    beneath::{Found, Root},
    error::GitError,
    rule_files,
};

/// Never part of a commit, whatever stands there.
const PRIVATE: &[u8] = b"Forge";
/// Larger files go to the object database in pieces.
const IN_MEMORY: i64 = 16 * 1024 * 1024;

/// A worktree read into an index that is not yet on disk.
pub(crate) struct Staged {
    pub(crate) index: Index,
    pub(crate) tree: Oid,
    /// Names git cannot hold, left out of the tree.
    pub(crate) unstorable: Vec<String>,
}

/// Reads what changed since the index was written, by size and time of the files; `.gitignore` is
/// honoured, `.git` and `Forge` are left out at any depth and at the root.
pub(crate) fn stage(repository: &Repository, worktree: &Path) -> Result<Staged, GitError> {
    stage_into(repository, worktree, repository.index()?)
}

/// The same, starting from a given index.
pub(crate) fn stage_into(
    repository: &Repository,
    worktree: &Path,
    index: Index,
) -> Result<Staged, GitError> {
    repository.add_ignore_rule("/Forge\n")?;
    rule_files::tame(worktree).map_err(GitError::io("look through the worktree"))?;
    let root = Root::open(worktree).map_err(GitError::io("open the worktree"))?;
    let mut staging = Staging { repository, worktree, root, index, unstorable: Vec::new() };
    for (path, gone) in staging.candidates()? {
        match gone {
            true => staging.index.remove(as_path(&path), 0)?,
            false => staging.take(&path)?,
        }
    }
    let tree = staging.index.write_tree()?;
    Ok(Staged { index: staging.index, tree, unstorable: staging.unstorable })
}

struct Staging<'a> {
    repository: &'a Repository,
    worktree: &'a Path,
    root: Root,
    index: Index,
    unstorable: Vec<String>,
}

impl Staging<'_> {
    /// Paths that differ from the index, those that are gone first, so that a directory can take
    /// the place of a file.
    fn candidates(&self) -> Result<Vec<(Vec<u8>, bool)>, GitError> {
        let mut options = DiffOptions::new();
        options
            .include_untracked(true)
            .recurse_untracked_dirs(true)
            .include_typechange(true)
            .ignore_submodules(true)
            .skip_binary_check(true)
            .disable_pathspec_match(true);
        let diff = self.repository.diff_index_to_workdir(Some(&self.index), Some(&mut options))?;
        let mut paths: Vec<(Vec<u8>, bool)> = diff
            .deltas()
            .filter_map(|delta| {
                let gone = delta.status() == Delta::Deleted;
                let file = if gone { delta.old_file() } else { delta.new_file() };
                Some((file.path_bytes()?.to_vec(), gone))
            })
            .filter(|(path, _)| !excluded(path))
            .collect();
        paths.sort_by_key(|(_, gone)| !gone);
        Ok(paths)
    }

    /// Puts what stands at the path into the index.
    fn take(&mut self, path: &[u8]) -> Result<(), GitError> {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        if excluded(path) {
            return Ok(());
        }
        let shown = String::from_utf8_lossy(path).into_owned();
        let reading = || format!("read {shown} in the worktree");
        match self.root.look(path).map_err(GitError::io(reading()))? {
            Found::File(file, stat) => {
                let blob = self.store(file, &stat).map_err(GitError::io(reading()))?;
                let mode = if stat.st_mode & 0o100 == 0 { 0o100644 } else { 0o100755 };
                self.add(path, blob, mode, &stat)
            }
            Found::Link(..) if rule_files::is_gitmodules(name_of(path)) => {
                self.leave_out(path);
                Ok(())
            }
            Found::Link(target, stat) => {
                let blob = self.repository.blob(&target)?;
                self.add(path, blob, 0o120000, &stat)
            }
            Found::Directory => self.take_directory(path),
            Found::Missing | Found::Other => Ok(self.index.remove(as_path(path), 0)?),
        }
    }

    /// A directory shows up as one path when it holds a repository of its own. Its files are taken
    /// like any others, as long as it does not stand for a submodule.
    fn take_directory(&mut self, path: &[u8]) -> Result<(), GitError> {
        match self.index.get_path(as_path(path), 0) {
            Some(entry) if entry.mode == 0o160000 => return Ok(()),
            Some(_) => self.index.remove(as_path(path), 0)?,
            None => {}
        }
        let listing = || GitError::io(format!("list {}", String::from_utf8_lossy(path)));
        for entry in fs::read_dir(self.worktree.join(as_path(path))).map_err(listing())? {
            let entry = entry.map_err(listing())?;
            let mut inner = [path, b"/", entry.file_name().as_bytes()].concat();
            let is_directory = entry.file_type().map_err(listing())?.is_dir();
            if is_directory {
                inner.push(b'/');
            }
            if !excluded(&inner) && !self.repository.is_path_ignored(as_path(&inner))? {
                self.take(&inner)?;
            }
        }
        Ok(())
    }

    fn store(&self, mut file: fs::File, stat: &Stat) -> io::Result<Oid> {
        if stat.st_size > IN_MEMORY {
            let mut blob = self.repository.blob_writer(None).map_err(io::Error::other)?;
            io::copy(&mut file, &mut blob)?;
            return blob.commit().map_err(io::Error::other);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(stat.st_size).unwrap_or_default());
        file.read_to_end(&mut bytes)?;
        self.repository.blob(&bytes).map_err(io::Error::other)
    }

    #[allow(clippy::cast_possible_truncation, clippy::unnecessary_cast, clippy::cast_sign_loss)]
    fn add(&mut self, path: &[u8], id: Oid, mode: u32, stat: &Stat) -> Result<(), GitError> {
        let time = |seconds: i64, nanos: u64| IndexTime::new(seconds as i32, nanos as u32);
        let entry = IndexEntry {
            ctime: time(stat.st_ctime as i64, stat.st_ctime_nsec as u64),
            mtime: time(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
            dev: stat.st_dev as u32,
            ino: stat.st_ino as u32,
            mode,
            uid: stat.st_uid,
            gid: stat.st_gid,
            file_size: stat.st_size as u32,
            id,
            flags: 0,
            flags_extended: 0,
            path: path.to_vec(),
        };
        match self.index.add(&entry) {
            Err(error) if error.class() == ErrorClass::Index => {
                self.leave_out(path);
                Ok(())
            }
            result => Ok(result?),
        }
    }

    fn leave_out(&mut self, path: &[u8]) {
        let path = String::from_utf8_lossy(path).into_owned();
        tracing::warn!(path, "git cannot store a file of the worktree");
        self.unstorable.push(path);
    }
}

fn name_of(path: &[u8]) -> &[u8] {
    path.rsplit(|b| *b == b'/').next().unwrap_or(path)
}

fn excluded(path: &[u8]) -> bool {
    let mut parts = path.split(|b| *b == b'/');
    path.split(|b| *b == b'/').any(|part| part.eq_ignore_ascii_case(b".git"))
        || parts.next() == Some(PRIVATE)
}

fn as_path(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}
