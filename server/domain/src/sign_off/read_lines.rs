//! The lines that an auditor's run was shown, and whether they support its evidence.

use std::collections::{BTreeMap, BTreeSet};

use super::citation::Citation;
use crate::state::PhaseState;

/// The lines of files that a run was shown.
#[derive(Clone, Debug, Default)]
pub struct ReadLines(BTreeMap<String, BTreeSet<u64>>);

impl ReadLines {
    pub fn add(&mut self, path: &str, line: u64) {
        self.0.entry(plain(path).to_owned()).or_default().insert(line);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first cited line that was not read.
    pub fn unread(&self, citations: &[Citation]) -> Option<Citation> {
        let nothing = BTreeSet::new();
        citations.iter().find_map(|Citation { path, lines }| {
            let read = self.0.get(plain(path)).unwrap_or(&nothing);
            // The run was shown fewer lines than such a range may have: the search ends early.
            let missing = match lines.is_empty() {
                true => Some(*lines.start()),
                false => lines.clone().find(|line| !read.contains(line)),
            };
            missing.map(|line| Citation { path: path.clone(), lines: line..=line })
        })
    }

    /// Why evidence does not show that a criterion holds; `None` if it does.
    pub fn objection(
        &self,
        evidence: &str,
        citations: &[Citation],
        phase: &PhaseState,
    ) -> Option<String> {
        if citations.is_empty() {
            let is_gate = names_passed_gate(evidence, phase);
            return (!is_gate).then(|| "it names neither a line nor a gate that passed".to_owned());
        }
        self.unread(citations).map(|place| format!("the auditor has not read {place}"))
    }
}

fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
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
    use super::*;
    use crate::{criterion::ExitCriterion, phases::PhaseOutline, state::GateResult};

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
                duration_ms: 0,
                output_sha256: String::new(),
                head_sha: String::new(),
                tree_sha: None,
                sandbox: None,
                tests: None,
                named_tests: vec![],
                test_names: None,
            };
            phase.gates.insert((*name).to_owned(), gate);
        }
        phase
    }

    fn objection(read: &ReadLines, evidence: &str, phase: &PhaseState) -> Option<String> {
        let citations: Vec<Citation> = Citation::all_in(evidence).collect();
        read.objection(evidence, &citations, phase)
    }

    #[test]
    fn cited_lines_must_have_been_read() {
        let mut read = ReadLines::default();
        (1..=3).for_each(|line| read.add("./src/a.rs", line));
        read.add("src/a.rs", 5);
        let objection = |evidence: &str| objection(&read, evidence, &phase(&[]));
        for evidence in ["src/a.rs:2", "src/a.rs:1-3 shows it", "see `src/a.rs:3`, ./src/a.rs:1"] {
            assert_eq!(objection(evidence), None, "{evidence}");
        }
        for (evidence, part) in [
            ("src/a.rs:999", "src/a.rs:999"),
            ("src/a.rs:2-4", "src/a.rs:4"),
            ("src/a.rs:3-5", "src/a.rs:4"),
            ("src/a.rs:3-1", "src/a.rs:3"),
            ("src/a.rs:1-18446744073709551615", "src/a.rs:4"),
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
    fn gates_count_where_they_passed() {
        let read = ReadLines::default();
        let (green, mixed) =
            (phase(&[("tests", true)]), phase(&[("tests", true), ("lint", false)]));
        assert_eq!(objection(&read, "the gate `tests` is green", &green), None);
        assert_eq!(objection(&read, "the gates are green", &green), None);
        assert_eq!(objection(&read, "gate tests", &mixed), None);
        assert!(objection(&read, "gate lint", &mixed).is_some());
        assert!(objection(&read, "the gates are green", &mixed).is_some());
        assert!(objection(&read, "the gates are green", &phase(&[])).is_some());
    }
}
