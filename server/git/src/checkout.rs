//! Writes the files of a tree without following links.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use git2::{Delta, DiffOptions, FileMode, Index, IndexEntry, Odb, Oid, Repository, Tree};
use rootdir::{FileKind, FileStat, Removal, RootDir};

use crate::{
    error::GitError,
    index_entry::{self, EXECUTABLE, FILE, LINK, SUBMODULE},
    parallel::{in_parts, part_length},
    path::of_bytes,
    repository, special_names,
};

/// Larger blobs are streamed if the object database supports it.
const MAX_BLOB_IN_MEMORY: usize = 16 * 1024 * 1024;
const MIN_FILES_PER_THREAD: usize = 250;
/// For removing a directory in the place of a file.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(60);

/// Updates the files below `root`, and `index`, from `index` to `tree`, byte for byte. Other files
/// are kept unless they are in the way.
///
/// # Errors
/// [`GitError::UnstorablePath`] for a name that must not be written, before anything changes.
pub(crate) fn checkout(
    repository: &Repository,
    root: &RootDir,
    index: &mut Index,
    tree: &Tree<'_>,
) -> Result<(), GitError> {
    let mut options = DiffOptions::new();
    options.include_typechange(true).skip_binary_check(true);
    let diff = repository.diff_tree_to_index(Some(tree), Some(index), Some(&mut options))?;
    let (mut removed, mut written) = (Vec::new(), Vec::new());
    for delta in diff.deltas() {
        if delta.status() == Delta::Added {
            removed.extend(delta.new_file().path_bytes().map(<[u8]>::to_vec));
        } else if let Some(path) = delta.old_file().path_bytes() {
            if !special_names::is_storable(path) {
                return Err(GitError::UnstorablePath(String::from_utf8_lossy(path).into_owned()));
            }
            written.push((path.to_vec(), delta.old_file().id(), delta.old_file().mode()));
        }
    }
    // Removal comes first, so that a directory can replace a file.
    for path in removed {
        remove_file(root, of_bytes(&path)).map_err(failed("remove", &path))?;
        index.remove(of_bytes(&path), 0)?;
    }
    for entry in write_all(repository, root, &written)? {
        index.add(&entry)?;
    }
    // Keeps the entries, and adds which trees they are, so that a directory without changes is not
    // written as a tree again.
    Ok(index.read_tree(tree)?)
}

/// An entry of a tree that is to be written: its path, content and mode.
type Wanted = (Vec<u8>, Oid, FileMode);

/// Writes entries of a tree, with several threads if there are many. Returns their index entries.
fn write_all(
    repository: &Repository,
    root: &RootDir,
    wanted: &[Wanted],
) -> Result<Vec<IndexEntry>, GitError> {
    let path = repository.path();
    let write_part = |part: &[Wanted]| -> Result<Vec<IndexEntry>, GitError> {
        // Each thread opens the objects itself: libgit2 locks its database during each read.
        let repository = repository::open(path)?;
        let objects = repository.odb()?;
        let mut writer = Writer { objects: &objects, root, parent: None };
        part.iter().map(|entry| writer.write(entry).map_err(failed("write", &entry.0))).collect()
    };
    let part_length = part_length(wanted.len(), MIN_FILES_PER_THREAD);
    if wanted.len() > part_length {
        // The threads would remove what is in the way of the same directories at the same time.
        let mut last = None;
        for (path, ..) in wanted {
            let parent = of_bytes(path).parent();
            if parent != last {
                make_directory(root, parent.unwrap_or(Path::new("")))
                    .map_err(failed("write", path))?;
                last = parent;
            }
        }
    }
    Ok(in_parts(wanted, part_length, write_part)?.into_iter().flatten().collect())
}

/// Writes entries whose neighbours are mostly in the same directory.
struct Writer<'a> {
    objects: &'a Odb<'a>,
    root: &'a RootDir,
    /// The directory of the last entry.
    parent: Option<(PathBuf, RootDir)>,
}

impl Writer<'_> {
    /// Writes one entry and returns its index entry.
    fn write(&mut self, (path, id, mode): &Wanted) -> io::Result<IndexEntry> {
        let (objects, place) = (self.objects, of_bytes(path));
        let (parent, name) = (self.parent_of(place)?, place.file_name().ok_or_else(not_found)?);
        let put = || match mode {
            FileMode::Commit => {
                let directory = parent.create_dir_all(name)?;
                directory.stat("")?.map(|stat| (SUBMODULE, stat)).ok_or_else(not_found)
            }
            FileMode::Link => {
                let blob = objects.read(*id).map_err(io::Error::other)?;
                Ok((LINK, parent.symlink(OsStr::from_bytes(blob.data()), name)?))
            }
            FileMode::BlobExecutable => {
                let stat = parent.write_with(name, 0o755, |file| fill(objects, *id, file))?;
                Ok((EXECUTABLE, stat))
            }
            _ => Ok((FILE, parent.write_with(name, 0o644, |file| fill(objects, *id, file))?)),
        };
        let (stored_mode, stat): (u32, FileStat) = match put() {
            Err(error) if is_in_the_way(parent, Path::new(name), *mode)? => {
                tracing::debug!(path = %place.display(), %error, "removed an untracked path");
                put()?
            }
            done => done?,
        };
        Ok(index_entry::with_stat(path, *id, stored_mode, &stat))
    }

    fn parent_of(&mut self, place: &Path) -> io::Result<&RootDir> {
        let path = place.parent().unwrap_or(Path::new(""));
        let parent = match self.parent.take() {
            Some((last, directory)) if last == path => (last, directory),
            _ => (path.to_owned(), make_directory(self.root, path)?),
        };
        Ok(&self.parent.insert(parent).1)
    }
}

fn fill(objects: &Odb<'_>, id: Oid, file: &mut File) -> io::Result<()> {
    let (size, _) = objects.read_header(id).map_err(io::Error::other)?;
    if size > MAX_BLOB_IN_MEMORY {
        // Only loose objects can be streamed, not those in a pack.
        if let Ok((mut blob, ..)) = objects.reader(id) {
            return io::copy(&mut blob, file).map(drop);
        }
    }
    let blob = objects.read(id).map_err(io::Error::other)?;
    file.write_all(blob.data())
}

/// Opens a directory, and creates it if it is missing. Links and files in its place or that of its
/// parents are removed.
fn make_directory(root: &RootDir, path: &Path) -> io::Result<RootDir> {
    if let Ok(directory) = root.open_dir(path) {
        return Ok(directory);
    }
    let mut above: Vec<&Path> =
        path.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
    while let Some(part) = above.pop() {
        match root.stat(part)? {
            Some(stat) if FileKind::of(&stat) != FileKind::Directory => root.remove_file(part)?,
            Some(_) => {}
            None => break,
        }
    }
    root.create_dir_all(path)
}

/// Removes anything at the path that a rename cannot replace. Returns whether there was something
/// to remove.
fn is_in_the_way(root: &RootDir, path: &Path, mode: FileMode) -> io::Result<bool> {
    let Some(stat) = root.stat(path)? else { return Ok(false) };
    let is_directory = FileKind::of(&stat) == FileKind::Directory;
    if is_directory == (mode == FileMode::Commit) {
        return Ok(false);
    }
    if !is_directory {
        root.remove_file(path)?;
        return Ok(true);
    }
    let parent = root.open_dir(path.parent().unwrap_or(Path::new("")))?;
    let name = path.file_name().ok_or_else(not_found)?;
    match parent.remove_all(name, Instant::now() + REMOVAL_TIMEOUT)? {
        Removal::Done => Ok(true),
        Removal::Unfinished => Err(io::ErrorKind::TimedOut.into()),
    }
}

/// Removes a file and parent directories that become empty. It is not an error if the file is
/// missing or was replaced by a directory.
fn remove_file(root: &RootDir, path: &Path) -> io::Result<()> {
    match root.stat(path)? {
        None => return Ok(()),
        Some(stat) if FileKind::of(&stat) == FileKind::Directory => {
            // An empty directory represents a submodule.
            let _ = root.remove_dir(path);
        }
        Some(_) => root.remove_file(path)?,
    }
    for parent in path.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()) {
        if root.remove_dir(parent).is_err() {
            break;
        }
    }
    Ok(())
}

fn failed(what: &str, path: &[u8]) -> impl FnOnce(io::Error) -> GitError {
    GitError::io(format!("{what} {} in the worktree", String::from_utf8_lossy(path)))
}

fn not_found() -> io::Error {
    io::ErrorKind::NotFound.into()
}
