//! The working clone: where builds commit before they push.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use git2::{Config, Oid, Repository};

use crate::{
    content::{self, FileContent, TreeEntry},
    error::GitError,
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
        let clone = WorkingClone { path: path.to_owned(), origin };
        // The config is written last, so an unfinished clone has no section for origin.
        match repository::open(path) {
            Ok(_) if has_origin(path) => return Ok(clone),
            Ok(_) | Err(GitError::NoRepository(_)) => {}
            Err(error) => return Err(error),
        }
        repository::remove_file(&path.join("config.lock"))?;
        repository::init(path, "main")?;
        let mut config = Config::open(&path.join("config"))?;
        config.set_str("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")?;
        config.set_str("remote.origin.url", &clone.origin.to_string_lossy())?;
        Ok(clone)
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
        transfer::copy(&there, &here, &tips, &known)?;

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

    /// All files of a commit, in tree order.
    pub fn tree(&self, sha: Sha) -> Result<Vec<TreeEntry>, GitError> {
        content::tree(&self.repository()?, sha)
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

    /// Removes lock files that a crashed process left: those of remote-tracking references and of
    /// one build's branch and index. Only the owner of the project's build may call this, before
    /// other operations.
    pub fn remove_stale_locks(&self, branch: &BuildBranchName) -> Result<(), GitError> {
        let full = branch.full();
        let ours = [
            "packed-refs.lock".to_owned(),
            format!("{full}.lock"),
            format!("refs/remotes/origin/{branch}.lock"),
            "refs/remotes/origin/HEAD.lock".to_owned(),
            format!("worktrees/build-{}/index.lock", branch.build_id()),
        ];
        for lock in ours {
            repository::remove_file(&self.path.join(lock))?;
        }
        for (name, _) in repository::branches(&self.repository()?, TRACKING)? {
            repository::remove_file(&self.path.join(format!("{TRACKING}{name}.lock")))?;
        }
        repository::remove_file(&self.origin.join(format!("{full}.lock")))
    }

    pub(crate) fn repository(&self) -> Result<Repository, GitError> {
        repository::open(&self.path)
    }

    pub(crate) fn origin_repository(&self) -> Result<Repository, GitError> {
        repository::open(&self.origin)
    }
}

fn has_origin(path: &Path) -> bool {
    fs::read_to_string(path.join("config"))
        .is_ok_and(|config| config.lines().any(|line| line.trim_start().starts_with("url")))
}
