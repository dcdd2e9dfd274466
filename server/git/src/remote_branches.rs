//! Branches of the hosted repository that follow those of a remote.

use std::collections::HashMap;

use git2::{ErrorCode, Oid, Repository};

use crate::{
    content::{self, EntryKind},
    error::GitError,
    hosted::{FirstCommit, HostedRepository},
    name::is_users_branch,
    remote::{FETCHED_BRANCHES, FETCHED_TAGS, RemoteRefs},
    repository,
    sha::Sha,
};

/// Files that are larger are no LFS pointers.
const MAX_POINTER_SIZE: u64 = 1024;
const POINTER_START: &[u8] = b"version https://git-lfs.github.com/spec/";
/// Small files that are read when looking for LFS pointers.
const MAX_READ_FILES: usize = 20_000;
/// Paths that are named.
const MAX_NAMED: usize = 20;

/// The result of following a remote's branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The default branch, which HEAD refers to now.
    pub default_branch: String,
    /// Its commit.
    pub head: Sha,
    /// Branches that could not be moved forward, because they were rewritten at the remote or have
    /// commits that the remote does not have.
    pub diverged: Vec<String>,
}

/// What builds cannot use of a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepositoryFindings {
    /// Paths of submodules; the first ones.
    pub submodules: Vec<String>,
    /// Paths of files that are pointers of Git LFS; the first ones.
    pub lfs_files: Vec<String>,
}

impl HostedRepository {
    /// Whether the last fetch has everything that the remote has.
    pub fn is_fetched(&self, refs: &RemoteRefs) -> Result<bool, GitError> {
        let repo = repository::open(self.path())?;
        let same = |prefix: &str, wanted: &[(String, Sha)]| {
            let found = repository::branches(&repo, prefix)?;
            let found: HashMap<&str, Oid> =
                found.iter().map(|(name, oid)| (name.as_str(), *oid)).collect();
            let is_there = |(name, sha): &(String, Sha)| {
                found.get(name.as_str()).is_some_and(|oid| *oid == sha.oid())
            };
            Ok::<_, GitError>(found.len() == wanted.len() && wanted.iter().all(is_there))
        };
        Ok(same(FETCHED_BRANCHES, &refs.branches)? && same(FETCHED_TAGS, &refs.tags)?)
    }

    /// Moves the branches forward to the fetched ones, adds new branches and tags, and lets HEAD
    /// refer to the default branch. Never moves a branch back, and never a build's; only `replaced`,
    /// the first commit of a project without work, gives way. Only the holder of
    /// [`HostedRepository::lock`] may call this.
    pub fn follow(
        &self,
        default_branch: &str,
        replaced: Option<&FirstCommit>,
    ) -> Result<Followed, GitError> {
        let repo = repository::open(self.path())?;
        if let Some(FirstCommit { reference, sha }) = replaced {
            let mut branch = repo.find_reference(reference)?;
            if branch.target() == Some(sha.oid()) {
                branch.delete()?;
            }
        }
        let mut diverged = Vec::new();
        for (name, oid) in repository::branches(&repo, FETCHED_BRANCHES)? {
            if !is_users_branch(&name) {
                continue;
            }
            if !advance(&repo, &name, oid)? {
                diverged.push(name);
            }
        }
        for (name, oid) in repository::branches(&repo, FETCHED_TAGS)? {
            add(&repo, &format!("refs/tags/{name}"), oid)?;
        }
        let full = format!("refs/heads/{default_branch}");
        let head = repository::direct(&repo, &full)?.ok_or(GitError::NoDefaultBranch)?;
        if repository::symbolic(&repo, "HEAD")?.as_deref() != Some(&full) {
            repo.reference_symbolic("HEAD", &full, true, "follow the remote")?;
        }
        let default_branch = default_branch.to_owned();
        Ok(Followed { default_branch, head: head.into(), diverged })
    }

    /// Submodules and LFS pointers of a commit.
    pub fn findings(&self, sha: Sha) -> Result<RepositoryFindings, GitError> {
        let repo = repository::open(self.path())?;
        let mut found = RepositoryFindings::default();
        let mut read = 0;
        for entry in content::tree(&repo, sha)? {
            if entry.kind == EntryKind::Submodule && found.submodules.len() < MAX_NAMED {
                found.submodules.push(entry.path);
                continue;
            }
            let is_small = entry.kind == EntryKind::File && entry.size <= MAX_POINTER_SIZE;
            if !is_small || read == MAX_READ_FILES || found.lfs_files.len() == MAX_NAMED {
                continue;
            }
            read += 1;
            let Ok(path) = entry.path.parse() else { continue };
            let content = content::read_file(&repo, sha, &path, POINTER_START.len());
            if content.is_ok_and(|content| content.bytes == POINTER_START) {
                found.lfs_files.push(entry.path);
            }
        }
        Ok(found)
    }
}

/// False if the branch would not move forward.
fn advance(repo: &Repository, name: &str, to: Oid) -> Result<bool, GitError> {
    let full = format!("refs/heads/{name}");
    match repository::direct(repo, &full)? {
        Some(from) if from == to => Ok(true),
        Some(from) if repo.graph_descendant_of(to, from)? => {
            repo.reference_matching(&full, to, true, from, "follow the remote")?;
            Ok(true)
        }
        Some(_) => Ok(false),
        None => add(repo, &full, to),
    }
}

/// False if there is another reference of this name, or of a part of it.
fn add(repo: &Repository, full: &str, oid: Oid) -> Result<bool, GitError> {
    match repo.reference(full, oid, false, "follow the remote") {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.code(), ErrorCode::Exists | ErrorCode::Directory) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
