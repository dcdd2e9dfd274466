//! The state of a build, as its journal says: what `step` folds and `decide` reads.

mod baseline;
mod confirmations;
mod test_evidence;

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use baseline::{BaselineResult, ExhaustedGate};
pub use confirmations::{AskedAssumptions, Dismissal, DismissedFinding};
pub use test_evidence::{RedCheck, TestEvidence};

use crate::{
    budget::{Budgets, Exhausted, Spent},
    errors::Severity,
    event::{
        agents::{DeliverableJudgement, Finding, RunOutcome, Task},
        branch::BranchStatus,
        confirmations::{CriterionConfirmed, RequirementChanged},
        gates::{CriterionChecked, GateFinished, RetryScheduled},
        life::{Actor, BlockReason, Queued, Sealed},
        phases::DeliverablesChecked,
        questions::{ClarificationRequest, ResolvedHow},
    },
    failure::ErrorClass,
    gate,
    ids::{BuildErrorId, RunId},
    phases::PhaseOutline,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PhaseStatus {
    Pending,
    Running,
    /// Signed off, committed and pushed.
    Complete,
}

/// The current step of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    Agent(Task),
    /// The gates run.
    Gates,
    /// A gate or the auditor rejected the result; a fix must be started.
    Refused,
    /// Signed off, not yet committed.
    Commit,
    /// Committed, not yet pushed.
    Push,
    /// Pushed, not yet complete.
    Complete,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanStep {
    /// Written by the coder.
    pub text: String,
    pub done: bool,
    /// Why it will not be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
}

impl PlanStep {
    /// Whether it is neither done nor dropped.
    pub fn is_open(&self) -> bool {
        !self.done && self.dropped.is_none()
    }
}

/// An attempt to fix in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// From 1.
    pub attempt: u32,
    /// Gate names, or `audit`.
    pub causes: Vec<String>,
    /// Written by the fixer when it finishes.
    pub summary: String,
}

/// A fix that the gates have checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedFix {
    pub round: u32,
    /// Written by the fixer.
    pub summary: String,
}

/// The newest result of a gate, without its output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateResult {
    /// Whether the phase cannot complete unless it passes.
    pub required: bool,
    pub passed: bool,
    pub command: String,
    pub exit_code: Option<i32>,
    #[serde(default)]
    pub duration_ms: u64,
    /// SHA-256 of the output.
    pub output_sha256: String,
    /// The branch's head at that time.
    pub head_sha: String,
    /// The git tree that it checked.
    #[serde(default)]
    pub tree_sha: Option<String>,
    /// `None` for a built-in gate.
    pub sandbox: Option<gate::SandboxLevel>,
    /// The tests that it ran, where a test runner was recognised.
    #[serde(default)]
    pub tests: Option<gate::TestCounts>,
    /// The tests that exit criteria name, where they were found.
    #[serde(default)]
    pub named_tests: Vec<gate::NamedTest>,
    /// The names of all tests, of a final gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_names: Option<Box<gate::TestNames>>,
}

impl From<&GateFinished> for GateResult {
    fn from(event: &GateFinished) -> Self {
        Self {
            required: event.required,
            passed: event.passed,
            command: event.command.clone(),
            exit_code: event.exit_code,
            duration_ms: event.duration_ms,
            output_sha256: event.output_sha256.clone(),
            head_sha: event.head_sha.clone(),
            tree_sha: event.tree_sha.clone(),
            sandbox: event.sandbox,
            tests: event.tests,
            named_tests: event.named_tests.clone(),
            test_names: event.test_names.clone(),
        }
    }
}

/// The state of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseState {
    /// From the phases contract.
    pub outline: PhaseOutline,
    pub status: PhaseStatus,
    /// The current step.
    pub stage: Stage,
    /// The run in progress.
    pub run: Option<RunId>,
    /// Runs started, by task.
    pub runs: BTreeMap<Task, u32>,
    pub plan: Vec<PlanStep>,
    /// Why the coder says that there is nothing to do.
    #[serde(default)]
    pub already_done: Option<String>,
    /// The branch's head when the phase was started. Checkpoints of older versions lack it.
    #[serde(default)]
    pub base_sha: Option<String>,
    /// Files in the phase's commits, by all authors.
    #[serde(default)]
    pub files_committed: u64,
    /// Rounds started.
    pub iteration: u32,
    /// Results of the gates in this round, by name.
    pub gates: BTreeMap<String, GateResult>,
    /// The git tree that the gates of this round check, and that the phase then commits.
    #[serde(default)]
    pub gate_tree: Option<String>,
    /// Attempts to fix since a user last resumed the build.
    pub fix_attempts: u32,
    /// The attempt in progress.
    pub fix: Option<Fix>,
    /// Finished ones, oldest first.
    pub fixes: Vec<FinishedFix>,
    /// The auditor's open findings.
    pub findings: Vec<Finding>,
    /// The auditor's statements about deliverables, of the newest audit.
    #[serde(default)]
    pub deliverables: Vec<DeliverableJudgement>,
    /// Pass criteria checked so far, by index.
    pub criteria: BTreeMap<u32, CriterionChecked>,
    /// The newest confirmations by users, by index of the criterion.
    #[serde(default)]
    pub confirmations: BTreeMap<u32, CriterionConfirmed>,
    /// Whether the auditor signed off.
    pub signed_off: bool,
    /// The outcome of the last run, if it failed and was not handled yet.
    pub failure: Option<RunOutcome>,
    /// Retries since the last success.
    pub retries: BTreeMap<ErrorClass, u32>,
}

impl PhaseState {
    pub fn new(outline: PhaseOutline) -> Self {
        Self {
            outline,
            status: PhaseStatus::Pending,
            stage: Stage::Agent(Task::Scout),
            run: None,
            runs: BTreeMap::new(),
            plan: Vec::new(),
            already_done: None,
            base_sha: None,
            files_committed: 0,
            iteration: 0,
            gates: BTreeMap::new(),
            gate_tree: None,
            fix_attempts: 0,
            fix: None,
            fixes: Vec::new(),
            findings: Vec::new(),
            deliverables: Vec::new(),
            criteria: BTreeMap::new(),
            confirmations: BTreeMap::new(),
            signed_off: false,
            failure: None,
            retries: BTreeMap::new(),
        }
    }

    /// The phase's label in errors, such as `Phase 0: Lists`.
    pub fn label(&self) -> String {
        format!("Phase {}: {}", self.outline.number, self.outline.title)
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
    pub fn expiry_after_pause(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
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
    /// By fingerprint. There may be thousands, and few events change them.
    pub errors: Arc<BTreeMap<String, ErrorState>>,
    /// The open question.
    pub question: Option<OpenQuestion>,
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
    pub blocked: Option<BlockReason>,
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
    pub sealed: Option<Sealed>,
}

impl BuildState {
    /// The current phase: the first that is not complete.
    pub fn phase(&self) -> Option<&PhaseState> {
        self.phases.iter().find(|phase| phase.status != PhaseStatus::Complete)
    }

    pub(crate) fn phase_mut(&mut self) -> Option<&mut PhaseState> {
        self.phases.iter_mut().find(|phase| phase.status != PhaseStatus::Complete)
    }

    /// Whether a pause or the end was requested: a run hands back at its next boundary.
    pub fn wants_attention(&self) -> bool {
        self.cancel_requested.is_some() || self.pause_requested.is_some() || self.status.is_final()
    }

    /// The limit, if any, that would block the build again. Counts the round that comes next.
    pub fn exhausted(&self) -> Option<Exhausted> {
        let next_round =
            |phase: &PhaseState| phase.iteration + u32::from(phase.stage == Stage::Refused);
        self.budgets.exhausted(&self.spent, self.phase().map_or(0, next_round))
    }

    /// Whether the deliverables were looked up at the branch's head.
    pub fn deliverables_checked(&self) -> bool {
        let head = self.branch.as_ref().map(|branch| branch.head_sha.as_str());
        self.deliverables.as_ref().is_some_and(|checked| Some(checked.head_sha.as_str()) == head)
    }

    pub fn open_errors(&self) -> usize {
        self.errors.values().filter(|error| !error.resolved).count()
    }

    /// The result of a resolved question, as returned to the agent that asked.
    pub fn answer_text(how: ResolvedHow, answer: Option<&str>) -> String {
        match (how, answer) {
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
