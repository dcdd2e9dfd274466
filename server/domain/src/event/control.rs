//! Payloads of users' control over phases, gates and errors, and of what follows from it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    event::life::Actor,
    gate::{GateLog, SandboxLevel, TestCounts},
    ids::BuildErrorId,
};

/// A user requested that the current phase begin again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseRetryRequested {
    pub phase: u32,
    pub by: Actor,
    pub reason: String,
    /// Whether the files are restored to the branch's newest commit.
    pub discard_changes: bool,
}

/// A user requested that the current phase be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseSkipRequested {
    pub phase: u32,
    pub by: Actor,
    pub reason: String,
}

/// The current phase begins again: without conversation, plan, rounds and attempts to fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseRestarted {
    pub phase: u32,
    pub by: Actor,
    pub reason: String,
    /// The git reference with the changes that were discarded; `None` if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
}

/// The current phase is left out of the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseSkipped {
    pub phase: u32,
    pub by: Actor,
    pub reason: String,
    /// The git reference with the changes that were discarded; `None` if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
}

/// A user requested that the gates of the current phase run now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GatesRequested {
    pub by: Actor,
}

/// A gate that a user requested finished on the files as they are. It proves nothing and counts for
/// no round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestedGateFinished {
    pub gate: String,
    /// Empty for a built-in gate.
    pub command: String,
    pub phase: u32,
    pub required: bool,
    pub passed: bool,
    /// `None` for a built-in gate, and for a command that was ended by a signal.
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    /// Possibly truncated.
    pub output: String,
    /// SHA-256 of the complete output, in hex.
    pub output_sha256: String,
    /// The git tree of the files; `None` if the gate could not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_sha: Option<String>,
    /// `None` for a built-in gate.
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

/// A user requested that a paused or blocked build continue with an attempt to fix an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorFixRequested {
    pub error_id: BuildErrorId,
    pub by: Actor,
}
