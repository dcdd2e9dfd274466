//! Payloads of a build's life and of the commands people give it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    budget::{BudgetAdded, Budgets},
    failure::RetryWaits,
    follow_up::{Follows, Requests},
    gate::{GateDefinition, SandboxLevel},
    ids::{SnapshotId, UserId},
    permission::Rule,
    phases::PhaseOutline,
    verdict::{Evidence, Verdict},
};

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Actor {
    /// ForgeGuard itself.
    Forge,
    /// A person with an account.
    User {
        /// Their id.
        id: UserId,
        /// Their name at that time.
        name: String,
    },
}

/// What carries out the work of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Executor {
    /// ForgeGuard's own agent loop.
    Builtin,
}

/// Where a project comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Somebody described it.
    Questionnaire,
    /// The bundled example.
    Demo,
}

/// The build was asked for, with all that it is bound to from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Queued {
    /// Where the project comes from.
    pub origin: Origin,
    /// The frozen contracts.
    pub snapshot_batch: SnapshotId,
    /// What carries it out.
    pub executor: Executor,
    /// What it may spend.
    pub budgets: Budgets,
    /// Who asked.
    pub started_by: UserId,
    /// The phases of the pinned phases contract, in order.
    pub phases: Vec<PhaseOutline>,
    /// The project's own gates at that time, or those that its repository suggested.
    pub gates: Vec<GateDefinition>,
    /// The gates were suggested by the repository: the project had none of its own.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gates_detected: bool,
    /// The project's own rules about what agents may do, at that time.
    #[serde(default)]
    pub permissions: Vec<Rule>,
    /// Seconds that a question waits; `None` waits for ever.
    pub clarification_timeout_s: Option<u32>,
    /// When what failed is tried again.
    #[serde(default)]
    pub waits: RetryWaits,
    /// The model's name, for people to read.
    pub model: String,
    /// The sealed build that it goes on from, where it follows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<Follows>,
    /// What was requested of that one: all that this build is to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Requests>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// A worker began the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Started {
    /// The node's name.
    pub node: String,
    /// 1 for the first lease.
    pub attempt: u32,
    /// The commit it builds upon.
    pub baseline_sha: String,
    /// `forge/build-<id>`.
    pub branch: String,
    /// How agents' commands are confined.
    pub sandbox: SandboxLevel,
}

/// A worker took up a build that had begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Resumed {
    /// The node's name.
    pub node: String,
    /// The last event it found.
    pub from_seq: u64,
    /// Number of the lease.
    pub attempt: u32,
}

/// The build stands still because somebody asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Paused {
    /// Who asked.
    pub by: Actor,
    /// Why, if they said.
    pub reason: Option<String>,
}

/// The build goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Unpaused {
    /// Who asked.
    pub by: Actor,
}

/// Why a build is parked for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockReason {
    /// Too many rounds in one phase.
    Iterations,
    /// Out of minutes.
    Minutes,
    /// Out of tokens.
    Tokens,
    /// Out of money.
    Usd,
    /// The same tool call again and again.
    DoomLoop,
    /// Three fixes did not fix it.
    FixAttempts,
    /// An agent stopped with a stop code.
    Stopped,
    /// Something only a person can set right, such as a missing key.
    Config,
    /// Every retry of its class failed.
    Retries,
}

impl BlockReason {
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
        }
    }
}

/// The build is parked for a person, with a STUCK report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Blocked {
    /// In one word.
    pub reason: BlockReason,
    /// The newest failures, oldest first.
    pub last_failures: Vec<String>,
    /// Markdown: what was tried, what failed, what a person can do.
    pub report: String,
}

/// All phases are done; the final gates follow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sealing {}

/// The final verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sealed {
    /// By the rules alone.
    pub verdict: Verdict,
    /// 0 to 100, for the reader; it decides nothing.
    pub score: u8,
    /// The last commit of the branch.
    pub seal_commit: String,
    /// The hash that the seal commit carries.
    pub journal_head: String,
    /// What the verdict follows from.
    pub evidence: Evidence,
}

/// The build ended without a seal. Its branch stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Abandoned {
    /// Who ended it.
    pub by: Actor,
    /// Why, if they said.
    pub reason: Option<String>,
}

/// Somebody asked the build to stand still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PauseRequested {
    /// Who.
    pub by: Actor,
}

/// Somebody asked the build to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResumeRequested {
    /// Who.
    pub by: Actor,
    /// What they added to its limits.
    pub budget_added: Option<BudgetAdded>,
}

/// Somebody asked the build to end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CancelRequested {
    /// Who.
    pub by: Actor,
    /// Why, if they said.
    pub reason: Option<String>,
}

/// Somebody told the agents something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Interjected {
    /// Who.
    pub by: Actor,
    /// Their words.
    pub text: String,
}
