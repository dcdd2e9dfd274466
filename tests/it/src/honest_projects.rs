//! Honest work on small projects in five languages is certified: a requirement, a new test that fails
//! without the change, and code whose mutants the test notices.

use domain::verdict::{ClauseKind, Standing};
use serde_json::json;

use crate::scripted_project::Scenario;

const BLUEPRINT: &str = "# Blueprint\n\n## Requirements\n\n\
    - **R-1** (must, stated) A late return costs 1 € a day, at most 20 €.\n";

/// A project whose only file so far is the script of its gate.
fn project(
    proof: &'static str,
    before: &[(&'static str, &str)],
    writes: &[(&'static str, &str)],
) -> Scenario {
    let before = before.iter().map(|(path, content)| (*path, (*content).to_owned()));
    Scenario {
        before: before.collect(),
        proof,
        file: writes[0].0,
        blueprint: Some(BLUEPRINT),
        gate: "sh check.sh",
        settings: json!({ "mutation_sample": { "max_mutants": 3, "min_killed_percent": 50 } }),
        ..Scenario::new(writes)
    }
}

/// For a toolchain that is not installed: replays what it prints if the tests pass on this code, and
/// if they fail on any other.
fn replayed(
    proof: &'static str,
    [passed, failed]: [&str; 2],
    [code, test]: [(&'static str, &str); 2],
) -> Scenario {
    let path = code.0;
    let script = format!(
        "if cmp -s {path} recorded/code; then cat recorded/passed\n\
         else cat recorded/failed; exit 1; fi\n"
    );
    let before = [
        ("check.sh", script.as_str()),
        ("recorded/code", code.1),
        ("recorded/passed", passed),
        ("recorded/failed", failed),
    ];
    project(proof, &before, &[code, test])
}

async fn assert_certified(scenario: Scenario) {
    let outcome = scenario.run().await;
    outcome.assert_certified();
    let criterion = outcome.proof(ClauseKind::Criteria);
    assert!(criterion.what.ends_with("and fails without the change"), "{criterion:?}");
    let requirement = outcome.proof(ClauseKind::Requirements);
    assert_eq!(requirement.standing, Standing::Holds, "{requirement:?}");
    outcome.test_proof("small changes to the new code");
}

#[tokio::test(flavor = "multi_thread")]
async fn honest_python_project_is_certified() {
    let code = "def fine(days):\n    cents = days * 100\n    if cents > 2000:\n        \
        return 2000\n    return cents\n";
    let test = "import unittest\n\nfrom fines import fine\n\n\nclass Fines(unittest.TestCase):\n    \
        def test_four_days(self):\n        self.assertEqual(fine(4), 400)\n\n    \
        def test_limit(self):\n        self.assertEqual(fine(30), 2000)\n";
    let before = [
        ("check.sh", "/usr/bin/python3 -m unittest -v tests/test_fines.py\n"),
        (".gitignore", "__pycache__/\n"),
    ];
    let writes = [("fines.py", code), ("tests/test_fines.py", test)];
    assert_certified(project("test: test_four_days, test_limit", &before, &writes)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn honest_typescript_project_is_certified() {
    // Without its types, TypeScript is JavaScript.
    let script = "mkdir -p out\nfor file in src/*.ts test/*.ts; do\n  \
        sed -E 's/: number//g' \"$file\" > \"out/$(basename \"$file\" .ts).js\"\ndone\n\
        node --test out/\n";
    let code = "exports.fine = (days: number): number => {\n  const cents: number = days * 100;\n  \
        return cents > 2000 ? 2000 : cents;\n};\n";
    let test = "const assert = require('node:assert');\nconst test = require('node:test');\n\
        const { fine } = require('./fines.js');\n\ntest('four days', () => {\n  \
        assert.strictEqual(fine(4), 400);\n});\n\ntest('limit', () => {\n  \
        assert.strictEqual(fine(30), 2000);\n});\n";
    let before = [("check.sh", script), (".gitignore", "out/\n")];
    let writes = [("src/fines.ts", code), ("test/fines.test.ts", test)];
    assert_certified(project("test: four days, limit", &before, &writes)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn honest_rust_project_is_certified() {
    let code = "pub fn fine(days: u32) -> u32 {\n    let cents = days * 100;\n    \
        if cents > 2000 { 2000 } else { cents }\n}\n";
    let test = "use fines::fine;\n\n#[test]\nfn four_days() {\n    assert_eq!(fine(4), 400);\n}\n";
    let passed = "\nrunning 1 test\ntest four_days ... ok\n\ntest result: ok. 1 passed; 0 failed; \
        0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let failed = "\nrunning 1 test\ntest four_days ... FAILED\n\ntest result: FAILED. 0 passed; \
        1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let files = [("src/lib.rs", code), ("tests/fines.rs", test)];
    assert_certified(replayed("test: four_days", [passed, failed], files)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn honest_go_project_is_certified() {
    let code = "package fines\n\nfunc Fine(days int) int {\n\tcents := days * 100\n\t\
        if cents > 2000 {\n\t\treturn 2000\n\t}\n\treturn cents\n}\n";
    let test = "package fines\n\nimport \"testing\"\n\nfunc TestFourDays(t *testing.T) {\n\t\
        if Fine(4) != 400 {\n\t\tt.Fatal(Fine(4))\n\t}\n}\n";
    let passed = "=== RUN   TestFourDays\n--- PASS: TestFourDays (0.00s)\nPASS\n\
        ok  \texample.com/fines\t0.003s\n";
    let failed = "=== RUN   TestFourDays\n    fines_test.go:7: 0\n--- FAIL: TestFourDays (0.00s)\n\
        FAIL\nFAIL\texample.com/fines\t0.003s\nFAIL\n";
    let files = [("fines.go", code), ("fines_test.go", test)];
    assert_certified(replayed("test: TestFourDays", [passed, failed], files)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn honest_java_project_is_certified() {
    let code = "class Fines {\n    static int fine(int days) {\n        int cents = days * 100;\n        \
        if (cents > 2000) {\n            return 2000;\n        }\n        return cents;\n    }\n}\n";
    let test = "import static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n\
        public class FinesTest {\n    @Test\n    public void fourDays() {\n        \
        assertEquals(400, Fines.fine(4));\n    }\n}\n";
    // Maven prints no names of tests that passed: they are in its report.
    let report = |inner: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"FinesTest\" time=\"0.04\" \
             tests=\"1\" errors=\"0\" skipped=\"0\">\n  <testcase name=\"fourDays\" \
             classname=\"FinesTest\" time=\"0.01\">{inner}</testcase>\n</testsuite>\n"
        )
    };
    let (passed, failed) = (report(""), report("<failure type=\"AssertionError\">0</failure>"));
    let files = [("src/main/java/Fines.java", code), ("src/test/java/FinesTest.java", test)];
    let scenario = replayed("test: fourDays", [&passed, &failed], files);
    let script = "mkdir -p target/surefire-reports\nreport=target/surefire-reports/TEST-FinesTest.xml\n\
        if cmp -s src/main/java/Fines.java recorded/code; then cp recorded/passed $report\n\
        else cp recorded/failed $report; exit 1; fi\n";
    let mut before = scenario.before;
    before[0].1 = script.to_owned();
    before.push((".gitignore", "target/\n".to_owned()));
    let report = Some("target/surefire-reports");
    assert_certified(Scenario { before, report, ..scenario }).await;
}
