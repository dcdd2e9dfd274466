//! Payloads about the gates' run on the baseline, before the first phase.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::{GateLog, SandboxLevel, TestCounts};

/// Gates started on a clean checkout of the baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PreflightStarted {
    pub baseline_sha: String,
    pub gates: Vec<String>,
}

/// A gate finished on a clean checkout of the baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PreflightFinished {
    pub gate: String,
    pub command: String,
    /// Whether a phase cannot complete unless it passes.
    pub required: bool,
    pub passed: bool,
    /// `None` for a command that was ended by a signal.
    pub exit_code: Option<i32>,
    /// The program that the command needs and that is not installed: the build waits for a user if
    /// the gate is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_program: Option<String>,
    pub duration_ms: u64,
    /// Possibly truncated.
    pub output: String,
    /// SHA-256 of the complete output, in hex.
    pub output_sha256: String,
    pub baseline_sha: String,
    /// The git tree of the baseline.
    pub tree_sha: String,
    pub sandbox: Option<SandboxLevel>,
    /// The tests that it ran; `None` where no test runner was recognised in its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCounts>,
    /// Names of the first failed tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_tests: Vec<String>,
    /// The complete output, if it is stored separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Box<GateLog>>,
}
