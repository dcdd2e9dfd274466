//! The gate `validate`: changed files can be committed and parsed, and contain no conflict markers, no
//! secrets, no contract text and no data of ForgeGuard.

use git::{
    DiffTarget, FileChange, FileContent, FileStatus, GitError, RepoPath, Sha, WorkingClone,
    read_side,
};

use super::{super::error::EngineError, contract_text::ContractText, file_problem::FileProblem};
use crate::redaction::key_kind;
use crate::tools::{
    syntax::{self, Syntax, SyntaxError},
    worktree::Worktree,
};

/// Larger files are not checked.
const MAX_READ_BYTES: usize = 2 * 1024 * 1024;

/// Problems in the files of a tree that changed since a commit, as `path:line: reason`.
pub fn problems(
    changed: &[FileChange],
    clone: &WorkingClone,
    (since, tree): (Sha, Sha),
    contracts: &ContractText,
) -> Result<Vec<FileProblem>, EngineError> {
    let mut found = Vec::new();
    for change in changed.iter().filter(|change| change.status != FileStatus::Deleted) {
        let read = |path: &RepoPath| clone.read_regular_file(tree, path, MAX_READ_BYTES);
        let (problems, text) = file_problems(change, read)?;
        found.extend(problems);
        if let Some(text) = text {
            let old = text_before(change, clone, since)?;
            found.extend(contracts.problems(&change.path, &old, &text));
        }
    }
    Ok(found)
}

/// A problem with a path that cannot be committed.
pub fn uncommittable(why: String) -> FileProblem {
    FileProblem { file: None, text: format!("{why}; it cannot be committed: remove it") }
}

/// The text of a changed file before the change; empty if it is new.
fn text_before(
    change: &FileChange,
    clone: &WorkingClone,
    since: Sha,
) -> Result<String, EngineError> {
    let path = change.old_path.as_ref().unwrap_or(&change.path);
    let Ok(path) = path.parse::<RepoPath>() else { return Ok(String::new()) };
    match read_side(clone, DiffTarget::Commit(since), &path, MAX_READ_BYTES) {
        Ok(content) => Ok(String::from_utf8_lossy(&content.bytes).into_owned()),
        Err(GitError::NoSuchFile(_)) => Ok(String::new()),
        Err(error) => Err(error.into()),
    }
}

/// The problems of a file, and its text, if it was read.
fn file_problems(
    change: &FileChange,
    read: impl FnOnce(&RepoPath) -> Result<Option<FileContent>, GitError>,
) -> Result<(Vec<FileProblem>, Option<String>), EngineError> {
    let path = change.path.as_str();
    if path.split('/').next().is_some_and(|top| top.eq_ignore_ascii_case("forge")) {
        let problem = FileProblem::about(path, "ForgeGuard's own files are never committed");
        return Ok((vec![problem], None));
    }
    if change.binary {
        return Ok((Vec::new(), None));
    }
    let repo_path = match Worktree::file_path(path) {
        Ok(_) => path.parse::<RepoPath>()?,
        Err(error) => return Ok((vec![FileProblem::about(path, error)], None)),
    };
    let Some(content) = read(&repo_path)?.filter(|content| !content.truncated) else {
        return Ok((Vec::new(), None));
    };
    let Ok(text) = String::from_utf8(content.bytes) else { return Ok((Vec::new(), None)) };
    let mut found = text_problems(path, &text);
    // Doubtful results may be errors of the grammar, which agents could not fix.
    if let Syntax::Broken(syntax_errors) = syntax::check(path, &text) {
        found.extend(syntax_errors.into_iter().map(|SyntaxError { line, column, reason }| {
            FileProblem::at(path, format_args!("{line}:{column}"), reason)
        }));
    }
    Ok((found, Some(text)))
}

fn text_problems(path: &str, text: &str) -> Vec<FileProblem> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
            found.push(FileProblem::at(path, number, "a conflict marker"));
        }
        if let Some(kind) = key_kind(line) {
            found.push(FileProblem::at(path, number, format!("looks like {kind}")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_surely_does_not_parse() {
        let broken = b"def a(:\n    pass\n".to_vec();
        let found = |path: &str| {
            let change = FileChange {
                path: path.to_owned(),
                old_path: None,
                status: FileStatus::Added,
                insertions: 2,
                deletions: 0,
                binary: false,
                content_id: None,
            };
            let size = broken.len() as u64;
            let content = FileContent { bytes: broken.clone(), size, truncated: false };
            file_problems(&change, |_| Ok(Some(content))).unwrap().0
        };
        assert!(found("a.py")[0].text.starts_with("a.py:1:"), "{:?}", found("a.py"));
        assert_eq!(found("a.py")[0].file.as_deref(), Some("a.py"));
        assert!(found("a.c").is_empty() && found("a.txt").is_empty());
    }

    #[test]
    fn names_the_line_of_what_may_not_be_committed() {
        let key = format!("const key = 'AKIA{}'", "A".repeat(16));
        let text = format!("fine\n<<<<<<< ours\n{key}\n=======\n");
        let found = text_problems("src/a.js", &text);
        let found: Vec<&str> = found.iter().map(|problem| problem.text.as_str()).collect();
        assert_eq!(
            found,
            ["src/a.js:2: a conflict marker", "src/a.js:3: looks like a cloud access key"]
        );
        assert!(text_problems("a.md", "Title\n=======\nsk-short\n").is_empty());
    }
}
