//! Results of gates outside the rounds of a phase: on the baseline, and runs that ended for lack of
//! memory or disk.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    event::{gates::GateOutOfResources, preflight::PreflightFinished},
    gate::TestCounts,
    gate_failure::Resource,
};

/// A gate's result on the commit that the build starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BaselineResult {
    pub required: bool,
    pub passed: bool,
    pub command: String,
    /// `None` for a command that was ended by a signal.
    #[schema(required)]
    pub exit_code: Option<i32>,
    /// The program that the command needs and that is not installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_program: Option<String>,
    /// The tests that it ran, where a test runner was recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCounts>,
}

impl BaselineResult {
    /// Whether the build cannot begin before a user has installed a program.
    pub fn blocks(&self) -> bool {
        self.required && self.missing_program.is_some()
    }

    /// What was observed, in a few words.
    pub fn summary(&self) -> String {
        match (&self.missing_program, self.tests, self.exit_code) {
            (Some(program), _, _) => format!("`{program}` is not installed"),
            (None, Some(tests), _) if tests.failed > 0 => {
                format!("{} of {} tests failed", tests.failed, tests.executed())
            }
            (None, _, Some(code)) => format!("exit code {code}"),
            (None, _, None) => "it was stopped".to_owned(),
        }
    }
}

impl From<&PreflightFinished> for BaselineResult {
    fn from(event: &PreflightFinished) -> Self {
        Self {
            required: event.required,
            passed: event.passed,
            command: event.command.clone(),
            exit_code: event.exit_code,
            missing_program: event.missing_program.clone(),
            tests: event.tests,
        }
    }
}

/// A run of a gate that ended for lack of memory or disk and has to be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExhaustedGate {
    pub gate: String,
    pub command: String,
    pub resource: Resource,
    /// Retries so far.
    pub retries: u32,
    /// Whether the wait is over and the gate is to run again.
    pub is_repeating: bool,
}

impl ExhaustedGate {
    /// After another run; `before` is the failure that was not yet overcome.
    pub fn next(before: Option<&Self>, event: &GateOutOfResources) -> Self {
        Self {
            gate: event.gate.clone(),
            command: event.command.clone(),
            resource: event.resource,
            retries: before.map_or(0, |before| before.retries),
            is_repeating: false,
        }
    }
}
