//! Payloads of a build's lifecycle and of users' commands.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    audit::AuditHead,
    budget::{BudgetAdded, Budgets, Exhausted},
    contract::PinnedContract,
    failure::RetryWaits,
    follow_up::{Follows, Requests},
    gate::{GateDefinition, GateDetection, SandboxLevel},
    ids::{SnapshotId, UserId},
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

/// What performs the work of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Executor {
    /// ForgeGuard's own agent loop.
    Builtin,
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

/// A build was queued, with everything that is fixed for its duration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Queued {
    pub origin: Origin,
    /// The pinned contracts.
    pub snapshot_batch: SnapshotId,
    pub executor: Executor,
    pub budgets: Budgets,
    pub started_by: UserId,
    /// The phases of the pinned phases contract, in order.
    pub phases: Vec<PhaseOutline>,
    /// The requirements of the pinned blueprint; none for a follow-up, and in journals of earlier
    /// versions. In the state of a build, with the changes that users made by their answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<Requirement>,
    /// The project's gates at that time, or those that its repository suggested.
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
    pub requests: Option<Requests>,
    /// The contracts in the snapshot, by digest; `None` in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contracts: Option<Box<[PinnedContract]>>,
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
    /// `forge/build-<id>`.
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
    /// The new expiry of the open question: the pause does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_expires_at: Option<DateTime<Utc>>,
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
