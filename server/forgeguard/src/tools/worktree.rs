//! The files of a worktree, opened through descriptors that cannot leave it.
//!
//! The kernel resolves every path below the worktree's own descriptor (`openat2`), so a link that
//! is swapped between a check and its use has no effect. Links may lead to other places within the
//! worktree, but neither out of it nor into `.git`. A [`PlaceRule`] is applied to the place of what was
//! opened, not to a second lookup of its path.

#[cfg(test)]
mod tests;

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read, Write},
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
    sync::Arc,
};

use rootdir::{Links, RootDir, TEMPORARY_PREFIX};
use rustix::{
    fs::{
        AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, fchmod, fdatasync, fstat, mkdirat,
        openat, readlinkat, renameat, renameat_with, statat, unlinkat,
    },
    io::Errno,
};
use sha2::{Digest, Sha256};

use super::{
    work_path::{InvalidPath, WorkPath, enters_git},
    worktree_error::WorktreeError,
};

/// Ends the path of an open file that was removed.
const DELETED: &[u8] = b" (deleted)";
/// Opens a place without reading it.
const PLACE: OFlags = OFlags::PATH;
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
/// Opening must not wait for the other end of a pipe, nor acquire a controlling terminal.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Decides whether a call may access the place that a link leads to.
pub type PlaceRule = Arc<dyn Fn(&WorkPath) -> bool + Send + Sync>;

/// The open root directory of a build's files.
#[derive(Clone)]
pub struct Worktree {
    root: PathBuf,
    directory: Arc<RootDir>,
    /// `None`: any place.
    rule: Option<PlaceRule>,
}

/// The kind of a path's target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file, with its size in bytes.
    File(u64),
    Directory,
    /// A link that is not followed.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

impl Worktree {
    /// Opens the root directory.
    ///
    /// # Errors
    /// Those of the operating system, such as a missing folder.
    pub fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { root: root.to_owned(), directory: Arc::new(RootDir::open(root)?), rule: None })
    }

    /// The same, where links lead only to places that the rule allows.
    pub fn with_rule(&self, rule: PlaceRule) -> Self {
        Self { rule: Some(rule), ..self.clone() }
    }

    pub(super) fn directory(&self) -> &RootDir {
        &self.directory
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Parses a path of a tool's input.
    ///
    /// # Errors
    /// [`WorktreeError::Refused`].
    pub fn path(text: &str) -> Result<WorkPath, WorktreeError> {
        let short = || text.chars().take(200).collect();
        WorkPath::parse(text).map_err(|reason| WorktreeError::Refused { path: short(), reason })
    }

    /// Parses a path other than the root.
    ///
    /// # Errors
    /// [`WorktreeError::Refused`].
    pub fn file_path(text: &str) -> Result<WorkPath, WorktreeError> {
        let short = || text.chars().take(200).collect();
        WorkPath::parse_file(text)
            .map_err(|reason| WorktreeError::Refused { path: short(), reason })
    }

    /// The kind of the target of `path`, following links.
    ///
    /// # Errors
    /// [`WorktreeError::NotFound`] and those about links.
    pub fn kind(&self, path: &WorkPath) -> Result<Kind, WorktreeError> {
        let found = self.find_allowed(path, PLACE)?;
        let stat = fstat(&found).map_err(|errno| WorktreeError::from_errno(path, errno))?;
        Ok(match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File(u64::try_from(stat.st_size).unwrap_or(0)),
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        })
    }

    /// The target of `path`: `path` itself unless it contains links. A missing file is resolved through
    /// its parent.
    ///
    /// # Errors
    /// Those of [`Worktree::kind`], and [`WorktreeError::Refused`] for a target without a path.
    pub fn resolve(&self, path: &WorkPath) -> Result<WorkPath, WorktreeError> {
        let found = match (self.find(path, PLACE), path.split()) {
            (Err(WorktreeError::NotFound(_)), Some((parent, name))) => {
                return Self::path(&format!("{}/{name}", self.resolve(&parent)?));
            }
            (found, _) => found?,
        };
        self.place_of(path, &found)
    }

    /// The path of what was opened as `path`.
    fn place_of(&self, path: &WorkPath, found: &OwnedFd) -> Result<WorkPath, WorktreeError> {
        let system = |source| WorktreeError::System { path: path.clone(), source };
        let top = place(self.directory.as_fd()).map_err(system)?;
        let reached = place(found.as_fd()).map_err(system)?;
        let below =
            reached.strip_prefix(&top).map_err(|_| WorktreeError::LeadsOut(path.clone()))?;
        if below.as_os_str().as_bytes().ends_with(DELETED) {
            return Err(WorktreeError::NotFound(path.clone()));
        }
        WorkPath::from_os(below.as_os_str())
            .map_err(|reason| WorktreeError::Refused { path: path.to_string(), reason })
    }

    /// Applies the rule to `place`, which was reached as `path`.
    fn check_rule(&self, path: &WorkPath, place: WorkPath) -> Result<(), WorktreeError> {
        match &self.rule {
            // Rules about the path itself have been applied.
            Some(rule) if place != *path && !rule(&place) => {
                Err(WorktreeError::Forbidden { path: path.clone(), place })
            }
            _ => Ok(()),
        }
    }

    /// Applies the rule to an entry of an open folder.
    fn check_entry(
        &self,
        path: &WorkPath,
        folder: &OwnedFd,
        name: &str,
    ) -> Result<(), WorktreeError> {
        if self.rule.is_none() {
            return Ok(());
        }
        let folder = self.place_of(path, folder)?;
        self.check_rule(path, Self::path(&format!("{folder}/{name}"))?)
    }

    /// Opens the target of `path`, if the rule allows it.
    fn find_allowed(&self, path: &WorkPath, flags: OFlags) -> Result<OwnedFd, WorktreeError> {
        let found = self.find(path, flags)?;
        if self.rule.is_some() {
            self.check_rule(path, self.place_of(path, &found)?)?;
        }
        Ok(found)
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// [`WorktreeError::NotAFile`] for other kinds.
    pub fn open_file(&self, path: &WorkPath) -> Result<File, WorktreeError> {
        let found = self.find_allowed(path, READ)?;
        let stat = fstat(&found).map_err(|errno| WorktreeError::from_errno(path, errno))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(WorktreeError::NotAFile(path.clone()));
        }
        Ok(File::from(found))
    }

    /// The content of a file of at most `cap` bytes.
    ///
    /// # Errors
    /// [`WorktreeError::TooLarge`], and those of [`Worktree::open_file`].
    pub fn read(&self, path: &WorkPath, cap: u64) -> Result<Vec<u8>, WorktreeError> {
        let system = |source| WorktreeError::System { path: path.clone(), source };
        let file = self.open_file(path)?;
        let bytes = file.metadata().map_err(system)?.len();
        let mut content = Vec::new();
        file.take(cap + 1).read_to_end(&mut content).map_err(system)?;
        if content.len() as u64 > cap {
            let bytes = bytes.max(content.len() as u64);
            return Err(WorktreeError::TooLarge { path: path.clone(), bytes, cap });
        }
        Ok(content)
    }

    /// The content of a file, or `None` if it does not exist.
    ///
    /// # Errors
    /// Those of [`Worktree::read`] except [`WorktreeError::NotFound`].
    pub fn read_if_there(
        &self,
        path: &WorkPath,
        cap: u64,
    ) -> Result<Option<Vec<u8>>, WorktreeError> {
        match self.read(path, cap) {
            Ok(content) => Ok(Some(content)),
            Err(WorktreeError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a file atomically and creates missing folders. An existing file keeps its permissions. The
    /// name of the temporary file is derived from the path, so that a write that is repeated after a
    /// crash removes the leftover of the first.
    ///
    /// # Errors
    /// [`WorktreeError::IsLink`] and [`WorktreeError::NotAFile`] for targets that are not overwritten.
    pub fn write(&self, path: &WorkPath, content: &[u8]) -> Result<(), WorktreeError> {
        let Some((parent, name)) = path.split() else {
            return Err(WorktreeError::NotAFile(path.clone()));
        };
        let failed = |errno| WorktreeError::from_errno(path, errno);
        let folder = self.make_directory(&parent)?;
        self.check_entry(path, &folder, name)?;
        let mode = match statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Mode::from_raw_mode(stat.st_mode & 0o777),
                FileType::Symlink => return Err(WorktreeError::IsLink(path.clone())),
                _ => return Err(WorktreeError::NotAFile(path.clone())),
            },
            Err(Errno::NOENT) => Mode::from_raw_mode(0o644),
            Err(errno) => return Err(failed(errno)),
        };
        let temporary = temporary_name(path);
        match unlinkat(&folder, &temporary, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(failed(errno)),
        }
        let written = write_new(folder.as_fd(), &temporary, content, mode)
            .and_then(|()| Ok(renameat(&folder, &temporary, &folder, name)?));
        written.map_err(|source| {
            // Reports the first error.
            let _ = unlinkat(&folder, &temporary, AtFlags::empty());
            WorktreeError::from_io(path, source)
        })
    }

    /// Removes a regular file, or a link itself.
    ///
    /// # Errors
    /// [`WorktreeError::NotFound`], and [`WorktreeError::NotAFile`] for folders and special files.
    pub fn remove(&self, path: &WorkPath) -> Result<(), WorktreeError> {
        let (folder, name) = self.entry(path)?;
        unlinkat(&folder, name, AtFlags::empty())
            .map_err(|errno| WorktreeError::from_errno(path, errno))
    }

    /// Moves a regular file, or a link itself, and creates missing folders.
    ///
    /// # Errors
    /// Those of [`Worktree::remove`], and [`WorktreeError::Exists`] if something is at `to`.
    pub fn rename(&self, from: &WorkPath, to: &WorkPath) -> Result<(), WorktreeError> {
        let (folder, name) = self.entry(from)?;
        let Some((parent, new_name)) = to.split() else {
            return Err(WorktreeError::NotAFile(to.clone()));
        };
        let new_folder = self.make_directory(&parent)?;
        self.check_entry(to, &new_folder, new_name)?;
        match renameat_with(&folder, name, &new_folder, new_name, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => Err(WorktreeError::Exists(to.clone())),
            moved => moved.map_err(|errno| WorktreeError::from_errno(to, errno)),
        }
    }

    /// The folder and the name of a regular file or a link.
    fn entry<'a>(&self, path: &'a WorkPath) -> Result<(OwnedFd, &'a str), WorktreeError> {
        let Some((parent, name)) = path.split() else {
            return Err(WorktreeError::NotAFile(path.clone()));
        };
        // The error names the file and not its folder.
        let folder = self.find(&parent, DIRECTORY).map_err(|error| match error {
            WorktreeError::NotFound(_) => WorktreeError::NotFound(path.clone()),
            error => error,
        })?;
        self.check_entry(path, &folder, name)?;
        let stat = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|errno| WorktreeError::from_errno(path, errno))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile | FileType::Symlink => Ok((folder, name)),
            _ => Err(WorktreeError::NotAFile(path.clone())),
        }
    }

    /// Opens the target of `path`.
    fn find(&self, path: &WorkPath, flags: OFlags) -> Result<OwnedFd, WorktreeError> {
        let open = |links| self.directory.open_with(path.as_str(), flags, links);
        let failed = |error| WorktreeError::from_io(path, error);
        match open(Links::Refused) {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::LOOP) => {}
            // The path contains no links and was validated when it was parsed.
            found => return found.map_err(failed),
        }
        let found = open(Links::WithinRoot).map_err(failed)?;
        self.check_place(path, &found)?;
        Ok(found)
    }

    /// A link inside the worktree may still lead into `.git`, so the target is checked.
    fn check_place(&self, path: &WorkPath, found: &OwnedFd) -> Result<(), WorktreeError> {
        let system = |source| WorktreeError::System { path: path.clone(), source };
        let top = place(self.directory.as_fd()).map_err(system)?;
        match place(found.as_fd()).map_err(system)?.strip_prefix(&top) {
            Err(_) => Err(WorktreeError::LeadsOut(path.clone())),
            Ok(below) if enters_git(below) => {
                let reason = InvalidPath::GitDirectory;
                Err(WorktreeError::Refused { path: path.to_string(), reason })
            }
            Ok(_) => Ok(()),
        }
    }

    /// Opens the folder at `path`, creating it and its parents if missing.
    fn make_directory(&self, path: &WorkPath) -> Result<OwnedFd, WorktreeError> {
        match (self.find(path, DIRECTORY), path.split()) {
            (Err(WorktreeError::NotFound(_)), Some((parent, name))) => {
                let parent = self.make_directory(&parent)?;
                match mkdirat(&parent, name, Mode::from_raw_mode(0o755)) {
                    Ok(()) | Err(Errno::EXIST) => self.find(path, DIRECTORY),
                    Err(errno) => Err(WorktreeError::from_errno(path, errno)),
                }
            }
            (found, _) => found,
        }
    }
}

/// Never committed.
fn temporary_name(path: &WorkPath) -> String {
    format!("{TEMPORARY_PREFIX}{}", hex::encode(&Sha256::digest(path.as_str())[..8]))
}

fn place(opened: BorrowedFd<'_>) -> io::Result<PathBuf> {
    Ok(readlinkat(CWD, format!("/proc/self/fd/{}", opened.as_raw_fd()), Vec::new())
        .map(|place| PathBuf::from(OsString::from_vec(place.into_bytes())))?)
}

fn write_new(folder: BorrowedFd<'_>, name: &str, content: &[u8], mode: Mode) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(folder, name, flags, Mode::from_raw_mode(0o600))?;
    let mut file = File::from(file);
    file.write_all(content)?;
    fchmod(&file, mode)?;
    fdatasync(&file)?;
    Ok(())
}
