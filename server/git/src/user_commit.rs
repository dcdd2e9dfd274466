//! Commits made for a user on a build's branch at origin, as if they had pushed them.

use git2::{FileMode, Signature, build::TreeUpdateBuilder};

use crate::{branch::BuildBranch, content, error::GitError, path::RepoPath, repository, sha::Sha};

/// A commit that changes existing files.
#[derive(Debug, Clone)]
pub struct UserCommit {
    pub author_name: String,
    pub author_email: String,
    pub message: String,
    /// Unix seconds.
    pub at: i64,
    /// The new contents.
    pub files: Vec<(RepoPath, Vec<u8>)>,
}

impl BuildBranch {
    /// Adds a commit to the branch at origin, from where it arrives like a user's push. `None` if the
    /// branch at origin is not at `parent`. [`GitError::NoSuchFile`] if a file does not exist.
    pub fn push_for_user(&self, parent: Sha, commit: &UserCommit) -> Result<Option<Sha>, GitError> {
        let (_, there) = self.clone_and_origin()?;
        let full = self.name().full();
        if repository::direct(&there, &full)? != Some(parent.oid()) {
            return Ok(None);
        }
        let before = repository::commit(&there, parent)?;
        let tree = before.tree()?;
        let mut update = TreeUpdateBuilder::new();
        for (path, bytes) in &commit.files {
            update.upsert(path.as_str(), there.blob(bytes)?, mode_of(&tree, path)?);
        }
        let tree = there.find_tree(update.create_updated(&there, &tree)?)?;
        let author = Signature::new(
            &commit.author_name,
            &commit.author_email,
            &git2::Time::new(commit.at, 0),
        )?;
        let made = there.commit(None, &author, &author, &commit.message, &tree, &[&before])?;
        match there.reference_matching(&full, made, true, parent.oid(), "suggestions") {
            Ok(_) => Ok(Some(made.into())),
            Err(error) if error.code() == git2::ErrorCode::Modified => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn mode_of(tree: &git2::Tree<'_>, path: &RepoPath) -> Result<FileMode, GitError> {
    let entry = content::file_entry(tree, path)?;
    Ok(match entry.filemode() & 0o111 {
        0 => FileMode::Blob,
        _ => FileMode::BlobExecutable,
    })
}
