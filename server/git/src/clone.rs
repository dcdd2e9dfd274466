//! The working clone: where builds commit before they push.

use std::{
    collections::HashMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use git2::{Oid, Repository};

use crate::{
    content::{self, FileContent, TreeEntry},
    error::GitError,
    linked_objects::link_objects,
    name::BuildBranchName,
    path::RepoPath,
    repository,
    sha::Sha,
    transfer,
};

const TRACKING: &str = "refs/remotes/origin/";

/// The starting point of builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// Origin's default branch.
    pub branch: String,
    /// Its commit, as of the last fetch.
    pub sha: Sha,
}

/// A bare clone of a hosted repository.
#[derive(Debug, Clone)]
pub struct WorkingClone {
    path: PathBuf,
    origin: PathBuf,
}

impl WorkingClone {
    /// `origin` is an absolute path, or the same as a `file://` URL; anything else is
    /// [`GitError::UnsupportedOrigin`]. The origin is always this argument, never read from the
    /// config file.
    pub fn open_or_create(path: &Path, origin: &str) -> Result<Self, GitError> {
        let origin = PathBuf::from(origin.strip_prefix("file://").unwrap_or(origin));
        if !origin.is_absolute() {
            return Err(GitError::UnsupportedOrigin(origin.display().to_string()));
        }
        repository::open_or_create(path, "main")?;
        Ok(WorkingClone { path: path.to_owned(), origin })
    }

    /// The git directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fetches all branches of origin as remote-tracking references. References of branches that
    /// origin no longer has are deleted.
    pub fn fetch(&self) -> Result<(), GitError> {
        let (here, there) = (self.repository()?, self.origin_repository()?);
        let theirs = repository::branches(&there, "refs/heads/")?;
        let mut ours: HashMap<String, Oid> =
            repository::branches(&here, TRACKING)?.into_iter().collect();
        let known: Vec<Oid> = ours.values().copied().collect();
        let changed: Vec<(String, Oid)> =
            theirs.into_iter().filter(|(name, oid)| ours.remove(name) != Some(*oid)).collect();
        let tips: Vec<Oid> = changed.iter().map(|(_, oid)| *oid).collect();
        if !known.is_empty() || !link_objects(&self.origin, &self.path)? {
            transfer::copy(&there, &here, &tips, &known)?;
        }

        // Branches left in `ours` no longer exist at origin.
        for name in ours.keys() {
            here.find_reference(&format!("{TRACKING}{name}"))?.delete()?;
        }
        for (name, oid) in &changed {
            here.reference(&format!("{TRACKING}{name}"), *oid, true, "fetch")?;
        }
        let head = repository::symbolic(&there, "HEAD")?;
        if let Some(branch) = head.as_deref().and_then(|full| full.strip_prefix("refs/heads/")) {
            let wanted = format!("{TRACKING}{branch}");
            let own = format!("{TRACKING}HEAD");
            if repository::symbolic(&here, &own)?.as_deref() != Some(&wanted) {
                here.reference_symbolic(&own, &wanted, true, "fetch")?;
            }
        }
        Ok(())
    }

    /// Origin's default branch as of the last fetch: the target of HEAD, otherwise main, master or
    /// develop.
    pub fn baseline(&self) -> Result<Baseline, GitError> {
        let repo = self.repository()?;
        let head = repository::symbolic(&repo, &format!("{TRACKING}HEAD"))?;
        let head = head.as_deref().and_then(|full| full.strip_prefix(TRACKING));
        for branch in head.into_iter().chain(["main", "master", "develop"]) {
            if let Some(oid) = repository::direct(&repo, &format!("{TRACKING}{branch}"))? {
                return Ok(Baseline { branch: branch.to_owned(), sha: oid.into() });
            }
        }
        Err(GitError::NoDefaultBranch)
    }

    /// The commit of a branch of origin as of the last fetch; `None` if there is no such branch.
    pub fn origin_head(&self, branch: &str) -> Result<Option<Sha>, GitError> {
        let found = repository::direct(&self.repository()?, &format!("{TRACKING}{branch}"))?;
        Ok(found.map(Sha::from))
    }

    /// All files of a commit, in tree order.
    pub fn tree(&self, sha: Sha) -> Result<Vec<TreeEntry>, GitError> {
        content::tree(&self.repository()?, sha)
    }

    /// The id of a file's content in a tree; `None` if there is no such file.
    pub fn blob_id(&self, tree: Sha, path: &RepoPath) -> Result<Option<Sha>, GitError> {
        content::blob_id(&self.repository()?, tree, path)
    }

    /// A file of a commit, truncated to `max_bytes`.
    pub fn read_file(
        &self,
        sha: Sha,
        path: &RepoPath,
        max_bytes: usize,
    ) -> Result<FileContent, GitError> {
        content::read_file(&self.repository()?, sha, path, max_bytes)
    }

    /// Removes lock files that a crashed process left: those of the clone's references, except other
    /// builds' branches, and of one build's index and branch. Only the owner of the project's build
    /// may call this, before other operations.
    pub fn remove_stale_locks(&self, branch: &BuildBranchName) -> Result<(), GitError> {
        let full = branch.full();
        let ours = [
            "packed-refs.lock".to_owned(),
            format!("{full}.lock"),
            format!("worktrees/build-{}/index.lock", branch.suffix()),
        ];
        for lock in ours {
            repository::remove_file(&self.path.join(lock))?;
        }
        for namespace in ["refs/remotes", "refs/forge"] {
            remove_locks_below(&self.path.join(namespace))?;
        }
        repository::remove_file(&self.origin.join(format!("{full}.lock")))
    }

    pub(crate) fn repository(&self) -> Result<Repository, GitError> {
        repository::open(&self.path)
    }

    /// The git directory of origin.
    pub(crate) fn origin(&self) -> &Path {
        &self.origin
    }

    pub(crate) fn origin_repository(&self) -> Result<Repository, GitError> {
        repository::open(&self.origin)
    }
}

/// Removes all lock files of references in a directory and below.
fn remove_locks_below(directory: &Path) -> Result<(), GitError> {
    let listing = || GitError::io("list the clone's references");
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(listing())?,
    };
    for entry in entries {
        let entry = entry.map_err(listing())?;
        let path = entry.path();
        if entry.file_type().map_err(listing())?.is_dir() {
            remove_locks_below(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "lock") {
            repository::remove_file(&path)?;
        }
    }
    Ok(())
}
