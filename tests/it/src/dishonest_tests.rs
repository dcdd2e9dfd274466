//! Builds whose tests do not check the change: none is certified, and the reason names what is
//! missing.

use domain::{
    event::{Event, EventBody},
    verdict::{ClauseKind, Standing},
};
use serde_json::json;

use crate::scripted_project::{CODE, Outcome, Scenario, TEST};

#[tokio::test(flavor = "multi_thread")]
async fn tests_that_fail_without_the_change_prove_a_criterion() {
    let scenario = Scenario::new(&[("src/greet.js", CODE), ("test/greet.test.js", TEST)]);
    let outcome = scenario.run().await;
    outcome.assert_certified();
    let criterion = outcome.proof(ClauseKind::Criteria);
    assert!(criterion.what.ends_with("and fails without the change"), "{criterion:?}");
    let checks: Vec<_> = outcome
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::BuildRedCheckFinished(check) => Some(check),
            _ => None,
        })
        .collect();
    let [check] = checks.as_slice() else { panic!("one run: {checks:?}") };
    assert_eq!(check.test_files, ["test/greet.test.js"]);
    assert_ne!(check.exit_code, Some(0));
    let red = outcome.test_proof("fail without the change");
    assert_eq!(red.commit.as_ref(), Some(&check.base_sha));
}

#[tokio::test(flavor = "multi_thread")]
async fn test_that_asserts_nothing_proves_nothing() {
    let test = "require('node:test')('greets by name', () => {});\n";
    let scenario = Scenario::new(&[("src/greet.js", CODE), ("test/greet.test.js", test)]);
    let outcome = scenario.run().await;
    outcome.assert_not_certified("`greets by name` proves nothing: it also passes without");
    assert_eq!(outcome.proof(ClauseKind::Criteria).standing, Standing::Open);
    assert_eq!(outcome.test_proof("passes without the change").standing, Standing::Open);
}

#[tokio::test(flavor = "multi_thread")]
async fn script_that_always_passes_proves_nothing() {
    let script = "echo 'ok 1 - greets by name'\n";
    let scenario = Scenario {
        gate: "sh check.sh",
        ..Scenario::new(&[("src/greet.js", CODE), ("check.sh", script)])
    };
    scenario.run().await.assert_not_certified("`greets by name` proves nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn test_from_before_the_build_needs_no_run_without_the_change() {
    let scenario = Scenario {
        before: vec![("src/greet.js", CODE.to_owned()), ("test/greet.test.js", TEST.to_owned())],
        ..Scenario::new(&[("README.md", "# Greetings\n")])
    };
    let outcome = scenario.run().await;
    outcome.assert_certified();
    assert!(outcome.proof(ClauseKind::Criteria).what.ends_with("every test passed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_test_must_fail_on_the_code_from_before() {
    let test = TEST.replace("greet('Ada'), 'Hello, Ada!'", "typeof greet('Ada'), 'string'");
    let scenario = Scenario {
        before: vec![("src/greet.js", CODE.to_owned()), ("test/greet.test.js", TEST.to_owned())],
        ..Scenario::new(&[("src/greet.js", &CODE.replace("Hello", "Hi"))])
    };
    let scenario = Scenario {
        writes: [
            scenario.writes.clone(),
            vec![("test/greet.test.js", test.replace("Hello", "Hi"))],
        ]
        .concat(),
        ..scenario
    };
    scenario.run().await.assert_not_certified("`greets by name` proves nothing");
}

/// A project with two tests, to whose greeting the build adds a farewell.
fn with_tests(test: &str) -> Scenario {
    let farewell = "exports.part = (name) => `Goodbye, ${name}!`;\n";
    let code = format!("{CODE}{farewell}");
    let new = "\ntest('parts by name', () => {\n  assert.strictEqual(part('Ada'), \
        'Goodbye, Ada!');\n});\n";
    let test = test.replace("{ greet }", "{ greet, part }") + new;
    Scenario {
        before: vec![("src/greet.js", CODE.to_owned()), ("test/greet.test.js", TEST.to_owned())],
        proof: "test: parts by name",
        ..Scenario::new(&[("src/greet.js", &code), ("test/greet.test.js", &test)])
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn new_tests_beside_the_old_ones_are_certified() {
    with_tests(TEST).run().await.assert_certified();
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_test_is_named_in_the_seal() {
    let outcome = with_tests(&only_by_name()).run().await;
    outcome.assert_not_certified("test/greet.test.js:9: a test was removed");
}

#[tokio::test(flavor = "multi_thread")]
async fn skipped_test_is_named_in_the_seal() {
    let outcome = with_tests(&TEST.replace("test('greets by", "test.skip('greets by")).run().await;
    outcome.assert_not_certified("test/greet.test.js:5: tests are skipped: test.skip(");
}

/// A build that skips a test, and what its auditor says about that.
async fn skipped(number: u32, citations: serde_json::Value) -> Outcome {
    let reason = "a greeting by name is part of the new test";
    let scenario = Scenario {
        weakened_tests: json!([{ "number": number, "reason": reason, "citations": citations }]),
        ..with_tests(&TEST.replace("test('greets by", "test.skip('greets by"))
    };
    scenario.run().await
}

#[tokio::test(flavor = "multi_thread")]
async fn auditor_clears_a_weakened_test_with_a_reason_and_a_citation() {
    let outcome = skipped(1, json!([{ "path": "src/greet.js", "first_line": 2 }])).await;
    outcome.assert_certified();
    let cleared = outcome.test_proof("tests are skipped");
    let reason = "accepted by the auditor of phase 0: a greeting by name is part of the new test \
        (src/greet.js:2)";
    assert!(cleared.what.ends_with(reason), "{cleared:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn auditor_clears_no_weakened_test_without_checked_evidence() {
    let unread = json!([{ "path": "test/greet.test.js", "first_line": 5 }]);
    let read = json!([{ "path": "src/greet.js", "first_line": 2 }]);
    for (number, citations, refusal) in [
        (1, json!([]), "Weakened test 1: cite the lines that justify it."),
        (1, unread, "Weakened test 1: the auditor has not read test/greet.test.js:5."),
        (2, read, "There is no weakened test 2; you were shown 1."),
    ] {
        let outcome = skipped(number, citations).await;
        outcome.assert_not_certified("test/greet.test.js:5: tests are skipped: test.skip(");
        let is_refusal = |event: &Event| match &event.body {
            EventBody::BuildToolCallFinished(it) => !it.ok && it.output.contains(refusal),
            _ => false,
        };
        assert!(outcome.events.iter().any(is_refusal), "not refused: {refusal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_assertion_is_named_in_the_seal() {
    let test = TEST.replace("  assert.strictEqual(greet('Ada'), 'Hello, Ada!');\n", "");
    let outcome = with_tests(&test).run().await;
    outcome.assert_not_certified("test/greet.test.js:6: an assertion was removed");
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_test_file_is_named_in_the_seal() {
    let scenario = Scenario {
        before: vec![
            ("src/greet.js", "exports.greet = () => 'Hello!';\n".to_owned()),
            ("test/old.test.js", OLD_TEST.to_owned()),
        ],
        runs: "rm test/old.test.js",
        ..Scenario::new(&[("src/greet.js", CODE), ("test/greet.test.js", &only_by_name())])
    };
    let outcome = scenario.run().await;
    outcome.assert_not_certified("test/old.test.js: a file with tests was deleted");
}

const OLD_TEST: &str = "const { ok } = require('node:assert');\n\
    require('node:test')('the larger one counts', () => ok(Math.max(1, 2) === 2));\n";

fn only_by_name() -> String {
    let (kept, _) = TEST.split_once("test('greets without").expect("two tests");
    kept.to_owned()
}

/// A test that fails without the change, and that only looks whether there is a function.
const SHALLOW: &str = "const { greet } = require('../src/greet.js');\n\
    require('node:test')('greets by name', () => greet('Ada'));\n";

#[tokio::test(flavor = "multi_thread")]
async fn tests_that_check_no_result_leave_mutants_alive() {
    let scenario = Scenario::new(&[("src/greet.js", CODE), ("test/greet.test.js", SHALLOW)]);
    let outcome = scenario.run().await;
    outcome.assert_not_certified(
        "small changes to the new code, fewer than 50 %; not noticed: src/greet.js:",
    );
    let off = Scenario {
        settings: json!({ "mutation_sample": null }),
        ..Scenario::new(&[("src/greet.js", CODE), ("test/greet.test.js", SHALLOW)])
    };
    let outcome = off.run().await;
    outcome.assert_certified();
    outcome.test_proof("disable mutating");
}

#[tokio::test(flavor = "multi_thread")]
async fn project_without_the_red_check_says_so_in_the_seal() {
    let test = "require('node:test')('greets by name', () => {});\n";
    let scenario = Scenario {
        settings: json!({ "red_check": false }),
        ..Scenario::new(&[("src/greet.js", CODE), ("test/greet.test.js", test)])
    };
    let outcome = scenario.run().await;
    outcome.test_proof("disable running new tests");
    assert!(outcome.proof(ClauseKind::Criteria).what.ends_with("every test passed"));
}
