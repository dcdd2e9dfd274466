//! Removal of trees of any depth.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::fd::{AsFd, AsRawFd, OwnedFd},
    os::unix::ffi::OsStrExt,
    path::Path,
    time::Instant,
};

use rustix::{
    fs::{AtFlags, CWD, Dir, Mode, OFlags, chmodat, openat, renameat, unlinkat},
    io::Errno,
};

use crate::root::{DIRECTORY, RootDir};

/// The result of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    Done,
    /// The deadline passed first. Another call continues.
    Unfinished,
}

impl RootDir {
    /// Restores all permissions of the service's user on the directory at `name`, a direct child of
    /// this one. Anything but a directory is an error.
    pub fn make_accessible(&self, name: impl AsRef<Path>) -> io::Result<()> {
        open_directory(self.as_fd(), name.as_ref().as_os_str()).map(drop)
    }

    /// Removes `path`, a direct child of this directory, recursively. A missing path counts as
    /// removed.
    ///
    /// Directories are moved to the top of the tree before they are emptied, so that stack and
    /// descriptors do not depend on the depth, and an interrupted removal can be continued. Missing
    /// permissions are restored first. No process may write below `path`, or the removal may not
    /// terminate; several may remove it.
    pub fn remove_all(&self, path: impl AsRef<Path>, deadline: Instant) -> io::Result<Removal> {
        use io::ErrorKind::{DirectoryNotEmpty, NotFound};
        let name = path.as_ref().as_os_str();
        loop {
            match self.remove_tree(name, deadline) {
                // Something was removed or moved up by another removal: look again.
                Err(error) if matches!(error.kind(), NotFound | DirectoryNotEmpty) => {
                    if Instant::now() > deadline {
                        return Err(error);
                    }
                }
                removed => return removed,
            }
        }
    }

    fn remove_tree(&self, name: &OsStr, deadline: Instant) -> io::Result<Removal> {
        match unlinkat(self, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => return Ok(Removal::Done),
            // For a directory, POSIX specifies EPERM, Linux returns EISDIR.
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        let top = open_directory(self.as_fd(), name)?;
        if empty(&top, deadline)? == Removal::Unfinished {
            return Ok(Removal::Unfinished);
        }
        match unlinkat(self, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => Ok(Removal::Done),
            Err(error) => Err(error.into()),
        }
    }
}

/// Empties `top`, moving nested directories up into it until none is left.
fn empty(top: &OwnedFd, deadline: Instant) -> io::Result<Removal> {
    let mut moved = 0;
    loop {
        let Some(directories) = remove_files(top, deadline)? else {
            return Ok(Removal::Unfinished);
        };
        if directories.is_empty() {
            return Ok(Removal::Done);
        }
        for name in directories {
            let below = open_directory(top.as_fd(), &name)?;
            let Some(nested) = remove_files(&below, deadline)? else {
                return Ok(Removal::Unfinished);
            };
            for inner in nested {
                move_up(&below, &inner, top, &mut moved)?;
            }
            match unlinkat(top, &name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error.into()),
            }
            if Instant::now() > deadline {
                return Ok(Removal::Unfinished);
            }
        }
    }
}

/// Removes all entries except directories, and returns their names; `None` after the deadline.
fn remove_files(directory: &OwnedFd, deadline: Instant) -> io::Result<Option<Vec<OsString>>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let listed = Dir::new(openat(directory, ".", flags, Mode::empty())?)?;
    let mut directories = Vec::new();
    for (n, entry) in listed.enumerate() {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        match unlinkat(directory, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR | Errno::PERM) => directories.push(name.to_owned()),
            Err(error) => return Err(error.into()),
        }
        if n % 256 == 255 && Instant::now() > deadline {
            return Ok(None);
        }
    }
    Ok(Some(directories))
}

/// Moves a directory to the top, under an unused name.
fn move_up(from: &OwnedFd, name: &OsStr, top: &OwnedFd, moved: &mut u64) -> io::Result<()> {
    // Changing a directory's parent requires write permission on the directory.
    drop(open_directory(from.as_fd(), name)?);
    loop {
        *moved += 1;
        let free = format!(".removed-{moved}");
        // Renaming over an empty directory replaces it, which is harmless here.
        match renameat(from, name, top, &free) {
            Ok(()) => return Ok(()),
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Opens a directory that may lack permissions.
fn open_directory(parent: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    let fd = openat(&parent, name, DIRECTORY, Mode::empty())?;
    let usable = rustix::fs::fstat(&fd)?.st_mode & 0o700 == 0o700;
    if !usable {
        // Not all kernels can change the mode of an `O_PATH` descriptor.
        let through_proc = format!("/proc/self/fd/{}", fd.as_raw_fd());
        chmodat(CWD, through_proc, Mode::from_raw_mode(0o700), AtFlags::empty())?;
    }
    Ok(fd)
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt, symlink},
        path::PathBuf,
        time::Duration,
    };

    use rustix::fs::mkdirat;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    /// Creates a tree deeper than PATH_MAX and than the limit of descriptors.
    fn make_deep(at: &Path, depth: usize) {
        let mut at = openat(CWD, at, DIRECTORY, Mode::empty()).unwrap();
        for _ in 0..depth {
            mkdirat(&at, "d", Mode::from_raw_mode(0o755)).unwrap();
            at = openat(&at, "d", DIRECTORY, Mode::empty()).unwrap();
        }
    }

    fn tree() -> (tempfile::TempDir, RootDir, PathBuf) {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("tree");
        fs::create_dir(&path).unwrap();
        let root = RootDir::open(top.path()).unwrap();
        (top, root, path)
    }

    #[test]
    fn deep_tree_is_removed_with_constant_stack_and_descriptors() {
        let (top, root, path) = tree();
        make_deep(&path, 5_000);
        assert_eq!(root.remove_all("tree", soon()).unwrap(), Removal::Done);
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
    }

    #[test]
    fn removal_continues_after_its_deadline() {
        let (top, root, path) = tree();
        make_deep(&path, 1_000);
        for n in 0..1_000 {
            fs::write(path.join(format!("file-{n}")), "").unwrap();
        }
        let mut calls = 0;
        while root.remove_all("tree", Instant::now()).unwrap() == Removal::Unfinished {
            calls += 1;
            assert!(calls < 10_000, "no progress");
        }
        assert!(calls > 2);
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
    }

    #[test]
    fn tree_can_be_removed_by_several_threads() {
        for _ in 0..50 {
            let (top, root, path) = tree();
            for n in 0..20 {
                let directory = path.join(format!("{n}/nested/deeper"));
                fs::create_dir_all(&directory).unwrap();
                fs::write(directory.join("file"), "").unwrap();
            }
            std::thread::scope(|scope| {
                let remove = || assert_eq!(root.remove_all("tree", soon()).unwrap(), Removal::Done);
                for _ in 0..4 {
                    scope.spawn(remove);
                }
            });
            assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn links_are_removed_and_not_followed() {
        let (top, root, path) = tree();
        let outside = top.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "").unwrap();
        symlink(&outside, path.join("link")).unwrap();
        fs::create_dir(path.join("nested")).unwrap();
        symlink(&outside, path.join("nested/link")).unwrap();
        root.remove_all("tree", soon()).unwrap();
        symlink(&outside, top.path().join("tree")).unwrap();
        root.remove_all("tree", soon()).unwrap();
        assert!(outside.join("kept").exists());
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 1);
    }

    #[test]
    fn directories_without_permissions_and_with_planted_names_are_removed() {
        let (top, root, path) = tree();
        fs::create_dir_all(path.join("closed/.removed-1/inner")).unwrap();
        fs::create_dir_all(path.join(".removed-1/full/of")).unwrap();
        fs::write(path.join(".removed-2"), "").unwrap();
        fs::write(path.join("closed/.removed-1/inner/file"), "").unwrap();
        for closed in ["closed/.removed-1/inner", "closed/.removed-1", "closed"] {
            fs::set_permissions(path.join(closed), fs::Permissions::from_mode(0o000)).unwrap();
        }
        root.remove_all("tree", soon()).unwrap();
        root.remove_all("missing", soon()).unwrap();
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
    }
}
