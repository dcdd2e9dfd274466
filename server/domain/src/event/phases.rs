//! Payloads about phases, plans and rounds, and plain log lines.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Work on a phase started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseStarted {
    /// Its number in the phases contract.
    pub phase: u32,
    pub title: String,
    /// Whether a scout explores the project before the coder plans. Older versions always did.
    #[serde(default = "always")]
    pub explores: bool,
}

fn always() -> bool {
    true
}

/// The coder's complete plan for a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanUpdated {
    pub phase: u32,
    pub steps: Vec<String>,
    /// The gates that the plan expects to pass.
    pub gates: Vec<String>,
}

/// A step of the plan is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskDone {
    pub phase: u32,
    /// The step's number, from 1.
    pub task: u32,
}

/// A step of the plan will not be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskDropped {
    pub phase: u32,
    /// The step's number, from 1.
    pub task: u32,
    /// Written by the coder.
    pub reason: String,
}

/// The coder declares that there is nothing to do in a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseAlreadyDone {
    pub phase: u32,
    /// Written by the coder.
    pub reason: String,
}

/// Which deliverables are shown by the branch that is to be sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliverablesChecked {
    /// The commit at which paths were looked up.
    pub head_sha: String,
    /// Every deliverable of the build.
    pub deliverables: Vec<CheckedDeliverable>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CheckedDeliverable {
    pub phase: u32,
    /// From 1 within the phase.
    pub index: u32,
    pub result: DeliverableResult,
    /// The path that shows it, or that is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeliverableResult {
    /// The path exists, or the build has changed it.
    Shown,
    /// The deliverable names a path that neither exists nor was changed.
    Missing,
    /// Neither the deliverable nor the auditor names such a path.
    Unknown,
}

/// A phase is signed off, committed and pushed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseComplete {
    pub phase: u32,
    /// As listed in the phases contract.
    pub deliverables: Vec<String>,
}

/// The tools that an agent may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Only tools that read.
    Plan,
    /// All tools of its role.
    Execute,
}

/// The coder's mode changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModeSwitched {
    pub phase: u32,
    pub mode: Mode,
    pub why: String,
}

/// A round started: execute or fix, then gates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IterationStarted {
    pub phase: u32,
    /// From 1 within the phase.
    pub n: u32,
}

/// A round ended with its gates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IterationFinished {
    pub phase: u32,
    pub n: u32,
    /// Whether all required gates passed.
    pub passed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Info,
    Warning,
    /// Also recorded as a build error.
    Error,
}

/// A log line for users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLine {
    pub level: LogLevel,
    /// The component that logged it.
    pub source: String,
    pub message: String,
}
