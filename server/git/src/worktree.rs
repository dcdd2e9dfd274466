//! The files of one build, reached through the clone's record of them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git2::{Delta, Oid, Repository, build::CheckoutBuilder};

use crate::{
    clone::WorkingClone,
    error::GitError,
    history,
    name::BuildBranchName,
    repository,
    rescue::{self, Rescue},
    staging::{self, Staged},
};

/// A git worktree with one build branch checked out.
///
/// Its `.git` file is for the `git` command of agents only. Nothing here reads it but
/// [`Worktree::verify_pointer`].
#[derive(Debug, Clone)]
pub struct Worktree {
    path: PathBuf,
    /// `<clone>/worktrees/build-<uuid>`: HEAD, index, and where the worktree is.
    admin: PathBuf,
    clone: WorkingClone,
    branch: BuildBranchName,
}

impl Worktree {
    /// Opens the worktree of a branch, makes it when it is not there, and finishes one that was made
    /// half-way. Files that are there and differ from the branch are saved to a rescue reference
    /// before they are overwritten. A sound worktree costs a few small reads.
    pub fn open_or_create(
        clone: &WorkingClone,
        branch: &BuildBranchName,
        path: &Path,
    ) -> Result<Self, GitError> {
        let admin = record(clone, branch);
        fs::create_dir_all(&admin).map_err(GitError::io("make the worktree's record"))?;
        let admin = absolute(&admin)?;
        let was_there = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        if !was_there {
            repository::remove_file(&admin.join("index"))?;
            fs::create_dir_all(path).map_err(GitError::io("make the worktree"))?;
        }
        let path = absolute(path)?;
        let worktree = Worktree { path, admin, clone: clone.clone(), branch: branch.clone() };
        worktree.write_record()?;
        if worktree.verify_pointer().is_err() {
            worktree.restore_pointer()?;
        }
        if !worktree.admin.join("index").exists() {
            worktree.fill()?;
        }
        Ok(worktree)
    }

    /// Opens the worktree of a branch to look at it: makes and repairs nothing.
    /// [`GitError::NoWorktree`] unless it is there and whole.
    pub fn open(
        clone: &WorkingClone,
        branch: &BuildBranchName,
        path: &Path,
    ) -> Result<Self, GitError> {
        let admin = record(clone, branch);
        let whole = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
            && admin.join("index").exists();
        if !whole {
            return Err(GitError::NoWorktree(path.to_owned()));
        }
        let (path, admin) = (absolute(path)?, absolute(&admin)?);
        Ok(Worktree { path, admin, clone: clone.clone(), branch: branch.clone() })
    }

    /// Where the files are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The branch that is checked out.
    pub fn branch(&self) -> &BuildBranchName {
        &self.branch
    }

    /// Fails with [`GitError::PointerRewritten`] unless `.git` is a plain file which names this
    /// worktree's record. To be called after commands of agents ran.
    pub fn verify_pointer(&self) -> Result<(), GitError> {
        let pointer = self.path.join(".git");
        let plain = fs::symlink_metadata(&pointer)
            .is_ok_and(|found| found.is_file() && found.len() < 10_000);
        let sound = plain && fs::read(&pointer).is_ok_and(|text| text == self.pointer());
        match sound {
            true => Ok(()),
            false => Err(GitError::PointerRewritten(self.path.clone())),
        }
    }

    /// Writes `.git` anew. A directory in its place is moved into the record, not deleted.
    pub fn restore_pointer(&self) -> Result<(), GitError> {
        let pointer = self.path.join(".git");
        if fs::symlink_metadata(&pointer).is_ok_and(|found| found.is_dir()) {
            let aside = (1..)
                .map(|n| self.admin.join(format!("replaced-git-{n}")))
                .find(|aside| fs::symlink_metadata(aside).is_err());
            if let Some(aside) = aside {
                fs::rename(&pointer, aside).map_err(GitError::io("move .git aside"))?;
            }
        }
        // By way of the record, which agents cannot write: a link at the target is replaced, not
        // followed.
        let draft = self.admin.join("pointer");
        fs::write(&draft, self.pointer()).map_err(GitError::io("write the .git file"))?;
        match fs::rename(&draft, &pointer) {
            Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {
                repository::remove_file(&pointer)?;
                fs::copy(&draft, &pointer).map(drop)
            }
            result => result,
        }
        .map_err(GitError::io("write the .git file"))
    }

    /// Whether a commit now would be empty.
    pub fn is_clean(&self) -> Result<bool, GitError> {
        let head = self.head()?;
        let repo = self.repository()?;
        Ok(staging::stage(&repo, &self.path)?.tree == repo.find_commit(head)?.tree_id())
    }

    /// The clone with this worktree's index and files, whatever the `.git` file says.
    pub(crate) fn repository(&self) -> Result<Repository, GitError> {
        let repo = repository::open(&self.admin)?;
        repo.set_workdir(&self.path, false)?;
        Ok(repo)
    }

    pub(crate) fn clone_repository(&self) -> Result<Repository, GitError> {
        self.clone.repository()
    }

    /// The tree a commit now would have.
    pub(crate) fn snapshot(&self) -> Result<Oid, GitError> {
        Ok(staging::stage(&self.repository()?, &self.path)?.tree)
    }

    pub(crate) fn head(&self) -> Result<Oid, GitError> {
        repository::direct(&self.clone.repository()?, &self.branch.full())?
            .ok_or_else(|| GitError::BranchMissing(self.branch.to_string()))
    }

    /// From here on the worktree counts as unfinished, until it is filled or gone.
    pub(crate) fn mark_unfinished(&self) -> Result<(), GitError> {
        repository::remove_file(&self.admin.join("index"))
    }

    pub(crate) fn admin(&self) -> &Path {
        &self.admin
    }

    /// Checks the branch out over whatever is there; saves first what would be lost.
    pub(crate) fn fill(&self) -> Result<Option<Rescue>, GitError> {
        let head = self.head()?;
        let repo = self.repository()?;
        let tree = repo.find_commit(head)?.tree()?;
        let occupied = fs::read_dir(&self.path)
            .map_err(GitError::io("list the worktree"))?
            .any(|entry| entry.is_ok_and(|entry| entry.file_name() != ".git"));
        let mut saved = None;
        if occupied {
            let mut index = repo.index()?;
            index.read_tree(&tree)?;
            let Staged { tree: found, .. } = staging::stage_into(&repo, &self.path, index)?;
            let there = repo.find_tree(found)?;
            let diff = history::changes(&repo, Some(&tree), Some(&there), 0)?;
            // Missing files lose nothing.
            if diff.deltas().any(|delta| delta.status() != Delta::Deleted) {
                saved = Some(rescue::save(&self.clone_repository()?, &self.branch, found, head)?);
            }
        }
        // A repository opened anew: the index above must not stand for what is checked out.
        let repo = self.repository()?;
        let mut checkout = CheckoutBuilder::new();
        checkout.force().disable_filters(true);
        repo.checkout_tree(repo.find_commit(head)?.tree()?.as_object(), Some(&mut checkout))?;
        Ok(saved)
    }

    fn write_record(&self) -> Result<(), GitError> {
        let files = [
            ("commondir", "../..\n".to_owned()),
            ("gitdir", format!("{}/.git\n", self.path.display())),
            ("HEAD", format!("ref: {}\n", self.branch.full())),
        ];
        for (name, text) in files {
            let file = self.admin.join(name);
            if fs::read_to_string(&file).is_ok_and(|found| found == text) {
                continue;
            }
            fs::write(&file, text).map_err(GitError::io("write the worktree's record"))?;
        }
        Ok(())
    }

    fn pointer(&self) -> Vec<u8> {
        format!("gitdir: {}\n", self.admin.display()).into_bytes()
    }
}

fn record(clone: &WorkingClone, branch: &BuildBranchName) -> PathBuf {
    clone.path().join("worktrees").join(format!("build-{}", branch.build_id()))
}

fn absolute(path: &Path) -> Result<PathBuf, GitError> {
    fs::canonicalize(path).map_err(GitError::io(format!("find {}", path.display())))
}
