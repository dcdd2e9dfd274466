//! What is read from runners' output and reports.

use super::*;
use TestOutcome::{Failed, Passed, Skipped};

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Each wanted name with its expected outcome; `None` where it must not be found.
#[track_caller]
fn assert_found(output: &str, expected: &[(&str, Option<TestOutcome>)]) {
    let cases = read(output);
    for (name, outcome) in expected {
        let found = named(&cases, &names(&[name])).pop().map(|test| test.outcome);
        assert_eq!(found, *outcome, "{name} in {output}\n{cases:?}");
    }
}

#[test]
fn tests_are_read_from_each_runner() {
    for (output, expected) in [
        (
            "test fines::tests::four_days ... ok\ntest fines::tests::panics - should panic ... ok\n\
             test fines::capped ... FAILED\ntest later ... ignored, not yet\n\
             test result: FAILED. 2 passed; 1 failed; 1 ignored",
            &[
                ("four_days", Some(Passed)),
                ("tests::four_days", Some(Passed)),
                ("panics", Some(Passed)),
                ("capped", Some(Failed)),
                ("later", Some(Skipped)),
                ("days", None),
                ("result", None),
            ][..],
        ),
        (
            "        PASS [   0.008s] (1/3) domain criterion::tests::four_days\n  \
             TRY 1 FAIL [   0.1s] domain flaky\n  FLAKY 2/3 [   0.1s] domain flaky\n\
             \u{1b}[31m        FAIL\u{1b}[0m [   0.376s] (34/187) domain::machine capped\n",
            &[("four_days", Some(Passed)), ("flaky", Some(Passed)), ("capped", Some(Failed))],
        ),
        (
            "tests/test_fines.py::TestRope::test_four_days PASSED            [ 25%]\n\
             tests/test_fines.py::test_capped FAILED                       [ 50%]\n\
             tests/test_fines.py::test_each[a b-1] PASSED [ 60%]\n\
             tests/test_fines.py::test_each[c-2] SKIPPED (no c) [ 70%]\n\
             [gw0] [ 80%] PASSED tests/test_fines.py::test_distributed\n\
             FAILED tests/test_fines.py::test_summary - AssertionError: 4 == 5\n\
             tests/test_fines.py::test_known XFAIL [100%]",
            &[
                ("test_four_days", Some(Passed)),
                ("TestRope::test_four_days", Some(Passed)),
                ("test_capped", Some(Failed)),
                ("test_each", Some(Skipped)),
                ("test_each[a b-1]", Some(Passed)),
                ("test_distributed", Some(Passed)),
                ("test_summary", Some(Failed)),
                ("test_known", Some(Skipped)),
            ],
        ),
        (
            "test_four_days (test_fines.Rope.test_four_days) ... ok\n\
             test_capped (test_fines.Rope) ... FAIL\ntest_later (test_fines.Rope.test_later)\n\
             Later. ... skipped 'not yet'\n",
            &[
                ("test_four_days", Some(Passed)),
                ("Rope.test_capped", Some(Failed)),
                ("test_later", Some(Skipped)),
            ],
        ),
        (
            "PASS src/fines.test.js\n  Fines\n    rope\n      ✓ costs 4 € after 4 days (3 ms)\n\
             \u{20}     ✕ is capped (1 ms)\n      ○ skipped is later\n  Loans\n    ✓ ends",
            &[
                ("costs 4 € after 4 days", Some(Passed)),
                ("Fines > rope > is capped", Some(Failed)),
                ("is later", Some(Skipped)),
                ("Loans > ends", Some(Passed)),
            ],
        ),
        (
            " ✓ src/fines.test.ts > Fines > costs 4 € 3ms\n × src/fines.test.ts > is capped 1ms\n \
             ↓ src/fines.test.ts > is later\n ✓ src/other.test.ts (3 tests) 5ms",
            &[
                ("costs 4 €", Some(Passed)),
                ("is capped", Some(Failed)),
                ("is later", Some(Skipped)),
            ],
        ),
        (
            "▶ Fines\n  ✔ costs 4 € (0.5ms)\n  ✖ is capped (1.25ms)\n  ﹣ is later (0.1ms) # SKIP\n\
             ▶ Fines (3ms)\n✖ failing tests:\n",
            &[
                ("costs 4 €", Some(Passed)),
                ("Fines > is capped", Some(Failed)),
                ("is later", Some(Skipped)),
                ("failing tests:", None),
            ],
        ),
        (
            "# Subtest: Fines\n    ok 1 - costs 4 €\n    not ok 2 - is capped\n    ok 3 - is later # SKIP\n\
             not ok 1 - Fines\n1..1",
            &[
                ("costs 4 €", Some(Passed)),
                ("is capped", Some(Failed)),
                ("is later", Some(Skipped)),
            ],
        ),
        (
            "--- PASS: TestFourDays (0.00s)\n    --- PASS: TestFourDays/rope (0.00s)\n\
             --- FAIL: TestCapped (0.00s)\n--- SKIP: TestLater (0.00s)",
            &[
                ("TestFourDays", Some(Passed)),
                ("rope", Some(Passed)),
                ("TestCapped", Some(Failed)),
                ("TestLater", Some(Skipped)),
            ],
        ),
        (
            "[ERROR] com.ex.FinesTest.capped -- Time elapsed: 0.004 s <<< FAILURE!\n",
            &[("FinesTest.capped", Some(Failed))],
        ),
        (
            "FinesTest > fourDays() PASSED\nFinesTest > capped() FAILED\nFinesTest > later() SKIPPED",
            &[
                ("fourDays", Some(Passed)),
                ("FinesTest > capped()", Some(Failed)),
                ("later", Some(Skipped)),
            ],
        ),
        (
            "  Passed Ex.Fines.FourDays [3 ms]\n  Failed Ex.Fines.Capped [< 1 ms]\n  Skipped Ex.Fines.Later [1 ms]",
            &[("FourDays", Some(Passed)), ("Fines.Capped", Some(Failed)), ("Later", Some(Skipped))],
        ),
        (
            "Fines\n  costs 4 €\n  is capped (FAILED - 1)\n  is later (PENDING: Not yet)\n\n\
             Failures:\n\n  1) Fines is capped\n\nFinished in 0.1 seconds\n3 examples, 1 failure, 1 pending",
            &[
                ("costs 4 €", Some(Passed)),
                ("Fines > is capped", Some(Failed)),
                ("is later", Some(Skipped)),
                ("1) Fines is capped", None),
            ],
        ),
        (
            "Fines (Ex\\Fines)\n ✔ Costs four euros\n ✘ Is capped\n ↩ Is later\n",
            &[
                ("Costs four euros", Some(Passed)),
                ("Is capped", Some(Failed)),
                ("Is later", Some(Skipped)),
            ],
        ),
    ] {
        assert_found(output, expected);
    }
}

#[test]
fn exact_names_come_before_ends_of_names() {
    let output = "test adds ... ok\ntest other::adds ... FAILED\ntest both::one ... ok\n\
        test others::one ... ignored";
    assert_found(output, &[("adds", Some(Passed)), ("one", Some(Skipped)), ("s::adds", None)]);
}

#[test]
fn output_without_a_runner_names_no_test() {
    let summary = TestSummary::of_output("✓ built in 3s\n✓ adds", &names(&["adds"]));
    assert_eq!(summary, TestSummary::default());
}

#[test]
fn summary_contains_wanted_and_the_first_failed_tests() {
    let failed: String = (0..30).map(|n| format!("test f{n} ... FAILED\n")).collect();
    let output =
        format!("{failed}test a ... ok\ntest result: FAILED. 1 passed; 30 failed; 0 ignored");
    let summary = TestSummary::of_output(&output, &names(&["a", "f3", "missing"]));
    assert_eq!(summary.counts, Some(TestCounts { passed: 1, failed: 30, skipped: 0 }));
    let expected = [("a", Passed), ("f3", Failed)];
    let expected = expected.map(|(name, outcome)| NamedTest { name: name.into(), outcome });
    assert_eq!(summary.named, expected);
    assert_eq!(summary.failed.len(), MAX_FAILED_NAMES);
    assert_eq!(
        (summary.names.passed.as_slice(), summary.names.failed.len()),
        (&["a".into()][..], 30)
    );
}

#[test]
fn names_of_all_tests_are_kept_until_the_limit_and_failed_ones_first() {
    let case = |name: String, outcome| TestCase { name, outcome };
    let mut cases: Vec<TestCase> =
        (0..1_000).map(|n| case(format!("{n:04} {}", "a".repeat(200)), Passed)).collect();
    cases.push(case("z".to_owned(), Failed));
    cases.push(case("twice".to_owned(), Skipped));
    cases.push(case("twice".to_owned(), Passed));
    let found = TestSummary::of_report(&cases, &[]).names;
    assert_eq!((found.failed, found.skipped), (names(&["z"]), names(&["twice"])));
    let bytes: usize = found.passed.iter().map(String::len).sum();
    assert!(bytes < MAX_NAMES_BYTES && found.passed.len() > 100, "{bytes}");
    assert!(found.passed.is_sorted());
}

const REPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="fines" tests="4"><properties><property name="a" value="b"/></properties>
<testcase classname="tests.test_fines" name="test_four_days" time="0.1"/>
<testcase classname="tests.test_fines" name="test_capped"><failure message="4 &lt; 5"><![CDATA[no]]></failure></testcase>
<testcase classname="tests.test_fines" name="test_later"><skipped/></testcase>
<testcase name="costs &#x34; &quot;€&quot;"><system-out>fine</system-out></testcase>
</testsuite></testsuites>"#;

#[test]
fn reports_are_read() {
    let cases = junit::read(REPORT).unwrap();
    let wanted = names(&["test_four_days", "test_capped", "test_later", "costs 4 \"€\"", "fine"]);
    let summary = TestSummary::of_report(&cases, &wanted);
    assert_eq!(summary.counts, Some(TestCounts { passed: 2, failed: 1, skipped: 1 }));
    let outcomes: Vec<TestOutcome> = summary.named.iter().map(|test| test.outcome).collect();
    assert_eq!(outcomes, [Passed, Failed, Skipped, Passed]);
    assert_eq!(summary.failed, ["tests.test_fines.test_capped"]);
    assert!(junit::read("<testsuite/>").unwrap().is_empty());
}

#[test]
fn reports_that_are_no_reports_are_rejected() {
    for (xml, part) in [
        ("", "incomplete"),
        ("not xml", "incomplete"),
        ("<html/>", "its root"),
        ("<testsuite><testcase name='a'/>", "incomplete"),
        ("<testsuite></testcase></testsuite>", "not a JUnit"),
        ("<testsuite/><testsuite/>", "its root"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><testsuite/>", "declaration"),
        ("<testsuite><testcase name='&b;'/></testsuite>", "not a JUnit"),
    ] {
        let error = junit::read(xml).unwrap_err().to_string();
        assert!(error.contains(part), "{xml}: {error}");
    }
    assert!(junit::read(&"<testsuite>".repeat(70)).is_err());
}

/// Real outputs, in `tests/corpus/test-results`: four_days passes, capped fails and later is skipped.
macro_rules! real {
    ($name:literal) => {
        include_str!(concat!("../../../../tests/corpus/test-results/", $name))
    };
}

#[test]
fn tests_are_found_in_real_output() {
    let (code, words) =
        (["four_days", "capped", "later"], ["costs 4 € after 4 days", "is capped", "is later"]);
    let python = ["Rope.test_four_days", "Rope.test_capped", "Rope.test_later"];
    let pytest = ["test_four_days", "Rope::test_capped", "test_later"];
    for (output, wanted) in [
        (real!("cargo.txt"), code),
        (real!("nextest.txt"), code),
        (real!("pytest.txt"), pytest),
        (real!("unittest.txt"), python),
        (real!("node-spec.txt"), words),
        (real!("node-tap.txt"), words),
        (real!("jest.txt"), words),
        (real!("vitest.txt"), words),
        (real!("vitest-default.txt"), words),
    ] {
        let wanted = wanted.map(str::to_owned);
        let summary = TestSummary::of_output(output, &wanted);
        let outcomes: Vec<TestOutcome> = summary.named.iter().map(|test| test.outcome).collect();
        assert_eq!(outcomes, [Passed, Failed, Skipped], "{output}\n{summary:?}");
        assert!(summary.failed.iter().any(|name| is_end_of(name, &wanted[1])), "{summary:?}");
    }
    for (report, wanted) in [(real!("node.xml"), words), (real!("pytest.xml"), python)] {
        let cases = junit::read(report).unwrap();
        let summary = TestSummary::of_report(&cases, &wanted.map(str::to_owned));
        let outcomes: Vec<TestOutcome> = summary.named.iter().map(|test| test.outcome).collect();
        assert_eq!(outcomes, [Passed, Failed, Skipped], "{report}");
    }
}

#[test]
fn no_test_is_found_in_real_output_of_an_empty_selection() {
    for output in [
        real!("cargo-empty.txt"),
        real!("pytest-empty.txt"),
        real!("unittest-empty.txt"),
        real!("jest-empty.txt"),
        real!("vitest-empty.txt"),
    ] {
        assert!(read(output).iter().all(|case| case.outcome == Skipped), "{output}");
        let counts = TestSummary::of_output(output, &[]).counts;
        assert!(counts.is_none_or(|counts| counts.executed() == 0), "{output}");
    }
}

proptest::proptest! {
    #[test]
    fn any_output_and_report_is_read(text in "(test a |\\.\\.\\. ok|✓ |  |<testsuite>|<testcase name='a'>|</testcase>|<failure/>|[a-z(\\[é]|\n){0,50}") {
        let _ = read(&text);
        let _ = junit::read(&text);
    }
}
