//! Reads files of commits and worktrees.

use std::{io::Read, os::unix::ffi::OsStringExt};

use git2::{ErrorCode, ObjectType, Odb, Repository, Tree};
use rootdir::{Entry, RootDir};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{error::GitError, path::RepoPath, repository, sha::Sha};

/// Size limit of a commit's listing.
const MAX_LISTING_BYTES: usize = 64 * 1024 * 1024;
/// Limit on nested directories, which pushes may not exceed either.
const MAX_DEPTH: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A regular file with the executable bit.
    Executable,
    /// A symbolic link; its content is the target.
    Link,
    /// A submodule.
    Submodule,
}

/// One file of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TreeEntry {
    /// From the root, `/` between the parts. Bytes that are not UTF-8 are replaced.
    pub path: String,
    pub kind: EntryKind,
    /// Bytes; 0 for a submodule.
    pub size: u64,
}

impl TreeEntry {
    /// Whether it is a regular file.
    pub fn is_file(&self) -> bool {
        matches!(self.kind, EntryKind::File | EntryKind::Executable)
    }
}

/// The content of one file, possibly truncated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// Truncated to the requested size.
    pub bytes: Vec<u8>,
    /// Size of the whole file.
    pub size: u64,
    /// Whether `bytes` is truncated.
    pub truncated: bool,
}

pub(crate) fn tree(repository: &Repository, sha: Sha) -> Result<Vec<TreeEntry>, GitError> {
    list(repository, &repository::commit(repository, sha)?.tree()?)
}

pub(crate) fn list(repository: &Repository, root: &Tree<'_>) -> Result<Vec<TreeEntry>, GitError> {
    let objects = repository.odb()?;
    let mut listing =
        Listing { repository, objects, entries: Vec::new(), remaining: MAX_LISTING_BYTES };
    listing.add(root, "", 0)?;
    Ok(listing.entries)
}

pub(crate) fn read_file(
    repository: &Repository,
    sha: Sha,
    path: &RepoPath,
    max_bytes: usize,
) -> Result<FileContent, GitError> {
    read_in(repository, &repository::commit(repository, sha)?.tree()?, path, max_bytes)
}

pub(crate) fn read_in(
    repository: &Repository,
    root: &Tree<'_>,
    path: &RepoPath,
    max_bytes: usize,
) -> Result<FileContent, GitError> {
    let entry = file_entry(root, path)?;
    let blob = repository.find_blob(entry.id())?;
    let whole = blob.content();
    let bytes = whole[..whole.len().min(max_bytes)].to_vec();
    Ok(FileContent { truncated: bytes.len() < whole.len(), size: whole.len() as u64, bytes })
}

/// The entry of a file or link.
pub(crate) fn file_entry(
    root: &Tree<'_>,
    path: &RepoPath,
) -> Result<git2::TreeEntry<'static>, GitError> {
    let missing = || GitError::NoSuchFile(path.to_string());
    let entry = root.get_path(path.as_path()).map_err(|error| match error.code() {
        ErrorCode::NotFound => missing(),
        _ => error.into(),
    })?;
    if entry.kind() != Some(ObjectType::Blob) {
        return Err(missing());
    }
    Ok(entry)
}

pub(crate) fn blob_id(
    repository: &Repository,
    tree: Sha,
    path: &RepoPath,
) -> Result<Option<Sha>, GitError> {
    match repository.find_tree(tree.oid())?.get_path(path.as_path()) {
        Ok(entry) if entry.kind() == Some(ObjectType::Blob) => Ok(Some(entry.id().into())),
        Ok(_) => Ok(None),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A file or a link of an untrusted directory.
pub(crate) fn read_below(
    root: &RootDir,
    path: &RepoPath,
    max_bytes: usize,
) -> Result<FileContent, GitError> {
    let reading = || GitError::io(format!("read `{path}` in the worktree"));
    let (mut bytes, size) = match root.entry(path.as_path()).map_err(reading())? {
        Entry::File(file, stat) => {
            let mut bytes = Vec::new();
            file.take(max_bytes as u64).read_to_end(&mut bytes).map_err(reading())?;
            let size = u64::try_from(stat.st_size).unwrap_or_default();
            (bytes, size)
        }
        Entry::Link(target, _) => {
            let bytes = target.into_os_string().into_vec();
            let size = bytes.len() as u64;
            (bytes, size)
        }
        Entry::Missing | Entry::Directory(_) | Entry::Other => {
            return Err(GitError::NoSuchFile(path.to_string()));
        }
    };
    bytes.truncate(max_bytes);
    let size = size.max(bytes.len() as u64);
    Ok(FileContent { truncated: (bytes.len() as u64) < size, size, bytes })
}

/// Collects the files of a tree. A few objects can represent a tree of any size, by occurring many
/// times, so the number of visits is limited too.
struct Listing<'r> {
    repository: &'r Repository,
    objects: Odb<'r>,
    entries: Vec<TreeEntry>,
    remaining: usize,
}

impl Listing<'_> {
    fn add(&mut self, tree: &Tree<'_>, prefix: &str, depth: usize) -> Result<(), GitError> {
        for entry in tree.iter() {
            let path = format!("{prefix}{}", String::from_utf8_lossy(entry.name_bytes()));
            let remaining = self.remaining.checked_sub(path.len() + size_of::<TreeEntry>());
            self.remaining = remaining.ok_or(GitError::TreeTooLarge)?;
            let kind = match (entry.kind(), entry.filemode()) {
                (Some(ObjectType::Tree), _) if depth == MAX_DEPTH => {
                    return Err(GitError::TreeTooLarge);
                }
                (Some(ObjectType::Tree), _) => {
                    let inner = self.repository.find_tree(entry.id())?;
                    self.add(&inner, &format!("{path}/"), depth + 1)?;
                    continue;
                }
                (Some(ObjectType::Blob), 0o120000) => EntryKind::Link,
                (Some(ObjectType::Blob), 0o100755) => EntryKind::Executable,
                (Some(ObjectType::Blob), _) => EntryKind::File,
                _ => EntryKind::Submodule,
            };
            let size = match kind {
                EntryKind::Submodule => 0,
                _ => self.objects.read_header(entry.id())?.0 as u64,
            };
            self.entries.push(TreeEntry { path, kind, size });
        }
        Ok(())
    }
}
