//! The kinds of entries at a path.

use std::{ffi::OsString, fs::File, path::PathBuf};

use rustix::fs::{FileType, Stat};

/// Size, times, mode and identity of a file, from `stat`.
pub type FileStat = Stat;

/// The kind of a file; links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    Directory,
    Link,
    /// A pipe, a socket or a device.
    Other,
}

impl FileKind {
    pub fn of(stat: &FileStat) -> Self {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => FileKind::File,
            FileType::Directory => FileKind::Directory,
            FileType::Symlink => FileKind::Link,
            _ => FileKind::Other,
        }
    }
}

/// The entry at a path, opened according to its kind.
#[derive(Debug)]
pub enum Entry {
    Missing,
    Directory(FileStat),
    File(File, FileStat),
    /// The unresolved target of the link.
    Link(PathBuf, FileStat),
    Other,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    pub name: OsString,
    pub kind: FileKind,
}
