//! The candidate tree for gates: written before they run, and restored if a gate changed files.

use std::path::Path;

use git2::Delta;
use rootdir::{RootDir, is_missing};

use crate::{
    branch::{BuildBranch, CommitRequest},
    checkout::checkout,
    clone::WorkingClone,
    content::{self, FileContent, TreeEntry},
    error::GitError,
    export,
    history::{self, Commit},
    message,
    path::{RepoPath, of_bytes},
    repository,
    sha::Sha,
    staging::{self, Staged},
    worktree::Worktree,
};

/// A changed `.gitignore` can hide other changes, which appear after it is restored.
const MAX_RESTORE_ROUNDS: usize = 8;

/// A path that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPath {
    /// From the root, `/` between the parts. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Whether the first tree does not have it.
    pub is_new: bool,
}

/// The tree that a commit of a worktree would have.
#[derive(Debug)]
pub struct CandidateTree {
    /// Its hash.
    pub tree: Sha,
    /// What is in the worktree and cannot be committed, so that it is not in the tree. While there
    /// is any, [`BuildBranch::commit`] fails.
    pub uncommittable: Vec<GitError>,
    /// Files that were not read, which [`Worktree::restore_candidate`] is to leave.
    pub unread: Vec<Vec<u8>>,
}

impl Worktree {
    /// Writes the tree that a commit now would have.
    pub fn write_candidate(&self) -> Result<CandidateTree, GitError> {
        let staged = staging::stage(&self.repository()?, &self.root()?)?.complete()?;
        let Staged { tree, refused: uncommittable, unread, .. } = staged;
        Ok(CandidateTree { tree: tree.into(), uncommittable, unread })
    }

    /// Brings the files back to a tree; gives what differed from it. Ignored files stay, and so does
    /// what is `left` as it is. No process may run in the worktree.
    pub fn restore_candidate(
        &self,
        tree: Sha,
        left: &[Vec<u8>],
    ) -> Result<Vec<ChangedPath>, GitError> {
        let root = self.root()?;
        let mut changed = Vec::new();
        for _ in 0..MAX_RESTORE_ROUNDS {
            let repository = self.repository()?;
            let staged = staging::stage(&repository, &root)?.complete()?;
            let mut differs = changed_paths(&repository, tree, staged.tree.into())?;
            differs.extend(remove_unread(&root, &staged, left)?);
            if differs.is_empty() {
                return Ok(changed);
            }
            let mut index = staged.into_known_index()?;
            checkout(&repository, &root, &mut index, &repository.find_tree(tree.oid())?)?;
            changed.extend(differs);
        }
        Err(GitError::Unrestorable(self.path().to_owned()))
    }
}

/// Removes new files that cannot be committed; gives all paths that could not be read. Those that
/// are `left` are passed over.
fn remove_unread(
    root: &RootDir,
    staged: &Staged,
    left: &[Vec<u8>],
) -> Result<Vec<ChangedPath>, GitError> {
    let removed = |path: &[u8]| {
        let is_new = staged.index.get_path(of_bytes(path), 0).is_none();
        let path_text = String::from_utf8_lossy(path).into_owned();
        if is_new
            && let Err(error) = root.remove_file(of_bytes(path))
            && !is_missing(&error)
        {
            return Err(GitError::io(format!("remove {path_text}"))(error));
        }
        Ok(ChangedPath { path: path_text, is_new })
    };
    let unread = staged.unread.iter().filter(|path| !left.contains(path));
    unread.map(|path| removed(path)).collect()
}

impl WorkingClone {
    /// The tree of a commit.
    pub fn tree_of(&self, commit: Sha) -> Result<Sha, GitError> {
        Ok(repository::commit(&self.repository()?, commit)?.tree_id().into())
    }

    /// Whether a commit contains a file or folder at this path.
    pub fn has_path(&self, commit: Sha, path: &RepoPath) -> Result<bool, GitError> {
        let repository = self.repository()?;
        let tree = repository::commit(&repository, commit)?.tree()?;
        match tree.get_path(path.as_path()) {
            Ok(_) => Ok(true),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// All files of a tree, in order.
    pub fn files_of_tree(&self, tree: Sha) -> Result<Vec<TreeEntry>, GitError> {
        let repository = self.repository()?;
        content::list(&repository, &repository.find_tree(tree.oid())?)
    }

    /// A regular file of a tree, truncated to `max_bytes`; `None` for anything else at that path.
    pub fn read_regular_file(
        &self,
        tree: Sha,
        path: &RepoPath,
        max_bytes: usize,
    ) -> Result<Option<FileContent>, GitError> {
        let repository = self.repository()?;
        let tree = repository.find_tree(tree.oid())?;
        let entry = tree.get_path(path.as_path())?;
        if !matches!(entry.filemode(), 0o100644 | 0o100755) {
            return Ok(None);
        }
        content::read_in(&repository, &tree, path, max_bytes).map(Some)
    }

    /// The differences from `tree` in a directory created by [`WorkingClone::export`], without
    /// ignored files.
    pub fn changes_in_export(&self, tree: Sha, at: &Path) -> Result<Vec<ChangedPath>, GitError> {
        let repository = export::open(self, at)?;
        let root = RootDir::open(at).map_err(GitError::io("open the commit's directory"))?;
        let found = staging::stage(&repository, &root)?;
        let mut changed = changed_paths(&repository, tree, found.tree.into())?;
        changed.extend(found.unread.iter().map(|path| ChangedPath {
            path: String::from_utf8_lossy(path).into_owned(),
            is_new: found.index.get_path(of_bytes(path), 0).is_none(),
        }));
        Ok(changed)
    }
}

impl BuildBranch {
    /// Commits the tree of the branch's head again, without worktree content. Does nothing and
    /// returns [`GitError::Moved`] if the branch moved meanwhile.
    pub fn commit_unchanged(&self, request: &CommitRequest) -> Result<Commit, GitError> {
        let text = message::compose(&request.title, &request.body, &request.trailers)?;
        let (here, _) = self.clone_and_origin()?;
        let head = self.head_in(&here)?;
        let parent = here.find_commit(head)?;
        let bot = message::bot(request.at)?;
        let oid = here.commit(None, &bot, &bot, &text, &parent.tree()?, &[&parent])?;
        self.move_here(&here, head, oid)?;
        history::describe(&here, oid)
    }

    /// Whether origin's branch is at this commit or a descendant.
    pub fn is_pushed(&self, commit: Sha) -> Result<bool, GitError> {
        let (here, there) = self.clone_and_origin()?;
        let Some(theirs) = repository::direct(&there, &self.name().full())? else {
            return Ok(false);
        };
        let is_beyond = || Ok(here.graph_descendant_of(theirs, commit.oid())?);
        if theirs == commit.oid() { Ok(true) } else { is_beyond() }
    }

    /// Reverts the branch to before a commit that was neither pushed nor recorded.
    ///
    /// # Errors
    /// [`GitError::UnexpectedHead`] if the branch is not at that commit.
    pub fn take_back(&self, unpushed: Sha, to: Sha) -> Result<(), GitError> {
        let (here, _) = self.clone_and_origin()?;
        repository::commit(&here, to)?;
        self.move_here(&here, unpushed.oid(), to.oid())
    }
}

fn changed_paths(
    repository: &git2::Repository,
    from: Sha,
    to: Sha,
) -> Result<Vec<ChangedPath>, GitError> {
    if from == to {
        return Ok(Vec::new());
    }
    let (from, to) = (repository.find_tree(from.oid())?, repository.find_tree(to.oid())?);
    let diff = history::changes(repository, Some(&from), Some(&to), 0)?;
    let changed = diff.deltas().map(|delta| {
        let is_new = delta.status() == Delta::Added;
        let file = if is_new { delta.new_file() } else { delta.old_file() };
        let path = String::from_utf8_lossy(file.path_bytes().unwrap_or_default()).into_owned();
        ChangedPath { path, is_new }
    });
    Ok(changed.collect())
}
