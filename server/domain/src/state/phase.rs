//! The state of a phase.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    audited_weakening::{AuditedWeakening, ClearedWeakening},
    event::{
        agents::{DeliverableJudgement, Finding, Role, RunOutcome, Task},
        confirmations::CriterionConfirmed,
        gates::{CriterionChecked, GateFinished},
    },
    failure::ErrorClass,
    gate,
    ids::RunId,
    phases::PhaseOutline,
    state::control::SkippedPhase,
};

/// Attempts to fix one rejection before the build is blocked.
pub const MAX_FIX_ATTEMPTS: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PhaseStatus {
    Pending,
    Running,
    /// Signed off, committed and pushed.
    Complete,
    /// Not part of the build.
    Skipped,
}

impl PhaseStatus {
    pub fn has_begun(self) -> bool {
        matches!(self, Self::Running | Self::Complete)
    }

    pub fn is_over(self) -> bool {
        matches!(self, Self::Complete | Self::Skipped)
    }
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
    /// Why it is not part of the build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Box<SkippedPhase>>,
    /// The current step.
    pub stage: Stage,
    /// The run in progress.
    pub run: Option<RunId>,
    /// Runs started, by task.
    pub runs: BTreeMap<Task, u32>,
    /// The coder's runs that share one conversation, in order.
    #[serde(default)]
    pub conversation: Vec<RunId>,
    /// Why the last run did not complete its task.
    #[serde(default)]
    pub last_stop: Option<String>,
    pub plan: Vec<PlanStep>,
    /// Whether a user, or the end of the time to answer, has let the plan be carried out.
    #[serde(default)]
    pub plan_approved: bool,
    /// Why a user sent the last plan back.
    #[serde(default)]
    pub plan_comment: Option<String>,
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
    /// The tree that the gates of an earlier round have checked.
    #[serde(default)]
    pub checked_tree: Option<String>,
    /// What the last attempt to fix was about, if it changed nothing.
    #[serde(default)]
    pub not_attempted: Vec<String>,
    /// What the next attempt to fix is about, if a user has chosen it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_fix: Option<String>,
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
    /// Weakened tests that the newest audit was shown.
    #[serde(default)]
    pub weakened_tests: Vec<AuditedWeakening>,
    /// Those that it cleared.
    #[serde(default)]
    pub cleared_weakenings: Vec<ClearedWeakening>,
    /// Pass criteria checked so far, by index.
    pub criteria: BTreeMap<u32, CriterionChecked>,
    /// The newest confirmations by users, by index of the criterion.
    #[serde(default)]
    pub confirmations: BTreeMap<u32, CriterionConfirmed>,
    /// Whether the auditor signed off.
    pub signed_off: bool,
    /// Whether nothing but a merge of the base branch has happened since the auditor signed off: then
    /// only the gates run again.
    #[serde(default)]
    pub is_recheck: bool,
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
            skipped: None,
            stage: Stage::Agent(Task::Scout),
            run: None,
            runs: BTreeMap::new(),
            conversation: Vec::new(),
            last_stop: None,
            plan: Vec::new(),
            plan_approved: false,
            plan_comment: None,
            already_done: None,
            base_sha: None,
            files_committed: 0,
            iteration: 0,
            gates: BTreeMap::new(),
            gate_tree: None,
            checked_tree: None,
            not_attempted: Vec::new(),
            requested_fix: None,
            fix_attempts: 0,
            fix: None,
            fixes: Vec::new(),
            findings: Vec::new(),
            deliverables: Vec::new(),
            weakened_tests: Vec::new(),
            cleared_weakenings: Vec::new(),
            criteria: BTreeMap::new(),
            confirmations: BTreeMap::new(),
            signed_off: false,
            is_recheck: false,
            failure: None,
            retries: BTreeMap::new(),
        }
    }

    /// The role of the next run for `task`, and the run whose conversation it continues. The coder
    /// plans, implements and makes the first attempts to fix in one conversation; the last attempt is
    /// the fixer's, who starts without its assumptions.
    pub fn next_run(&self, task: Task) -> (Role, Option<RunId>) {
        let is_last_attempt = self.fix.as_ref().is_some_and(|it| it.attempt >= MAX_FIX_ATTEMPTS);
        match (task, self.conversation.last()) {
            (Task::Plan | Task::Execute, last) => (Role::Coder, last.copied()),
            (Task::Fix, Some(last)) if !is_last_attempt => (Role::Coder, Some(*last)),
            _ => (task.role(), None),
        }
    }

    /// The role of a run that was started.
    pub fn role_of(&self, run: RunId, task: Task) -> Role {
        if self.conversation.contains(&run) { Role::Coder } else { task.role() }
    }

    /// The phase's label in errors, such as `Phase 0: Lists`.
    pub fn label(&self) -> String {
        format!("Phase {}: {}", self.outline.number, self.outline.title)
    }
}
