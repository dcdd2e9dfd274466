//! Payloads about agents: their turns, their tool calls, what they read and changed.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    contract::{ContractSource, ContractType},
    errors::Severity,
    failure::ErrorClass,
    ids::RunId,
    stop_code::StopCode,
};

/// Who an agent is within a build.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Looks around before a phase; changes nothing.
    Scout,
    /// Plans and writes.
    Coder,
    /// Reads the result against the contracts; changes nothing.
    Auditor,
    /// Mends what a gate or the auditor refused.
    Fixer,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 4] = [Self::Scout, Self::Coder, Self::Auditor, Self::Fixer];

    /// The name shown and stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scout => "scout",
            Self::Coder => "coder",
            Self::Auditor => "auditor",
            Self::Fixer => "fixer",
        }
    }
}

/// What a run of an agent is for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Look around.
    Scout,
    /// Write the plan.
    Plan,
    /// Carry out the plan.
    Execute,
    /// Read the result.
    Audit,
    /// Mend it.
    Fix,
}

impl Task {
    /// The role that does this.
    pub fn role(self) -> Role {
        match self {
            Self::Scout => Role::Scout,
            Self::Plan | Self::Execute => Role::Coder,
            Self::Audit => Role::Auditor,
            Self::Fix => Role::Fixer,
        }
    }
}

/// An agent began a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentStarted {
    /// This run.
    pub run_id: RunId,
    /// Who.
    pub role: Role,
    /// What for.
    pub task: Task,
    /// The phase it works on.
    pub phase: u32,
    /// The model's name.
    pub model: String,
}

/// A model answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentTurn {
    /// The run.
    pub run_id: RunId,
    /// What it said.
    pub text: String,
    /// Tokens sent, without cache reads.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Millionths of a US dollar.
    pub cost_usd_micros: u64,
    /// Interjections up to this event were in its context.
    pub interjections_seen: u64,
    /// The version of the owner's notes that was in its context; 0 where there were none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub notes_version: u32,
    /// Why it did not say all; `None` where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CutShort>,
}

fn is_zero(version: &u32) -> bool {
    *version == 0
}

/// Why a model stopped before it had said all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CutShort {
    /// Its reply reached the length limit.
    Length,
    /// It declined.
    Refusal,
}

/// An agent asked for a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolCallStarted {
    /// The run.
    pub run_id: RunId,
    /// The call, unique within the run.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// What it was given.
    pub input: Value,
}

/// A tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolCallFinished {
    /// The run.
    pub run_id: RunId,
    /// The call.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// Whether it did what was asked.
    pub ok: bool,
    /// What the agent was told, perhaps cut.
    pub output: String,
    /// How long it took.
    pub duration_ms: u64,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileOperation {
    /// It is new.
    Created,
    /// It has other content.
    Modified,
    /// It is gone.
    Deleted,
}

/// A tool changed a file in the worktree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileChanged {
    /// The run.
    pub run_id: RunId,
    /// Relative to the worktree.
    pub path: String,
    /// What happened.
    pub operation: FileOperation,
    /// Lines added.
    pub insertions: u32,
    /// Lines removed.
    pub deletions: u32,
}

/// An agent read a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContractRead {
    /// The run.
    pub run_id: RunId,
    /// Who.
    pub role: Role,
    /// Which.
    pub contract: ContractType,
    /// Its version.
    pub version: u32,
    /// Where the text came from.
    pub source: ContractSource,
}

/// A long conversation was shortened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextCompacted {
    /// The run.
    pub run_id: RunId,
    /// Tokens before.
    pub before: u64,
    /// Tokens after.
    pub after: u64,
    /// Contracts read so far, which can be fetched again.
    pub contracts_read: Vec<ContractType>,
}

/// Something that an auditor holds against the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// How grave.
    pub severity: Severity,
    /// `path:line`, where it can be named.
    pub place: Option<String>,
    /// The clause it cites, such as `boundaries.layers`.
    pub clause: Option<String>,
    /// In plain words.
    pub text: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum RunOutcome {
    /// It did its task.
    Completed,
    /// It stopped itself, for a reason of the protocol.
    Stopped {
        /// Which.
        code: StopCode,
        /// Its words.
        text: String,
    },
    /// The same call came again and again with the same result.
    DoomLoop {
        /// The tool.
        tool: String,
    },
    /// It could not go on.
    Failed {
        /// What kind of failure.
        error_class: ErrorClass,
        /// In plain words.
        message: String,
        /// Seconds that the model's provider asked to wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_s: Option<u32>,
    },
}

/// An agent's run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentFinished {
    /// The run.
    pub run_id: RunId,
    /// How.
    pub outcome: RunOutcome,
    /// The last thing it said: a dossier, a plan, a sign-off, a fix summary.
    pub summary: String,
    /// What an auditor found; empty for the others.
    pub findings: Vec<Finding>,
    /// Whether an auditor signed off; `false` for the others.
    pub signed_off: bool,
}
