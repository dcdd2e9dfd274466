//! The state of a build, as its journal says: what `step` folds and `decide` reads.

mod base;
mod baseline;
mod confirmations;
mod control;
mod phase;
mod test_evidence;

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use base::{BaseState, OpenConflict};
pub use baseline::{BaselineResult, ExhaustedGate};
pub use confirmations::{AskedAssumptions, Dismissal, DismissedFinding};
pub use control::{ChangedGate, GateRequest, PhaseRequest, SkippedPhase};
pub use phase::{
    FinishedFix, Fix, GateResult, MAX_FIX_ATTEMPTS, PhaseState, PhaseStatus, PlanStep, Stage,
};
pub use test_evidence::{RedCheck, TestEvidence};

use crate::{
    budget::{Budgets, Exhausted, Spent},
    budget_warnings::{self, BudgetWarning, LimitName},
    errors::Severity,
    event::{
        branch::BranchStatus,
        confirmations::RequirementChanged,
        gates::RetryScheduled,
        life::{Actor, BlockExplanation, BlockReason, QuestionExpiry, Queued, Resumed, Sealed},
        phases::DeliverablesChecked,
        questions::{ClarificationRequest, ResolvedHow},
    },
    gate,
    ids::{BuildErrorId, ClarificationId},
    usage::Usage,
};

/// The status of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BuildStatus)]
pub enum Status {
    /// Waits for a worker.
    Queued,
    /// A worker runs it.
    Running,
    /// Waits for an answer to a question.
    AwaitingInput,
    Paused,
    /// Waits for the next retry.
    Retrying,
    /// Waits for a user to resume it.
    Blocked,
    /// The final gates run.
    Sealing,
    /// Final, with a verdict.
    Sealed,
    /// Final, without a verdict.
    Abandoned,
}

impl Status {
    /// In the order of a build's life.
    pub const ALL: [Self; 9] = [
        Self::Queued,
        Self::Running,
        Self::AwaitingInput,
        Self::Paused,
        Self::Retrying,
        Self::Blocked,
        Self::Sealing,
        Self::Sealed,
        Self::Abandoned,
    ];

    pub fn is_final(self) -> bool {
        matches!(self, Self::Sealed | Self::Abandoned)
    }

    /// Whether working time is counted.
    pub fn is_working(self) -> bool {
        matches!(self, Self::Running | Self::Sealing)
    }

    /// The name shown and stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::AwaitingInput => "awaiting_input",
            Self::Paused => "paused",
            Self::Retrying => "retrying",
            Self::Blocked => "blocked",
            Self::Sealing => "sealing",
            Self::Sealed => "sealed",
            Self::Abandoned => "abandoned",
        }
    }
}

/// The tracked state of an error, without its message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorState {
    pub id: BuildErrorId,
    pub first_seen: DateTime<Utc>,
    pub occurrence_count: u32,
    pub severity: Severity,
    pub source: String,
    /// The label of its phase.
    pub phase: Option<String>,
    /// The round of its last occurrence.
    pub round: u32,
    pub dismissed: bool,
    /// Who dismissed it. Dismissals of older versions lack it.
    #[serde(default)]
    pub dismissal: Option<Box<Dismissal>>,
    pub resolved: bool,
    /// Whether it was resolved before and occurred again.
    pub regression: bool,
}

/// A message that no agent has received yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interjection {
    /// The event that contains it.
    pub seq: u64,
    /// By ForgeGuard, about events outside the agents' runs; otherwise by a user.
    #[serde(default)]
    pub by_forge: bool,
    pub text: String,
}

/// An open question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// As asked; `expires_at` is moved by each pause.
    pub request: ClarificationRequest,
    /// Milliseconds left for an answer when the build was paused; `None` while the build is not
    /// paused, and for a question that never expires.
    #[serde(default)]
    pub remaining_ms: Option<i64>,
}

impl OpenQuestion {
    /// Stops its timeout.
    pub(crate) fn pause(&mut self, at: DateTime<Utc>) {
        let left = self.request.expires_at.take().map(|expires_at| expires_at - at);
        self.remaining_ms = left.map(|left| left.num_milliseconds().max(0));
    }

    /// Its expiry if the timeout continues at `now`.
    pub(crate) fn expiry_after_pause(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.remaining_ms.map(|left| now + TimeDelta::milliseconds(left))
    }
}

/// The state of a build: everything that determines what it does next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildState {
    pub status: Status,
    /// What was fixed when it was queued.
    pub queued: Queued,
    /// The time of the newest event.
    pub last_at: DateTime<Utc>,
    /// When a worker started it. Checkpoints of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<DateTime<Utc>>,
    /// Number of the lease.
    pub attempt: u32,
    /// From `build_started` on; commits change the head.
    pub branch: Option<BranchStatus>,
    /// Whether the branch is known to exist.
    pub branch_ready: bool,
    /// The newest commit known to be at the origin.
    pub pushed_sha: Option<String>,
    /// In order.
    pub phases: Vec<PhaseState>,
    /// Results of the final gates, by name.
    pub final_gates: BTreeMap<String, GateResult>,
    /// Results of the gates on the baseline, by name.
    #[serde(default)]
    pub baseline: BTreeMap<String, BaselineResult>,
    /// Gates that were detected in what the build has made.
    #[serde(default)]
    pub found_gates: Vec<gate::GateDefinition>,
    /// Gates that were changed while the build was paused or blocked, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub changed_gates: BTreeMap<String, ChangedGate>,
    /// A gate that ran out of memory or disk and has to run again.
    #[serde(default)]
    pub exhausted_gate: Option<ExhaustedGate>,
    /// The most tests that a gate has run so far, by its name.
    #[serde(default)]
    pub most_tests: BTreeMap<String, u32>,
    /// What was found out about the tests after the final gates.
    #[serde(default)]
    pub test_evidence: TestEvidence,
    /// The limits, including later additions.
    pub budgets: Budgets,
    pub spent: Spent,
    /// Limits that were nearly used up, and not raised since then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warned_limits: Vec<LimitName>,
    /// By fingerprint. There may be thousands, and few events change them.
    pub errors: Arc<BTreeMap<String, ErrorState>>,
    /// The open questions, oldest first. Several are questions of the same run.
    pub questions: Vec<OpenQuestion>,
    /// Questions that expired without an answer.
    pub unanswered: Vec<String>,
    /// Messages that no agent has received.
    pub interjections: Vec<Interjection>,
    /// The version of the owner's notes in the context of the newest reply.
    pub notes_version: u32,
    /// What its agents have used.
    pub usage: Usage,
    /// Who requested a pause that has not happened yet.
    pub pause_requested: Option<Actor>,
    /// Who requested to continue, if that has not happened yet.
    pub resume_requested: Option<Actor>,
    /// Who requested the end and why, if that has not happened yet.
    pub cancel_requested: Option<(Actor, Option<String>)>,
    /// What a user requested of the current phase, if that has not happened yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase_request: Option<Box<PhaseRequest>>,
    /// The gates that run on a user's request, between the steps of the build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_request: Option<Box<GateRequest>>,
    pub blocked: Option<BlockReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_explanation: Option<Box<BlockExplanation>>,
    /// The scheduled retry.
    pub retry: Option<RetryScheduled>,
    /// The newest failures, oldest first, at most five.
    pub last_failures: Vec<String>,
    /// Failures of the engine itself since the build last made progress.
    #[serde(default)]
    pub engine_failures: u32,
    /// The number of the newest finding.
    #[serde(default)]
    pub last_finding: u32,
    /// The newest check of all deliverables.
    #[serde(default)]
    pub deliverables: Option<DeliverablesChecked>,
    #[serde(default)]
    pub dismissed_findings: Vec<DismissedFinding>,
    #[serde(default)]
    pub asked_assumptions: AskedAssumptions,
    /// What users changed in the requirements, in order.
    #[serde(default)]
    pub requirement_changes: Vec<RequirementChanged>,
    /// The branch's head when users were last asked to confirm what is open.
    #[serde(default)]
    pub confirmations_asked_at: Option<String>,
    /// The comparisons with the base branch. Checkpoints of older versions lack it.
    #[serde(default, skip_serializing_if = "BaseState::is_default")]
    pub base: BaseState,
    pub sealed: Option<Sealed>,
}

impl BuildState {
    /// The current phase: the first that is neither complete nor skipped.
    pub fn phase(&self) -> Option<&PhaseState> {
        self.phases.iter().find(|phase| !phase.status.is_over())
    }

    pub(crate) fn phase_mut(&mut self) -> Option<&mut PhaseState> {
        self.phases.iter_mut().find(|phase| !phase.status.is_over())
    }

    /// Whether work on a phase has begun.
    pub fn has_begun(&self) -> bool {
        self.phases.iter().any(|phase| phase.status.has_begun())
    }

    /// What a worker of `node` appends first when it continues the build under the lease with this number,
    /// after the event `from_seq`. None if the build has not started or has ended, or if that is recorded.
    pub fn resumed(&self, from_seq: u64, node: &str, attempt: u32) -> Option<Resumed> {
        let is_due = self.attempt > 0 && self.attempt != attempt && !self.status.is_final();
        is_due.then(|| Resumed { node: node.to_owned(), from_seq, attempt })
    }

    /// Whether a user requested what no run can do: it hands back at its next boundary.
    pub fn wants_attention(&self) -> bool {
        self.is_interrupted() || self.gate_request.is_some()
    }

    /// The same, except for gates that run between the steps.
    pub fn is_interrupted(&self) -> bool {
        self.cancel_requested.is_some()
            || self.pause_requested.is_some()
            || self.phase_request.is_some()
            || self.status.is_final()
    }

    /// The limit, if any, that would block the build again. Counts the round that comes next.
    pub fn exhausted(&self) -> Option<Exhausted> {
        let next_round =
            |phase: &PhaseState| phase.iteration + u32::from(phase.stage == Stage::Refused);
        self.budgets.exhausted(&self.spent, self.phase().map_or(0, next_round))
    }

    /// The warnings about its limits that are due and were not given yet.
    pub fn due_budget_warnings(&self) -> Vec<BudgetWarning> {
        match self.status {
            Status::Running | Status::AwaitingInput => {
                let iterations = self.phase().map_or(0, |phase| phase.iteration);
                budget_warnings::due(&self.budgets, &self.spent, iterations, &self.warned_limits)
            }
            _ => Vec::new(),
        }
    }

    /// Whether the deliverables were looked up at the branch's head.
    pub fn deliverables_checked(&self) -> bool {
        let head = self.branch.as_ref().map(|branch| branch.head_sha.as_str());
        self.deliverables.as_ref().is_some_and(|checked| Some(checked.head_sha.as_str()) == head)
    }

    pub fn open_errors(&self) -> usize {
        self.errors.values().filter(|error| !error.resolved).count()
    }

    /// The open question with this id.
    pub fn open_question(&self, id: ClarificationId) -> Option<&ClarificationRequest> {
        self.questions.iter().map(|open| &open.request).find(|asked| asked.question_id == id)
    }

    /// The expiries of the open questions if their timeouts continue at `now`.
    pub fn expiries_after_pause(&self, now: DateTime<Utc>) -> Vec<QuestionExpiry> {
        let expiries = self.questions.iter().filter_map(|open| {
            let question_id = open.request.question_id;
            Some(QuestionExpiry { question_id, expires_at: open.expiry_after_pause(now)? })
        });
        expiries.collect()
    }

    /// The result of a resolved question, as returned to the agent that asked. `multiple`: the answer
    /// has one line for each choice.
    pub fn answer_text(how: ResolvedHow, answer: Option<&str>, multiple: bool) -> String {
        match (how, answer) {
            (ResolvedHow::Answered, Some(answer)) if multiple => {
                format!("The user chose:\n- {}", answer.replace('\n', "\n- "))
            }
            (ResolvedHow::Answered, Some(answer)) => format!("The user answered: {answer}"),
            (ResolvedHow::TimedOut, _) => {
                "The question expired without an answer: decide yourself and state what you chose."
                    .to_owned()
            }
            _ => "The user leaves the decision to you: decide yourself and state what you chose."
                .to_owned(),
        }
    }
}
