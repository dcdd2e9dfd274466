//! Checks what an auditor's evidence cites: lines that its own run has read, or a gate that passed.

use std::{collections::BTreeSet, ops::RangeInclusive, sync::LazyLock};

use domain::state::PhaseState;
use regex::Regex;

use super::transcript::Transcript;
use crate::tools::ToolName;

/// A place in a file, as in `src/due.js:6` or `tests/test_cli.py:22-84`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Citation {
    path: String,
    lines: RangeInclusive<u64>,
}

/// The lines of files that a run was shown.
#[derive(Debug, Default)]
pub struct ReadLines(BTreeSet<(String, u64)>);

impl ReadLines {
    /// What the results of `read_file` and `search_code` in a conversation have shown.
    pub fn of(conversation: &Transcript) -> Self {
        let mut read = Self::default();
        for call in conversation.finished_calls().into_iter().filter(|call| !call.failed) {
            match call.tool_name() {
                Some(ToolName::ReadFile) => {
                    let path = call.input["path"].as_str().unwrap_or_default();
                    let numbers = call.result.lines().filter_map(|line| line.split_once('\t'));
                    let numbers = numbers.filter_map(|(number, _)| number.trim().parse().ok());
                    numbers.for_each(|number| read.add(path, number));
                }
                Some(ToolName::SearchCode) => {
                    for citation in call.result.lines().filter_map(|line| citations(line).next()) {
                        read.add(&citation.path, *citation.lines.start());
                    }
                }
                _ => {}
            }
        }
        read
    }

    /// Why evidence does not show that a criterion holds; `None` if it does.
    pub fn objection(&self, evidence: &str, phase: &PhaseState) -> Option<String> {
        let mut cited = citations(evidence).peekable();
        if cited.peek().is_none() {
            let is_gate = names_passed_gate(evidence, phase);
            return (!is_gate).then(|| "it names neither a line nor a gate that passed".to_owned());
        }
        let missing = cited.find_map(|Citation { path, lines }| {
            let mut ends = [*lines.start(), *lines.end()].into_iter();
            let line = ends.find(|line| !self.0.contains(&(plain(&path).to_owned(), *line)))?;
            Some(format!("{path}:{line}"))
        });
        missing.map(|place| format!("the auditor has not read {place}"))
    }

    fn add(&mut self, path: &str, line: u64) {
        self.0.insert((plain(path).to_owned(), line));
    }
}

fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// The places that a text names.
fn citations(text: &str) -> impl Iterator<Item = Citation> {
    static CITATION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"([\w./@+-]*[A-Za-z_][\w./@+-]*):(\d+)(?:[-–](\d+))?").expect("it is a literal")
    });
    CITATION.captures_iter(text).filter_map(|found| {
        let start = found[2].parse().ok()?;
        let end = found.get(3).map_or(Some(start), |end| end.as_str().parse().ok())?;
        Some(Citation { path: found[1].to_owned(), lines: start..=end })
    })
}

/// Whether a text names a gate that has passed in this round, or says that all gates have.
fn names_passed_gate(text: &str, phase: &PhaseState) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
    let is_named = |word: &str| phase.gates.get(word).is_some_and(|gate| gate.passed);
    let has_passed = |word: &str| word == "gates" && phase.gates.values().all(|gate| gate.passed);
    !phase.gates.is_empty() && words.any(|word| is_named(word) || has_passed(word))
}

#[cfg(test)]
mod tests {
    use domain::{criterion::ExitCriterion, phases::PhaseOutline, state::GateResult};
    use llm::{Message, ToolCall, UserBlock};
    use serde_json::{Value, json};

    use super::*;
    use crate::store::new_id;

    fn phase(gates: &[(&str, bool)]) -> PhaseState {
        let mut phase = PhaseState::new(PhaseOutline {
            number: 0,
            title: "t".into(),
            scope: vec![],
            deliverables: vec!["d".into()],
            covers: vec![],
            exit_criteria: vec![ExitCriterion::reviewed("tests pass".into())],
        });
        for (name, passed) in gates {
            let gate = GateResult {
                required: true,
                passed: *passed,
                command: "true".into(),
                exit_code: Some(0),
                output_sha256: String::new(),
                head_sha: String::new(),
                tree_sha: None,
                sandbox: None,
                tests: None,
                named_tests: vec![],
            };
            phase.gates.insert((*name).to_owned(), gate);
        }
        phase
    }

    fn read(tool: &str, input: Value, result: &str, is_error: bool) -> ReadLines {
        let mut transcript = Transcript::new(new_id());
        let call = ToolCall { id: "1".into(), name: tool.into(), input };
        let result =
            UserBlock::ToolResult { call_id: "1".into(), content: result.into(), is_error };
        transcript.extend([
            Message::Assistant { text: String::new(), tool_calls: vec![call], provider: None },
            Message::User { content: vec![result] },
        ]);
        ReadLines::of(&transcript)
    }

    #[test]
    fn cited_lines_must_have_been_read() {
        let lines = "1\tuse a;\n2\tfn b() {\n3\t}\n";
        let read = read("read_file", json!({ "path": "./src/a.rs" }), lines, false);
        let objection = |evidence: &str| read.objection(evidence, &phase(&[]));
        for evidence in ["src/a.rs:2", "src/a.rs:1-3 shows it", "see `src/a.rs:3`, ./src/a.rs:1"] {
            assert_eq!(objection(evidence), None, "{evidence}");
        }
        for (evidence, part) in [
            ("src/a.rs:999", "src/a.rs:999"),
            ("src/a.rs:2-4", "src/a.rs:4"),
            ("src/a.rs:1, src/b.rs:1", "src/b.rs:1"),
            ("", "neither a line nor a gate"),
            ("it looks good", "neither a line nor a gate"),
            ("at 12:30", "neither a line nor a gate"),
        ] {
            let objection = objection(evidence).unwrap_or_default();
            assert!(objection.contains(part), "{evidence}: {objection}");
        }
    }

    #[test]
    fn lines_that_a_search_found_have_been_read() {
        let input = json!({ "pattern": "b" });
        let found = read("search_code", input.clone(), "src/a.rs:2:fn b() {\n", false);
        assert_eq!(found.objection("src/a.rs:2", &phase(&[])), None);
        assert!(found.objection("src/a.rs:3", &phase(&[])).is_some());
        let failed = read("search_code", input, "src/a.rs:2:fn b() {\n", true);
        assert!(failed.objection("src/a.rs:2", &phase(&[])).is_some());
    }

    #[test]
    fn gates_count_where_they_passed() {
        let read = ReadLines::default();
        let (green, mixed) =
            (phase(&[("tests", true)]), phase(&[("tests", true), ("lint", false)]));
        assert_eq!(read.objection("the gate `tests` is green", &green), None);
        assert_eq!(read.objection("the gates are green", &green), None);
        assert_eq!(read.objection("gate tests", &mixed), None);
        assert!(read.objection("gate lint", &mixed).is_some());
        assert!(read.objection("the gates are green", &mixed).is_some());
        assert!(read.objection("the gates are green", &phase(&[])).is_some());
    }
}
