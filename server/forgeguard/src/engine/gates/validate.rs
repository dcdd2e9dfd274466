//! The gate `validate`: changed files can be committed and parsed, and contain no conflict markers, no
//! secrets and no files of ForgeGuard.

use std::sync::LazyLock;

use git::{FileChange, FileContent, FileStatus, GitError, RepoPath, Sha, WorkingClone};
use regex::Regex;

use super::{super::error::EngineError, file_problem::FileProblem};
use crate::tools::{
    syntax::{self, Syntax, SyntaxError},
    worktree::Worktree,
};

/// Larger files are not checked.
const MAX_READ_BYTES: usize = 2 * 1024 * 1024;

/// Problems in the changed files of a tree, as `path:line: reason`.
pub fn problems(
    changed: &[FileChange],
    clone: &WorkingClone,
    tree: Sha,
) -> Result<Vec<FileProblem>, EngineError> {
    let mut found = Vec::new();
    for change in changed.iter().filter(|change| change.status != FileStatus::Deleted) {
        found.extend(file_problems(change, |path| {
            clone.read_regular_file(tree, path, MAX_READ_BYTES)
        })?);
    }
    Ok(found)
}

/// A problem with a path that cannot be committed.
pub fn uncommittable(why: String) -> FileProblem {
    FileProblem { file: None, text: format!("{why}; it cannot be committed: remove it") }
}

fn file_problems(
    change: &FileChange,
    read: impl FnOnce(&RepoPath) -> Result<Option<FileContent>, GitError>,
) -> Result<Vec<FileProblem>, EngineError> {
    let path = change.path.as_str();
    if path.split('/').next().is_some_and(|top| top.eq_ignore_ascii_case("forge")) {
        return Ok(vec![FileProblem::about(path, "ForgeGuard's own files are never committed")]);
    }
    if change.binary {
        return Ok(Vec::new());
    }
    let repo_path = match Worktree::file_path(path) {
        Ok(_) => path.parse::<RepoPath>()?,
        Err(error) => return Ok(vec![FileProblem::about(path, error)]),
    };
    let Some(content) = read(&repo_path)?.filter(|content| !content.truncated) else {
        return Ok(Vec::new());
    };
    let Ok(text) = std::str::from_utf8(&content.bytes) else { return Ok(Vec::new()) };
    let mut found = text_problems(path, text);
    // Doubtful results may be errors of the grammar, which agents could not fix.
    if let Syntax::Broken(syntax_errors) = syntax::check(path, text) {
        found.extend(syntax_errors.into_iter().map(|SyntaxError { line, column, reason }| {
            FileProblem::at(path, format_args!("{line}:{column}"), reason)
        }));
    }
    Ok(found)
}

fn text_problems(path: &str, text: &str) -> Vec<FileProblem> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
            found.push(FileProblem::at(path, number, "a conflict marker"));
        }
        if let Some(kind) = secret(line) {
            found.push(FileProblem::at(path, number, format!("looks like {kind}")));
        }
    }
    found
}

fn secret(line: &str) -> Option<&'static str> {
    static KINDS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        [
            (r"-----BEGIN (RSA |EC |OPENSSH |DSA )?PRIVATE KEY-----", "a private key"),
            (r"\bAKIA[0-9A-Z]{16}\b", "a cloud access key"),
            (r"\bgh[pousr]_[A-Za-z0-9]{36,}\b", "a forge's access token"),
            (r"\bsk-(ant-|proj-)?[A-Za-z0-9_-]{32,}\b", "a model provider's key"),
            (r"\bxox[abprs]-[A-Za-z0-9-]{20,}\b", "a chat service's token"),
            (r"\bfgk_[A-Za-z0-9_-]{40,}\b", "a forge key"),
        ]
        .into_iter()
        .map(|(pattern, kind)| (Regex::new(pattern).unwrap_or_else(|e| panic!("{e}")), kind))
        .collect()
    });
    KINDS.iter().find(|(pattern, _)| pattern.is_match(line)).map(|(_, kind)| *kind)
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
            };
            let size = broken.len() as u64;
            let content = FileContent { bytes: broken.clone(), size, truncated: false };
            file_problems(&change, |_| Ok(Some(content))).unwrap()
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
