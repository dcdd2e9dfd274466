//! Finds what a path leads to below a folder that is held open, and never anything else.

use std::{
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, openat, openat2, statat},
    io::Errno,
};

use super::{
    work_path::{PathRefused, WorkPath, enters_git},
    worktree_error::WorktreeError,
};

/// To a place, without reading it.
pub(super) const WAY: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
/// To a folder.
pub(super) const DIRECTORY: OFlags = WAY.union(OFlags::DIRECTORY);
const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);
/// The same without following any link.
const STRAIGHT: ResolveFlags = BENEATH.union(ResolveFlags::NO_SYMLINKS);
/// The kernel asks to try again when something is renamed meanwhile.
const TRIES: usize = 16;

/// A folder below which paths are followed.
#[derive(Debug)]
pub(super) struct Beneath {
    top: OwnedFd,
    pub(super) resolver: Resolver,
}

/// Who follows a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resolver {
    /// `openat2`.
    Kernel,
    /// Name by name, where the kernel has no `openat2`; then no links are followed at all.
    Names,
}

impl Beneath {
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        let top = openat(CWD, root, DIRECTORY, Mode::empty())?;
        // A seccomp filter that does not know the call answers with EPERM.
        let resolver = match openat2(&top, ".", WAY, Mode::empty(), BENEATH) {
            Err(Errno::NOSYS | Errno::PERM) => Resolver::Names,
            _ => Resolver::Kernel,
        };
        Ok(Self { top, resolver })
    }

    /// Opens what `path` leads to.
    pub(super) fn find(&self, path: &WorkPath, flags: OFlags) -> Result<OwnedFd, WorktreeError> {
        let said = |errno| WorktreeError::from_errno(path, errno);
        if self.resolver == Resolver::Names {
            return self.by_names(path, flags).map_err(said);
        }
        match self.by_kernel(path, flags, STRAIGHT) {
            Err(Errno::LOOP) => {}
            // No link is on the way: the path, which was checked when it was made, is the place.
            found => return found.map_err(said),
        }
        let found = self.by_kernel(path, flags, BENEATH).map_err(said)?;
        self.check_place(path, &found)?;
        Ok(found)
    }

    fn by_kernel(
        &self,
        path: &WorkPath,
        flags: OFlags,
        resolve: ResolveFlags,
    ) -> Result<OwnedFd, Errno> {
        let text = if path.is_top() { "." } else { path.as_str() };
        let open = || openat2(&self.top, text, flags, Mode::empty(), resolve);
        let mut found = open();
        for _ in 1..TRIES {
            if !matches!(found, Err(Errno::AGAIN)) {
                break;
            }
            found = open();
        }
        found
    }

    fn by_names(&self, path: &WorkPath, flags: OFlags) -> Result<OwnedFd, Errno> {
        let Some((_, last)) = path.split() else {
            return openat(&self.top, ".", flags, Mode::empty());
        };
        let mut folder = openat(&self.top, ".", DIRECTORY, Mode::empty())?;
        let above = path.names().count() - 1;
        for name in path.names().take(above) {
            let next = openat(&folder, name, DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
            folder = next.map_err(|errno| link_or(errno, folder.as_fd(), name))?;
        }
        openat(&folder, last, flags | OFlags::NOFOLLOW, Mode::empty())
            .map_err(|errno| link_or(errno, folder.as_fd(), last))
    }

    /// A link inside the folder may still lead into `.git`: look where we ended up.
    fn check_place(&self, path: &WorkPath, found: &OwnedFd) -> Result<(), WorktreeError> {
        let system = |source| WorktreeError::System { path: path.clone(), source };
        let (top, found) = (place(&self.top).map_err(system)?, place(found).map_err(system)?);
        match found.strip_prefix(&top) {
            Err(_) => Err(WorktreeError::LeadsOut(path.clone())),
            Ok(below) if enters_git(below) => {
                let reason = PathRefused::GitDirectory;
                Err(WorktreeError::Refused { path: path.to_string(), reason })
            }
            Ok(_) => Ok(()),
        }
    }
}

fn place(opened: &OwnedFd) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", opened.as_raw_fd()))
}

/// `O_DIRECTORY` with `O_NOFOLLOW` says ENOTDIR of a link, which is told apart here.
fn link_or(errno: Errno, folder: BorrowedFd<'_>, name: &str) -> Errno {
    let is_link = || {
        statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    };
    if errno == Errno::NOTDIR && is_link() { Errno::LOOP } else { errno }
}
