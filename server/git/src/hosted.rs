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
    name::is_users_branch,
    path::RepoPath,
    pushed_commits::contains_commit,
    remote::FETCHED,
    repository,
    sha::Sha,
};

/// A file of an initial commit.
#[derive(Debug, Clone, Copy)]
pub struct NewFile<'a> {
    /// Path from the root of the project.
    pub path: &'a str,
    pub bytes: &'a [u8],
    /// Whether to set the executable bit.
    pub executable: bool,
}

/// The commit that a repository began with, while it holds nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstCommit {
    /// The default branch's full name.
    pub reference: String,
    /// The commit.
    pub sha: Sha,
}

/// A bare repository that is the origin of working clones.
#[derive(Debug, Clone)]
pub struct HostedRepository {
    path: PathBuf,
}

impl HostedRepository {
    /// Creates an empty repository whose HEAD refers to `default_branch`.
    /// [`GitError::RepositoryExists`] if there is one with branches; an empty one is reused.
    pub fn create(path: &Path, default_branch: &str) -> Result<Self, GitError> {
        if !is_users_branch(default_branch) {
            return Err(GitError::BadBranchName(default_branch.to_owned()));
        }
        if let Ok(found) = repository::open(path)
            && !repository::branches(&found, "refs/")?.is_empty()
        {
            return Err(GitError::RepositoryExists(path.to_owned()));
        }
        repository::open_or_create(path, default_branch)?;
        Self::open(path)
    }

    /// Opens an existing repository; otherwise [`GitError::NoRepository`].
    pub fn open(path: &Path) -> Result<Self, GitError> {
        repository::open(path)?;
        Ok(HostedRepository { path: path.to_owned() })
    }

    /// The git directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for the exclusive lock of the repository, which applies across processes and is
    /// released when the file is dropped. Users' pushes hold it too, so while it is held, only the
    /// holder moves branches.
    pub fn lock(&self) -> Result<File, GitError> {
        let open = || {
            let path = self.path.join("forgeguard.lock");
            let file = File::options().create(true).truncate(false).write(true).open(path)?;
            file.lock()?;
            Ok(file)
        };
        open().map_err(GitError::io("lock the repository"))
    }

    /// Creates the initial commit of the default branch from files in memory, authored by the bot
    /// at `at` (Unix seconds). [`GitError::BranchExists`] if there is a commit already.
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

    /// The bot's first commit, if it is all that there is: no commit on top and no other reference
    /// but those that a fetch wrote.
    pub fn untouched_first_commit(&self) -> Result<Option<FirstCommit>, GitError> {
        let repo = repository::open(&self.path)?;
        let reference = format!("refs/heads/{}", self.default_branch()?);
        let Some(oid) = repository::direct(&repo, &reference)? else { return Ok(None) };
        let commit = repo.find_commit(oid)?;
        let is_bots = commit.author().email_bytes() == message::BOT_EMAIL.as_bytes();
        if commit.parent_count() > 0 || !is_bots {
            return Ok(None);
        }
        let mut others = 0;
        for found in repo.references()?.names() {
            let name = found?;
            others += usize::from(name != reference && !name.starts_with(FETCHED));
        }
        Ok((others == 0).then(|| FirstCommit { reference, sha: oid.into() }))
    }

    /// The branch that HEAD refers to, even if it has no commit.
    pub fn default_branch(&self) -> Result<String, GitError> {
        let repo = repository::open(&self.path)?;
        repository::symbolic(&repo, "HEAD")?
            .and_then(|full| full.strip_prefix("refs/heads/").map(str::to_owned))
            .ok_or(GitError::NoDefaultBranch)
    }

    /// All branches with their commits, by name.
    pub fn branches(&self) -> Result<Vec<(String, Sha)>, GitError> {
        let found = repository::branches(&repository::open(&self.path)?, "refs/heads/")?;
        let mut branches: Vec<_> =
            found.into_iter().map(|(name, oid)| (name, Sha::from(oid))).collect();
        branches.sort();
        Ok(branches)
    }

    /// The commit of a branch; `None` if there is no such branch.
    pub fn head_of(&self, branch: &str) -> Result<Option<Sha>, GitError> {
        let full = format!("refs/heads/{branch}");
        if !Reference::is_valid_name(&full) {
            return Err(GitError::BadBranchName(branch.to_owned()));
        }
        Ok(repository::direct(&repository::open(&self.path)?, &full)?.map(Sha::from))
    }

    /// Whether `commit` is in the history of `head`.
    pub fn contains(&self, head: Sha, commit: Sha) -> Result<bool, GitError> {
        contains_commit(&repository::open(&self.path)?, head.oid(), commit.oid())
    }

    /// All files of a commit, in tree order.
    pub fn tree(&self, sha: Sha) -> Result<Vec<TreeEntry>, GitError> {
        content::tree(&repository::open(&self.path)?, sha)
    }

    /// A file of a commit, truncated to `max_bytes`.
    pub fn read_file(
        &self,
        sha: Sha,
        path: &RepoPath,
        max_bytes: usize,
    ) -> Result<FileContent, GitError> {
        content::read_file(&repository::open(&self.path)?, sha, path, max_bytes)
    }
}
