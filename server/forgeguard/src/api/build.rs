//! A build as the API returns it: the summary for lists, and the whole.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    budget::Budgets,
    budget_warnings::LimitName,
    contract::{ContractSource, ContractType},
    estimate::BuildEstimate,
    event::{
        agents::Role,
        branch::BranchLife,
        life::{BlockExplanation, BlockReason, Exploration, PlanApproval},
    },
    executor::{Executor, PhaseExecutor},
    gate::{GateDefinition, SandboxLevel},
    ids::{BuildId, ProjectId},
    review::ReviewProgress,
    state::{BaselineResult, BuildState, PhaseStatus, PlanStep, SkippedPhase, Status},
    usage::ContractUse,
    verdict::{Evidence, Verdict},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{clarification::Clarification, start_choices::RoleModels};
use crate::{
    engine,
    store::{builds, seals},
};

/// The reviews of builds that have a decision.
pub type Reviews = BTreeMap<BuildId, ReviewProgress>;

#[derive(Debug, Serialize, ToSchema)]
pub struct BuildSummary {
    pub id: BuildId,
    /// In its project, from 1.
    pub number: u32,
    pub project_id: ProjectId,
    /// The sealed build whose requested changes this build implements.
    #[schema(required)]
    pub follows: Option<BuildId>,
    /// What it should change, in one line.
    #[schema(required)]
    pub title: Option<String>,
    pub status: Status,
    /// Set once sealed.
    #[schema(required)]
    pub verdict: Option<Verdict>,
    /// Null until it is sealed.
    #[schema(required)]
    pub review: Option<ReviewProgress>,
    /// Why it is blocked; null otherwise.
    #[schema(required)]
    pub blocked_reason: Option<BlockReason>,
    /// The same as a sentence for users, as in emails and webhooks.
    #[schema(required)]
    pub blocked_text: Option<&'static str>,
    pub branch: String,
    /// When it was queued.
    pub created_at: DateTime<Utc>,
    #[schema(required)]
    pub started_at: Option<DateTime<Utc>>,
    /// When it was sealed or cancelled.
    #[schema(required)]
    pub finished_at: Option<DateTime<Utc>>,
    pub phases_done: u32,
    pub phase_count: u32,
    pub open_errors: u32,
    pub open_questions: u32,
}

/// A build with all details that its page shows initially.
#[derive(Debug, Serialize, ToSchema)]
pub struct Build {
    #[serde(flatten)]
    pub summary: BuildSummary,
    pub project_name: String,
    pub project_slug: String,
    /// The number of the build that it follows.
    #[schema(required)]
    pub follows_number: Option<u32>,
    /// What it should change.
    #[schema(required)]
    pub description: Option<String>,
    /// What it would probably use, as estimated before its start.
    #[schema(required)]
    pub estimate: Option<BuildEstimate>,
    pub exploration: Exploration,
    pub plan_approval: PlanApproval,
    /// What performs the coder's work.
    pub executor: Executor,
    /// What performs it in single phases instead.
    pub phase_executors: Vec<PhaseExecutor>,
    /// The branch that it started from; null for the default branch.
    #[schema(required)]
    pub baseline_branch: Option<String>,
    /// When its contracts were pinned, if they are those of an earlier build.
    #[schema(required)]
    pub pinned_at: Option<DateTime<Utc>>,
    /// Models that were chosen for this build.
    pub models: RoleModels,
    /// The gates run because a user requested it.
    pub gates_requested: bool,
    /// The commit at which the branch starts.
    #[schema(required)]
    pub baseline_sha: Option<String>,
    /// The newest commit of the branch.
    #[schema(required)]
    pub head_sha: Option<String>,
    #[schema(required)]
    pub branch_status: Option<BranchLife>,
    /// Commits since the baseline.
    pub commit_count: u32,
    /// Number of the lease; 0 before a worker has claimed the build.
    pub attempt: u32,
    /// The node that runs it or ran it last.
    #[schema(required)]
    pub node: Option<String>,
    /// The model's name; `offline` for a scenario.
    pub model: String,
    /// The isolation of its commands; null before the first one.
    #[schema(required)]
    pub sandbox_level: Option<SandboxLevel>,
    /// Seq of the newest event.
    pub head_seq: u64,
    /// Hash of the newest event.
    pub head_hash: String,
    /// Milliseconds of work so far, without time spent waiting for users.
    pub working_ms: i64,
    /// In order.
    pub phases: Vec<BuildPhase>,
    /// Configured or detected gates, in addition to the built-in ones.
    pub gates: Vec<GateDefinition>,
    /// Results of gates on the commit that the build started from, by name.
    pub baseline_gates: BTreeMap<String, BaselineResult>,
    /// Gates were detected in the repository, as the project had none configured.
    pub gates_detected: bool,
    pub budgets: Budgets,
    pub spent: BuildSpent,
    /// Limits of which at least 80 % were used when they were last checked.
    pub warned_limits: Vec<LimitName>,
    /// Errors that were fixed or dismissed.
    pub resolved_errors: u32,
    pub contracts_read: Vec<BuildContractRead>,
    /// The questions that it is waiting for, oldest first.
    pub open_clarifications: Vec<Clarification>,
    /// What blocks it and what to do, in sentences; null if it is not blocked.
    #[schema(required)]
    pub block_explanation: Option<BlockExplanation>,
    /// Null until it is sealed.
    #[schema(required)]
    pub seal: Option<Seal>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct BuildPhase {
    /// From 0.
    number: u32,
    title: String,
    status: PhaseStatus,
    plan: Vec<PlanStep>,
    /// Why it is not part of the build; null if it is.
    #[schema(required)]
    skipped: Option<SkippedPhase>,
}

/// What a build has used of its budget.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildSpent {
    /// Rounds in the current phase.
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
    /// Permission prompts.
    permission_prompts: u32,
}

/// A contract that a role read.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildContractRead {
    role: Role,
    contract: ContractType,
    /// 0 for the neutral template.
    version: u32,
    source: ContractSource,
}

/// The verdict and its evidence.
#[derive(Debug, Serialize, ToSchema)]
pub struct Seal {
    /// Derived by fixed rules.
    pub verdict: Verdict,
    /// 0 to 100, informative only; the verdict does not depend on it.
    score: u8,
    /// The last commit of the branch.
    pub seal_commit: String,
    /// The hash of the journal that the seal commit contains.
    pub journal_head: String,
    evidence: Evidence,
    /// Why the build is not certified and what to do, in one sentence; `None` if it is.
    pub reason: Option<String>,
    pub sealed_at: DateTime<Utc>,
}

/// The sources of a [`Build`].
pub struct BuildParts {
    pub row: builds::Build,
    /// Those of its project's builds that have a decision.
    pub reviews: Reviews,
    pub project_name: String,
    pub project_slug: String,
    pub follows_number: Option<u32>,
    /// The folded journal.
    pub state: std::sync::Arc<BuildState>,
    /// The questions that it is waiting for.
    pub questions: Vec<Clarification>,
    pub seal: Option<seals::Seal>,
    /// A worker holds its lease.
    pub is_claimed: bool,
    pub now: DateTime<Utc>,
}

impl BuildSummary {
    pub fn new(reviews: &Reviews, build: builds::Build) -> Self {
        let progress = reviews.get(&build.id).copied().unwrap_or(ReviewProgress::Waiting);
        let blocked_reason = build.blocked_reason.as_deref().and_then(BlockReason::from_name);
        Self {
            review: (build.status == Status::Sealed).then_some(progress),
            blocked_reason,
            blocked_text: blocked_reason.map(BlockReason::explanation),
            branch: engine::displayed_branch(&build),
            id: build.id,
            number: build.number,
            project_id: build.project_id,
            follows: build.follows,
            title: build.title,
            status: build.status,
            verdict: build.verdict,
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
        let BuildParts {
            row,
            reviews,
            project_name,
            project_slug,
            follows_number,
            state,
            questions,
            seal,
            is_claimed,
            now,
        } = parts;
        let spent = spent(&state, is_claimed, now);
        Ok(Self {
            project_name,
            project_slug,
            follows_number,
            description: state.queued.description.clone(),
            estimate: state.queued.estimate.as_deref().copied(),
            exploration: state.queued.exploration,
            plan_approval: state.queued.plan_approval,
            executor: state.queued.executor,
            phase_executors: state.queued.phase_executors.clone(),
            baseline_branch: state.queued.baseline_branch.clone(),
            pinned_at: state.queued.pinned_at,
            models: RoleModels::from(&state.queued.models),
            gates_requested: state.gate_request.is_some(),
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
            gates: state.gates().into_iter().cloned().collect(),
            baseline_gates: state.baseline.clone(),
            gates_detected: state.queued.gates_detected || !state.found_gates.is_empty(),
            budgets: state.budgets,
            spent,
            warned_limits: state.warned_limits.clone(),
            resolved_errors: (state.errors.len() - state.open_errors()) as u32,
            contracts_read: contracts_read(&state),
            open_clarifications: questions,
            block_explanation: state.block_explanation.as_deref().cloned(),
            seal: seal.map(Seal::try_from).transpose()?,
            summary: BuildSummary::new(&reviews, row),
        })
    }
}

impl TryFrom<seals::Seal> for Seal {
    type Error = serde_json::Error;

    fn try_from(seal: seals::Seal) -> Result<Self, Self::Error> {
        let evidence: Evidence = serde_json::from_str(&seal.evidence)?;
        Ok(Self {
            reason: domain::seal::reason(&evidence),
            verdict: seal.verdict,
            score: seal.score.clamp(0.0, 100.0) as u8,
            seal_commit: seal.seal_commit,
            journal_head: seal.journal_head,
            evidence,
            sealed_at: seal.sealed_at,
        })
    }
}

/// While a worker holds the build, working time runs since the newest event.
pub fn spent(state: &BuildState, is_claimed: bool, now: DateTime<Utc>) -> BuildSpent {
    let since = (now - state.last_at).num_milliseconds().max(0);
    let running = if is_claimed && state.status.is_working() { since } else { 0 };
    BuildSpent {
        iterations: state.phase().map_or(0, |phase| phase.iteration),
        working_ms: state.spent.working_ms + running,
        tokens_in: state.spent.tokens_in,
        tokens_out: state.spent.tokens_out,
        usd_micros: state.spent.usd_micros,
        clarifications: state.spent.clarifications,
        permission_prompts: state.spent.permission_prompts,
    }
}

fn phases(state: &BuildState) -> Vec<BuildPhase> {
    let show = |phase: &domain::state::PhaseState| BuildPhase {
        number: phase.outline.number,
        title: phase.outline.title.clone(),
        status: phase.status,
        plan: phase.plan.clone(),
        skipped: phase.skipped.as_deref().cloned(),
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
