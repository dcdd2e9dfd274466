//! Opening files below a directory whose content is not trusted.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::Path,
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat},
    io::Errno,
};

/// What stands at a path.
pub(crate) enum Found {
    Missing,
    Directory,
    File(File, Stat),
    /// A symbolic link and where it points.
    Link(Vec<u8>, Stat),
    /// A pipe, socket or device.
    Other,
}

/// A directory; nothing outside of it can be reached through it.
pub(crate) struct Root(OwnedFd);

impl Root {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Root(rustix::fs::open(path, flags, Mode::empty())?))
    }

    /// Looks at a relative path without following a link in any of its parts.
    pub(crate) fn look(&self, path: &[u8]) -> io::Result<Found> {
        let mut parts: Vec<&OsStr> = path.split(|b| *b == b'/').map(OsStr::from_bytes).collect();
        let Some(last) = parts.pop() else { return Ok(Found::Missing) };
        let mut parent: Option<OwnedFd> = None;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for part in parts {
            match openat(parent.as_ref().unwrap_or(&self.0), part, flags, Mode::empty()) {
                Ok(directory) => parent = Some(directory),
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(Found::Missing),
                Err(error) => return Err(error.into()),
            }
        }
        find(parent.as_ref().unwrap_or(&self.0), last)
    }
}

fn find(parent: &OwnedFd, name: &OsStr) -> io::Result<Found> {
    let stat = match statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Found::Missing),
        Err(error) => return Err(error.into()),
    };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => Ok(Found::Directory),
        FileType::Symlink => {
            Ok(Found::Link(readlinkat(parent, name, Vec::new())?.into_bytes(), stat))
        }
        FileType::RegularFile => {
            // It may have become a pipe meanwhile: opening must not wait for a writer.
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = openat(parent, name, flags, Mode::empty())?;
            let stat = fstat(&file)?;
            match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Ok(Found::File(file.into(), stat)),
                _ => Ok(Found::Other),
            }
        }
        _ => Ok(Found::Other),
    }
}
