//! Clean checkouts of commits.

use std::{io, path::Path};

use git2::{Index, ObjectType, Oid, Repository, Tree};
use rootdir::RootDir;

use crate::{
    checkout::checkout,
    clone::WorkingClone,
    error::GitError,
    index_entry,
    record::{self, Record},
    repository,
    sha::Sha,
};

const RECORD_PREFIX: &str = "export-";

impl WorkingClone {
    /// Checks a commit out into `to`, a new or empty directory, and returns the commit's tree. The
    /// `git` command works there as in a detached worktree.
    ///
    /// The caller must remove or move the directory. The clone's record of it is removed by the
    /// next export.
    ///
    /// # Errors
    /// [`GitError::DirectoryNotEmpty`], [`GitError::NoSuchCommit`].
    pub fn export(&self, commit: Sha, to: &Path) -> Result<Sha, GitError> {
        let objects = self.repository()?;
        let tree = repository::commit(&objects, commit)?.tree()?;
        self.export_tree(commit, &tree, to)
    }

    /// The same with the files of a tree, such as that of a candidate. Git sees them as changes.
    pub fn export_candidate(&self, commit: Sha, tree: Sha, to: &Path) -> Result<Sha, GitError> {
        let objects = self.repository()?;
        self.export_tree(commit, &objects.find_tree(tree.oid())?, to)
    }

    /// The same with these files of another commit instead of its own; paths that the other commit
    /// does not have stay as they are. Git sees them as changes.
    pub fn export_with(
        &self,
        commit: Sha,
        source: Sha,
        paths: &[String],
        to: &Path,
    ) -> Result<Sha, GitError> {
        let objects = self.repository()?;
        let source = repository::commit(&objects, source)?.tree()?;
        let mut index = Index::new()?;
        index.read_tree(&repository::commit(&objects, commit)?.tree()?)?;
        for path in paths {
            let Ok(entry) = source.get_path(Path::new(path)) else { continue };
            if entry.kind() == Some(ObjectType::Blob) {
                let mode = entry.filemode().cast_unsigned();
                index.add(&index_entry::without_stat(path.as_bytes(), entry.id(), mode))?;
            }
        }
        let tree = objects.find_tree(index.write_tree_to(&objects)?)?;
        self.export_tree(commit, &tree, to)
    }

    fn export_tree(&self, commit: Sha, tree: &Tree<'_>, to: &Path) -> Result<Sha, GitError> {
        record::make_directory(to)?;
        let to = record::absolute(to)?;
        let root = RootDir::open(&to).map_err(GitError::io("open the commit's directory"))?;
        let found = root.read_dir("").map_err(GitError::io("list the commit's directory"))?;
        if !found.is_empty() {
            return Err(GitError::DirectoryNotEmpty(to));
        }
        let record = Record::create(self, &record_name(&to)?)?;
        record::prune(self, RECORD_PREFIX)?;
        record.write(&to, &commit.to_string())?;
        record.mark_unfinished()?;
        let repository = record.repository()?;
        let mut index = record.index()?;
        checkout(&repository, &root, &mut index, tree)?;
        index.write()?;
        record.write_pointer(&root)?;
        Ok(tree.id().into())
    }

    /// The required content of the `.git` file in a directory created by [`WorkingClone::export`].
    pub fn export_pointer(&self, at: &Path) -> Result<Vec<u8>, GitError> {
        Ok(record_of(self, at)?.pointer())
    }
}

/// The clone with the index of an export.
pub(crate) fn open(clone: &WorkingClone, at: &Path) -> Result<Repository, GitError> {
    record_of(clone, at)?.repository()
}

fn record_of(clone: &WorkingClone, at: &Path) -> Result<Record, GitError> {
    let at = record::absolute(at)?;
    Record::open(clone, &record_name(&at)?)?.ok_or(GitError::NoWorktree(at))
}

/// The record's name, derived from the path.
fn record_name(to: &Path) -> Result<String, GitError> {
    let place = to.to_str().ok_or_else(|| {
        GitError::io("name a directory for the commit")(io::ErrorKind::InvalidInput.into())
    })?;
    Ok(format!("{RECORD_PREFIX}{}", Oid::hash_object(ObjectType::Blob, place.as_bytes())?))
}
