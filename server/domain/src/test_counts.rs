//! How many tests a command ran, read from what the test runner printed.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::{diagnostics::plain_lines, gate::TestCounts};

/// Reads a line of a runner's output.
struct Summary {
    pattern: Regex,
    read: fn(&Captures<'_>) -> TestCounts,
}

/// Summaries that runners print once for each program or module; the first that matches a line
/// counts.
static SUMMARIES: LazyLock<Vec<Summary>> = LazyLock::new(|| {
    let of = |pattern: &str, read: fn(&Captures<'_>) -> TestCounts| Summary {
        pattern: Regex::new(pattern).expect("it is a literal"),
        read,
    };
    vec![
        // cargo test
        of(
            r"^test result: \w+\. (?P<passed>\d+) passed; (?P<failed>\d+) failed; (?P<skipped>\d+) ignored",
            named,
        ),
        // cargo nextest
        of(r"^\s*Summary \[[^\]]*\]\s+[\d/]+ tests? run: (?P<rest>.+)$", listed),
        // pytest, with or without the frame
        of(
            r"^(?:=+ )?(?P<rest>\d+ (?:passed|failed|skipped|errors?|xfailed|xpassed|deselected).*) in [\d.]+m?s\b",
            listed,
        ),
        // Jest and Vitest
        of(r"^Tests:\s+(?P<rest>.*?)\d+ total$", listed),
        of(r"^\s*Tests\s+(?P<rest>\d+ (?:passed|failed|skipped|todo).*) \(\d+\)$", listed),
        // Mocha, Bun
        of(r"^\s+(?P<passed>\d+) passing\b", named),
        of(r"^\s+(?P<failed>\d+) failing$", named),
        of(r"^\s+(?P<skipped>\d+) pending$", named),
        of(r"^\s+(?P<passed>\d+) pass$", named),
        of(r"^\s+(?P<failed>\d+) fail$", named),
        of(r"^\s+(?P<skipped>\d+) skip$", named),
        // node --test, in both of its formats
        of(r"^(?:ℹ|#) pass (?P<passed>\d+)$", named),
        of(r"^(?:ℹ|#) (?:fail|cancelled) (?P<failed>\d+)$", named),
        of(r"^(?:ℹ|#) (?:skipped|todo) (?P<skipped>\d+)$", named),
        // Deno
        of(r"^(?:ok|FAILED) \| (?P<rest>\d+ passed.*) \([\d.]+\w+\)$", listed),
        // Maven: totals have no time.
        of(
            r"^(?:\[\w+\]\s+)?Tests run: (?P<total>\d+), Failures: (?P<failures>\d+), Errors: (?P<errors>\d+), Skipped: (?P<skipped>\d+)\s*$",
            of_total,
        ),
        // Gradle, where a test failed
        of(
            r"^(?P<total>\d+) tests? completed(?:, (?P<failures>\d+) failed)?(?:, (?P<skipped>\d+) skipped)?$",
            of_total,
        ),
        // dotnet test
        of(
            r"^\w+!\s+- Failed:\s+(?P<failed>\d+), Passed:\s+(?P<passed>\d+), Skipped:\s+(?P<skipped>\d+), Total:",
            named,
        ),
        // RSpec
        of(
            r"^(?P<total>\d+) examples?, (?P<failures>\d+) failures?(?:, (?P<skipped>\d+) pending)?",
            of_total,
        ),
        // PHPUnit
        of(r"^OK \((?P<passed>\d+) tests?, \d+ assertions?\)$", named),
        of(r"^Tests: (?P<total>\d+), Assertions: \d+(?P<rest>.*)\.$", phpunit),
        // Minitest
        of(
            r"^(?P<total>\d+) runs, \d+ assertions, (?P<failures>\d+) failures, (?P<errors>\d+) errors, (?P<skipped>\d+) skips$",
            of_total,
        ),
        // CTest
        of(r"^\d+% tests passed, (?P<failures>\d+) tests failed out of (?P<total>\d+)$", of_total),
    ]
});

/// Single results, for runners without a summary; indented ones are parts of another.
static RESULTS: LazyLock<Vec<Summary>> = LazyLock::new(|| {
    let of = |pattern: &str, read: fn(&Captures<'_>) -> TestCounts| Summary {
        pattern: Regex::new(pattern).expect("it is a literal"),
        read,
    };
    vec![
        // go test -v
        of(r"^--- (?P<outcome>PASS|FAIL|SKIP): ", outcome),
        // TAP
        of(r"^(?:not )?ok\b.*# (?i:(?P<outcome>SKIP|TODO))", outcome),
        of(r"^(?P<outcome>ok|not ok) \d+\b", outcome),
    ]
});

/// `go test` without -v names packages: each that passed ran at least one test.
static GO_PACKAGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?P<outcome>ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))(?P<none>.*\[no tests to run\])?",
    )
    .expect("it is a literal")
});

/// What a command's output says about its tests; `None` where no test runner is recognised. A
/// runner that found no tests gives zeros.
pub fn read(output: &str) -> Option<TestCounts> {
    let lines = plain_lines(output);
    let summaries = || lines.iter().filter_map(|line| counts(line, &SUMMARIES));
    let results = || lines.iter().filter_map(|line| counts(line, &RESULTS));
    let packages = || lines.iter().filter_map(|line| package(line));
    let found = sum(summaries().chain(unittest(&lines)))
        .or_else(|| sum(results()))
        .or_else(|| sum(packages()));
    found.or_else(|| ran_nothing(&lines).then(TestCounts::default))
}

fn sum(counts: impl Iterator<Item = TestCounts>) -> Option<TestCounts> {
    let mut counts = counts.peekable();
    counts.peek()?;
    let mut total = TestCounts::default();
    counts.for_each(|one| total += one);
    Some(total)
}

fn counts(line: &str, patterns: &[Summary]) -> Option<TestCounts> {
    patterns.iter().find_map(|it| it.pattern.captures(line).map(|found| (it.read)(&found)))
}

fn package(line: &str) -> Option<TestCounts> {
    let found = GO_PACKAGE.captures(line)?;
    if found.name("none").is_some() {
        return Some(TestCounts::default());
    }
    Some(outcome(&found))
}

/// What runners say that found nothing to run.
fn ran_nothing(lines: &[String]) -> bool {
    const MESSAGES: [&str; 6] = [
        "no tests ran",
        "[no test files]",
        "No tests found",
        "No test files found",
        "No tests executed!",
        "No tests to run",
    ];
    lines.iter().any(|line| MESSAGES.iter().any(|message| line.contains(message)))
}

fn number(found: &Captures<'_>, name: &str) -> u32 {
    found.name(name).and_then(|it| it.as_str().parse().ok()).unwrap_or(0)
}

fn named(found: &Captures<'_>) -> TestCounts {
    TestCounts {
        passed: number(found, "passed"),
        failed: number(found, "failed"),
        skipped: number(found, "skipped"),
    }
}

/// `1 failed, 2 passed | 1 skipped`: a number before each word.
fn listed(found: &Captures<'_>) -> TestCounts {
    static PART: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(\d+) ([a-z]+)").expect("it is a literal"));
    let mut counts = TestCounts::default();
    for part in PART.captures_iter(&found["rest"]) {
        let count: u32 = part[1].parse().unwrap_or(0);
        match &part[2] {
            "passed" | "xfailed" => counts.passed += count,
            "failed" | "error" | "errors" | "timed" | "xpassed" => counts.failed += count,
            "skipped" | "ignored" | "todo" => counts.skipped += count,
            _ => {}
        }
    }
    counts
}

/// A total and what did not pass of it.
fn of_total(found: &Captures<'_>) -> TestCounts {
    let failed = number(found, "failures") + number(found, "errors");
    let skipped = number(found, "skipped");
    let passed = number(found, "total").saturating_sub(failed + skipped);
    TestCounts { passed, failed, skipped }
}

fn phpunit(found: &Captures<'_>) -> TestCounts {
    let of = |names: &[&str]| words(&found["rest"], ": ", names);
    let (failed, skipped) = (of(&["Failures", "Errors"]), of(&["Skipped", "Incomplete"]));
    let passed = number(found, "total").saturating_sub(failed + skipped);
    TestCounts { passed, failed, skipped }
}

/// Python's unittest prints how many tests ran, and below it how many of them did not pass.
fn unittest(lines: &[String]) -> impl Iterator<Item = TestCounts> {
    static TOTAL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^Ran (\d+) tests? in [\d.]+s$").expect("it is a literal"));
    static OUTCOME: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(?:OK|FAILED)(?: \((.*)\))?$").expect("it is a literal"));
    lines.iter().enumerate().filter_map(|(at, line)| {
        let total: u32 = TOTAL.captures(line)?[1].parse().ok()?;
        let mut below = lines[at + 1..].iter().take(3);
        let found = below.find_map(|line| OUTCOME.captures(line));
        let rest = found.as_ref().and_then(|found| found.get(1)).map_or("", |rest| rest.as_str());
        let of = |names: &[&str]| words(rest, "=", names);
        let failed = of(&["failures", "errors", "unexpected successes"]);
        let skipped = of(&["skipped"]);
        let passed = total.saturating_sub(failed + skipped);
        Some(TestCounts { passed, failed, skipped })
    })
}

/// The sum of the numbers after these names, as in `Failures: 1, Errors: 2`.
fn words(text: &str, separator: &str, names: &[&str]) -> u32 {
    let parts = text.split(',').filter_map(|part| part.trim().split_once(separator));
    parts.filter(|(name, _)| names.contains(name)).filter_map(|(_, n)| n.parse::<u32>().ok()).sum()
}

fn outcome(found: &Captures<'_>) -> TestCounts {
    let mut counts = TestCounts::default();
    match found["outcome"].to_lowercase().as_str() {
        "pass" | "ok" => counts.passed = 1,
        "fail" | "not ok" => counts.failed = 1,
        _ => counts.skipped = 1,
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_counts(output: &str, expected: (u32, u32, u32)) {
        let found = read(output).unwrap_or_else(|| panic!("no runner found in {output:?}"));
        assert_eq!((found.passed, found.failed, found.skipped), expected, "{output}");
    }

    #[test]
    fn summaries_of_runners_are_read() {
        for (output, expected) in [
            (
                "running 2 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured\n\
                 test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured",
                (3, 1, 1),
            ),
            (
                "     Summary [   1.2s] 12 tests run: 11 passed (1 slow), 1 failed, 2 skipped",
                (11, 1, 2),
            ),
            ("===== 3 passed, 1 skipped, 2 warnings in 0.12s =====", (3, 0, 1)),
            ("2 failed, 1 passed, 1 error in 61.20s (0:01:01)", (1, 3, 0)),
            ("Ran 3 tests in 0.001s\n\nOK", (3, 0, 0)),
            ("Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)", (2, 2, 1)),
            ("Tests:       1 failed, 1 skipped, 5 passed, 7 total", (5, 1, 1)),
            ("Tests:       0 total", (0, 0, 0)),
            ("      Tests  1 failed | 5 passed | 1 skipped (7)", (5, 1, 1)),
            ("\u{1b}[2m      Tests \u{1b}[22m \u{1b}[32m3 passed\u{1b}[39m (3)", (3, 0, 0)),
            ("  5 passing (10ms)\n  1 pending\n  2 failing", (5, 2, 1)),
            ("ℹ tests 3\nℹ pass 2\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0", (2, 1, 0)),
            ("ok 1 - a\nnot ok 2 - b\n1..2\n# tests 2\n# pass 1\n# fail 1\n# skipped 0", (1, 1, 0)),
            ("ok | 5 passed | 1 failed (12ms)", (5, 1, 0)),
            (
                "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in A\n\
                 [INFO] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1",
                (2, 2, 1),
            ),
            ("5 tests completed, 1 failed, 1 skipped", (3, 1, 1)),
            (
                "Passed!  - Failed:     0, Passed:     5, Skipped:     1, Total:     6, Duration: 3 ms",
                (5, 0, 1),
            ),
            ("5 examples, 1 failure, 1 pending", (3, 1, 1)),
            ("OK (5 tests, 10 assertions)", (5, 0, 0)),
            ("Tests: 5, Assertions: 10, Failures: 1, Skipped: 1.", (3, 1, 1)),
            ("5 runs, 10 assertions, 1 failures, 0 errors, 1 skips", (3, 1, 1)),
            ("100% tests passed, 0 tests failed out of 5", (5, 0, 0)),
        ] {
            assert_counts(output, expected);
        }
    }

    #[test]
    fn single_results_count_where_there_is_no_summary() {
        let go = "--- PASS: TestA (0.00s)\n    --- PASS: TestA/one (0.00s)\n--- SKIP: TestB (0.00s)\n\
                  --- FAIL: TestC (0.00s)\nFAIL\nFAIL\texample.com/a\t0.1s";
        assert_counts(go, (1, 1, 1));
        assert_counts("ok  \texample.com/a\t0.012s\nok  \texample.com/b\t(cached)", (2, 0, 0));
        assert_counts("ok  \texample.com/a\t0.012s [no tests to run]", (0, 0, 0));
        let tap = "TAP version 13\nok 1 - a\n    ok 1 - part of b\nnot ok 2 - b\nok 3 - c # SKIP later\n1..3";
        assert_counts(tap, (1, 1, 1));
    }

    #[test]
    fn runs_without_tests_give_zero_and_other_output_nothing() {
        assert_counts("============ no tests ran in 0.01s ============", (0, 0, 0));
        assert_counts("?   \texample.com/a\t[no test files]", (0, 0, 0));
        assert_counts("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured", (0, 0, 0));
        for output in ["", "everything is fine", "ok", "12 files checked", "OK"] {
            assert_eq!(read(output), None, "{output}");
        }
    }
}
