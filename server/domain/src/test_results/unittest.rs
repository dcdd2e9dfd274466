//! Python's unittest with `-v`: `test_a (module.Class.test_a) ... ok`, where the outcome follows
//! the test's description on the next line if it has one.

use std::sync::LazyLock;

use regex::Regex;

use super::case::TestCase;
use crate::gate::TestOutcome;

pub(super) fn read(lines: &[String]) -> impl Iterator<Item = TestCase> {
    static TEST: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?P<name>\w+) \((?P<path>[\w.<>]+)\)(?P<rest>$| \.\.\. .*$)")
            .expect("it is a literal")
    });
    static OUTCOME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\.\.\. (?P<word>ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b")
            .expect("it is a literal")
    });
    lines.iter().enumerate().filter_map(|(at, line)| {
        let found = TEST.captures(line)?;
        let (name, path, rest) = (&found["name"], &found["path"], &found["rest"]);
        let rest = if rest.is_empty() { lines.get(at + 1)?.as_str() } else { rest };
        let outcome = match &OUTCOME.captures(rest)?["word"] {
            "ok" => TestOutcome::Passed,
            "skipped" | "expected failure" => TestOutcome::Skipped,
            _ => TestOutcome::Failed,
        };
        // Since Python 3.11 the path contains the name.
        let is_complete = path.rsplit('.').next() == Some(name);
        let name = if is_complete { path.to_owned() } else { format!("{path}.{name}") };
        Some(TestCase { name, outcome })
    })
}
