//! Payloads of a build's lifecycle and of users' commands.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    audit::AuditHead,
    budget::{BudgetAdded, Budgets, Exhausted},
    contract::PinnedContract,
    estimate::BuildEstimate,
    event::agents::Role,
    executor::{Executor, PhaseExecutor},
    failure::RetryWaits,
    follow_up::{Follows, Requests},
    gate::{GateDefinition, GateDetection, SandboxLevel},
    ids::{ClarificationId, SnapshotId, UserId},
    permission::Rule,
    phases::PhaseOutline,
    requirements::Requirement,
    test_checks::TestChecks,
    verdict::{Evidence, Verdict},
};

/// Who caused an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Actor {
    Forge,
    /// A user, by id and by name at that time.
    User {
        id: UserId,
        name: String,
    },
}

impl Actor {
    pub fn name(&self) -> &str {
        match self {
            Self::Forge => "ForgeGuard",
            Self::User { name, .. } => name,
        }
    }
}

/// The origin of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Created in the app.
    Questionnaire,
    /// The bundled demo.
    Demo,
}

/// Whether a scout explores the repository before a phase is planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exploration {
    /// Before the first phase, if the repository has many files.
    #[default]
    Auto,
    /// Before each phase.
    Always,
    Never,
}

/// Which plans a user approves before they are carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanApproval {
    #[default]
    Never,
    FirstPhase,
    EveryPhase,
}

/// A build was queued, with everything that is fixed for its duration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Queued {
    pub origin: Origin,
    /// The pinned contracts.
    pub snapshot_batch: SnapshotId,
    /// What performs the coder's work, except in the phases with their own executor.
    pub executor: Executor,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phase_executors: Vec<PhaseExecutor>,
    pub budgets: Budgets,
    pub started_by: UserId,
    /// The phases of the pinned phases contract, in order.
    pub phases: Vec<PhaseOutline>,
    /// The requirements of the pinned blueprint; none for a follow-up, and in journals of earlier
    /// versions. In the state of a build, with the changes that users made by their answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<Requirement>,
    /// The project's gates at that time, or those that its repository suggested. In the state of a
    /// build, those that it was last resumed with.
    pub gates: Vec<GateDefinition>,
    /// Whether the gates were suggested by the repository, because the project had none.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gates_detected: bool,
    /// Whether gates are detected again in what the build makes, and which ones may be replaced by
    /// that; `None` if a person has configured the gates, and in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detection: Option<Box<GateDetection>>,
    /// Whether the gates run on the baseline before the first phase.
    #[serde(default, skip_serializing_if = "is_false")]
    pub preflight: bool,
    /// The project's permission rules at that time.
    #[serde(default)]
    pub permissions: Vec<Rule>,
    /// Seconds that a question waits; `None`: without limit.
    pub clarification_timeout_s: Option<u32>,
    /// How its tests are checked before it is sealed.
    #[serde(default)]
    pub test_checks: TestChecks,
    /// Delays between retries.
    #[serde(default)]
    pub waits: RetryWaits,
    /// The model's display name.
    pub model: String,
    /// The sealed build that this one follows up on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<Box<Follows>>,
    /// The changes that were requested of that build; this one performs nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Box<Requests>>,
    /// The contracts in the snapshot, by digest; `None` in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contracts: Option<Box<[PinnedContract]>>,
    /// The number of the build in its project, from 1; `None` in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// What the build should change, in one line of at most 120 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the build should change, in at most 2,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it would probably use, as estimated at that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Box<BuildEstimate>>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub exploration: Exploration,
    #[serde(default, skip_serializing_if = "is_default")]
    pub plan_approval: PlanApproval,
    /// The branch that the build starts from, unless it is the default branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_branch: Option<String>,
    /// Whether the base branch is compared with the build's branch before the seal, and merged if it
    /// has moved; `false` in journals of earlier versions.
    #[serde(default, skip_serializing_if = "is_false")]
    pub merges_base: bool,
    /// The phase that the build begins with, unless it is the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_phase: Option<Box<FirstPhase>>,
    /// When the contracts were pinned, if the build uses those of an earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned_at: Option<DateTime<Utc>>,
    /// Models for this build only, such as `anthropic/claude-sonnet-5-5`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<Role, String>,
}

impl Queued {
    /// What performs the coder's work in a phase.
    pub fn executor_of(&self, phase: u32) -> Executor {
        let own = self.phase_executors.iter().find(|own| own.phase == phase);
        own.map_or(self.executor, |own| own.executor)
    }
}

/// The phase that a build begins with. Earlier ones are not part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FirstPhase {
    pub number: u32,
    pub by: Actor,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// A worker started the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Started {
    /// The node's name.
    pub node: String,
    /// 1 for the first lease.
    pub attempt: u32,
    /// The commit that the branch starts from.
    pub baseline_sha: String,
    /// Such as `forge/build-3-due-dates`; `forge/build-<id>` in journals of earlier versions.
    pub branch: String,
    pub sandbox: SandboxLevel,
}

/// A worker continued a build that had been started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Resumed {
    /// The node's name.
    pub node: String,
    /// The last event at that time.
    pub from_seq: u64,
    /// Number of the lease.
    pub attempt: u32,
}

/// The system clock jumped: the working time is set to the worker's measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockCorrected {
    /// Milliseconds of work so far, by a monotonic clock.
    pub working_ms: i64,
}

/// The build was paused on request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Paused {
    pub by: Actor,
    pub reason: Option<String>,
}

/// The build continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Unpaused {
    pub by: Actor,
    /// The new expiries of the open questions that expire.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub question_expiries: Vec<QuestionExpiry>,
    /// The same for the only open question, in journals of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_expires_at: Option<DateTime<Utc>>,
}

/// When a question expires after a pause, which does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuestionExpiry {
    pub question_id: ClarificationId,
    pub expires_at: DateTime<Utc>,
}

/// Why a build waits for a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockReason {
    /// The limit of rounds in one phase.
    Iterations,
    /// The time limit.
    Minutes,
    /// The limit of tokens.
    Tokens,
    /// The limit of cost.
    Usd,
    /// The same tool call was repeated.
    DoomLoop,
    /// Three attempts to fix failed.
    FixAttempts,
    /// An agent stopped with a stop code.
    Stopped,
    /// A problem that only a user can fix, such as a missing key.
    Config,
    /// All retries failed.
    Retries,
    /// The worker process ended twice during the same step.
    WorkerEnded,
    /// The base branch has moved, and its changes conflict with those of the build.
    RebaseConflict,
}

impl BlockReason {
    /// The exhausted limit, if that is the reason.
    pub fn limit(self) -> Option<Exhausted> {
        match self {
            Self::Iterations => Some(Exhausted::Iterations),
            Self::Minutes => Some(Exhausted::Minutes),
            Self::Tokens => Some(Exhausted::Tokens),
            Self::Usd => Some(Exhausted::Usd),
            _ => None,
        }
    }

    /// One sentence for users.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Iterations => "It reached its limit of rounds in one phase.",
            Self::Minutes => "It reached its time limit.",
            Self::Tokens => "It reached its token limit.",
            Self::Usd => "It reached its cost limit.",
            Self::DoomLoop => "An agent repeated the same step without progress.",
            Self::FixAttempts => "Several attempts to fix an error failed.",
            Self::Stopped => "An agent stopped because it cannot continue on its own.",
            Self::Config => "The configuration has to be corrected first.",
            Self::Retries => "All retries failed.",
            Self::WorkerEnded => "The worker ended unexpectedly twice during the same step.",
            Self::RebaseConflict => {
                "The branch that it started from has changes that conflict with its own."
            }
        }
    }

    const ALL: [Self; 11] = [
        Self::Iterations,
        Self::Minutes,
        Self::Tokens,
        Self::Usd,
        Self::DoomLoop,
        Self::FixAttempts,
        Self::Stopped,
        Self::Config,
        Self::Retries,
        Self::WorkerEnded,
        Self::RebaseConflict,
    ];

    /// The reason with this stored name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The name shown and stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::Minutes => "minutes",
            Self::Tokens => "tokens",
            Self::Usd => "usd",
            Self::DoomLoop => "doom_loop",
            Self::FixAttempts => "fix_attempts",
            Self::Stopped => "stopped",
            Self::Config => "config",
            Self::Retries => "retries",
            Self::WorkerEnded => "worker_ended",
            Self::RebaseConflict => "rebase_conflict",
        }
    }
}

/// The build is blocked until a user resumes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Blocked {
    pub reason: BlockReason,
    /// The newest failures, oldest first.
    pub last_failures: Vec<String>,
    /// Markdown: what was tried, what failed, and what the user can do.
    pub report: String,
}

/// Why a build is blocked, and what its users can do, in sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BlockExplanation {
    pub why: String,
    pub remedy: String,
}

impl Blocked {
    /// The parts of the report that do not depend on what was tried.
    pub fn explanation(&self) -> Option<BlockExplanation> {
        let (why, rest) = self.report.split_once("**Why:** ")?.1.split_once("\n\n## ")?;
        let (_, remedy) = rest.rsplit_once("## What you can do\n\n")?;
        let owned = |text: &str| text.trim().to_owned();
        Some(BlockExplanation { why: owned(why), remedy: owned(remedy) })
    }
}

/// All phases are complete; the final gates run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sealing {}

/// The build is sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sealed {
    /// Follows from the evidence by fixed rules.
    pub verdict: Verdict,
    /// 0 to 100, for display only.
    pub score: u8,
    /// The last commit of the branch.
    pub seal_commit: String,
    /// The hash that the seal commit contains.
    pub journal_head: String,
    /// The basis of the verdict.
    pub evidence: Evidence,
    /// The audit log at that time; `None` in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_log: Option<AuditHead>,
}

/// The build ended without a seal. Its branch remains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Abandoned {
    pub by: Actor,
    pub reason: Option<String>,
}

/// A user requested a pause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PauseRequested {
    pub by: Actor,
}

/// A user requested that the build continue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResumeRequested {
    pub by: Actor,
    /// Added to the build's limits.
    pub budget_added: Option<BudgetAdded>,
}

/// A user requested that the build end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CancelRequested {
    pub by: Actor,
    pub reason: Option<String>,
}

/// A message to the agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Interjected {
    pub by: Actor,
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explanation_is_the_first_and_the_last_part_of_the_report() {
        let blocked = |report: &str| Blocked {
            reason: BlockReason::Usd,
            last_failures: Vec::new(),
            report: report.to_owned(),
        };
        let report = "# The build is stuck\n\n**Why:** No money.\n\n## What was tried\n\n- All\n\n\
            ## What you can do\n\nAdd some.\n";
        let expected =
            BlockExplanation { why: "No money.".to_owned(), remedy: "Add some.".to_owned() };
        assert_eq!(blocked(report).explanation(), Some(expected));
        assert_eq!(blocked("").explanation(), None);
        for reason in BlockReason::ALL {
            assert_eq!(BlockReason::from_name(reason.name()), Some(reason));
        }
    }
}
