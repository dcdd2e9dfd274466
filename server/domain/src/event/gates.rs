//! Payloads about gates, pass criteria, fixes, retries and errors.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    detection::ProposedGate,
    errors::{ErrorRecord, ResolutionMethod},
    event::life::Actor,
    failure::ErrorClass,
    gate::{
        GateChange, GateDefinition, GateDetection, GateLog, NamedTest, SandboxLevel, TestCounts,
        TestNames,
    },
    gate_failure::Resource,
    ids::BuildErrorId,
};

/// A gate started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GateStarted {
    pub gate: String,
    /// Empty for a built-in gate.
    pub command: String,
    /// `None` for the final gates.
    pub phase: Option<u32>,
    /// The git tree that it checks. Journals of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_sha: Option<String>,
}

/// A gate finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GateFinished {
    pub gate: String,
    /// Empty for a built-in gate.
    pub command: String,
    /// `None` for the final gates.
    pub phase: Option<u32>,
    /// Whether the phase cannot complete unless it passes.
    pub required: bool,
    pub passed: bool,
    /// `None` for a built-in gate, and for a command that was ended by a signal.
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    /// Possibly truncated.
    pub output: String,
    /// SHA-256 of the complete output, in hex.
    pub output_sha256: String,
    /// The branch's newest commit at that time. A final gate runs on a clean checkout of it.
    pub head_sha: String,
    /// The git tree that it checked: for a final gate the tree of `head_sha`, for a gate of a phase
    /// the tree that the phase commits. Journals of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_sha: Option<String>,
    /// `None` for a built-in gate.
    pub sandbox: Option<SandboxLevel>,
    /// The tests that it ran; `None` where no test runner was recognised in its output. Journals of
    /// older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestCounts>,
    /// The tests that exit criteria name, if they ran or were skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named_tests: Vec<NamedTest>,
    /// Names of the first failed tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_tests: Vec<String>,
    /// The names of all tests, of a final gate only. Journals of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_names: Option<Box<TestNames>>,
    /// The complete output, if it is stored separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Box<GateLog>>,
}

/// The project's gates were changed while the build was paused or blocked; it continues with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GatesChanged {
    /// Who resumed the build.
    pub by: Actor,
    /// The project's gates, or those that its repository suggests.
    pub gates: Vec<GateDefinition>,
    /// As in `build_queued`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detection: Option<Box<GateDetection>>,
    /// At least one; follows from the build's gates before and after.
    pub changes: Vec<GateChange>,
}

/// A gate ran out of memory or disk: it has no result and runs again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GateOutOfResources {
    pub gate: String,
    pub command: String,
    /// `None` for a run on the baseline, and for the final gates.
    pub phase: Option<u32>,
    pub resource: Resource,
    /// `None` for a command that was ended by a signal.
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    /// Possibly truncated.
    pub output: String,
    /// SHA-256 of the complete output, in hex.
    pub output_sha256: String,
    pub sandbox: Option<SandboxLevel>,
    /// The complete output, if it is stored separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Box<GateLog>>,
}

/// Gates were detected in the files that the build has made so far. From now on they run, and
/// replace gates of the same name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GatesDetected {
    /// `None` before the final gates.
    pub phase: Option<u32>,
    /// The git tree in which they were detected.
    pub tree_sha: String,
    pub gates: Vec<ProposedGate>,
}

/// The result of a pass criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CriterionResult {
    Passed,
    Failed,
    /// It could not be checked.
    Unverified,
}

impl CriterionResult {
    /// The name shown and stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Unverified => "unverified",
        }
    }
}

/// A pass criterion was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CriterionChecked {
    pub phase: u32,
    /// From 1 within the phase.
    pub index: u32,
    pub text: String,
    pub result: CriterionResult,
    /// A command and its exit code, or `path:line`.
    pub evidence: String,
}

/// An attempt to fix started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FixAttemptStarted {
    pub phase: u32,
    /// From 1 within the phase.
    pub attempt: u32,
    /// What is to be fixed: gate names, or `audit`.
    pub causes: Vec<String>,
}

/// The gates checked a fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FixAttemptResult {
    pub phase: u32,
    pub attempt: u32,
    /// Whether all causes of the attempt now pass.
    pub passed: bool,
    /// Written by the fixer.
    pub fix_summary: String,
    /// Whether the attempt changed no file, so that no gate had to run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
}

/// A failed step will be retried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RetryScheduled {
    pub error_class: ErrorClass,
    /// From 1.
    pub attempt: u32,
    /// For this class.
    pub max_attempts: u32,
    pub retry_at: DateTime<Utc>,
}

/// An error occurred, for the first time or again. Contains the complete record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorTracked {
    /// The record after this occurrence.
    #[serde(flatten)]
    pub record: ErrorRecord,
}

/// A user reopened an error that was dismissed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorReopened {
    pub error_id: BuildErrorId,
}

/// An error was resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorResolved {
    pub error_id: BuildErrorId,
    pub method: ResolutionMethod,
    /// The reason of a user who dismissed it; `None` for dismissals in journals of older versions.
    pub summary: Option<String>,
    /// The user who dismissed it. Journals of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Actor>,
}
