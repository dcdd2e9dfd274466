//! Which lines of a build's change are mutated, and how they are written.

use std::{
    collections::BTreeMap,
    io::Write,
    path::Path,
    time::{Duration, SystemTime},
};

use domain::{
    event::test_checks::{Mutant, MutantOutcome},
    test_files::{inline_tests_start, is_code_file, is_test_file},
};
use git::{DiffTarget, FileStatus, GitError, LineKind, RepoPath, Sha, WorkingClone};
use rootdir::RootDir;
use sha2::{Digest, Sha256};

use super::error::EngineError;
use crate::tools::syntax::{Mutation, mutations};

/// Larger files are not mutated.
const MAX_FILE_BYTES: usize = 256 * 1024;
/// Changed files that are read.
const MAX_FILES: usize = 500;
/// Of the shown code.
const MAX_TEXT_CHARS: usize = 60;

/// A file with one small change.
#[derive(Clone)]
pub struct MutatedFile {
    pub mutant: Mutant,
    original: String,
    mutated: String,
}

/// At most `max` mutants of lines that a build added, one for each line. Which ones follows from the
/// commit.
pub fn planned(
    clone: &WorkingClone,
    base: Sha,
    head: Sha,
    max: usize,
) -> Result<Vec<MutatedFile>, EngineError> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut candidates = Vec::new();
    let changed = git::diff_files(clone, base, DiffTarget::Commit(head))?.files;
    let code = changed.into_iter().filter(|file| {
        let is_code = is_code_file(&file.path) && !is_test_file(&file.path);
        is_code && !file.binary && file.status != FileStatus::Deleted
    });
    for file in code.take(if max == 0 { 0 } else { MAX_FILES }) {
        let Ok(path) = file.path.parse::<RepoPath>() else { continue };
        let content = match clone.read_file(head, &path, MAX_FILE_BYTES) {
            Err(GitError::NoSuchFile(_)) => continue,
            read => read?,
        };
        let Some(text) = String::from_utf8(content.bytes).ok().filter(|_| !content.truncated)
        else {
            continue;
        };
        let diff = git::diff_file(clone, base, DiffTarget::Commit(head), &path)?;
        let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        let tests = inline_tests_start(&file.path, &text).unwrap_or(u32::MAX);
        let added = lines.filter(|line| line.kind == LineKind::Insert);
        let added: Vec<u32> =
            added.filter_map(|line| line.new_line).filter(|line| *line < tests).collect();
        let mut by_line: BTreeMap<usize, Vec<Mutation>> = BTreeMap::new();
        for mutation in mutations(&file.path, &text) {
            if added.iter().any(|line| *line as usize == mutation.line) {
                by_line.entry(mutation.line).or_default().push(mutation);
            }
        }
        for (line, mut mutations) in by_line {
            let order = Sha256::digest(format!("{head}:{}:{line}", file.path));
            let chosen = usize::from(order[31]) % mutations.len();
            candidates.push((order, file.path.clone(), mutations.swap_remove(chosen)));
        }
        texts.insert(file.path, text);
    }
    candidates.sort_by_key(|(order, ..)| *order);
    let files = candidates.into_iter().filter_map(|(_, path, mutation)| {
        let original = texts[&path].clone();
        let mutated = mutation.apply(&path, &original)?;
        let shown = |text: &str| text.chars().take(MAX_TEXT_CHARS).collect();
        let mutant = Mutant {
            path,
            line: u32::try_from(mutation.line).unwrap_or(u32::MAX),
            before: shown(mutation.original(&original)),
            after: shown(&mutation.replacement),
            outcome: MutantOutcome::NotBuilt,
        };
        Some(MutatedFile { mutant, original, mutated })
    });
    Ok(files.take(max).collect())
}

/// Writes the changed file, or the original again, as of so many seconds from now.
pub fn write(
    root: &Path,
    file: &MutatedFile,
    mutated: bool,
    seconds: u32,
) -> Result<(), EngineError> {
    let root = RootDir::open(root)?;
    let mode = root.stat(&file.mutant.path)?.map_or(0o644, |stat| stat.st_mode);
    let text = if mutated { &file.mutated } else { &file.original };
    let at = SystemTime::now() + Duration::from_secs(seconds.into());
    root.write_with(&file.mutant.path, mode, |to| {
        to.write_all(text.as_bytes())?;
        to.set_modified(at)
    })?;
    Ok(())
}
