//! Tests and checks that a change removes, skips or loosens, found in its diff.

mod patterns;
mod settings;

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    test_files::{is_code_file, is_test_file},
    test_setup::test_script,
};
use patterns::{Definition, is_always_true, is_assertion, is_early_success, is_skip_marker};
use settings::Role;

/// Findings that are recorded; more of them say nothing new.
pub const MAX_FINDINGS: usize = 100;
/// Of a line in a finding.
const MAX_TEXT_CHARS: usize = 160;

/// How tests became weaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weakening {
    /// A file with tests was deleted.
    FileDeleted,
    TestRemoved,
    /// A test was marked as skipped, or others as the only ones to run.
    SkipAdded,
    AssertionRemoved,
    /// A new assertion cannot fail.
    AlwaysTrue,
    /// The change is too large to be compared.
    NotCompared,
    /// A setting leaves out tests, or lets a run succeed although they fail.
    SettingLoosened,
    /// A command that ran tests was removed or replaced.
    CommandChanged,
    /// A file takes the place of a test runner or of a module that it loads.
    RunnerReplaced,
}

impl Weakening {
    /// As in a finding.
    pub fn text(self) -> &'static str {
        match self {
            Self::FileDeleted => "a file with tests was deleted",
            Self::TestRemoved => "a test was removed",
            Self::SkipAdded => "tests are skipped",
            Self::AssertionRemoved => "an assertion was removed",
            Self::AlwaysTrue => "this assertion cannot fail",
            Self::NotCompared => "the change of this test file is too large to be compared",
            Self::SettingLoosened => "tests are left out, or their failures ignored",
            Self::CommandChanged => "the command that runs tests was changed",
            Self::RunnerReplaced => "this file takes the place of a test runner",
        }
    }
}

/// A place where tests became weaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WeakenedTest {
    pub kind: Weakening,
    pub path: String,
    /// Of what was removed in the old file, otherwise in the new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The line, possibly shortened.
    pub text: String,
    /// Git's id of the new file's content; `None` if it was deleted. Journals of older versions lack
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob_sha: Option<String>,
}

impl fmt::Display for WeakenedTest {
    /// With file and line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.kind.text())?;
        if self.text.is_empty() { Ok(()) } else { write!(f, ": {}", self.text) }
    }
}

/// Whether changes of a file can weaken tests that are not in it.
pub fn is_test_setting(path: &str) -> bool {
    settings::role(path).is_some()
}

/// The change of a file with tests, or with settings of a test runner.
#[derive(Clone, Debug)]
pub struct TestFileChange {
    pub path: String,
    pub is_deleted: bool,
    /// Lines are missing.
    pub is_truncated: bool,
    /// Lines before this one in the old file are not tests.
    pub old_start: u32,
    /// The same in the new file.
    pub new_start: u32,
    pub hunks: Vec<Vec<DiffLine>>,
}

#[derive(Clone, Debug)]
pub struct DiffLine {
    /// `None` for an added line.
    pub old: Option<u32>,
    /// `None` for a removed line.
    pub new: Option<u32>,
    pub text: String,
}

/// A side of a hunk without the lines that are not tests.
#[derive(Clone, Copy)]
struct SideLine<'a> {
    number: u32,
    text: &'a str,
    /// Removed or added.
    is_changed: bool,
}

impl TestFileChange {
    fn old_side<'a>(&self, hunk: &'a [DiffLine]) -> Vec<SideLine<'a>> {
        side(hunk, self.old_start, |line| line.old, |line| line.new.is_none())
    }

    fn new_side<'a>(&self, hunk: &'a [DiffLine]) -> Vec<SideLine<'a>> {
        side(hunk, self.new_start, |line| line.new, |line| line.old.is_none())
    }

    fn finding(&self, kind: Weakening, line: Option<SideLine<'_>>) -> WeakenedTest {
        let text = line.map_or("", |line| line.text.trim());
        WeakenedTest {
            kind,
            path: self.path.clone(),
            line: line.map(|line| line.number),
            text: text.chars().take(MAX_TEXT_CHARS).collect(),
            blob_sha: None,
        }
    }
}

fn side(
    hunk: &[DiffLine],
    start: u32,
    number: fn(&DiffLine) -> Option<u32>,
    is_changed: fn(&DiffLine) -> bool,
) -> Vec<SideLine<'_>> {
    let lines = hunk.iter().filter_map(|line| {
        let number = number(line)?;
        Some(SideLine { number, text: &line.text, is_changed: is_changed(line) })
    });
    lines.filter(|line| line.number >= start).collect()
}

/// What the lines of all files have, regardless of their place: moved lines are not findings.
#[derive(Default)]
struct Moved<'a> {
    added: BTreeSet<&'a str>,
    removed: BTreeSet<&'a str>,
    /// Added lines, of commands only what matters.
    commands: BTreeSet<&'a str>,
    defined: BTreeSet<String>,
}

/// A command without the characters that only continue a list or a line.
fn bare(line: &str) -> &str {
    line.trim().trim_end_matches([',', '\\', ' '])
}

/// The places where a change weakens tests, at most [`MAX_FINDINGS`].
pub fn find(files: &[TestFileChange]) -> Vec<WeakenedTest> {
    let mut moved = Moved::default();
    for (file, hunk) in files.iter().flat_map(|file| file.hunks.iter().map(move |it| (file, it))) {
        let (old, new) = (file.old_side(hunk), file.new_side(hunk));
        let changed = |line: &&SideLine<'_>| line.is_changed;
        moved.removed.extend(old.iter().filter(changed).map(|line| line.text.trim()));
        moved.added.extend(new.iter().filter(changed).map(|line| line.text.trim()));
        moved.commands.extend(new.iter().filter(changed).map(|line| bare(line.text)));
        moved.defined.extend(definitions(&new).into_iter().map(|(_, name)| name));
    }
    let mut found = Vec::new();
    for file in files {
        if file.is_truncated {
            found.push(file.finding(Weakening::NotCompared, None));
        }
        if let Some(role) = settings::role(&file.path) {
            found.extend(loosened(file, role, &moved));
        }
        if !is_test_code(&file.path) {
            continue;
        }
        if file.is_deleted {
            found.extend(deleted(file, &moved));
        } else {
            found.extend(file.hunks.iter().flat_map(|hunk| weakened(file, hunk, &moved)));
        }
    }
    found.truncate(MAX_FINDINGS);
    found
}

/// Tests that the changed lines of a side define, each with its line.
fn definitions<'a>(side: &[SideLine<'a>]) -> Vec<(SideLine<'a>, String)> {
    let mut found = Vec::new();
    let mut after_attribute = false;
    for line in side {
        match Definition::read(line.text, after_attribute) {
            Definition::Attribute => after_attribute = true,
            Definition::Test(name) => {
                after_attribute = false;
                if line.is_changed {
                    found.push((*line, name));
                }
            }
            // Another attribute, or a comment.
            Definition::Continues => {}
            Definition::Other => after_attribute = false,
        }
    }
    found
}

/// Files that are only read for their settings have no tests.
fn is_test_code(path: &str) -> bool {
    settings::role(path).is_none() || (is_test_file(path) && is_code_file(path))
}

fn loosened(file: &TestFileChange, role: Role, moved: &Moved<'_>) -> Vec<WeakenedTest> {
    if role == Role::Shadow {
        let replaces = !file.is_deleted;
        return replaces
            .then(|| file.finding(Weakening::RunnerReplaced, None))
            .into_iter()
            .collect();
    }
    let sides = file.hunks.iter().map(|hunk| (file.old_side(hunk), file.new_side(hunk)));
    let sides: Vec<_> = sides.collect();
    let changed = |line: &&SideLine<'_>| line.is_changed;
    let scripts: BTreeSet<_> = sides
        .iter()
        .flat_map(|(_, new)| new.iter().filter(changed))
        .filter_map(|line| test_script(line.text))
        .collect();
    let mut found = Vec::new();
    for (old, new) in &sides {
        for line in old.iter().filter(changed) {
            let is_kept = match test_script(line.text) {
                Some(script) => scripts.contains(&script),
                None => {
                    !settings::runs_tests(line.text) || moved.commands.contains(bare(line.text))
                }
            };
            if !is_kept {
                found.push(file.finding(Weakening::CommandChanged, Some(*line)));
            }
        }
        let mut section = "";
        for line in new {
            let is_new = line.is_changed && !moved.removed.contains(line.text.trim());
            if is_new && settings::loosens(role, &file.path, line.text, section) {
                found.push(file.finding(Weakening::SettingLoosened, Some(*line)));
            }
            if settings::is_section(line.text) {
                section = line.text;
            }
        }
    }
    found
}

fn deleted(file: &TestFileChange, moved: &Moved<'_>) -> Option<WeakenedTest> {
    let lines: Vec<_> = file.hunks.iter().flat_map(|hunk| file.old_side(hunk)).collect();
    let defined = definitions(&lines);
    let is_gone = match defined.is_empty() {
        // Its tests are written in another way, or it supports tests.
        true => lines.iter().any(|line| !moved.added.contains(line.text.trim())),
        false => defined.iter().any(|(_, name)| !moved.defined.contains(name)),
    };
    let is_gone = is_gone && is_code_file(&file.path);
    is_gone.then(|| file.finding(Weakening::FileDeleted, None))
}

fn weakened(file: &TestFileChange, hunk: &[DiffLine], moved: &Moved<'_>) -> Vec<WeakenedTest> {
    let (old, new) = (file.old_side(hunk), file.new_side(hunk));
    let mut found = Vec::new();
    for line in new.iter().filter(|line| line.is_changed) {
        let is_new = !moved.removed.contains(line.text.trim());
        if is_new && is_skip_marker(line.text) {
            found.push(file.finding(Weakening::SkipAdded, Some(*line)));
        } else if is_new && is_always_true(line.text) {
            found.push(file.finding(Weakening::AlwaysTrue, Some(*line)));
        } else if is_new && is_early_success(line.text) {
            found.push(file.finding(Weakening::SettingLoosened, Some(*line)));
        }
    }
    let (old_tests, new_tests) = (definitions(&old), definitions(&new));
    // Changed lines without unchanged ones between them.
    for group in hunk.split(|line| line.old.is_some() && line.new.is_some()) {
        let (removed, added) = (file.old_side(group), file.new_side(group));
        let is_in = |side: &[SideLine<'_>], number: u32| side.iter().any(|it| it.number == number);
        let tests_of = |tests: &[(SideLine<'_>, String)], side: &[SideLine<'_>]| {
            tests.iter().filter(|(line, _)| is_in(side, line.number)).count()
        };
        // Only names of tests changed, and not what they do.
        let is_rename = removed.len() == added.len()
            && tests_of(&old_tests, &removed) == removed.len()
            && tests_of(&new_tests, &added) == added.len();
        if is_rename {
            continue;
        }
        let lost: Vec<_> = old_tests
            .iter()
            .filter(|(line, name)| is_in(&removed, line.number) && !moved.defined.contains(name))
            .map(|(line, _)| file.finding(Weakening::TestRemoved, Some(*line)))
            .collect();
        if lost.is_empty() {
            found.extend(lost_assertions(file, &removed, &added, moved));
        }
        found.extend(lost);
    }
    found
}

/// Removed assertions that no other one replaces.
fn lost_assertions(
    file: &TestFileChange,
    removed: &[SideLine<'_>],
    added: &[SideLine<'_>],
    moved: &Moved<'_>,
) -> Vec<WeakenedTest> {
    let gone = removed
        .iter()
        .filter(|line| is_assertion(line.text) && !moved.added.contains(line.text.trim()));
    let replacements = added.iter().filter(|line| {
        is_assertion(line.text)
            && !is_always_true(line.text)
            && !moved.removed.contains(line.text.trim())
    });
    gone.skip(replacements.count())
        .map(|line| file.finding(Weakening::AssertionRemoved, Some(*line)))
        .collect()
}

#[cfg(test)]
mod tests;
