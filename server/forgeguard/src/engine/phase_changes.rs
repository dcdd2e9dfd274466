//! The changes of a phase in the worktree of its build.

use domain::event::agents::FileOperation;
use git::{
    DiffTarget, FileChange, FileDiff, FileStatus, GitError, LineKind, RepoPath, Sha, diff_file,
};

use super::branch::Workspace;
use crate::tools::{ChangedFile, PhaseChanges};

/// Size limit of a file that is restored, in bytes.
const MAX_ORIGINAL: usize = 64 * 1024 * 1024;

/// The changes in `workspace` since the commit that a phase began with.
pub struct WorkspaceChanges {
    pub workspace: Workspace,
    pub since: Sha,
}

impl PhaseChanges for WorkspaceChanges {
    fn paths(&self) -> Result<Vec<String>, String> {
        let Workspace { branch, worktree, .. } = &self.workspace;
        let changed = branch.changed_files(worktree, self.since);
        let changed = changed.map_err(|error| error.to_string())?;
        Ok(changed
            .into_iter()
            .flat_map(|change| [Some(change.path), change.old_path])
            .flatten()
            .collect())
    }

    fn files(&self) -> Result<Vec<ChangedFile>, String> {
        let Workspace { branch, worktree, .. } = &self.workspace;
        let changed = branch.changed_files(worktree, self.since);
        let changed = changed.map_err(|error| error.to_string())?;
        Ok(changed.into_iter().flat_map(changed_file).collect())
    }

    fn diff(&self, paths: &[String], max_bytes: usize) -> Result<String, String> {
        let (mut text, mut left_out) = (String::new(), Vec::new());
        for path in paths {
            if text.len() >= max_bytes {
                left_out.push(path.as_str());
                continue;
            }
            let target = DiffTarget::Worktree(&self.workspace.worktree);
            let file = path.parse::<RepoPath>();
            match file.and_then(|file| diff_file(&self.workspace.clone, self.since, target, &file))
            {
                Ok(diff) => write(&mut text, &diff, max_bytes),
                Err(_) => left_out.push(path),
            }
        }
        if !left_out.is_empty() {
            text.push_str(&format!("[not shown, use read_file: {}]\n", left_out.join(", ")));
        }
        Ok(text)
    }

    fn original(&self, path: &str) -> Result<Option<Vec<u8>>, String> {
        let path: RepoPath = path.parse().map_err(|error: GitError| error.to_string())?;
        match self.workspace.clone.read_file(self.since, &path, MAX_ORIGINAL) {
            Ok(file) if file.truncated => Err(format!("`{path}` is too large to be restored")),
            Ok(file) => Ok(Some(file.bytes)),
            Err(GitError::NoSuchFile(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn changed_file(change: FileChange) -> impl Iterator<Item = ChangedFile> {
    let FileChange { path, old_path, status, insertions, deletions, .. } = change;
    let operation = match status {
        FileStatus::Added | FileStatus::Renamed => FileOperation::Created,
        FileStatus::Modified => FileOperation::Modified,
        FileStatus::Deleted => FileOperation::Deleted,
    };
    let moved = old_path.map(|path| ChangedFile {
        path,
        operation: FileOperation::Deleted,
        insertions: 0,
        deletions: 0,
    });
    let lines = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let (insertions, deletions) = (lines(insertions), lines(deletions));
    std::iter::once(ChangedFile { path, operation, insertions, deletions }).chain(moved)
}

/// A file's changes as a unified diff.
fn write(text: &mut String, diff: &FileDiff, max_bytes: usize) {
    text.push_str(&format!("--- {}\n", diff.path));
    if diff.binary {
        text.push_str("(binary)\n");
    }
    for hunk in &diff.hunks {
        text.push_str(hunk.header.trim_end());
        text.push('\n');
        for line in &hunk.lines {
            text.push(match line.kind {
                LineKind::Context => ' ',
                LineKind::Insert => '+',
                LineKind::Delete => '-',
            });
            line.spans.iter().for_each(|span| text.push_str(&span.text));
            text.push('\n');
            if text.len() >= max_bytes {
                text.push_str("[cut, use read_file]\n");
                return;
            }
        }
    }
}
