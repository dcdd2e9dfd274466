//! The gate `validate`: changed files parse, and hold no conflict markers, no secrets and nothing
//! that belongs to ForgeGuard.

use std::sync::LazyLock;

use git::{FileChange, FileStatus};
use regex::Regex;

use super::complaint::Complaint;
use crate::tools::{
    syntax::{self, Flaw, Syntax},
    worktree::Worktree,
};

/// Bytes of a file that are looked at.
const LOOKED_AT: u64 = 2 * 1024 * 1024;

/// What is wrong with the changed files, as `path:line: why`.
pub fn complaints(changed: &[FileChange], files: &Worktree) -> Vec<Complaint> {
    let there = changed.iter().filter(|change| change.status != FileStatus::Deleted);
    there.flat_map(|change| file_complaints(change, files)).collect()
}

fn file_complaints(change: &FileChange, files: &Worktree) -> Vec<Complaint> {
    let path = change.path.as_str();
    if path.split('/').next().is_some_and(|top| top.eq_ignore_ascii_case("forge")) {
        return vec![Complaint::about(path, "ForgeGuard's own files are never committed")];
    }
    if change.binary {
        return Vec::new();
    }
    let work_path = match Worktree::file_path(path) {
        Ok(work_path) => work_path,
        Err(error) => return vec![Complaint::about(path, error)],
    };
    let Ok(bytes) = files.read(&work_path, LOOKED_AT) else { return Vec::new() };
    let Ok(text) = std::str::from_utf8(&bytes) else { return Vec::new() };
    let mut found = text_complaints(path, text);
    // What is only doubtful may be the grammar's fault, and nobody could put that right.
    if let Syntax::Broken(flaws) = syntax::check(path, text) {
        found.extend(flaws.into_iter().map(|Flaw { line, column, reason }| {
            Complaint::at(path, format_args!("{line}:{column}"), reason)
        }));
    }
    found
}

fn text_complaints(path: &str, text: &str) -> Vec<Complaint> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
            found.push(Complaint::at(path, number, "a conflict marker"));
        }
        if let Some(kind) = secret(line) {
            found.push(Complaint::at(path, number, format!("looks like {kind}")));
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
        let folder = tempfile::tempdir().unwrap();
        let broken = "def a(:\n    pass\n";
        for name in ["a.py", "a.c", "a.txt"] {
            std::fs::write(folder.path().join(name), broken).unwrap();
        }
        let files = Worktree::open(folder.path()).unwrap();
        let found = |path: &str| {
            let change = FileChange {
                path: path.to_owned(),
                old_path: None,
                status: FileStatus::Added,
                insertions: 2,
                deletions: 0,
                binary: false,
            };
            complaints(&[change], &files)
        };
        assert!(found("a.py")[0].text.starts_with("a.py:1:"), "{:?}", found("a.py"));
        assert_eq!(found("a.py")[0].file.as_deref(), Some("a.py"));
        assert!(found("a.c").is_empty() && found("a.txt").is_empty());
    }

    #[test]
    fn names_the_line_of_what_may_not_be_committed() {
        let key = format!("const key = 'AKIA{}'", "A".repeat(16));
        let text = format!("fine\n<<<<<<< ours\n{key}\n=======\n");
        let found = text_complaints("src/a.js", &text);
        let found: Vec<&str> = found.iter().map(|complaint| complaint.text.as_str()).collect();
        assert_eq!(
            found,
            ["src/a.js:2: a conflict marker", "src/a.js:3: looks like a cloud access key"]
        );
        assert!(text_complaints("a.md", "Title\n=======\nsk-short\n").is_empty());
    }
}
