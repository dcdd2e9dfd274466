//! Events of a build's journal.

pub mod agents;
pub mod base;
pub mod branch;
pub mod confirmations;
pub mod control;
pub mod gates;
pub mod life;
pub mod phases;
pub mod preflight;
pub mod questions;
pub mod test_checks;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    budget_warnings::BudgetWarning, errors::ResolutionMethod, gate::GateLog, ids::BuildId,
};
use agents::{
    AgentFinished, AgentStarted, AgentTurn, ContextCompacted, ContractRead, FileChanged,
    ToolCallFinished, ToolCallStarted,
};
use base::{BaseCompared, BaseMerged, RebaseConflict};
use branch::{BranchStatus, CommitCreated, Pushed};
use confirmations::{
    CriterionConfirmed, FindingDismissed, RequirementChanged, WeakenedTestCleared,
};
use control::{
    ErrorFixRequested, GatesRequested, PhaseRestarted, PhaseRetryRequested, PhaseSkipRequested,
    PhaseSkipped, RequestedGateFinished,
};
use gates::{
    CriterionChecked, ErrorReopened, ErrorResolved, ErrorTracked, FixAttemptResult,
    FixAttemptStarted, GateFinished, GateOutOfResources, GateStarted, GatesChanged, GatesDetected,
    RetryScheduled,
};
use life::{
    Abandoned, Actor, Blocked, CancelRequested, ClockCorrected, Interjected, PauseRequested,
    Paused, Queued, ResumeRequested, Resumed, Sealed, Sealing, Started, Unpaused,
};
use phases::{
    DeliverablesChecked, IterationFinished, IterationStarted, LogLine, ModeSwitched,
    PhaseAlreadyDone, PhaseComplete, PhaseStarted, PlanUpdated, TaskDone, TaskDropped,
};
use preflight::{PreflightFinished, PreflightStarted};
use questions::{ClarificationRequest, ClarificationResolved};
use test_checks::{MutantsTested, RedCheckFinished, TestsCompared};

/// One committed event of a build, as stored, streamed and exported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Numbered from 1, without gaps within a build. The only cursor.
    pub seq: u64,
    pub build_id: BuildId,
    /// When it was appended.
    pub at: DateTime<Utc>,
    /// `type` and `payload`.
    #[serde(flatten)]
    pub body: EventBody,
    /// sha256 over the previous event's hash and this event without `hash`, in hex.
    pub hash: String,
}

macro_rules! bodies {
    ($($variant:ident($payload:ty) = $name:literal,)*) => {
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
        #[serde(tag = "type", content = "payload", rename_all = "snake_case")]
        #[allow(
            clippy::large_enum_variant,
            reason = "only the first event of a build is large, and patterns would need boxes"
        )]
        pub enum EventBody {
            $(#[doc = $name] $variant($payload),)*
        }

        impl EventBody {
            /// The stored `type`.
            pub fn type_name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }
        }

        $(impl From<$payload> for EventBody {
            fn from(payload: $payload) -> Self { Self::$variant(payload) }
        })*
    };
}

bodies! {
    BuildQueued(Queued) = "build_queued",
    BuildStarted(Started) = "build_started",
    BuildResumed(Resumed) = "build_resumed",
    BuildClockCorrected(ClockCorrected) = "build_clock_corrected",
    BuildPaused(Paused) = "build_paused",
    BuildUnpaused(Unpaused) = "build_unpaused",
    BuildBlocked(Blocked) = "build_blocked",
    BuildSealing(Sealing) = "build_sealing",
    BuildDeliverablesChecked(DeliverablesChecked) = "build_deliverables_checked",
    BuildSealed(Sealed) = "build_sealed",
    BuildAbandoned(Abandoned) = "build_abandoned",
    BuildPauseRequested(PauseRequested) = "build_pause_requested",
    BuildResumeRequested(ResumeRequested) = "build_resume_requested",
    BuildCancelRequested(CancelRequested) = "build_cancel_requested",
    BuildInterjected(Interjected) = "build_interjected",
    BuildBranchStatus(BranchStatus) = "build_branch_status",
    BuildCommitCreated(CommitCreated) = "build_commit_created",
    BuildPushed(Pushed) = "build_pushed",
    BuildBaseCompared(BaseCompared) = "build_base_compared",
    BuildBaseMerged(BaseMerged) = "build_base_merged",
    BuildRebaseConflict(RebaseConflict) = "build_rebase_conflict",
    BuildPhaseStarted(PhaseStarted) = "build_phase_started",
    BuildPlanUpdated(PlanUpdated) = "build_plan_updated",
    BuildTaskDone(TaskDone) = "build_task_done",
    BuildTaskDropped(TaskDropped) = "build_task_dropped",
    BuildPhaseAlreadyDone(PhaseAlreadyDone) = "build_phase_already_done",
    BuildPhaseComplete(PhaseComplete) = "build_phase_complete",
    BuildPhaseRetryRequested(PhaseRetryRequested) = "build_phase_retry_requested",
    BuildPhaseRestarted(PhaseRestarted) = "build_phase_restarted",
    BuildPhaseSkipRequested(PhaseSkipRequested) = "build_phase_skip_requested",
    BuildPhaseSkipped(PhaseSkipped) = "build_phase_skipped",
    BuildGatesRequested(GatesRequested) = "build_gates_requested",
    BuildRequestedGateFinished(RequestedGateFinished) = "build_requested_gate_finished",
    BuildErrorFixRequested(ErrorFixRequested) = "build_error_fix_requested",
    BuildModeSwitched(ModeSwitched) = "build_mode_switched",
    BuildIterationStarted(IterationStarted) = "build_iteration_started",
    BuildIterationFinished(IterationFinished) = "build_iteration_finished",
    BuildAgentStarted(AgentStarted) = "build_agent_started",
    BuildAgentTurn(AgentTurn) = "build_agent_turn",
    BuildToolCallStarted(ToolCallStarted) = "build_tool_call_started",
    BuildToolCallFinished(ToolCallFinished) = "build_tool_call_finished",
    BuildFileChanged(FileChanged) = "build_file_changed",
    BuildContractRead(ContractRead) = "build_contract_read",
    BuildContextCompacted(ContextCompacted) = "build_context_compacted",
    BuildAgentFinished(AgentFinished) = "build_agent_finished",
    BuildPreflightStarted(PreflightStarted) = "build_preflight_started",
    BuildPreflightFinished(PreflightFinished) = "build_preflight_finished",
    BuildGatesDetected(GatesDetected) = "build_gates_detected",
    BuildGatesChanged(GatesChanged) = "build_gates_changed",
    BuildGateStarted(GateStarted) = "build_gate_started",
    BuildGateFinished(GateFinished) = "build_gate_finished",
    BuildGateOutOfResources(GateOutOfResources) = "build_gate_out_of_resources",
    BuildCriterionChecked(CriterionChecked) = "build_criterion_checked",
    BuildCriterionConfirmed(CriterionConfirmed) = "build_criterion_confirmed",
    BuildTestsCompared(TestsCompared) = "build_tests_compared",
    BuildRedCheckFinished(RedCheckFinished) = "build_red_check_finished",
    BuildMutantsTested(MutantsTested) = "build_mutants_tested",
    BuildWeakenedTestCleared(WeakenedTestCleared) = "build_weakened_test_cleared",
    BuildFindingDismissed(FindingDismissed) = "build_finding_dismissed",
    BuildFixAttemptStarted(FixAttemptStarted) = "build_fix_attempt_started",
    BuildFixAttemptResult(FixAttemptResult) = "build_fix_attempt_result",
    BuildRetryScheduled(RetryScheduled) = "build_retry_scheduled",
    BuildErrorTracked(ErrorTracked) = "build_error_tracked",
    BuildErrorResolved(ErrorResolved) = "build_error_resolved",
    BuildErrorReopened(ErrorReopened) = "build_error_reopened",
    BuildClarificationRequest(ClarificationRequest) = "build_clarification_request",
    BuildClarificationResolved(ClarificationResolved) = "build_clarification_resolved",
    BuildRequirementChanged(RequirementChanged) = "build_requirement_changed",
    BuildBudgetWarning(BudgetWarning) = "build_budget_warning",
    BuildLog(LogLine) = "build_log",
}

impl EventBody {
    /// Whether a user's request appends it. Its time is then that of the node that received the
    /// request, whose clock may differ from the worker's.
    pub fn is_command(&self) -> bool {
        match self {
            Self::BuildPauseRequested(_)
            | Self::BuildResumeRequested(_)
            | Self::BuildCancelRequested(_)
            | Self::BuildPhaseRetryRequested(_)
            | Self::BuildPhaseSkipRequested(_)
            | Self::BuildGatesRequested(_)
            | Self::BuildErrorFixRequested(_)
            | Self::BuildErrorReopened(_)
            | Self::BuildCriterionConfirmed(_)
            | Self::BuildWeakenedTestCleared(_)
            | Self::BuildFindingDismissed(_)
            | Self::BuildRequirementChanged(_) => true,
            Self::BuildInterjected(interjected) => interjected.by != Actor::Forge,
            Self::BuildClarificationResolved(resolved) => resolved.by != Actor::Forge,
            Self::BuildErrorResolved(resolved) => resolved.method == ResolutionMethod::Dismissed,
            _ => false,
        }
    }

    /// The stored output of a gate.
    pub fn gate_log(&self) -> Option<&GateLog> {
        match self {
            Self::BuildGateFinished(gate) => gate.log.as_deref(),
            Self::BuildPreflightFinished(gate) => gate.log.as_deref(),
            Self::BuildRequestedGateFinished(gate) => gate.log.as_deref(),
            Self::BuildGateOutOfResources(gate) => gate.log.as_deref(),
            _ => None,
        }
    }

    /// What the event contains of a gate's output.
    pub fn gate_output(&self) -> Option<&str> {
        match self {
            Self::BuildGateFinished(gate) => Some(&gate.output),
            Self::BuildPreflightFinished(gate) => Some(&gate.output),
            Self::BuildRequestedGateFinished(gate) => Some(&gate.output),
            Self::BuildGateOutOfResources(gate) => Some(&gate.output),
            _ => None,
        }
    }

    /// Whether a worker appends it again when it repeats a step after a crash.
    pub fn is_repeated_after_crash(&self) -> bool {
        matches!(
            self,
            Self::BuildResumed(_)
                | Self::BuildClockCorrected(_)
                | Self::BuildPreflightStarted(_)
                | Self::BuildGateStarted(_)
                | Self::BuildToolCallStarted(_)
                | Self::BuildLog(_)
        )
    }
}
