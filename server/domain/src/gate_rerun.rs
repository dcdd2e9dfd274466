//! Runs of the gates of a sealed build for a reviewer. They are stored beside the seal and do not
//! change it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    gate::{SandboxLevel, TestCounts},
    gate_failure::Resource,
};

/// How far a run is in its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RerunStatus {
    Queued,
    Claimed,
    Done,
}

/// The result of a gate that ran again on the sealed commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RerunGate {
    pub gate: String,
    pub command: String,
    pub required: bool,
    pub passed: bool,
    /// Whether it passed before the seal.
    pub passed_at_seal: bool,
    /// What it ran out of, which is no verdict on the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_of: Option<Resource>,
    /// `None` for a command that was ended by a signal.
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    /// The beginning and the end, if it is long.
    pub output: String,
    /// SHA-256 of the complete output, in hex.
    pub output_sha256: String,
    pub sandbox: Option<SandboxLevel>,
    /// The tests that it ran; `None` where no test runner was recognised in its output.
    pub tests: Option<TestCounts>,
    /// Names of the first failed tests.
    pub failed_tests: Vec<String>,
}
