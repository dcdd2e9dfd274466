//! The root directory and its operations.

#[cfg(test)]
mod tests;

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read, Write},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Component, Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::{
    fs::{
        AtFlags, CWD, Dir, Mode, OFlags, ResolveFlags, fchmod, fstat, mkdirat, openat, openat2,
        readlinkat, renameat, statat, symlinkat, unlinkat,
    },
    io::Errno,
};

use crate::entry::{DirEntry, Entry, FileKind, FileStat};

pub(crate) const DIRECTORY: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Opening must neither wait for the other end of a pipe nor acquire a controlling terminal.
const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
const CREATE: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);
/// `openat2` returns EAGAIN if something is renamed while it resolves `..` or a link.
const MAX_ATTEMPTS: usize = 16;

/// Whether links in a path are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// A link anywhere in the path, including its last component, is an error (`ELOOP`).
    Refused,
    /// Links are followed as long as they stay below the root; one that leaves it is an error
    /// (`EXDEV`).
    WithinRoot,
}

impl Links {
    fn resolve_flags(self) -> ResolveFlags {
        let flags = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        match self {
            Links::Refused => flags | ResolveFlags::NO_SYMLINKS,
            Links::WithinRoot => flags,
        }
    }
}

/// An open directory. No operation accesses anything outside it, and only [`RootDir::open_with`]
/// can follow links.
///
/// All paths are relative; the empty path is the directory itself. A path with `..` or an absolute
/// one is an error of kind `InvalidInput`.
#[derive(Debug)]
pub struct RootDir {
    fd: OwnedFd,
}

impl AsFd for RootDir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl RootDir {
    /// Opens a directory. Links in its parents are followed: its path is trusted, its content is
    /// not. It is an error if the path itself is a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(RootDir { fd: openat(CWD, path, DIRECTORY, Mode::empty())? })
    }

    /// Opens a directory below this one as a separate root.
    pub fn open_dir(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        let fd = self.open_with(path, DIRECTORY, Links::Refused)?;
        Ok(RootDir { fd })
    }

    /// Opens `path` with these flags. Callers must add `NONBLOCK` if it may be a pipe.
    pub fn open_with(
        &self,
        path: impl AsRef<Path>,
        flags: OFlags,
        links: Links,
    ) -> io::Result<OwnedFd> {
        let path = relative(path.as_ref())?;
        let resolve = links.resolve_flags();
        let mut opened = Err(Errno::AGAIN);
        for _ in 0..MAX_ATTEMPTS {
            opened = openat2(&self.fd, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve);
            if !matches!(opened, Err(Errno::AGAIN | Errno::INTR)) {
                break;
            }
        }
        Ok(opened?)
    }

    /// Opens a regular file for reading. Anything else is an error of kind `InvalidInput`.
    pub fn open_file(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let fd = self.open_with(path, READ, Links::Refused)?;
        match FileKind::of(&fstat(&fd)?) {
            FileKind::File => Ok(File::from(fd)),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        }
    }

    /// The content of a regular file; an error of kind `FileTooLarge` beyond `limit` bytes.
    pub fn read(&self, path: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        self.open_file(path)?.take(limit.saturating_add(1)).read_to_end(&mut content)?;
        if content.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(content)
    }

    /// Opens the entry at `path` according to its kind. A path through a link or a file is
    /// [`Entry::Missing`].
    pub fn entry(&self, path: impl AsRef<Path>) -> io::Result<Entry> {
        let path = path.as_ref();
        let (parent, name) = match self.open_parent(path) {
            Ok(found) => found,
            Err(error) if is_missing(&error) => return Ok(Entry::Missing),
            Err(error) => return Err(error),
        };
        let stat = match statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Entry::Missing),
            Err(error) => return Err(error.into()),
        };
        match FileKind::of(&stat) {
            FileKind::Directory => Ok(Entry::Directory(stat)),
            FileKind::Link => {
                let target = readlinkat(&parent, name, Vec::new())?.into_bytes();
                Ok(Entry::Link(PathBuf::from(OsString::from_vec(target)), stat))
            }
            // It may have been replaced meanwhile.
            FileKind::File => match openat(&parent, name, READ | OFlags::NOFOLLOW, Mode::empty()) {
                Ok(fd) => {
                    let stat = fstat(&fd)?;
                    match FileKind::of(&stat) {
                        FileKind::File => Ok(Entry::File(fd.into(), stat)),
                        _ => Ok(Entry::Other),
                    }
                }
                Err(Errno::LOOP | Errno::NXIO) => Ok(Entry::Other),
                Err(Errno::NOENT) => Ok(Entry::Missing),
                Err(error) => Err(error.into()),
            },
            FileKind::Other => Ok(Entry::Other),
        }
    }

    /// Size, times and mode of `path`, without following links or opening it; `None` if it does not
    /// exist.
    pub fn stat(&self, path: impl AsRef<Path>) -> io::Result<Option<FileStat>> {
        if path.as_ref().as_os_str().is_empty() {
            return Ok(Some(fstat(&self.fd)?));
        }
        let (parent, name) = match self.open_parent(path.as_ref()) {
            Ok(found) => found,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        match statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The entries of a directory, in the system's order.
    pub fn read_dir(&self, path: impl AsRef<Path>) -> io::Result<Vec<DirEntry>> {
        self.list(path)?
            .map(|entry| entry.map(|(name, stat)| DirEntry { name, kind: FileKind::of(&stat) }))
            .collect()
    }

    /// Iterates over names and states of a directory's entries. Entries that are removed meanwhile
    /// are omitted.
    pub fn list(&self, path: impl AsRef<Path>) -> io::Result<Listing> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Listing { directory: Dir::new(self.open_with(path, flags, Links::Refused)?)? })
    }

    /// Writes a file atomically, through a temporary file that is renamed. Missing directories are
    /// created. An existing link or file is replaced, never followed; a directory is an error.
    pub fn write(&self, path: impl AsRef<Path>, content: &[u8], mode: u32) -> io::Result<()> {
        self.write_with(path, mode, |file| file.write_all(content)).map(drop)
    }

    /// Like [`RootDir::write`], with content written by `fill`. Returns the state of the file
    /// afterwards.
    pub fn write_with(
        &self,
        path: impl AsRef<Path>,
        mode: u32,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<FileStat> {
        let (parent, name) = self.create_parent(path.as_ref())?;
        let temporary = temporary_name();
        let mut file = File::from(openat(&parent, &temporary, CREATE, Mode::from_raw_mode(0o600))?);
        let written = fill(&mut file).and_then(|()| {
            fchmod(&file, Mode::from_raw_mode(mode & 0o777))?;
            renameat(&parent, &temporary, &parent, name)?;
            Ok(fstat(&file)?)
        });
        if written.is_err() {
            // The first error is returned.
            let _ = unlinkat(&parent, &temporary, AtFlags::empty());
        }
        written
    }

    /// Creates a symbolic link, replacing like [`RootDir::write`]. Its target is not checked,
    /// because links are never followed.
    pub fn symlink(&self, target: &OsStr, path: impl AsRef<Path>) -> io::Result<FileStat> {
        let (parent, name) = self.create_parent(path.as_ref())?;
        let temporary = temporary_name();
        symlinkat(target, &parent, &temporary)?;
        let placed = renameat(&parent, &temporary, &parent, name)
            .and_then(|()| statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW));
        if placed.is_err() {
            let _ = unlinkat(&parent, &temporary, AtFlags::empty());
        }
        Ok(placed?)
    }

    /// Creates a directory and its missing parents.
    pub fn create_dir_all(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let mut at = RootDir { fd: self.open_with("", DIRECTORY, Links::Refused)? };
        for name in names(path)? {
            at = match at.open_dir(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match mkdirat(&at.fd, name, Mode::from_raw_mode(0o755)) {
                        Ok(()) | Err(Errno::EXIST) => at.open_dir(name)?,
                        Err(error) => return Err(error.into()),
                    }
                }
                opened => opened?,
            };
        }
        Ok(at)
    }

    /// Removes anything but a directory.
    pub fn remove_file(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let (parent, name) = self.open_parent(path.as_ref())?;
        Ok(unlinkat(&parent, name, AtFlags::empty())?)
    }

    /// Removes an empty directory.
    pub fn remove_dir(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let (parent, name) = self.open_parent(path.as_ref())?;
        Ok(unlinkat(&parent, name, AtFlags::REMOVEDIR)?)
    }

    /// Moves `from` to a path below another root on the same file system, replacing like
    /// `rename(2)`.
    pub fn rename(
        &self,
        from: impl AsRef<Path>,
        to_root: &RootDir,
        to: impl AsRef<Path>,
    ) -> io::Result<()> {
        let (from_parent, from_name) = self.open_parent(from.as_ref())?;
        let (to_parent, to_name) = to_root.open_parent(to.as_ref())?;
        Ok(renameat(&from_parent, from_name, &to_parent, to_name)?)
    }

    /// Opens the parent directory of `path`.
    fn open_parent<'a>(&self, path: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
        let name = last_name(path)?;
        let parent = path.parent().unwrap_or(Path::new(""));
        Ok((self.open_with(parent, DIRECTORY, Links::Refused)?, name))
    }

    fn create_parent<'a>(&self, path: &'a Path) -> io::Result<(OwnedFd, &'a OsStr)> {
        match self.open_parent(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let parent = self.create_dir_all(path.parent().unwrap_or(Path::new("")))?;
                Ok((parent.fd, last_name(path)?))
            }
            found => found,
        }
    }
}

/// The entries of a directory, without `.` and `..`.
#[derive(Debug)]
pub struct Listing {
    directory: Dir,
}

impl Iterator for Listing {
    type Item = io::Result<(OsString, FileStat)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.directory.read()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let stat = self
                .directory
                .fd()
                .and_then(|directory| statat(directory, name, AtFlags::SYMLINK_NOFOLLOW));
            match stat {
                Ok(stat) => return Some(Ok((name.to_owned(), stat))),
                Err(Errno::NOENT) => {}
                Err(error) => return Some(Err(error.into())),
            }
        }
    }
}

/// Whether an error means that a path does not exist, or that one of its parents is not a
/// directory.
pub fn is_missing(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP))
}

fn last_name(path: &Path) -> io::Result<&OsStr> {
    names(path)?.last().ok_or_else(|| invalid(path))
}

/// Converts an empty path to `.`, the root itself.
fn relative(path: &Path) -> io::Result<&Path> {
    match names(path)?.next() {
        None => Ok(Path::new(".")),
        Some(_) => Ok(path),
    }
}

/// The components of a relative path; an error if it is absolute or contains `..`.
fn names(path: &Path) -> io::Result<impl Iterator<Item = &OsStr>> {
    let allowed = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !path.components().all(allowed) {
        return Err(invalid(path));
    }
    Ok(path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    }))
}

fn invalid(path: &Path) -> io::Error {
    let message = format!("`{}` is not a path below the directory", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// A unique name. A crash leaves at most one such file.
fn temporary_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{TEMPORARY_PREFIX}{}-{n}", process::id())
}

/// Whether this is the name of a temporary file that an interrupted [`RootDir::write`] left.
pub fn is_temporary(name: &OsStr) -> bool {
    name.as_bytes().starts_with(TEMPORARY_PREFIX.as_bytes())
}

/// Prefix of the names of temporary files.
pub const TEMPORARY_PREFIX: &str = ".forge-tmp-";
