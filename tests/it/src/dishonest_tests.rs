//! Builds whose tests do not check the change: none is certified, and the reason names what is
//! missing.

use std::fs;

use domain::{
    event::{Event, EventBody, life::Sealed},
    seal,
    verdict::{Clause, ClauseKind, Proof, Standing, Verdict},
};
use model_server::{Dialect, Seen, Turn};
use serde_json::{Value, json};

use crate::{
    project_fixture::{ProjectFixture, git},
    watched_build::WatchedBuild,
};

const CODE: &str = "exports.greet = (name) => {\n  if (name === '') return 'Hello!';\n  \
    return `Hello, ${name}!`;\n};\n";
const TEST: &str = "const assert = require('node:assert');\nconst test = require('node:test');\n\
    const { greet } = require('../src/greet.js');\n\ntest('greets by name', () => {\n  \
    assert.strictEqual(greet('Ada'), 'Hello, Ada!');\n});\n\ntest('greets without a name', () => {\n  \
    assert.strictEqual(greet(''), 'Hello!');\n});\n";
const SIGN_OFF: &str = "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — src/greet.js:1\n\
    === END PHASE SIGN-OFF ===";

/// What a model does with a project of one phase.
struct Scenario {
    /// Files of the project before the build.
    before: Vec<(&'static str, String)>,
    /// Files that the coder writes.
    writes: Vec<(&'static str, String)>,
    /// A command that it runs afterwards.
    runs: &'static str,
    /// How the exit criterion is proven.
    proof: &'static str,
    gate: &'static str,
    /// Further settings of the project.
    settings: Value,
}

impl Scenario {
    fn new(writes: &[(&'static str, &str)]) -> Self {
        let owned = |(path, content): &(&'static str, &str)| (*path, (*content).to_owned());
        Self {
            before: Vec::new(),
            writes: writes.iter().map(owned).collect(),
            runs: "true",
            proof: "test: greets by name",
            gate: "node --test",
            settings: json!({}),
        }
    }

    async fn run(self) -> Outcome {
        let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
        if !self.before.is_empty() {
            commit(&fixture, &self.before);
        }
        let phases = format!(
            "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- src/greet.js\n\
             **Exit criteria:**\n- it greets — {}\n",
            self.proof
        );
        fixture.set("contracts/phases", json!({ "content": phases })).await;
        let gate = json!({
            "name": "test", "command": self.gate, "timeout_s": 60, "required": true,
            "network": false
        });
        let mut settings = json!({ "gates": [gate], "clarification_timeout_s": null });
        for (name, value) in self.settings.as_object().expect("an object") {
            settings[name] = value.clone();
        }
        fixture.set("settings", settings).await;
        let (writes, runs) = (self.writes, self.runs);
        fixture.model.play(move |seen| turn(seen, &writes, runs));
        let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
        watched.run_to_the_end().await;
        let build = watched.server.get(&format!("/api/builds/{}", watched.build)).await;
        watched.assert_journal_is_whole(&build).await;
        fixture.model.finish();
        watched.server.stop().await;
        Outcome { events: watched.events }
    }
}

/// Commits files to the project's repository.
fn commit(fixture: &ProjectFixture, files: &[(&str, String)]) {
    let folder = tempfile::TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
    let hosted = fixture.hosted().display().to_string();
    git(folder.path(), &["clone", "-q", &hosted, "work"]);
    let work = folder.path().join("work");
    for (path, content) in files {
        let path = work.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    git(&work, &["add", "."]);
    git(&work, &["commit", "-q", "-m", "Begin"]);
    git(&work, &["push", "-q", "origin", "HEAD:main"]);
}

fn turn(seen: &Seen, writes: &[(&str, String)], runs: &str) -> Turn {
    let (system, tools) = (seen.system(), seen.tools());
    match seen.turn() {
        _ if system.contains("You are the scout") => Turn::says("Little is there."),
        0 if system.contains("You are the auditor") => {
            Turn::reply().calls("read_file", json!({ "path": "src/greet.js" }))
        }
        _ if system.contains("You are the auditor") => Turn::says(SIGN_OFF),
        0 if !tools.contains(&"write_file") => {
            Turn::reply().calls("forge_get_phase_window", json!({ "phase_number": 0 }))
        }
        _ if !tools.contains(&"write_file") => {
            Turn::says("=== PLAN ===\n1. Greet\nGates: test\n=== END PLAN ===")
        }
        turn if turn < writes.len() => {
            let (path, content) = &writes[turn];
            Turn::reply().calls("write_file", json!({ "path": path, "content": content }))
        }
        turn if turn == writes.len() => {
            Turn::reply().calls("run_command", json!({ "command": runs }))
        }
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

struct Outcome {
    events: Vec<Event>,
}

impl Outcome {
    fn sealed(&self) -> &Sealed {
        match self.events.last().map(|event| &event.body) {
            Some(EventBody::BuildSealed(sealed)) => sealed,
            other => panic!("not sealed: {other:?}"),
        }
    }

    fn clause(&self, kind: ClauseKind) -> &Clause {
        let mut clauses = self.sealed().evidence.clauses.iter();
        clauses.find(|clause| clause.clause == kind).expect("the clause")
    }

    /// The first proof of a clause.
    fn proof(&self, kind: ClauseKind) -> &Proof {
        self.clause(kind).proofs.first().expect("a proof")
    }

    /// The proof of the clause about tests that contains these words.
    #[track_caller]
    fn test_proof(&self, words: &str) -> &Proof {
        let proofs = &self.clause(ClauseKind::Tests).proofs;
        let found = proofs.iter().find(|proof| proof.what.contains(words));
        found.unwrap_or_else(|| panic!("nothing about {words:?} in {proofs:#?}"))
    }

    /// Not certified, for a reason that contains these words.
    #[track_caller]
    fn assert_not_certified(&self, words: &str) {
        let sealed = self.sealed();
        let reason = seal::reason(&sealed.evidence);
        assert_ne!(sealed.verdict, Verdict::Certified, "{sealed:#?}");
        assert!(reason.as_ref().is_some_and(|reason| reason.contains(words)), "{reason:?}");
    }

    #[track_caller]
    fn assert_certified(&self) {
        assert_eq!(self.sealed().verdict, Verdict::Certified, "{:#?}", self.sealed());
    }
}

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
