//! A build as the API shows it: the short form of lists and headers, and the whole.

use chrono::{DateTime, Utc};
use domain::{
    budget::Budgets,
    contract::{ContractSource, ContractType},
    event::{agents::Role, branch::BranchLife},
    gate::{GateDefinition, SandboxLevel},
    ids::{BuildId, ProjectId},
    state::{BuildState, PhaseStatus, PlanStep, Status},
    usage::ContractUse,
    verdict::{Evidence, Verdict},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::clarification::Clarification;
use crate::store::{builds, seals};

/// A build in one line.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildSummary {
    /// Its id.
    pub id: BuildId,
    /// What is built.
    pub project_id: ProjectId,
    /// The sealed build that it goes on from, where it carries out requested changes.
    #[schema(required)]
    pub follows: Option<BuildId>,
    /// Where it is in its life.
    pub status: Status,
    /// The final judgement, once sealed.
    #[schema(required)]
    pub verdict: Option<Verdict>,
    /// Its branch.
    pub branch: String,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// When a worker began it.
    #[schema(required)]
    pub started_at: Option<DateTime<Utc>>,
    /// When it was sealed or abandoned.
    #[schema(required)]
    pub finished_at: Option<DateTime<Utc>>,
    /// Phases that are complete.
    pub phases_done: u32,
    /// All phases.
    pub phase_count: u32,
    /// Errors that are open.
    pub open_errors: u32,
    /// Questions that wait for an answer.
    pub open_questions: u32,
}

/// A build with everything that its page shows at first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Build {
    /// The short form.
    #[serde(flatten)]
    pub summary: BuildSummary,
    /// The project's name.
    pub project_name: String,
    /// The commit that the branch began from.
    #[schema(required)]
    pub baseline_sha: Option<String>,
    /// The newest commit of the branch.
    #[schema(required)]
    pub head_sha: Option<String>,
    /// Where the branch is in its life.
    #[schema(required)]
    pub branch_status: Option<BranchLife>,
    /// Commits since the baseline.
    pub commit_count: u32,
    /// Number of the lease; 0 before a worker began it.
    pub attempt: u32,
    /// The node that runs it or ran it last.
    #[schema(required)]
    pub node: Option<String>,
    /// The model's name; `offline` plays a scenario.
    pub model: String,
    /// How its commands are confined, once one ran.
    #[schema(required)]
    pub sandbox_level: Option<SandboxLevel>,
    /// Seq of the newest event.
    pub head_seq: u64,
    /// Hash of the newest event.
    pub head_hash: String,
    /// Milliseconds of work so far; waiting for a person does not count.
    pub working_ms: i64,
    /// All phases, in order.
    pub phases: Vec<BuildPhase>,
    /// The gates that it asks beside ForgeGuard's own, as they were when it was queued.
    pub gates: Vec<GateDefinition>,
    /// They were suggested by the repository: the project had none of its own.
    pub gates_detected: bool,
    /// What it may spend.
    pub budgets: Budgets,
    /// What it has spent.
    pub spent: BuildSpent,
    /// Which role read which contract.
    pub contracts_read: Vec<BuildContractRead>,
    /// The question that it waits for.
    #[schema(required)]
    pub open_question: Option<Clarification>,
    /// Why it is parked, while it is.
    #[schema(required)]
    pub blocked_reason: Option<String>,
    /// The seal, once there is one.
    #[schema(required)]
    pub seal: Option<Seal>,
}

/// A phase and its plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildPhase {
    /// From 0.
    number: u32,
    /// A few words.
    title: String,
    /// Where it is.
    status: PhaseStatus,
    /// Its steps, ticked as they are done.
    plan: Vec<PlanStep>,
}

/// What a build has spent.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildSpent {
    /// Rounds in the phase that is being worked on.
    iterations: u32,
    /// Milliseconds of work.
    working_ms: i64,
    /// Tokens sent to models.
    tokens_in: u64,
    /// Tokens received from models.
    tokens_out: u64,
    /// Millionths of a US dollar.
    usd_micros: u64,
    /// Questions asked.
    clarifications: u32,
}

/// A contract that a role read.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildContractRead {
    /// Who.
    role: Role,
    /// Which.
    contract: ContractType,
    /// Its version; 0 for the neutral template.
    version: u32,
    /// Where the text came from.
    source: ContractSource,
}

/// The final judgement and what it rests on.
#[derive(Debug, Serialize, ToSchema)]
pub struct Seal {
    /// By the rules alone.
    verdict: Verdict,
    /// 0 to 100, for the reader; it decides nothing.
    score: u8,
    /// The commit that ends the branch.
    seal_commit: String,
    /// The hash that the seal commit carries.
    journal_head: String,
    /// What the verdict follows from.
    evidence: Evidence,
    /// When it was sealed.
    sealed_at: DateTime<Utc>,
}

/// Everything that the whole form is made of.
pub struct BuildParts {
    /// The build's row.
    pub row: builds::Build,
    /// The project's name.
    pub project_name: String,
    /// The folded journal.
    pub state: std::sync::Arc<BuildState>,
    /// The question that it waits for.
    pub question: Option<Clarification>,
    /// The seal, once there is one.
    pub seal: Option<seals::Seal>,
    /// The time of the answer.
    pub now: DateTime<Utc>,
}

impl From<builds::Build> for BuildSummary {
    fn from(build: builds::Build) -> Self {
        Self {
            id: build.id,
            project_id: build.project_id,
            follows: build.follows,
            status: build.status,
            verdict: build.verdict,
            branch: build.branch.unwrap_or_else(|| format!("forge/build-{}", build.id)),
            created_at: build.created_at,
            started_at: build.started_at,
            finished_at: build.finished_at,
            phases_done: build.phases_done,
            phase_count: build.phase_count,
            open_errors: build.open_errors,
            open_questions: build.open_questions,
        }
    }
}

impl TryFrom<BuildParts> for Build {
    type Error = serde_json::Error;

    fn try_from(parts: BuildParts) -> Result<Self, Self::Error> {
        let BuildParts { row, project_name, state, question, seal, now } = parts;
        let spent = spent(&state, now);
        Ok(Self {
            project_name,
            baseline_sha: row.baseline_sha.clone(),
            head_sha: row.head_sha.clone(),
            branch_status: row.branch_status,
            commit_count: row.commit_count,
            attempt: row.attempt,
            node: row.node.clone(),
            model: state.queued.model.clone(),
            sandbox_level: row.sandbox_level,
            head_seq: row.head_seq,
            head_hash: row.head_hash.clone(),
            working_ms: spent.working_ms,
            phases: phases(&state),
            gates: state.queued.gates.clone(),
            gates_detected: state.queued.gates_detected,
            budgets: state.budgets,
            spent,
            contracts_read: contracts_read(&state),
            open_question: question,
            blocked_reason: row.blocked_reason.clone(),
            seal: seal.map(Seal::try_from).transpose()?,
            summary: row.into(),
        })
    }
}

impl TryFrom<seals::Seal> for Seal {
    type Error = serde_json::Error;

    fn try_from(seal: seals::Seal) -> Result<Self, Self::Error> {
        Ok(Self {
            verdict: seal.verdict,
            score: seal.score.clamp(0.0, 100.0) as u8,
            seal_commit: seal.seal_commit,
            journal_head: seal.journal_head,
            evidence: serde_json::from_str(&seal.evidence)?,
            sealed_at: seal.sealed_at,
        })
    }
}

/// The clock of a build that works runs on since its newest event.
fn spent(state: &BuildState, now: DateTime<Utc>) -> BuildSpent {
    let since = (now - state.last_at).num_milliseconds().max(0);
    let running = if state.status.is_working() { since } else { 0 };
    BuildSpent {
        iterations: state.phase().map_or(0, |phase| phase.iteration),
        working_ms: state.spent.working_ms + running,
        tokens_in: state.spent.tokens_in,
        tokens_out: state.spent.tokens_out,
        usd_micros: state.spent.usd_micros,
        clarifications: state.spent.clarifications,
    }
}

fn phases(state: &BuildState) -> Vec<BuildPhase> {
    let show = |phase: &domain::state::PhaseState| BuildPhase {
        number: phase.outline.number,
        title: phase.outline.title.clone(),
        status: phase.status,
        plan: phase.plan.clone(),
    };
    state.phases.iter().map(show).collect()
}

fn contracts_read(state: &BuildState) -> Vec<BuildContractRead> {
    let show = |read: &ContractUse| BuildContractRead {
        role: read.role,
        contract: read.contract,
        version: read.version,
        source: read.source,
    };
    state.usage.contracts.iter().map(show).collect()
}
