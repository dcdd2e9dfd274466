//! Runners that print one line for each test.

use std::sync::LazyLock;

use regex::Regex;

use super::case::TestCase;
use crate::gate::TestOutcome;

/// Each pattern has the groups `name` and `word`.
static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = [
        // cargo test
        r"^test (?P<name>\S.*?)(?: - should panic)? \.\.\. (?P<word>ok|FAILED|ignored)(?:,.*)?$",
        // cargo nextest; the attempts of a retried test have their own words and do not count.
        r"^\s+(?P<word>PASS|FLAKY \d+/\d+|LEAK|FAIL|SIG[A-Z]+|ABORT|TIMEOUT|SKIP) \[[^\]]*\] (?:\([^)]*\) )?\S+ (?P<name>\S+)$",
        // pytest -v
        r"^(?P<name>\S+\.py::\S.*?) (?P<word>PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS)(?: \(.*\))?(?:\s+\[ *\d+%\])?$",
        // pytest-xdist
        r"^\[gw\d+\](?: \[ *\d+%\])? (?P<word>PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS) (?P<name>\S+\.py::.*?)\s*$",
        // pytest's short summary
        r"^(?P<word>PASSED|FAILED|ERROR|XFAIL|XPASS) (?P<name>\S+\.py::\S+?(?:\[.*?\])?)(?: - .*)?$",
        // go test -v
        r"^\s*--- (?P<word>PASS|FAIL|SKIP): (?P<name>\S+) \([\d.]+s\)$",
        // TAP
        r"^\s*(?P<word>ok|not ok) \d+ (?:- )?(?P<name>\S.*?)(?: # (?P<skipped>(?i:skip|todo)).*| # time=.*)?$",
        // Maven prints the names of tests that did not pass only.
        r"^\[ERROR\] +(?P<name>[\w.$]+\.[\w$]+)(?:\(.*\))?(?: -- |\s+)Time elapsed: .*<<< (?P<word>FAILURE|ERROR)!$",
        // Gradle
        r"^(?P<name>\S.* > \S.*?) (?P<word>PASSED|FAILED|SKIPPED)$",
        // dotnet test
        r"^\s+(?P<word>Passed|Failed|Skipped) (?P<name>\S.*?)(?: \[(?:< )?\d[^\]]*\])?$",
        // Bun
        r"^\((?P<word>pass|fail|skip|todo)\) (?P<name>\S.*?)(?: \[[^\]]*\])?$",
        // Vitest's verbose reporter: the file is part of the name.
        r"^\s*(?P<word>✓|×|↓) (?P<name>\S+ > \S.*?)(?: \d+ms)?(?: \[skipped.*\])?$",
    ];
    patterns.map(|pattern| Regex::new(pattern).expect("it is a literal")).into()
});

pub(super) fn read(line: &str) -> Option<TestCase> {
    let found = PATTERNS.iter().find_map(|pattern| pattern.captures(line))?;
    let outcome = match &found["word"] {
        _ if found.name("skipped").is_some() => TestOutcome::Skipped,
        "ok" | "PASS" | "LEAK" | "PASSED" | "Passed" | "pass" | "✓" => TestOutcome::Passed,
        // A test that is expected to fail does not show that anything works.
        "ignored" | "SKIP" | "SKIPPED" | "XFAIL" | "Skipped" | "skip" | "todo" | "↓" => {
            TestOutcome::Skipped
        }
        flaky if flaky.starts_with("FLAKY") => TestOutcome::Passed,
        _ => TestOutcome::Failed,
    };
    Some(TestCase { name: found["name"].to_owned(), outcome })
}
