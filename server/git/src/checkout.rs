//! Writes the files of a tree without following links.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::Path,
    time::{Duration, Instant},
};

use git2::{Delta, DiffOptions, FileMode, Index, Oid, Repository, Tree};
use rootdir::{FileKind, FileStat, Removal, RootDir};

use crate::{
    error::GitError,
    index_entry::{self, EXECUTABLE, FILE, LINK, SUBMODULE},
    path::of_bytes,
    special_names,
};

/// Larger blobs are streamed if the object database supports it.
const MAX_BLOB_IN_MEMORY: usize = 16 * 1024 * 1024;
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
    for (path, id, mode) in written {
        write(repository, root, &path, id, mode)
            .and_then(|entry| index.add(&entry).map_err(io::Error::other))
            .map_err(failed("write", &path))?;
    }
    Ok(())
}

/// Writes one entry of a tree and returns its index entry.
fn write(
    repository: &Repository,
    root: &RootDir,
    path: &[u8],
    id: Oid,
    mode: FileMode,
) -> io::Result<git2::IndexEntry> {
    let place = of_bytes(path);
    make_parent(root, place)?;
    let put = || match mode {
        FileMode::Commit => {
            let directory = root.create_dir_all(place)?;
            directory.stat("")?.map(|stat| (SUBMODULE, stat)).ok_or_else(not_found)
        }
        FileMode::Link => {
            let blob = repository.find_blob(id).map_err(io::Error::other)?;
            Ok((LINK, root.symlink(OsStr::from_bytes(blob.content()), place)?))
        }
        FileMode::BlobExecutable => {
            Ok((EXECUTABLE, root.write_with(place, 0o755, |file| fill(repository, id, file))?))
        }
        _ => Ok((FILE, root.write_with(place, 0o644, |file| fill(repository, id, file))?)),
    };
    let (mode, stat): (u32, FileStat) = match put() {
        Err(error) if is_in_the_way(root, place, mode)? => {
            tracing::debug!(path = %place.display(), %error, "removed an untracked path");
            put()?
        }
        done => done?,
    };
    Ok(index_entry::with_stat(path, id, mode, &stat))
}

/// Creates the parent directories of a path. Links and files in their places are removed.
fn make_parent(root: &RootDir, path: &Path) -> io::Result<()> {
    let Some(parent) = path.parent() else { return Ok(()) };
    if root.open_dir(parent).is_ok() {
        return Ok(());
    }
    let mut above: Vec<&Path> =
        parent.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
    while let Some(part) = above.pop() {
        match root.stat(part)? {
            Some(stat) if FileKind::of(&stat) != FileKind::Directory => root.remove_file(part)?,
            Some(_) => {}
            None => break,
        }
    }
    root.create_dir_all(parent).map(drop)
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

fn fill(repository: &Repository, id: Oid, file: &mut File) -> io::Result<()> {
    let objects = repository.odb().map_err(io::Error::other)?;
    let (size, _) = objects.read_header(id).map_err(io::Error::other)?;
    if size > MAX_BLOB_IN_MEMORY {
        // Only loose objects can be streamed, not those in a pack.
        if let Ok((mut blob, ..)) = objects.reader(id) {
            return io::copy(&mut blob, file).map(drop);
        }
    }
    let blob = repository.find_blob(id).map_err(io::Error::other)?;
    file.write_all(blob.content())
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
