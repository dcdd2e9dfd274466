//! Runners that print suites and, indented below them, tests: with a mark for each outcome (Jest,
//! Vitest, Mocha, `node --test`, PHPUnit's testdox), or with words for those that did not pass
//! (RSpec's documentation format).

use std::sync::LazyLock;

use regex::Regex;

use super::case::TestCase;
use crate::gate::TestOutcome;

pub(super) fn read(lines: &[String]) -> Vec<TestCase> {
    let mut cases = marked(lines);
    if is_rspec(lines) {
        cases.extend(rspec(lines));
    }
    cases
}

/// Titles of the suites that are open, with their indentation.
#[derive(Default)]
struct Suites(Vec<(usize, String)>);

impl Suites {
    fn close(&mut self, indent: usize) {
        self.0.retain(|(of_suite, _)| *of_suite < indent);
    }

    fn open(&mut self, indent: usize, title: &str) {
        self.close(indent);
        self.0.push((indent, title.to_owned()));
    }

    fn name(&self, test: &str) -> String {
        let titles = self.0.iter().map(|(_, title)| title.as_str());
        titles.chain([test]).collect::<Vec<_>>().join(" > ")
    }
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).count()
}

fn marked(lines: &[String]) -> Vec<TestCase> {
    static TEST: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^\s*(?P<mark>[✓✔√✕✖×✗✘○↓﹣✎↩∅])\s+(?:(?:skipped|todo) )?(?P<name>\S.*?)(?:\s+[(\[]?[\d.]+ ?m?s[)\]]?)?(?P<skipped> # .*)?$",
        )
        .expect("it is a literal")
    });
    let mut suites = Suites::default();
    let mut cases = Vec::new();
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        let indent = indent(line);
        match TEST.captures(line) {
            Some(found) => {
                suites.close(indent);
                let name = &found["name"];
                let outcome = match &found["mark"] {
                    _ if found.name("skipped").is_some() => TestOutcome::Skipped,
                    "✓" | "✔" | "√" => TestOutcome::Passed,
                    "○" | "↓" | "﹣" | "✎" | "↩" | "∅" => TestOutcome::Skipped,
                    _ => TestOutcome::Failed,
                };
                // `✖ failing tests:` is a heading; Vitest's names with files are read elsewhere.
                if !name.ends_with(':') && !name.contains(" > ") {
                    cases.push(TestCase { name: suites.name(name), outcome });
                }
            }
            None => suites.open(indent, line.trim().trim_start_matches("▶ ")),
        }
    }
    cases
}

fn is_rspec(lines: &[String]) -> bool {
    static SUMMARY: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\d+ examples?, \d+ failures?").expect("it is a literal"));
    lines.iter().any(|line| SUMMARY.is_match(line))
}

/// The innermost lines up to the list of failures are tests.
fn rspec(lines: &[String]) -> Vec<TestCase> {
    static OUTCOME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?P<name>.*?)(?: \((?P<word>FAILED|PENDING)\b.*\))?$")
            .expect("it is a literal")
    });
    let ends = |line: &&String| {
        !["Failures:", "Pending:", "Finished in"].iter().any(|end| line.starts_with(end))
    };
    let lines: Vec<&String> =
        lines.iter().take_while(ends).filter(|line| !line.trim().is_empty()).collect();
    let mut suites = Suites::default();
    let mut cases = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let own = indent(line);
        let is_suite = own == 0 || lines.get(at + 1).is_some_and(|next| indent(next) > own);
        if is_suite {
            suites.open(own, line.trim());
            continue;
        }
        suites.close(own);
        let Some(found) = OUTCOME.captures(line.trim()) else { continue };
        let outcome = match found.name("word").map(|word| word.as_str()) {
            None => TestOutcome::Passed,
            Some("FAILED") => TestOutcome::Failed,
            Some(_) => TestOutcome::Skipped,
        };
        cases.push(TestCase { name: suites.name(&found["name"]), outcome });
    }
    cases
}
