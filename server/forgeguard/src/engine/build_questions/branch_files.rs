//! Files and changes of a build at the newest commit of its branch, from git: the worktree may be
//! gone, or in the middle of a change.

use std::borrow::Cow;

use git::{
    DiffTarget, FileStatus, GitError, LineKind, RepoPath, Sha, WorkingClone, diff_file, diff_files,
};

use super::{
    calls::{ReadChanges, ReadFile, SearchFiles},
    conversation::CallResult,
    redacted,
};
use crate::text::head;

/// Larger files are not read, in bytes.
const MAX_FILE_BYTES: usize = 1024 * 1024;
/// Limit on what one search reads, in bytes.
const MAX_SEARCH_BYTES: u64 = 32 * 1024 * 1024;
/// Size limit of a result, in bytes.
pub(super) const MAX_RESULT_BYTES: usize = 12 * 1024;
/// Size limit of a shown line, in bytes.
const MAX_LINE_BYTES: usize = 400;
/// Matching lines of one search.
const MAX_MATCHES: usize = 60;

/// The branch of a build between two commits.
#[derive(Clone)]
pub(super) struct BranchFiles {
    pub clone: WorkingClone,
    pub baseline: Sha,
    pub head: Sha,
}

impl BranchFiles {
    /// The files that the build has changed, or the changes of one.
    pub fn changes(&self, call: &ReadChanges) -> Result<CallResult, GitError> {
        let to = DiffTarget::Commit(self.head);
        let Some(path) = &call.path else {
            let changed = diff_files(&self.clone, self.baseline, to)?;
            let lines = changed.files.iter().map(|file| {
                let status = status_name(file.status);
                format!("{status} {} +{} -{}", file.path, file.insertions, file.deletions)
            });
            return Ok(Ok(joined(lines, "No file is changed.")));
        };
        let Ok(parsed) = path.parse::<RepoPath>() else { return Ok(Err(no_file(path))) };
        let diff = match diff_file(&self.clone, self.baseline, to, &parsed) {
            Ok(diff) => diff,
            Err(GitError::NoSuchFile(_)) => {
                return Ok(Err(format!("The build has not changed `{path}`.")));
            }
            Err(error) => return Err(error),
        };
        if diff.binary {
            return Ok(Ok(format!("{} {path}: not text.", status_name(diff.status))));
        }
        let lines = diff.hunks.iter().flat_map(|hunk| {
            let lines = hunk.lines.iter().map(|line| {
                let (sign, number) = match line.kind {
                    LineKind::Context => (' ', line.new_line),
                    LineKind::Insert => ('+', line.new_line),
                    LineKind::Delete => ('-', line.old_line),
                };
                let text: String = line.spans.iter().map(|span| span.text.as_str()).collect();
                Cow::from(format!("{sign}{}: {text}", number.unwrap_or(0)))
            });
            std::iter::once(Cow::from(hunk.header.as_str())).chain(lines)
        });
        let lines = redacted::lines(lines);
        let lines = lines.iter().map(|line| head(line, MAX_LINE_BYTES).to_owned());
        Ok(Ok(joined(lines, "Only its mode or name changed.")))
    }

    /// Numbered lines of a file.
    pub fn read(&self, call: &ReadFile) -> Result<CallResult, GitError> {
        let lines = match self.lines(&call.path)? {
            Ok(lines) => lines,
            Err(problem) => return Ok(Err(problem)),
        };
        let first = call.first_line.unwrap_or(1).max(1) as usize;
        if first > lines.len() {
            return Ok(Err(format!("`first_line`: the file has {} lines.", lines.len())));
        }
        let mut text = String::new();
        for (number, line) in (1..).zip(&lines).skip(first - 1) {
            let line = format!("{number}: {}\n", head(line, MAX_LINE_BYTES));
            if text.len() + line.len() > MAX_RESULT_BYTES {
                let count = lines.len();
                text.push_str(&format!("[cut; continue with first_line {number} of {count}]"));
                break;
            }
            text.push_str(&line);
        }
        Ok(Ok(text))
    }

    /// Lines of all files that contain a text.
    pub fn search(&self, call: &SearchFiles) -> Result<CallResult, GitError> {
        let wanted = call.text.to_lowercase();
        if wanted.trim().is_empty() {
            return Ok(Err("`text`: give a text to search for.".to_owned()));
        }
        let folder = call.folder.as_deref().unwrap_or_default().trim_matches('/');
        let is_below = |path: &str| {
            folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let (mut found, mut read_bytes) = (Vec::new(), 0);
        for entry in self.clone.tree(self.head)? {
            if !entry.is_file() || entry.size > MAX_FILE_BYTES as u64 || !is_below(&entry.path) {
                continue;
            }
            read_bytes += entry.size;
            if found.len() >= MAX_MATCHES || read_bytes > MAX_SEARCH_BYTES {
                found.push("[the search ended here; choose a folder or a longer text]".to_owned());
                break;
            }
            let Ok(lines) = self.lines(&entry.path)? else { continue };
            let matches =
                (1..).zip(&lines).filter(|(_, line)| line.to_lowercase().contains(&wanted));
            let room = MAX_MATCHES - found.len();
            found.extend(matches.take(room).map(|(number, line)| {
                format!("{}:{number}: {}", entry.path, head(line.trim(), MAX_LINE_BYTES))
            }));
        }
        Ok(Ok(joined(found.into_iter(), "No line contains it.")))
    }

    /// The lines of a text file without secrets; otherwise the error for the model.
    pub fn lines(&self, path: &str) -> Result<Result<Vec<String>, String>, GitError> {
        let Ok(parsed) = path.parse::<RepoPath>() else { return Ok(Err(no_file(path))) };
        let content = match self.clone.read_file(self.head, &parsed, MAX_FILE_BYTES) {
            Ok(content) => content,
            Err(GitError::NoSuchFile(_)) => return Ok(Err(no_file(path))),
            Err(error) => return Err(error),
        };
        match String::from_utf8(content.bytes) {
            Ok(text) if !content.truncated => Ok(Ok(redacted::lines(text.lines().map(Cow::from)))),
            _ => Ok(Err(format!("`{path}` is not text, or too large."))),
        }
    }

    /// The paths of the files that the build has changed.
    pub fn changed_paths(&self) -> Result<Vec<String>, GitError> {
        let changed = diff_files(&self.clone, self.baseline, DiffTarget::Commit(self.head))?;
        Ok(changed.files.into_iter().map(|file| file.path).collect())
    }
}

fn no_file(path: &str) -> String {
    format!("There is no file `{}` at the newest commit.", head(path, MAX_LINE_BYTES))
}

fn status_name(status: FileStatus) -> &'static str {
    match status {
        FileStatus::Added => "added",
        FileStatus::Modified => "modified",
        FileStatus::Deleted => "deleted",
        FileStatus::Renamed => "renamed",
    }
}

/// The lines that fit; `nothing` if there are none.
fn joined(lines: impl Iterator<Item = String>, nothing: &str) -> String {
    let mut text = String::new();
    for line in lines {
        if text.len() + line.len() > MAX_RESULT_BYTES {
            text.push_str("[cut]\n");
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    if text.is_empty() { nothing.to_owned() } else { text }
}
