//! Payloads about gates, pass criteria, fixes, retries and errors.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    errors::{ErrorRecord, ResolutionMethod},
    failure::ErrorClass,
    gate::SandboxLevel,
    ids::BuildErrorId,
};

/// A gate began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GateStarted {
    /// Its name.
    pub gate: String,
    /// What runs; empty for a built-in gate.
    pub command: String,
    /// The phase, or `None` for the final gates.
    pub phase: Option<u32>,
}

/// A gate ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GateFinished {
    /// Its name.
    pub gate: String,
    /// What ran; empty for a built-in gate.
    pub command: String,
    /// The phase, or `None` for the final gates.
    pub phase: Option<u32>,
    /// Whether it must pass.
    pub required: bool,
    /// Whether it passed.
    pub passed: bool,
    /// `None` for a built-in gate and for a command that a signal ended.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: u64,
    /// What it printed, perhaps cut.
    pub output: String,
    /// Hash of all that it printed, in hex.
    pub output_sha256: String,
    /// The branch's newest commit at that time.
    pub head_sha: String,
    /// How it was confined; `None` for a built-in gate.
    pub sandbox: Option<SandboxLevel>,
}

/// Whether a pass criterion holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CriterionResult {
    /// It holds.
    Passed,
    /// It does not.
    Failed,
    /// Nobody could tell.
    Unverified,
}

/// A pass criterion was judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CriterionChecked {
    /// The phase.
    pub phase: u32,
    /// From 1 within the phase.
    pub index: u32,
    /// The criterion's words.
    pub text: String,
    /// The judgement.
    pub result: CriterionResult,
    /// What it rests on: a command and its exit code, or `path:line`.
    pub evidence: String,
}

/// The fixer is about to try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FixAttemptStarted {
    /// The phase.
    pub phase: u32,
    /// From 1 within the phase.
    pub attempt: u32,
    /// What is to be fixed: gate names, or `audit`.
    pub causes: Vec<String>,
}

/// The gates have judged a fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FixAttemptResult {
    /// The phase.
    pub phase: u32,
    /// Which attempt.
    pub attempt: u32,
    /// Whether everything it was to fix now passes.
    pub passed: bool,
    /// The fixer's own words.
    pub fix_summary: String,
}

/// A failed step will be tried again later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RetryScheduled {
    /// What kind of failure.
    pub error_class: ErrorClass,
    /// Which retry, from 1.
    pub attempt: u32,
    /// How many there are for this class.
    pub max_attempts: u32,
    /// When.
    pub retry_at: DateTime<Utc>,
}

/// An error was seen, for the first time or again. The record is whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorTracked {
    /// As it stands now.
    #[serde(flatten)]
    pub record: ErrorRecord,
}

/// A person took back that they had dismissed an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorReopened {
    /// Which.
    pub error_id: BuildErrorId,
}

/// An error is settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorResolved {
    /// Which.
    pub error_id: BuildErrorId,
    /// How.
    pub method: ResolutionMethod,
    /// A note for people; `None` when a person dismissed it.
    pub summary: Option<String>,
}
