//! The checks of the tests between the final gates and the seal.

use crate::{
    criterion::ProofType,
    event::test_checks::TestChange,
    gate::TestOutcome,
    state::{BuildState, GateResult},
};

/// A check of the tests that remains to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestCheck {
    Compare,
    Red { base_sha: String, gate: String },
    Mutants,
}

impl BuildState {
    /// The next check of the tests; `None` if nothing remains to be checked. Tests are checked only
    /// if the required gates pass, as the build cannot be certified otherwise.
    pub fn next_test_check(&self) -> Option<TestCheck> {
        if self.final_gates.values().any(|gate| gate.required && !gate.passed) {
            return None;
        }
        if self.test_evidence.compared.is_none() {
            return Some(TestCheck::Compare);
        }
        let mut due = self.tests_to_prove().filter_map(|(phase, test)| self.red_check(phase, test));
        let red = due
            .find(|(base_sha, gate)| self.test_evidence.red_check(base_sha, gate).is_none())
            .map(|(base_sha, gate)| TestCheck::Red {
                base_sha: base_sha.into(),
                gate: gate.into(),
            });
        let is_sampled = self.queued.test_checks.mutation_sample.is_none()
            || self.test_evidence.mutants.is_some();
        red.or_else(|| (!is_sampled).then_some(TestCheck::Mutants))
    }

    /// The tests that exit criteria name, each with its phase.
    pub fn tests_to_prove(&self) -> impl Iterator<Item = (u32, &String)> {
        self.phases.iter().flat_map(|phase| {
            let criteria = phase.outline.exit_criteria.iter();
            let names = criteria.filter_map(|criterion| match &criterion.proof {
                ProofType::Test { names } => Some(names),
                _ => None,
            });
            names.flatten().map(|name| (phase.outline.number, name))
        })
    }

    /// The commit and the gate of the run that must fail a test.
    pub fn red_check(&self, phase: u32, test: &str) -> Option<(&str, &str)> {
        if !self.queued.test_checks.red_check {
            return None;
        }
        match self.test_evidence.change(phase, test)? {
            TestChange::Changed { base_sha, .. } => {
                let (gate, _) = self.gate_that_passed(test)?;
                Some((base_sha, gate))
            }
            TestChange::Unchanged | TestChange::Inline { .. } => None,
        }
    }

    /// The required final gate in which a named test passed.
    pub fn gate_that_passed(&self, test: &str) -> Option<(&String, &GateResult)> {
        self.final_gates.iter().find(|(_, gate)| {
            let outcomes = gate.named_tests.iter().filter(|it| it.name == test);
            gate.required
                && gate.passed
                && outcomes.map(|it| it.outcome).max() == Some(TestOutcome::Passed)
        })
    }
}
