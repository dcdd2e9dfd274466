//! Reading the files of a commit.

use git2::{ErrorCode, ObjectType, Repository, Tree};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{error::GitError, path::RepoPath, repository, sha::Sha};

/// What a tree entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A regular file with the executable bit.
    Executable,
    /// A symbolic link; its content is the target.
    Link,
    /// A commit of another repository.
    Submodule,
}

/// One file of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TreeEntry {
    /// From the root, `/` between the parts. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// Bytes; 0 for a submodule.
    pub size: u64,
}

/// The content of one file, perhaps cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent {
    /// At most as many bytes as were asked for.
    pub bytes: Vec<u8>,
    /// Bytes of the whole file.
    pub size: u64,
    /// Whether `bytes` is only the start.
    pub truncated: bool,
}

pub(crate) fn tree(repository: &Repository, sha: Sha) -> Result<Vec<TreeEntry>, GitError> {
    let root = repository::commit(repository, sha)?.tree()?;
    let mut entries = Vec::new();
    collect(repository, &root, "", &mut entries)?;
    Ok(entries)
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
    let missing = || GitError::NoSuchFile(path.to_string());
    let entry = root.get_path(path.as_path()).map_err(|error| match error.code() {
        ErrorCode::NotFound => missing(),
        _ => error.into(),
    })?;
    if entry.kind() != Some(ObjectType::Blob) {
        return Err(missing());
    }
    let blob = repository.find_blob(entry.id())?;
    let whole = blob.content();
    let bytes = whole[..whole.len().min(max_bytes)].to_vec();
    Ok(FileContent { truncated: bytes.len() < whole.len(), size: whole.len() as u64, bytes })
}

fn collect(
    repository: &Repository,
    tree: &Tree<'_>,
    prefix: &str,
    into: &mut Vec<TreeEntry>,
) -> Result<(), GitError> {
    let objects = repository.odb()?;
    for entry in tree.iter() {
        let path = format!("{prefix}{}", String::from_utf8_lossy(entry.name_bytes()));
        let kind = match (entry.kind(), entry.filemode()) {
            (Some(ObjectType::Tree), _) => {
                let inner = repository.find_tree(entry.id())?;
                collect(repository, &inner, &format!("{path}/"), into)?;
                continue;
            }
            (Some(ObjectType::Blob), 0o120000) => EntryKind::Link,
            (Some(ObjectType::Blob), 0o100755) => EntryKind::Executable,
            (Some(ObjectType::Blob), _) => EntryKind::File,
            _ => EntryKind::Submodule,
        };
        let size = match kind {
            EntryKind::Submodule => 0,
            _ => objects.read_header(entry.id())?.0 as u64,
        };
        into.push(TreeEntry { path, kind, size });
    }
    Ok(())
}
