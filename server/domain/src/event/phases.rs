//! Payloads about phases, plans and rounds, and plain log lines.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Work on a phase began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseStarted {
    /// Its number in the phases contract.
    pub phase: u32,
    /// Its title.
    pub title: String,
}

/// The coder's plan for a phase, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanUpdated {
    /// The phase.
    pub phase: u32,
    /// Its steps, in order.
    pub steps: Vec<String>,
    /// The gates that the plan expects to pass.
    pub gates: Vec<String>,
}

/// A step of the plan is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TaskDone {
    /// The phase.
    pub phase: u32,
    /// The step's number, from 1.
    pub task: u32,
}

/// A phase is signed off, committed and pushed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PhaseComplete {
    /// The phase.
    pub phase: u32,
    /// What the phases contract asked for.
    pub deliverables: Vec<String>,
}

/// What the agent may do.
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
    /// The phase.
    pub phase: u32,
    /// From now on.
    pub mode: Mode,
    /// In plain words.
    pub why: String,
}

/// A round of execute or fix, then gates, began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IterationStarted {
    /// The phase.
    pub phase: u32,
    /// From 1 within the phase.
    pub n: u32,
}

/// A round ended with its gates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IterationFinished {
    /// The phase.
    pub phase: u32,
    /// Which round.
    pub n: u32,
    /// Whether all required gates passed.
    pub passed: bool,
}

/// How loud a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// For the record.
    Info,
    /// Worth a look.
    Warning,
    /// Something failed; it is tracked as a build error too.
    Error,
}

/// A line for people to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogLine {
    /// How loud.
    pub level: LogLevel,
    /// The part of ForgeGuard that says it.
    pub source: String,
    /// In plain words.
    pub message: String,
}
