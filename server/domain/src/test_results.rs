//! The tests that a command ran, by name, read from what the test runner printed or reported.
//!
//! - [`case`]: one test and its outcome
//! - [`lines`]: runners that print a line for each test
//! - [`trees`]: runners that print a tree of suites and tests
//! - [`unittest`]: Python's unittest
//! - [`junit`]: report files

pub mod junit;

mod case;
mod lines;
mod trees;
mod unittest;

use std::collections::BTreeMap;

use crate::{
    diagnostics::plain_lines,
    gate::{NamedTest, TestCounts, TestNames, TestOutcome},
    test_counts,
};

pub use case::TestCase;

/// Names of failed tests that a gate's result contains.
pub const MAX_FAILED_NAMES: usize = 20;
/// Bytes of all names that a final gate's result contains.
pub const MAX_NAMES_BYTES: usize = 32 * 1024;
/// Characters of a recorded name.
const MAX_NAME_CHARS: usize = 300;

/// What a gate's result says about its tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestSummary {
    /// `None` where no test runner was recognised.
    pub counts: Option<TestCounts>,
    /// Those of the given names that were found, in their order.
    pub named: Vec<NamedTest>,
    /// At most [`MAX_FAILED_NAMES`].
    pub failed: Vec<String>,
    /// At most [`MAX_NAMES_BYTES`].
    pub names: TestNames,
}

impl TestSummary {
    /// From a command's output.
    pub fn of_output(output: &str, names: &[String]) -> Self {
        let counts = test_counts::read(output);
        let cases = if counts.is_some() { read(output) } else { Vec::new() };
        Self::new(counts, &cases, names)
    }

    /// From the cases of a report.
    pub fn of_report(cases: &[TestCase], names: &[String]) -> Self {
        let mut counts = TestCounts::default();
        for case in cases {
            match case.outcome {
                TestOutcome::Passed => counts.passed += 1,
                TestOutcome::Failed => counts.failed += 1,
                TestOutcome::Skipped => counts.skipped += 1,
            }
        }
        Self::new(Some(counts), cases, names)
    }

    fn new(counts: Option<TestCounts>, cases: &[TestCase], wanted: &[String]) -> Self {
        let (named, failed) = (named(cases, wanted), failed(cases));
        Self { counts, named, failed, names: names(cases) }
    }
}

/// The tests in a runner's output. Runners that are told to print only failures show no others.
fn read(output: &str) -> Vec<TestCase> {
    let lines = plain_lines(output);
    let mut cases: Vec<TestCase> = lines.iter().filter_map(|line| lines::read(line)).collect();
    cases.extend(unittest::read(&lines));
    cases.extend(trees::read(&lines));
    cases
}

fn failed(cases: &[TestCase]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for case in cases.iter().filter(|case| case.outcome == TestOutcome::Failed) {
        let name: String = case.name.chars().take(MAX_NAME_CHARS).collect();
        if names.len() < MAX_FAILED_NAMES && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Each name with the worst outcome of the tests that have it: failed ones first, then in order of
/// their names, until the limit is reached.
fn names(cases: &[TestCase]) -> TestNames {
    let mut outcomes: BTreeMap<&str, TestOutcome> = BTreeMap::new();
    for case in cases {
        let outcome = outcomes.entry(&case.name).or_insert(case.outcome);
        *outcome = case.outcome.max(*outcome);
    }
    let mut names = TestNames::default();
    let mut left = MAX_NAMES_BYTES;
    for outcome in [TestOutcome::Failed, TestOutcome::Skipped, TestOutcome::Passed] {
        let list = match outcome {
            TestOutcome::Failed => &mut names.failed,
            TestOutcome::Skipped => &mut names.skipped,
            TestOutcome::Passed => &mut names.passed,
        };
        for (name, _) in outcomes.iter().filter(|(_, it)| **it == outcome) {
            let name: String = name.chars().take(MAX_NAME_CHARS).collect();
            let Some(rest) = left.checked_sub(name.len()) else { return names };
            left = rest;
            list.push(name);
        }
    }
    names
}

/// The outcome of each wanted test that was found: it passed only if all tests of that name did.
fn named(cases: &[TestCase], names: &[String]) -> Vec<NamedTest> {
    let outcome = |name: &String| {
        let of = |matches: fn(&str, &str) -> bool| {
            cases.iter().filter(|case| matches(&case.name, name)).map(|case| case.outcome).max()
        };
        of(|case, name| case == name).or_else(|| of(is_end_of))
    };
    let found = names.iter().filter_map(|name| Some((name, outcome(name)?)));
    found.map(|(name, outcome)| NamedTest { name: name.clone(), outcome }).collect()
}

/// Whether a test's name ends with this one, as `tests::fines::four_days` and `fines::four_days`
/// do. Parameters at the end, as in `adds[1-2]`, do not matter.
fn is_end_of(case: &str, name: &str) -> bool {
    let plain = without_parameters(case);
    [case, plain].into_iter().any(|case| {
        case.strip_suffix(name).is_some_and(|before| {
            let before = before.trim_end();
            before.is_empty() || before.ends_with([':', '.', '/', '#', '$', '>', '›'])
        })
    })
}

fn without_parameters(mut case: &str) -> &str {
    for (open, close) in [('[', ']'), ('(', ')')] {
        if let Some((start, _)) = case.strip_suffix(close).and_then(|case| case.rsplit_once(open)) {
            case = start.trim_end();
        }
    }
    case
}

#[cfg(test)]
mod tests;
