//! Compares the tests on a build's branch with those before the build.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    event::test_checks::{TestChange, TestOrigin, TestsCompared},
    state::BuildState,
    test_files::{is_code_file, is_test_file},
    test_origin::{ChangedFile, Definition, definition},
    test_setup::{is_test_setup, words},
};
use git::{DiffTarget, FileChange, FileStatus, GitError, Sha, WorkingClone};

use super::{branch, driver::Driver, error::EngineError, weakened_tests};

/// Larger files are not searched for tests.
const MAX_FILE_BYTES: usize = 1024 * 1024;
/// Of all files read for one comparison; the others are not searched.
const MAX_READ_BYTES: usize = 64 * 1024 * 1024;

impl Driver {
    /// Finds out which of the tests that prove exit criteria the build added or changed, and which
    /// tests it weakened.
    pub(super) async fn compare_tests(&self, state: &BuildState) -> Result<(), EngineError> {
        let clone = self.workspace().await?.clone;
        let (baseline, head) = (branch::baseline(state)?, branch::head(state)?);
        let mut wanted = Vec::new();
        for (phase, test) in state.tests_to_prove() {
            let at = state.phases.iter().find(|it| it.outline.number == phase);
            let base = at.and_then(|phase| phase.base_sha.as_ref());
            let base = base.map_or(Ok(baseline), |base| base.parse().map_err(GitError::from))?;
            wanted.push((phase, base, test.clone()));
        }
        let compare = move || {
            let origins = origins(&clone, baseline, head, wanted)?;
            Ok((origins, weakened_tests::find(&clone, baseline, clone.tree_of(head)?)?))
        };
        let (origins, weakened) = self.engine.blocking(compare).await?;
        let (baseline_sha, head_sha) = (baseline.to_string(), head.to_string());
        self.append(vec![TestsCompared { baseline_sha, head_sha, origins, weakened }.into()])
            .await
            .map(drop)
    }
}

/// The files that differ between two commits and that a gate needs to run the tests of the second:
/// tests, manifests, and programs that the gate's command starts.
pub fn changed_test_files(
    clone: &WorkingClone,
    base: Sha,
    head: Sha,
    command: &str,
) -> Result<Vec<String>, EngineError> {
    let changed = git::diff_files(clone, base, DiffTarget::Commit(head))?.files;
    let mut reader = Reader { clone, remaining: MAX_READ_BYTES };
    let started = words(command, reader.text(head, "package.json")?.as_deref());
    let is_needed =
        |path: &String| is_test_file(path) || is_test_setup(path) || started.contains(path);
    let kept = changed.into_iter().filter(|file| file.status != FileStatus::Deleted);
    Ok(kept.map(|file| file.path).filter(is_needed).collect())
}

/// A test is compared with the start of its phase, and if it is the same there, with the baseline.
fn origins(
    clone: &WorkingClone,
    baseline: Sha,
    head: Sha,
    wanted: Vec<(u32, Sha, String)>,
) -> Result<Vec<TestOrigin>, EngineError> {
    let mut reader = Reader { clone, remaining: MAX_READ_BYTES };
    let mut changes: BTreeMap<String, Changes> = BTreeMap::new();
    let mut origins = Vec::new();
    for (phase, base, test) in wanted {
        let mut change = TestChange::Unchanged;
        for base in [base, baseline] {
            let base_sha = base.to_string();
            if !changes.contains_key(&base_sha) {
                changes.insert(base_sha.clone(), Changes::read(&mut reader, base, head)?);
            }
            let found = &changes[&base_sha];
            change = match definition(&test, &found.changed, &found.unchanged) {
                Definition::Unchanged => continue,
                Definition::Changed { file } => TestChange::Changed { base_sha, file },
                Definition::Inline { path } => TestChange::Inline { path },
            };
            break;
        }
        origins.push(TestOrigin { phase, test, change });
    }
    Ok(origins)
}

/// The files of two commits in which a test is searched.
struct Changes {
    changed: Vec<ChangedFile>,
    /// The texts of test files that did not change.
    unchanged: Vec<String>,
}

impl Changes {
    fn read(reader: &mut Reader<'_>, base: Sha, head: Sha) -> Result<Self, EngineError> {
        let files = git::diff_files(reader.clone, base, DiffTarget::Commit(head))?.files;
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut changed = Vec::new();
        for FileChange { path, old_path, status, .. } in files {
            known.insert(path.clone());
            if !(is_test_file(&path) || is_code_file(&path)) {
                changed.push(ChangedFile { path, old: None, new: None });
                continue;
            }
            let old = match status {
                FileStatus::Added => None,
                _ => reader.text(base, old_path.as_deref().unwrap_or(&path))?,
            };
            let new = match status {
                FileStatus::Deleted => None,
                _ => reader.text(head, &path)?,
            };
            changed.push(ChangedFile { path, old, new });
        }
        let mut unchanged = Vec::new();
        for entry in reader.clone.tree(head)? {
            if entry.is_file() && is_test_file(&entry.path) && !known.contains(&entry.path) {
                unchanged.extend(reader.text(head, &entry.path)?);
            }
        }
        Ok(Self { changed, unchanged })
    }
}

struct Reader<'a> {
    clone: &'a WorkingClone,
    remaining: usize,
}

impl Reader<'_> {
    /// `None` for a file that is missing, too large or not text.
    fn text(&mut self, commit: Sha, path: &str) -> Result<Option<String>, EngineError> {
        let Ok(path) = path.parse() else { return Ok(None) };
        let content = match self.clone.read_file(commit, &path, MAX_FILE_BYTES) {
            Err(GitError::NoSuchFile(_)) => return Ok(None),
            read => read?,
        };
        let remaining = self.remaining.checked_sub(content.bytes.len());
        let Some(remaining) = remaining.filter(|_| !content.truncated) else { return Ok(None) };
        self.remaining = remaining;
        Ok(String::from_utf8(content.bytes).ok())
    }
}
