//! Builds that change how tests are run instead of the tests: none is certified, and the seal names
//! the place.

use futures::future::join_all;
use serde_json::json;

use crate::scripted_project::{CODE, Scenario, TEST};

const FAREWELL: &str = "exports.part = (name) => `Goodbye, ${name}!`;\n";

/// A project with tests, whose gate runs `gate`. The build adds a farewell, and these files.
fn scenario(
    gate: &'static str,
    before: &[(&'static str, &str)],
    writes: &[(&'static str, &str)],
) -> Scenario {
    let code = format!("{CODE}{FAREWELL}");
    let all = [&[("src/greet.js", code.as_str())], writes].concat();
    let tested = [("src/greet.js", CODE), ("test/greet.test.js", TEST)];
    let before = tested.iter().chain(before);
    Scenario {
        before: before.map(|(path, content)| (*path, (*content).to_owned())).collect(),
        proof: "review",
        gate,
        settings: json!({ "red_check": false, "mutation_sample": null }),
        ..Scenario::new(&all)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_way_of_running_tests_is_named_in_the_seal() {
    let ignored = format!("{TEST}process.exit(0);\n");
    let cases = [
        (
            scenario(
                "make test",
                &[("Makefile", "test:\n\tnode --test\n")],
                &[("Makefile", "test:\n\tnode --test || true\n")],
            ),
            "Makefile:2: the command that runs tests was changed: node --test",
        ),
        (
            scenario(
                "sh check.sh",
                &[("check.sh", "set -e\nnode --test\n")],
                &[("check.sh", "set -e\necho 'ok 1 - greets by name'\n")],
            ),
            "check.sh:2: the command that runs tests was changed: node --test",
        ),
        (
            scenario(
                "node --test",
                &[("package.json", "{\n  \"scripts\": {\n    \"test\": \"node --test\"\n  }\n}\n")],
                &[("package.json", "{\n  \"scripts\": {\n    \"test\": \"exit 0\"\n  }\n}\n")],
            ),
            "package.json:3: the command that runs tests was changed: \"test\": \"node --test\"",
        ),
        (
            scenario("node --test", &[], &[("pytest.ini", "[pytest]\naddopts = -k parts\n")]),
            "pytest.ini:2: tests are left out, or their failures ignored: addopts = -k parts",
        ),
        (
            scenario(
                "/usr/bin/python3 -m unittest -v",
                &[("test_part.py", FAILING)],
                &[("unittest.py", FAKE_RUNNER)],
            ),
            "unittest.py: this file takes the place of a test runner",
        ),
        (
            scenario("node --test", &[], &[("test/greet.test.js", &ignored)]),
            "test/greet.test.js:12: tests are left out, or their failures ignored: process.exit(0)",
        ),
    ];
    join_all(cases.map(|(scenario, words)| async move {
        let outcome = scenario.run().await;
        outcome.assert_not_certified("");
        outcome.test_proof(words);
    }))
    .await;
}

const FAILING: &str = "import unittest\n\n\nclass Parts(unittest.TestCase):\n    \
    def test_parts(self):\n        self.fail()\n";
const FAKE_RUNNER: &str = "print('test_parts (test_part.Parts.test_parts) ... ok\\n\\n' + '-' * 70)\n\
    print('Ran 1 test in 0.001s\\n\\nOK')\n";

// The manifest is new, too: without it, every test would fail on the code from before.
#[tokio::test(flavor = "multi_thread")]
async fn test_of_a_new_project_that_asserts_nothing_proves_nothing() {
    let manifest = "{ \"scripts\": { \"test\": \"node --test\" } }\n";
    let check = "console.log(['ok 1 - greets', 'by name'].join(' '));\n";
    let vacuous = "require('node:test')('greets by name', () => {});\n";
    let cases = [
        Scenario {
            gate: "test -f package.json && node --test",
            ..Scenario::new(&[
                ("src/greet.js", CODE),
                ("package.json", manifest),
                ("test/greet.test.js", vacuous),
            ])
        },
        Scenario {
            gate: "node tools/run.js",
            ..Scenario::new(&[("src/greet.js", CODE), ("tools/run.js", check)])
        },
    ];
    join_all(cases.map(|scenario| async move {
        scenario.run().await.assert_not_certified("`greets by name` proves nothing");
    }))
    .await;
}
