//! The places where a build weakened tests, from the diff of its branch.

use domain::{
    test_files::{inline_tests_start, is_code_file, is_test_file},
    weakened_tests::{self, DiffLine, TestFileChange, WeakenedTest, is_test_setting},
};
use git::{
    DiffTarget, FileChange, FileStatus, GitError, Line, RepoPath, Sha, WorkingClone, read_side,
};

use super::error::EngineError;

/// Larger source files are not searched for tests.
const MAX_SOURCE_BYTES: usize = 1024 * 1024;
/// Changed files with tests that are compared line by line.
const MAX_FILES: usize = 1_000;

/// Compares the tests of a commit with those of a tree.
pub fn find(clone: &WorkingClone, base: Sha, tree: Sha) -> Result<Vec<WeakenedTest>, EngineError> {
    let mut changes = Vec::new();
    let (before, after) = (DiffTarget::Commit(base), DiffTarget::Tree(tree));
    for file in git::diff_files(clone, base, after)?.files {
        let Some((old_start, new_start)) = starts(clone, before, after, &file)? else { continue };
        let (path, is_deleted) = (file.path.clone(), file.status == FileStatus::Deleted);
        let mut change = TestFileChange {
            path,
            is_deleted,
            is_truncated: true,
            old_start,
            new_start,
            hunks: Vec::new(),
        };
        if changes.len() < MAX_FILES
            && let Ok(path) = file.path.parse::<RepoPath>()
        {
            let diff = git::diff_file(clone, base, after, &path)?;
            change.is_truncated = diff.truncated || diff.binary;
            let lines = |lines: Vec<Line>| lines.into_iter().map(line).collect();
            change.hunks = diff.hunks.into_iter().map(|hunk| lines(hunk.lines)).collect();
        }
        changes.push(change);
    }
    let mut found = weakened_tests::find(&changes);
    for weakened in &mut found {
        if let Ok(path) = weakened.path.parse() {
            weakened.blob_sha = clone.blob_id(tree, &path)?.map(|sha| sha.to_string());
        }
    }
    Ok(found)
}

fn line(line: Line) -> DiffLine {
    let text = line.spans.into_iter().map(|span| span.text).collect();
    DiffLine { old: line.old_line, new: line.new_line, text }
}

/// The lines at which tests begin before and after the change; `None` if the file has no tests, and
/// no settings of a test runner.
fn starts(
    clone: &WorkingClone,
    before: DiffTarget<'_>,
    after: DiffTarget<'_>,
    file: &FileChange,
) -> Result<Option<(u32, u32)>, EngineError> {
    let old_path = file.old_path.as_ref().unwrap_or(&file.path);
    if is_test_setting(&file.path) || is_test_setting(old_path) {
        return Ok(Some((1, 1)));
    }
    if !is_code_file(&file.path) {
        return Ok(None);
    }
    if is_test_file(&file.path) || is_test_file(old_path) {
        return Ok(Some((1, 1)));
    }
    let start = |side, path: &String| -> Result<Option<u32>, EngineError> {
        let Ok(repo_path) = path.parse::<RepoPath>() else { return Ok(None) };
        let content = match read_side(clone, side, &repo_path, MAX_SOURCE_BYTES) {
            Err(GitError::NoSuchFile(_)) => return Ok(None),
            read => read?,
        };
        Ok(inline_tests_start(path, &String::from_utf8_lossy(&content.bytes)))
    };
    Ok(match (start(before, old_path)?, start(after, &file.path)?) {
        (None, None) => None,
        (old, new) => Some((old.unwrap_or(u32::MAX), new.unwrap_or(u32::MAX))),
    })
}
