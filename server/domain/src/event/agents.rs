//! Payloads about agents: their turns, tool calls, reads and changes.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    audited_weakening::{AuditedWeakening, ClearedWeakening},
    contract::{ContractSource, ContractType},
    errors::Severity,
    executor::Executor,
    failure::ErrorClass,
    finding_id::FindingId,
    ids::RunId,
    stop_code::StopCode,
};

/// The role of an agent within a build.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Explores before a phase; changes nothing.
    Scout,
    /// Plans and implements.
    Coder,
    /// Compares the result with the contracts; changes nothing.
    Auditor,
    /// Fixes what a gate or the auditor rejected.
    Fixer,
}

impl Role {
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

/// The task of an agent's run.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    Scout,
    /// Write the plan.
    Plan,
    /// Implement the plan.
    Execute,
    /// Audit the result.
    Audit,
    /// Fix what was rejected.
    Fix,
}

impl Task {
    pub fn role(self) -> Role {
        match self {
            Self::Scout => Role::Scout,
            Self::Plan | Self::Execute => Role::Coder,
            Self::Audit => Role::Auditor,
            Self::Fix => Role::Fixer,
        }
    }

    /// What performs a run of this role for it, in a build with this executor. External agents and
    /// users do the coder's work, except for its plans. What a user writes, only a user fixes.
    pub fn performed_by(self, role: Role, executor: Executor) -> Executor {
        match (role, self) {
            (Role::Coder, Self::Execute | Self::Fix) => executor,
            (Role::Fixer, Self::Fix) if executor == Executor::OwnEditor => executor,
            _ => Executor::Builtin,
        }
    }
}

/// An agent's run started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentStarted {
    pub run_id: RunId,
    pub role: Role,
    pub task: Task,
    pub phase: u32,
    pub model: String,
    /// For an audit: weakened tests that it can clear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakened_tests: Vec<AuditedWeakening>,
    /// The run whose conversation it continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<RunId>,
    /// What performs the run; the built-in agent in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Executor::is_builtin")]
    pub executor: Executor,
}

/// A model replied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentTurn {
    pub run_id: RunId,
    /// The text of the reply.
    pub text: String,
    /// Input tokens, without cache reads.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Millionths of a US dollar.
    pub cost_usd_micros: u64,
    /// Interjections up to this event were in its context.
    pub interjections_seen: u64,
    /// The version of the owner's notes in its context; 0 if there were none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub notes_version: u32,
    /// Why the reply is incomplete; `None` if it is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CutShort>,
}

fn is_zero(version: &u32) -> bool {
    *version == 0
}

/// Why a model's reply is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CutShort {
    /// It reached the length limit.
    Length,
    /// The model declined.
    Refusal,
    /// The provider interrupted a long turn, which continues with the next request.
    Paused,
}

/// A tool call started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolCallStarted {
    pub run_id: RunId,
    /// Unique within the run.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    pub input: Value,
}

/// A tool call finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolCallFinished {
    pub run_id: RunId,
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    pub ok: bool,
    /// The output returned to the agent, possibly truncated.
    pub output: String,
    pub duration_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileOperation {
    Created,
    Modified,
    Deleted,
}

/// A tool changed a file in the worktree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileChanged {
    pub run_id: RunId,
    /// Relative to the worktree.
    pub path: String,
    pub operation: FileOperation,
    pub insertions: u32,
    pub deletions: u32,
}

/// An agent read a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContractRead {
    pub run_id: RunId,
    pub role: Role,
    pub contract: ContractType,
    pub version: u32,
    pub source: ContractSource,
}

/// The context of a run was compacted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextCompacted {
    pub run_id: RunId,
    /// Tokens before.
    pub before: u64,
    /// Tokens after.
    pub after: u64,
    /// Contracts read so far, which can be read again.
    pub contracts_read: Vec<ContractType>,
}

/// A finding of an auditor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// Stable within the build. Journals of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "F-1")]
    pub id: Option<FindingId>,
    pub severity: Severity,
    /// `path:line`, if it has one.
    pub place: Option<String>,
    /// The clause that is violated, such as `boundaries.layers`.
    pub clause: Option<String>,
    pub text: String,
}

impl fmt::Display for Finding {
    /// With its place and clause, without its id.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        if let Some(clause) = &self.clause {
            write!(f, "[{clause}] ")?;
        }
        f.write_str(&self.text)
    }
}

/// What became of a finding of an earlier audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    Fixed,
    StillPresent,
}

/// The auditor's answer about a finding of an earlier audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingAnswer {
    #[schema(value_type = String, example = "F-1")]
    pub id: FindingId,
    /// `fixed` only if every citation of the evidence was checked.
    pub status: FindingStatus,
    pub evidence: String,
}

impl FindingAnswer {
    /// Whether it closes the finding with this id.
    pub fn closes(&self, id: FindingId) -> bool {
        self.id == id && self.status == FindingStatus::Fixed
    }
}

/// The auditor's statement about a deliverable of the phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliverableJudgement {
    /// From 1 within the phase.
    pub index: u32,
    /// The path that shows it; `None` if it is missing.
    pub shown_by: Option<String>,
}

/// How an agent's run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum RunOutcome {
    Completed,
    /// The agent stopped, for a reason of the protocol.
    Stopped {
        code: StopCode,
        /// The agent's explanation.
        text: String,
    },
    /// The same call was repeated with the same result.
    DoomLoop {
        /// The tool's name.
        tool: String,
    },
    Failed {
        error_class: ErrorClass,
        message: String,
        /// Seconds that the model's provider asked to wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after_s: Option<u32>,
    },
}

/// An agent's run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentFinished {
    pub run_id: RunId,
    pub outcome: RunOutcome,
    /// The last message: a dossier, a plan, a sign-off, a summary of a fix.
    pub summary: String,
    /// An auditor's new findings; empty for other roles.
    pub findings: Vec<Finding>,
    /// An auditor's answers about findings of earlier audits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_findings: Vec<FindingAnswer>,
    /// An auditor's statements about deliverables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deliverables: Vec<DeliverableJudgement>,
    /// Weakened tests that an auditor found to be justified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cleared_weakenings: Vec<ClearedWeakening>,
    /// Whether an auditor signed off; `false` for other roles.
    pub signed_off: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn external_agents_implement_and_the_built_in_agent_plans_and_audits() {
        let external = Executor::ClaudeCode;
        assert_eq!(Task::Execute.performed_by(Role::Coder, external), external);
        assert_eq!(Task::Fix.performed_by(Role::Coder, external), external);
        for (role, task) in [
            (Role::Scout, Task::Scout),
            (Role::Coder, Task::Plan),
            (Role::Auditor, Task::Audit),
            (Role::Fixer, Task::Fix),
        ] {
            assert_eq!(task.performed_by(role, external), Executor::Builtin);
        }
        let own = Executor::OwnEditor;
        assert_eq!(Task::Fix.performed_by(Role::Fixer, own), own);
        assert_eq!(Task::Audit.performed_by(Role::Auditor, own), Executor::Builtin);
    }
}
