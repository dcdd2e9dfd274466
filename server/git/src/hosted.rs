//! The hosted repository of a project.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use git2::{ErrorCode, FileMode, Reference, build::TreeUpdateBuilder};

use crate::{
    content::{self, FileContent, TreeEntry},
    error::{GitError, Place},
    message,
    path::RepoPath,
    repository,
    sha::Sha,
};

/// A file of a first commit.
#[derive(Debug, Clone, Copy)]
pub struct NewFile<'a> {
    /// From the root of the project.
    pub path: &'a str,
    /// Stored as they are.
    pub bytes: &'a [u8],
    /// Sets the executable bit.
    pub executable: bool,
}

/// A bare repository which is the origin of working clones.
#[derive(Debug, Clone)]
pub struct HostedRepository {
    path: PathBuf,
}

impl HostedRepository {
    /// Makes an empty one whose HEAD names `default_branch`. Fails with
    /// [`GitError::RepositoryExists`] where one with branches is; an empty one is taken over.
    pub fn create(path: &Path, default_branch: &str) -> Result<Self, GitError> {
        let full = format!("refs/heads/{default_branch}");
        if !Reference::is_valid_name(&full) || default_branch.starts_with("forge/") {
            return Err(GitError::BadBranchName(default_branch.to_owned()));
        }
        if let Ok(found) = repository::open(path)
            && !repository::branches(&found, "refs/")?.is_empty()
        {
            return Err(GitError::RepositoryExists(path.to_owned()));
        }
        repository::init(path, default_branch)?;
        Self::open(path)
    }

    /// One that is there, or [`GitError::NoRepository`].
    pub fn open(path: &Path) -> Result<Self, GitError> {
        repository::open(path)?;
        Ok(HostedRepository { path: path.to_owned() })
    }

    /// The git directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until nobody else has the repository to themselves. Pushes of people are taken in under
    /// this, so whoever holds it sees no branch move but by its own hand. It lasts until the file is
    /// dropped, also across processes.
    pub fn lock(&self) -> Result<File, GitError> {
        let open = || {
            let path = self.path.join("forgeguard.lock");
            let file = File::options().create(true).truncate(false).write(true).open(path)?;
            file.lock()?;
            Ok(file)
        };
        open().map_err(GitError::io("lock the repository"))
    }

    /// Makes the first commit of the default branch from files in memory, authored by the bot at
    /// `at` (Unix seconds). Fails with [`GitError::BranchExists`] when there is a commit already.
    pub fn import_tree(
        &self,
        files: &[NewFile<'_>],
        message: &str,
        at: i64,
    ) -> Result<Sha, GitError> {
        let repo = repository::open(&self.path)?;
        let branch = self.default_branch()?;
        let exists = || GitError::BranchExists { name: branch.clone(), place: Place::Origin };
        let full = format!("refs/heads/{branch}");
        if repository::direct(&repo, &full)?.is_some() {
            return Err(exists());
        }
        let mut update = TreeUpdateBuilder::new();
        for file in files {
            let path: RepoPath = file.path.parse()?;
            let mode = match file.executable {
                true => FileMode::BlobExecutable,
                false => FileMode::Blob,
            };
            update.upsert(path.as_str(), repo.blob(file.bytes)?, mode);
        }
        let empty = repo.find_tree(repo.treebuilder(None)?.write()?)?;
        let tree = repo.find_tree(update.create_updated(&repo, &empty)?)?;
        let bot = message::bot(at)?;
        let oid = repo.commit(None, &bot, &bot, message, &tree, &[])?;
        // Not forced: this creates the branch and can never move it.
        repo.reference(&full, oid, false, "first commit").map_err(|error| match error.code() {
            ErrorCode::Exists => exists(),
            _ => error.into(),
        })?;
        Ok(oid.into())
    }

    /// The branch HEAD names, whether or not it has a commit.
    pub fn default_branch(&self) -> Result<String, GitError> {
        let repo = repository::open(&self.path)?;
        repository::symbolic(&repo, "HEAD")?
            .and_then(|full| full.strip_prefix("refs/heads/").map(str::to_owned))
            .ok_or(GitError::NoDefaultBranch)
    }

    /// The commit a branch stands at; `None` when there is no such branch.
    pub fn head_of(&self, branch: &str) -> Result<Option<Sha>, GitError> {
        let full = format!("refs/heads/{branch}");
        if !Reference::is_valid_name(&full) {
            return Err(GitError::BadBranchName(branch.to_owned()));
        }
        Ok(repository::direct(&repository::open(&self.path)?, &full)?.map(Sha::from))
    }

    /// All files of a commit, in tree order.
    pub fn tree(&self, sha: Sha) -> Result<Vec<TreeEntry>, GitError> {
        content::tree(&repository::open(&self.path)?, sha)
    }

    /// A file of a commit, at most `max_bytes` of it.
    pub fn read_file(
        &self,
        sha: Sha,
        path: &RepoPath,
        max_bytes: usize,
    ) -> Result<FileContent, GitError> {
        content::read_file(&repository::open(&self.path)?, sha, path, max_bytes)
    }
}
