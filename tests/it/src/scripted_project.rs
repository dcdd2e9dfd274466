//! A project of one phase, and a model that writes given files in a build of it.

use std::fs;

use domain::{
    event::{Event, EventBody, life::Sealed},
    seal,
    verdict::{Clause, ClauseKind, Proof, Verdict},
};
use model_server::{Dialect, Seen, Turn};
use serde_json::{Value, json};

use crate::{
    project_fixture::{ProjectFixture, git},
    watched_build::WatchedBuild,
};

pub const CODE: &str = "exports.greet = (name) => {\n  if (name === '') return 'Hello!';\n  \
    return `Hello, ${name}!`;\n};\n";
pub const TEST: &str = "const assert = require('node:assert');\nconst test = require('node:test');\n\
    const { greet } = require('../src/greet.js');\n\ntest('greets by name', () => {\n  \
    assert.strictEqual(greet('Ada'), 'Hello, Ada!');\n});\n\ntest('greets without a name', () => {\n  \
    assert.strictEqual(greet(''), 'Hello!');\n});\n";

/// What a model does with a project of one phase.
pub struct Scenario {
    /// Files of the project before the build.
    pub before: Vec<(&'static str, String)>,
    /// Files that the coder writes.
    pub writes: Vec<(&'static str, String)>,
    /// A command that it runs afterwards.
    pub runs: &'static str,
    /// How the exit criterion is proven.
    pub proof: &'static str,
    /// The file that the phase delivers and that the auditor cites.
    pub file: &'static str,
    /// A blueprint with the requirement R-1, which the phase covers.
    pub blueprint: Option<&'static str>,
    pub gate: &'static str,
    /// Where the gate writes its JUnit XML report, if it does.
    pub report: Option<&'static str>,
    /// What the auditor says about weakened tests. If that is refused, it says nothing about them.
    pub weakened_tests: Value,
    /// Further settings of the project.
    pub settings: Value,
}

impl Scenario {
    pub fn new(writes: &[(&'static str, &str)]) -> Self {
        let owned = |(path, content): &(&'static str, &str)| (*path, (*content).to_owned());
        Self {
            before: Vec::new(),
            writes: writes.iter().map(owned).collect(),
            runs: "true",
            proof: "test: greets by name",
            file: "src/greet.js",
            blueprint: None,
            gate: "node --test",
            report: None,
            weakened_tests: json!([]),
            settings: json!({}),
        }
    }

    pub async fn run(self) -> Outcome {
        let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
        if !self.before.is_empty() {
            commit(&fixture, &self.before);
        }
        let (covers, subject) = match self.blueprint {
            Some(_) => ("**Covers:** R-1\n", "R-1"),
            None => ("", "it greets"),
        };
        if let Some(blueprint) = self.blueprint {
            fixture.set("contracts/blueprint", json!({ "content": blueprint })).await;
        }
        let (file, proof) = (self.file, self.proof);
        let phases = format!(
            "# Phases\n\n## Phase 0 — Greetings\n{covers}**Deliverables:**\n- {file}\n\
             **Exit criteria:**\n- {subject} — {proof}\n"
        );
        fixture.set("contracts/phases", json!({ "content": phases })).await;
        let gate = json!({
            "name": "test", "command": self.gate, "timeout_s": 60, "required": true,
            "network": false, "report": self.report
        });
        let mut settings = json!({ "gates": [gate], "clarification_timeout_s": null });
        for (name, value) in self.settings.as_object().expect("an object") {
            settings[name] = value.clone();
        }
        fixture.set("settings", settings).await;
        let (writes, runs, weakened) = (self.writes, self.runs, self.weakened_tests);
        fixture.model.play(move |seen| {
            let turn = audit_turn(seen, file, &weakened);
            turn.unwrap_or_else(|| turn_of(seen, &writes, runs, file))
        });
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
pub fn commit(fixture: &ProjectFixture, files: &[(&str, String)]) {
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

/// The judgement of an auditor that justifies weakened tests.
fn audit_turn(seen: &Seen, file: &str, weakened_tests: &Value) -> Option<Turn> {
    let is_audit = seen.system().contains("You are the auditor");
    if !is_audit || seen.turn() == 0 || weakened_tests == &json!([]) {
        return None;
    }
    let criterion = json!({
        "index": 1, "result": "passed", "evidence": "it greets",
        "citations": [{ "path": file, "first_line": 1 }]
    });
    let weakened_tests = if seen.turn() == 1 { weakened_tests } else { &json!([]) };
    let input =
        json!({ "verdict": "pass", "criteria": [criterion], "weakened_tests": weakened_tests });
    Some(Turn::reply().calls("sign_off", input))
}

pub fn turn_of(seen: &Seen, writes: &[(&str, String)], runs: &str, file: &str) -> Turn {
    let system = seen.system();
    match seen.turn() {
        _ if system.contains("You are the scout") => Turn::says("Little is there."),
        0 if system.contains("You are the auditor") => {
            Turn::reply().calls("read_file", json!({ "path": file }))
        }
        _ if system.contains("You are the auditor") => Turn::says(format!(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — {file}:1\n=== END PHASE SIGN-OFF ==="
        )),
        0 if seen.is_planning() => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        _ if seen.is_planning() => {
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

pub struct Outcome {
    pub events: Vec<Event>,
}

impl Outcome {
    pub fn sealed(&self) -> &Sealed {
        match self.events.last().map(|event| &event.body) {
            Some(EventBody::BuildSealed(sealed)) => sealed,
            other => panic!("not sealed: {other:?}"),
        }
    }

    pub fn clause(&self, kind: ClauseKind) -> &Clause {
        let mut clauses = self.sealed().evidence.clauses.iter();
        clauses.find(|clause| clause.clause == kind).expect("the clause")
    }

    /// The first proof of a clause.
    pub fn proof(&self, kind: ClauseKind) -> &Proof {
        self.clause(kind).proofs.first().expect("a proof")
    }

    /// The proof of the clause about tests that contains these words.
    #[track_caller]
    pub fn test_proof(&self, words: &str) -> &Proof {
        let proofs = &self.clause(ClauseKind::Tests).proofs;
        let found = proofs.iter().find(|proof| proof.what.contains(words));
        found.unwrap_or_else(|| panic!("nothing about {words:?} in {proofs:#?}"))
    }

    /// Not certified, for a reason that contains these words.
    #[track_caller]
    pub fn assert_not_certified(&self, words: &str) {
        let sealed = self.sealed();
        let reason = seal::reason(&sealed.evidence);
        assert_ne!(sealed.verdict, Verdict::Certified, "{sealed:#?}");
        assert!(reason.as_ref().is_some_and(|reason| reason.contains(words)), "{reason:?}");
    }

    #[track_caller]
    pub fn assert_certified(&self) {
        assert_eq!(self.sealed().verdict, Verdict::Certified, "{:#?}", self.sealed());
    }
}
