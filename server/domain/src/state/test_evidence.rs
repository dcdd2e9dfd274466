//! What is known about the tests of a build whose final gates have passed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    event::test_checks::{MutantsTested, RedCheckFinished, TestChange, TestsCompared},
    gate::{NamedTest, SandboxLevel, TestOutcome},
};

use super::confirmations::Dismissal;

/// The results of the checks of a build's tests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestEvidence {
    /// Where the tests come from.
    pub compared: Option<TestsCompared>,
    /// Runs of gates without the change.
    pub red_checks: Vec<RedCheck>,
    /// Small changes to the new code.
    #[serde(default)]
    pub mutants: Option<MutantsTested>,
    /// Places of weakened tests that users accepted, by number.
    #[serde(default)]
    pub cleared: BTreeMap<u32, Dismissal>,
}

/// A gate's run on an earlier commit, without its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedCheck {
    pub gate: String,
    pub command: String,
    pub base_sha: String,
    pub named_tests: Vec<NamedTest>,
    pub exit_code: Option<i32>,
    pub output_sha256: String,
    pub sandbox: Option<SandboxLevel>,
}

impl RedCheck {
    /// Whether it ran this gate on this commit.
    pub fn is(&self, base_sha: &str, gate: &str) -> bool {
        self.base_sha == base_sha && self.gate == gate
    }

    /// Whether a test passed without the change.
    pub fn passed(&self, test: &str) -> bool {
        let outcomes = self.named_tests.iter().filter(|it| it.name == test);
        outcomes.map(|it| it.outcome).max() == Some(TestOutcome::Passed)
    }
}

impl From<&RedCheckFinished> for RedCheck {
    fn from(event: &RedCheckFinished) -> Self {
        Self {
            gate: event.gate.clone(),
            command: event.command.clone(),
            base_sha: event.base_sha.clone(),
            named_tests: event.named_tests.clone(),
            exit_code: event.exit_code,
            output_sha256: event.output_sha256.clone(),
            sandbox: event.sandbox,
        }
    }
}

impl TestEvidence {
    /// How a test that a criterion of this phase names was changed; `None` before the comparison.
    pub fn change(&self, phase: u32, test: &str) -> Option<&TestChange> {
        let origins = &self.compared.as_ref()?.origins;
        let origin = origins.iter().find(|it| it.phase == phase && it.test == test);
        origin.map(|origin| &origin.change)
    }

    /// The run of a gate on an earlier commit.
    pub fn red_check(&self, base_sha: &str, gate: &str) -> Option<&RedCheck> {
        self.red_checks.iter().find(|check| check.is(base_sha, gate))
    }
}
