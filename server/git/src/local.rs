//! Repositories on this machine that others own: branches are copied from them, and the branch of a
//! build into them. No other reference of them is changed.

use std::path::{Path, PathBuf};

use git2::{Config, ErrorCode, Repository};

use crate::{
    error::{GitError, Place},
    hosted::HostedRepository,
    linked_objects::link_reachable,
    name::{BuildBranchName, is_users_branch},
    repository,
    sha::Sha,
    transfer,
};

/// A repository with or without files, opened without its configuration, so that its hooks and filters
/// have no effect.
#[derive(Debug, Clone)]
pub struct LocalRepository {
    path: PathBuf,
}

impl LocalRepository {
    /// Opens the repository of a directory; otherwise [`GitError::NoRepository`].
    pub fn open(path: &Path) -> Result<Self, GitError> {
        let local = LocalRepository { path: path.to_owned() };
        local.repository()?;
        Ok(local)
    }

    /// Its directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn repository(&self) -> Result<Repository, GitError> {
        let repository = Repository::open(&self.path).map_err(|error| match error.code() {
            ErrorCode::NotFound => GitError::NoRepository(self.path.clone()),
            _ => error.into(),
        })?;
        repository.set_config(&Config::new()?)?;
        Ok(repository)
    }

    /// The branch that is checked out, if HEAD refers to one.
    pub fn head_branch(&self) -> Result<Option<String>, GitError> {
        let target = repository::symbolic(&self.repository()?, "HEAD")?;
        Ok(target.and_then(|target| target.strip_prefix("refs/heads/").map(str::to_owned)))
    }

    /// The newest commit of a branch; `None` if there is none.
    pub fn head_of(&self, branch: &str) -> Result<Option<Sha>, GitError> {
        let found = repository::direct(&self.repository()?, &format!("refs/heads/{branch}"))?;
        Ok(found.map(Sha::from))
    }

    /// Whether its history ends before the first commit, as after `git clone --depth`.
    pub fn is_shallow(&self) -> Result<bool, GitError> {
        Ok(self.repository()?.is_shallow())
    }

    /// Copies a branch into a hosted repository, where it replaces the branch of this name. `None` if
    /// there is no such branch. The first time, files of objects are shared if possible.
    pub fn copy_branch(
        &self,
        hosted: &HostedRepository,
        branch: &str,
    ) -> Result<Option<Sha>, GitError> {
        if !is_users_branch(branch) {
            return Err(GitError::BadBranchName(branch.to_owned()));
        }
        let full = format!("refs/heads/{branch}");
        let from = self.repository()?;
        let Some(tip) = repository::direct(&from, &full)? else { return Ok(None) };
        let _lock = hosted.lock()?;
        let to = repository::open(hosted.path())?;
        let known = tips(&to)?;
        if !known.is_empty() || !link_reachable(&from, &to, tip)? {
            transfer::copy(&from, &to, &[tip], &known)?;
        }
        to.reference(&full, tip, true, "copied from the repository of the build")?;
        Ok(Some(tip.into()))
    }

    /// Copies the branch of a build into this repository under the name `target`. It is created or moved
    /// forward; [`GitError::BranchExists`] if it has other commits, or is checked out.
    pub fn add_build_branch(
        &self,
        hosted: &HostedRepository,
        branch: &BuildBranchName,
        target: &BuildBranchName,
    ) -> Result<Option<Sha>, GitError> {
        let from = repository::open(hosted.path())?;
        let Some(tip) = repository::direct(&from, &branch.full())? else { return Ok(None) };
        let to = self.repository()?;
        let exists =
            || GitError::BranchExists { name: target.as_str().to_owned(), place: Place::Origin };
        let current = repository::direct(&to, &target.full())?;
        if current == Some(tip) {
            return Ok(Some(tip.into()));
        }
        if self.head_branch()?.as_deref() == Some(target.as_str()) {
            return Err(exists());
        }
        transfer::copy(&from, &to, &[tip], &tips(&to)?)?;
        match current {
            Some(current) if !to.graph_descendant_of(tip, current)? => return Err(exists()),
            Some(current) => {
                to.reference_matching(&target.full(), tip, true, current, "build")?;
            }
            None => {
                to.reference(&target.full(), tip, false, "build")?;
            }
        }
        Ok(Some(tip.into()))
    }
}

/// The commits of all branches.
fn tips(repository: &Repository) -> Result<Vec<git2::Oid>, GitError> {
    Ok(repository::branches(repository, "refs/heads/")?.into_iter().map(|(_, oid)| oid).collect())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::MetadataExt};

    use git2::{RepositoryInitOptions, Signature};

    use super::*;

    fn commit(repository: &Repository, reference: &str, text: &str) -> git2::Oid {
        let mut tree = repository.treebuilder(None).unwrap();
        tree.insert("a.txt", repository.blob(text.as_bytes()).unwrap(), 0o100_644).unwrap();
        let tree = repository.find_tree(tree.write().unwrap()).unwrap();
        let by = Signature::new("A", "a@example.org", &git2::Time::new(0, 0)).unwrap();
        let parent =
            repository.find_reference(reference).ok().and_then(|it| it.peel_to_commit().ok());
        let parents: Vec<_> = parent.iter().collect();
        repository.commit(Some(reference), &by, &by, text, &tree, &parents).unwrap()
    }

    #[test]
    fn only_the_branch_of_the_build_changes() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = RepositoryInitOptions::new();
        options.initial_head("main");
        let user = Repository::init_opts(folder.path().join("user"), &options).unwrap();
        let main = commit(&user, "refs/heads/main", "one");
        let local = LocalRepository::open(&folder.path().join("user")).unwrap();
        assert_eq!(local.head_branch().unwrap().as_deref(), Some("main"));

        let hosted = HostedRepository::create(&folder.path().join("hosted"), "main").unwrap();
        assert_eq!(local.copy_branch(&hosted, "main").unwrap(), Some(main.into()));
        assert_eq!(local.copy_branch(&hosted, "other").unwrap(), None);
        assert!(local.copy_branch(&hosted, "forge/build-1").is_err());

        let name: BuildBranchName = "forge/build-1".parse().unwrap();
        let bare = Repository::open_bare(hosted.path()).unwrap();
        bare.reference(&name.full(), main, false, "").unwrap();
        let first = commit(&bare, &name.full(), "two");
        assert_eq!(local.add_build_branch(&hosted, &name, &name).unwrap(), Some(first.into()));
        let second = commit(&bare, &name.full(), "three");
        assert_eq!(local.add_build_branch(&hosted, &name, &name).unwrap(), Some(second.into()));
        assert_eq!(local.head_of("main").unwrap(), Some(main.into()));
        assert_eq!(user.references().unwrap().count(), 2);

        // A branch of the same name with other commits is kept.
        user.reference(&name.full(), main, true, "").unwrap();
        let other = commit(&user, &name.full(), "mine");
        assert!(local.add_build_branch(&hosted, &name, &name).is_err());
        assert_eq!(local.head_of(name.as_str()).unwrap(), Some(other.into()));
    }

    /// How many names the file of a loose object has.
    fn names_of(git_directory: &Path, oid: git2::Oid) -> Option<u64> {
        let id = oid.to_string();
        let (directory, file) = id.split_at(2);
        let file = git_directory.join("objects").join(directory).join(file);
        file.metadata().ok().map(|metadata| metadata.nlink())
    }

    #[test]
    fn first_copy_shares_loose_objects_of_the_branch() {
        let folder = tempfile::tempdir().unwrap();
        let copied = |user: &Path, name: &str| {
            let hosted = HostedRepository::create(&folder.path().join(name), "main").unwrap();
            let local = LocalRepository::open(user).unwrap();
            let tip = local.copy_branch(&hosted, "main").unwrap().unwrap();
            let bare = Repository::open_bare(hosted.path()).unwrap();
            let file = bare
                .find_commit(tip.oid())
                .unwrap()
                .tree()
                .unwrap()
                .get_name("a.txt")
                .unwrap()
                .id();
            assert!(bare.find_blob(file).is_ok());
            bare
        };
        let path = folder.path().join("user");
        let user = Repository::init(&path).unwrap();
        let first = commit(&user, "refs/heads/main", "one");
        let tip = commit(&user, "refs/heads/main", "two");
        let stash = commit(&user, "refs/stash", "not part of the branch");
        let shared = copied(&path, "shared");
        for oid in [first, tip] {
            assert_eq!(names_of(shared.path(), oid), Some(2));
        }
        assert!(shared.find_commit(stash).is_err());

        // Objects of another repository are copied, in a pack.
        let borrowing = folder.path().join("borrowing");
        let borrower = Repository::init(&borrowing).unwrap();
        let objects = user.path().join("objects");
        let alternates = borrower.path().join("objects/info/alternates");
        fs::write(alternates, format!("{}\n", objects.display())).unwrap();
        borrower.reference("refs/heads/main", tip, false, "").unwrap();
        let own = copied(&borrowing, "own");
        assert_eq!(names_of(own.path(), tip), None);
        assert!(own.find_commit(stash).is_err());
    }
}
