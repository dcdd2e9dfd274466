//! The files of a worktree, opened through descriptors that cannot leave it.
//!
//! The kernel resolves every path below the worktree's own descriptor (`openat2`), so a link that
//! is swapped between a check and its use has no effect. Links may lead to other places within the
//! worktree, but neither out of it nor into `.git`.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read, Write},
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
    path::{Path, PathBuf},
};

use rootdir::{Links, RootDir, TEMPORARY_PREFIX};
use rustix::{
    fs::{
        AtFlags, CWD, FileType, Mode, OFlags, fchmod, fdatasync, fstat, mkdirat, openat,
        readlinkat, renameat, statat, unlinkat,
    },
    io::Errno,
};
use sha2::{Digest, Sha256};

use super::{
    work_path::{InvalidPath, WorkPath, enters_git},
    worktree_error::WorktreeError,
};

/// Opens a place without reading it.
const PLACE: OFlags = OFlags::PATH;
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY);
/// Opening must not wait for the other end of a pipe, nor acquire a controlling terminal.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// The open root directory of a build's files.
#[derive(Debug)]
pub struct Worktree {
    root: PathBuf,
    directory: RootDir,
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
        Ok(Self { root: root.to_owned(), directory: RootDir::open(root)? })
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
        let found = self.find(path, PLACE)?;
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
        let system = |source| WorktreeError::System { path: path.clone(), source };
        let top = place(self.directory.as_fd()).map_err(system)?;
        let reached = place(found.as_fd()).map_err(system)?;
        let below =
            reached.strip_prefix(&top).map_err(|_| WorktreeError::LeadsOut(path.clone()))?;
        WorkPath::from_os(below.as_os_str())
            .map_err(|reason| WorktreeError::Refused { path: path.to_string(), reason })
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// [`WorktreeError::NotAFile`] for other kinds.
    pub fn open_file(&self, path: &WorkPath) -> Result<File, WorktreeError> {
        let found = self.find(path, READ)?;
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

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt, os::unix::fs::symlink};

    use super::*;
    use tempfile::TempDir;

    struct Place {
        outside: TempDir,
        tree: Worktree,
    }

    /// A worktree with links of every kind.
    fn place() -> Place {
        let outside = TempDir::new().unwrap();
        let root = outside.path().join("tree");
        fs::write(outside.path().join("secret"), "secret").unwrap();
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(root.join(".git/config"), "[core]").unwrap();
        fs::write(root.join("src/a.js"), "a").unwrap();
        symlink("../secret", root.join("out")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink(outside.path().join("secret"), root.join("absolute")).unwrap();
        symlink("src/a.js", root.join("inside")).unwrap();
        symlink("src", root.join("folder")).unwrap();
        symlink(".git", root.join("repository")).unwrap();
        symlink(".git/config", root.join("config")).unwrap();
        fs::create_dir_all(root.join("od\nd/.git")).unwrap();
        fs::write(root.join("od\nd/.git/config"), "[core]").unwrap();
        symlink("od\nd/.git/config", root.join("odd")).unwrap();
        symlink("circle", root.join("circle")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("/proc/self/cwd", root.join("magic")).unwrap();
        let tree = Worktree::open(&root).unwrap();
        Place { outside, tree }
    }

    fn path(text: &str) -> WorkPath {
        WorkPath::parse(text).unwrap()
    }

    #[test]
    fn reads_and_replaces_a_file() {
        let place = place();
        let tree = &place.tree;
        assert_eq!(tree.read(&path("src/a.js"), 10).unwrap(), b"a");
        tree.write(&path("src/a.js"), b"b").unwrap();
        assert_eq!(tree.read(&path("src/a.js"), 10).unwrap(), b"b");
        assert_eq!(tree.kind(&path("src/a.js")).unwrap(), Kind::File(1));
        assert_eq!(tree.kind(&WorkPath::top()).unwrap(), Kind::Directory);
        let names: Vec<_> = fs::read_dir(tree.root().join("src")).unwrap().collect();
        assert_eq!(names.len(), 2, "no temporary file is left: {names:?}");
        tree.write(&path("src/a.js"), b"a").unwrap();
    }

    #[test]
    fn makes_missing_folders() {
        let place = place();
        let new = path("new/b/c.txt");
        place.tree.write(&new, b"c").unwrap();
        assert_eq!(place.tree.read(&new, 10).unwrap(), b"c");
    }

    #[test]
    fn keeps_the_permissions_of_a_file() {
        let place = place();
        let (tree, file) = (&place.tree, place.tree.root().join("src/a.js"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        tree.write(&path("src/a.js"), b"b").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o755);
    }

    #[test]
    fn links_do_not_lead_outside() {
        let place = place();
        let tree = &place.tree;
        for text in ["out", "up/secret", "absolute", "circle", "magic", "magic/x", "up"] {
            let kind = tree.open_file(&path(text));
            assert!(kind.is_err(), "reads {text}");
            let written = tree.write(&path(text), b"x");
            assert!(written.is_err(), "writes {text}");
        }
        for text in ["up/new", "magic/new", "up/tree2/new"] {
            let written = tree.write(&path(text), b"x").unwrap_err();
            assert!(matches!(written, WorktreeError::LeadsOut(_)), "{text}: {written}");
        }
        assert_eq!(fs::read(place.outside.path().join("secret")).unwrap(), b"secret");
        assert_eq!(fs::read_dir(place.outside.path()).unwrap().count(), 2);
    }

    #[test]
    fn links_do_not_lead_into_git() {
        let place = place();
        let tree = &place.tree;
        for text in ["repository/config", "config", "repository", "odd"] {
            assert!(tree.kind(&path(text)).is_err() || tree.open_file(&path(text)).is_err());
            assert!(tree.open_file(&path(text)).is_err(), "{text}");
        }
        assert!(tree.write(&path("repository/hooks/x"), b"x").is_err());
        assert!(tree.write(&path("config"), b"x").is_err());
        assert_eq!(fs::read(place.tree.root().join(".git/config")).unwrap(), b"[core]");
        assert!(!place.tree.root().join(".git/hooks").exists());
    }

    #[test]
    fn links_inside_are_followed_for_reading_only() {
        let place = place();
        let tree = &place.tree;
        assert_eq!(tree.read(&path("inside"), 10).unwrap(), b"a");
        assert_eq!(tree.read(&path("folder/a.js"), 10).unwrap(), b"a");
        tree.write(&path("folder/b.js"), b"b").unwrap();
        assert_eq!(tree.read(&path("src/b.js"), 10).unwrap(), b"b");
        let refused = tree.write(&path("inside"), b"x").unwrap_err();
        assert!(matches!(refused, WorktreeError::IsLink(_)), "{refused}");
        assert!(tree.write(&path("dangling"), b"x").is_err());
        assert!(tree.write(&path("dangling/x"), b"x").is_err());
    }

    #[test]
    fn swapped_link_does_not_change_files_outside() {
        let place = place();
        let tree = &place.tree;
        let folder = tree.root().join("swap");
        fs::create_dir(&folder).unwrap();
        tree.write(&path("swap/a"), b"1").unwrap();
        fs::remove_dir_all(&folder).unwrap();
        symlink(place.outside.path(), &folder).unwrap();
        assert!(tree.write(&path("swap/a"), b"2").is_err());
        assert!(tree.open_file(&path("swap/secret")).is_err());
        fs::remove_file(&folder).unwrap();
        assert!(!place.outside.path().join("a").exists());
    }

    #[test]
    fn link_swapped_while_writing_does_not_leak() {
        let place = place();
        let tree = &place.tree;
        let (folder, other) = (tree.root().join("race"), tree.root().join("race2"));
        fs::create_dir(&folder).unwrap();
        symlink(place.outside.path(), &other).unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let exchange = rustix::fs::RenameFlags::EXCHANGE;
                    let _ = rustix::fs::renameat_with(CWD, &folder, CWD, &other, exchange);
                }
            });
            for _ in 0..300 {
                let _ = tree.write(&path("race/loot"), b"x");
                let _ = tree.open_file(&path("race/secret")).map(|_| panic!("it was read"));
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert!(!place.outside.path().join("loot").exists());
    }

    #[test]
    fn file_swapped_for_a_link_is_not_followed() {
        let place = place();
        let tree = &place.tree;
        let (file, link) = (tree.root().join("src/now"), tree.root().join("src/later"));
        fs::write(&file, "ours").unwrap();
        symlink(place.outside.path().join("secret"), &link).unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let exchange = rustix::fs::RenameFlags::EXCHANGE;
                    let _ = rustix::fs::renameat_with(CWD, &file, CWD, &link, exchange);
                }
            });
            for _ in 0..300 {
                let read = tree.read(&path("src/now"), 100).unwrap_or_default();
                assert!(read.is_empty() || read == b"ours");
                let _ = tree.write(&path("src/now"), b"ours");
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let secret = fs::read(place.outside.path().join("secret")).unwrap();
        assert_eq!(secret, b"secret");
    }

    #[test]
    fn links_do_not_lead_into_other_spellings_of_git() {
        let place = place();
        let tree = &place.tree;
        for (number, name) in [".GIT", ".git ", "．ｇｉｔ", ".g\u{200c}it"].iter().enumerate() {
            fs::create_dir(tree.root().join(name)).unwrap();
            fs::write(tree.root().join(name).join("config"), "[core]").unwrap();
            let link = format!("spelled-{number}");
            symlink(name, tree.root().join(&link)).unwrap();
            let below = path(&format!("{link}/config"));
            assert!(tree.open_file(&below).is_err(), "{name:?} is read");
            assert!(tree.write(&below, b"x").is_err(), "{name:?} is written");
            assert!(tree.write(&path(&format!("{link}/hooks/x")), b"x").is_err(), "{name:?}");
        }
    }

    #[test]
    fn special_files_are_neither_read_nor_written() {
        let place = place();
        let tree = &place.tree;
        let pipe = tree.root().join("pipe");
        rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        for text in ["pipe", "src"] {
            let read = tree.open_file(&path(text)).unwrap_err();
            assert!(matches!(read, WorktreeError::NotAFile(_)), "{text}: {read}");
            let written = tree.write(&path(text), b"x").unwrap_err();
            assert!(matches!(written, WorktreeError::NotAFile(_)), "{text}: {written}");
        }
        let below_file = tree.write(&path("src/a.js/b"), b"x").unwrap_err();
        assert!(matches!(below_file, WorktreeError::NotADirectory(_)), "{below_file}");
    }

    #[test]
    fn temporary_files_of_a_crash_are_removed() {
        let place = place();
        let tree = &place.tree;
        let left = tree.root().join("src").join(temporary_name(&path("src/a.js")));
        symlink("../../secret", &left).unwrap();
        tree.write(&path("src/a.js"), b"new").unwrap();
        assert!(!left.is_symlink());
        assert_eq!(fs::read(place.outside.path().join("secret")).unwrap(), b"secret");
    }

    #[test]
    fn oversized_file_is_not_read() {
        let place = place();
        let error = place.tree.read(&path("src/a.js"), 0).unwrap_err();
        assert!(matches!(error, WorktreeError::TooLarge { bytes: 1, cap: 0, .. }), "{error}");
        assert!(place.tree.read_if_there(&path("none"), 1).unwrap().is_none());
    }
}
