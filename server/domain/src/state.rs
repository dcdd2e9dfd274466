//! The state of a build, as its journal says: what `step` folds and `decide` reads.

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    budget::{Budgets, Spent},
    errors::Severity,
    event::{
        agents::{Finding, RunOutcome, Task},
        branch::BranchStatus,
        gates::{CriterionChecked, GateFinished, RetryScheduled},
        life::{Actor, BlockReason, Queued, Sealed},
        questions::{ClarificationRequest, ResolvedHow},
    },
    failure::ErrorClass,
    gate,
    ids::{BuildErrorId, RunId},
    phases::PhaseOutline,
    usage::Usage,
};

/// Where a build is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = BuildStatus)]
pub enum Status {
    /// Waits for a worker.
    Queued,
    /// Work goes on.
    Running,
    /// Waits for an answer.
    AwaitingInput,
    /// Stands still because somebody asked.
    Paused,
    /// Waits before it tries again.
    Retrying,
    /// Parked for a person.
    Blocked,
    /// The final gates run.
    Sealing,
    /// Final: it carries its verdict.
    Sealed,
    /// Final: it was given up.
    Abandoned,
}

impl Status {
    /// All of them.
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

    /// Nothing changes it any more.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Sealed | Self::Abandoned)
    }

    /// The clock of the build runs.
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

/// Where a phase is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PhaseStatus {
    /// Not begun.
    Pending,
    /// Being worked on.
    Running,
    /// Signed off, committed and pushed.
    Complete,
}

/// The step within a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// An agent has a task.
    Agent(Task),
    /// The gates run.
    Gates,
    /// A gate or the auditor said no; a fix must be started.
    Refused,
    /// Signed off, not yet committed.
    Commit,
    /// Committed, not yet pushed.
    Push,
    /// Pushed, not yet complete.
    Complete,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanStep {
    /// What is to be done.
    pub text: String,
    /// Whether it is.
    pub done: bool,
}

/// A fix that is being tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// From 1.
    pub attempt: u32,
    /// Gate names, or `audit`.
    pub causes: Vec<String>,
    /// The fixer's words, once it is done.
    pub summary: String,
}

/// A fix that the gates have judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixTold {
    /// The round that it was tried in.
    pub round: u32,
    /// The fixer's words.
    pub summary: String,
}

/// What a gate said last, without what it printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateResult {
    /// Whether it must pass.
    pub required: bool,
    /// Whether it passed.
    pub passed: bool,
    /// What ran.
    pub command: String,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// Hash of what it printed.
    pub output_sha256: String,
    /// The branch's head at that time.
    pub head_sha: String,
    /// How it was confined.
    pub sandbox: Option<gate::SandboxLevel>,
}

impl From<&GateFinished> for GateResult {
    fn from(event: &GateFinished) -> Self {
        Self {
            required: event.required,
            passed: event.passed,
            command: event.command.clone(),
            exit_code: event.exit_code,
            output_sha256: event.output_sha256.clone(),
            head_sha: event.head_sha.clone(),
            sandbox: event.sandbox,
        }
    }
}

/// A phase and all that is known about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseState {
    /// What the contract asks for.
    pub outline: PhaseOutline,
    /// Where it is.
    pub status: PhaseStatus,
    /// The step within it.
    pub stage: Stage,
    /// The agent at work, if one is.
    pub run: Option<RunId>,
    /// Runs begun, by what they are for.
    pub runs: BTreeMap<Task, u32>,
    /// The plan.
    pub plan: Vec<PlanStep>,
    /// Rounds begun.
    pub iteration: u32,
    /// What the gates said in this round, by name.
    pub gates: BTreeMap<String, GateResult>,
    /// Fixes begun since a person last looked.
    pub fix_attempts: u32,
    /// The fix being tried.
    pub fix: Option<Fix>,
    /// Those before it, oldest first.
    pub fixes: Vec<FixTold>,
    /// What the auditor holds against it.
    pub findings: Vec<Finding>,
    /// Pass criteria judged so far, by index.
    pub criteria: BTreeMap<u32, CriterionChecked>,
    /// Whether the auditor signed off.
    pub signed_off: bool,
    /// How the last run failed, if it did and nobody has dealt with it.
    pub failure: Option<RunOutcome>,
    /// Retries since the last success, by class of failure.
    pub retries: BTreeMap<ErrorClass, u32>,
}

impl PhaseState {
    /// Before anything happened.
    pub fn new(outline: PhaseOutline) -> Self {
        Self {
            outline,
            status: PhaseStatus::Pending,
            stage: Stage::Agent(Task::Scout),
            run: None,
            runs: BTreeMap::new(),
            plan: Vec::new(),
            iteration: 0,
            gates: BTreeMap::new(),
            fix_attempts: 0,
            fix: None,
            fixes: Vec::new(),
            findings: Vec::new(),
            criteria: BTreeMap::new(),
            signed_off: false,
            failure: None,
            retries: BTreeMap::new(),
        }
    }

    /// The label that errors carry, such as `Phase 0: Lists`.
    pub fn label(&self) -> String {
        format!("Phase {}: {}", self.outline.number, self.outline.title)
    }
}

/// What is remembered of an error: enough to count it, not its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorState {
    /// Its id.
    pub id: BuildErrorId,
    /// When it was seen first.
    pub first_seen: DateTime<Utc>,
    /// How often.
    pub occurrence_count: u32,
    /// How grave.
    pub severity: Severity,
    /// Where it came from.
    pub source: String,
    /// The label of the phase it belongs to.
    pub phase: Option<String>,
    /// The round of the phase in which it was seen last.
    pub round: u32,
    /// A person settled it by not caring about it.
    pub dismissed: bool,
    /// Whether it is settled.
    pub resolved: bool,
    /// Whether it came back.
    pub regression: bool,
}

/// Words that no agent has seen yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interjection {
    /// The event that carries them.
    pub seq: u64,
    /// ForgeGuard's own, about what happened beside the agents; else a user's.
    #[serde(default)]
    pub by_forge: bool,
    /// The words.
    pub text: String,
}

/// A question that waits, and the run that waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// As it was asked.
    pub request: ClarificationRequest,
}

/// Everything that decides what a build does next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildState {
    /// Where it is in its life.
    pub status: Status,
    /// What it is bound to.
    pub queued: Queued,
    /// When the newest event was appended.
    pub last_at: DateTime<Utc>,
    /// Number of the lease.
    pub attempt: u32,
    /// Its branch, from `build_started` on; the head moves with commits.
    pub branch: Option<BranchStatus>,
    /// Whether the branch is known to exist.
    pub branch_ready: bool,
    /// The newest commit known to be at the origin.
    pub pushed_sha: Option<String>,
    /// All phases, in order.
    pub phases: Vec<PhaseState>,
    /// What the final gates said, by name.
    pub final_gates: BTreeMap<String, GateResult>,
    /// What it may spend, with what was added.
    pub budgets: Budgets,
    /// What it has spent.
    pub spent: Spent,
    /// Errors by fingerprint. There may be thousands, and few events change them.
    pub errors: Arc<BTreeMap<String, ErrorState>>,
    /// The question it waits for.
    pub question: Option<OpenQuestion>,
    /// Questions that nobody answered in time, in their own words.
    pub unanswered: Vec<String>,
    /// Words that no agent has seen.
    pub interjections: Vec<Interjection>,
    /// The version of the owner's notes that was in the context of the newest reply.
    pub notes_version: u32,
    /// What its agents used.
    pub usage: Usage,
    /// A pause was asked for and has not happened.
    pub pause_requested: Option<Actor>,
    /// A resumption was asked for and has not happened.
    pub resume_requested: Option<Actor>,
    /// An end was asked for and has not happened.
    pub cancel_requested: Option<(Actor, Option<String>)>,
    /// Why it is parked.
    pub blocked: Option<BlockReason>,
    /// The wait before the next try.
    pub retry: Option<RetryScheduled>,
    /// The newest failures, oldest first, at most five.
    pub last_failures: Vec<String>,
    /// The seal, once there is one.
    pub sealed: Option<Sealed>,
}

impl BuildState {
    /// The phase being worked on, or the next one that is not complete.
    pub fn phase(&self) -> Option<&PhaseState> {
        self.phases.iter().find(|phase| phase.status != PhaseStatus::Complete)
    }

    /// The same, to change it.
    pub(crate) fn phase_mut(&mut self) -> Option<&mut PhaseState> {
        self.phases.iter_mut().find(|phase| phase.status != PhaseStatus::Complete)
    }

    /// Somebody wants the build to stop or stand still: a run hands back at its next boundary.
    pub fn wants_attention(&self) -> bool {
        self.cancel_requested.is_some() || self.pause_requested.is_some() || self.status.is_final()
    }

    /// Names of the gates for `phase` (`None`: the final gates), built-in ones first.
    pub fn gate_names(&self, phase: Option<&PhaseState>) -> Vec<String> {
        let scoped = phase.is_some_and(|phase| !phase.outline.scope.is_empty());
        let built_in = gate::BUILT_IN.into_iter().filter(|name| *name != "scope" || scoped);
        let own = self.queued.gates.iter().map(|gate| gate.name.as_str());
        built_in.chain(own).map(str::to_owned).collect()
    }

    /// How many errors are open.
    pub fn open_errors(&self) -> usize {
        self.errors.values().filter(|error| !error.resolved).count()
    }

    /// How a question that is settled reads for the agent that asked.
    pub fn answer_text(how: ResolvedHow, answer: Option<&str>) -> String {
        match (how, answer) {
            (ResolvedHow::Answered, Some(answer)) => format!("The user answered: {answer}"),
            (ResolvedHow::TimedOut, _) => {
                "Nobody answered in time: decide for yourself and say what you chose.".to_owned()
            }
            _ => {
                "The user leaves it to you: decide for yourself and say what you chose.".to_owned()
            }
        }
    }
}
