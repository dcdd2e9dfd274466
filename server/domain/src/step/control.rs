//! What users request of phases, gates and errors, and what follows from it.

use super::guards::{Reason, ensure};
use crate::{
    event::{
        agents::Task,
        control::{
            ErrorFixRequested, GatesRequested, PhaseRestarted, PhaseRetryRequested,
            PhaseSkipRequested, PhaseSkipped, RequestedGateFinished,
        },
        life::ResumeRequested,
        questions::ClarificationKind,
    },
    rounds::cause_of,
    state::{
        BuildState, GateRequest, PhaseRequest, PhaseState, PhaseStatus, SkippedPhase, Stage, Status,
    },
};

/// While they run, no agent does.
const GATES_RUN: [Status; 5] =
    [Status::Running, Status::AwaitingInput, Status::Retrying, Status::Paused, Status::Blocked];

impl BuildState {
    pub(super) fn request_phase_retry(
        &mut self,
        request: &PhaseRetryRequested,
    ) -> Result<(), Reason> {
        self.may_request(request.phase, &request.reason)?;
        let has_begun = self.phase().is_some_and(|it| it.status == PhaseStatus::Running);
        ensure(has_begun, "that phase has not begun")?;
        // The files in the worktree contain the changes of the base branch.
        let is_kept = self.base.conflict.is_some() && !request.discard_changes;
        ensure(!is_kept, "a merge is not finished: discard its changes")?;
        self.phase_request = Some(Box::new(PhaseRequest::Retry(request.clone())));
        Ok(())
    }

    pub(super) fn request_phase_skip(
        &mut self,
        request: &PhaseSkipRequested,
    ) -> Result<(), Reason> {
        self.may_request(request.phase, &request.reason)?;
        let others = self.phases.iter().filter(|phase| phase.outline.number != request.phase);
        ensure(
            others.into_iter().any(|phase| phase.status != PhaseStatus::Skipped),
            "no phase would be left: cancel the build instead",
        )?;
        self.phase_request = Some(Box::new(PhaseRequest::Skip(request.clone())));
        Ok(())
    }

    fn may_request(&self, number: u32, reason: &str) -> Result<(), Reason> {
        self.expect(&[Status::AwaitingInput, Status::Paused, Status::Blocked])?;
        ensure(self.phase_request.is_none(), "a retry or skip was already requested")?;
        ensure(!reason.trim().is_empty(), "it gives no reason")?;
        let phase = self.phase().ok_or("all phases are complete")?;
        ensure(phase.outline.number == number, "that is not the current phase")?;
        let is_committed = matches!(phase.stage, Stage::Push | Stage::Complete);
        ensure(!is_committed, "the phase is already committed")
    }

    pub(super) fn restart_phase(&mut self, restarted: &PhaseRestarted) -> Result<(), Reason> {
        let is_requested = matches!(self.phase_request.as_deref(),
            Some(PhaseRequest::Retry(request)) if request.phase == restarted.phase);
        ensure(is_requested, "it was not requested")?;
        self.reset_phase()
    }

    pub(super) fn skip_phase(&mut self, skipped: &PhaseSkipped) -> Result<(), Reason> {
        let is_requested = matches!(self.phase_request.as_deref(),
            Some(PhaseRequest::Skip(request)) if request.phase == skipped.phase);
        ensure(is_requested, "it was not requested")?;
        self.reset_phase()?;
        let phase = self.phase_mut().ok_or("all phases are complete")?;
        phase.status = PhaseStatus::Skipped;
        let (by, reason) = (skipped.by.clone(), skipped.reason.clone());
        phase.skipped = Some(Box::new(SkippedPhase { by, reason }));
        Ok(())
    }

    /// Forgets what happened in the current phase, except commits, and lets the build continue.
    fn reset_phase(&mut self) -> Result<(), Reason> {
        let mut kinds = self.questions.iter().map(|open| open.request.kind);
        let is_over = kinds.all(|kind| kind == ClarificationKind::Assumption);
        ensure(is_over, "a question of the phase is still open")?;
        let by = match self.phase_request.take().as_deref() {
            Some(PhaseRequest::Retry(request)) => request.by.clone(),
            Some(PhaseRequest::Skip(request)) => request.by.clone(),
            None => return Err("it was not requested"),
        };
        let phase = self.phase_mut().ok_or("all phases are complete")?;
        let run = phase.run;
        let base_sha = phase.base_sha.take();
        let files_committed = phase.files_committed;
        *phase = PhaseState { base_sha, files_committed, ..PhaseState::new(phase.outline.clone()) };
        if let Some(run) = run {
            self.usage.end(run);
        }
        self.retry = None;
        self.exhausted_gate = None;
        self.gate_request = None;
        self.base.conflict = None;
        match self.status {
            Status::Paused | Status::Blocked => self.resume_requested = Some(by),
            // The build was continued after the request.
            Status::Retrying => self.status = Status::Running,
            _ => {}
        }
        Ok(())
    }

    pub(super) fn request_gates(&mut self, request: &GatesRequested) -> Result<(), Reason> {
        self.expect(&GATES_RUN)?;
        ensure(self.gate_request.is_none(), "the gates were already requested")?;
        let has_begun = self.phase().is_some_and(|it| it.status == PhaseStatus::Running);
        ensure(has_begun && self.branch_ready, "no phase is being worked on")?;
        let (by, finished) = (request.by.clone(), Vec::new());
        self.gate_request = Some(Box::new(GateRequest { by, finished }));
        Ok(())
    }

    pub(super) fn finish_requested_gate(
        &mut self,
        gate: &RequestedGateFinished,
    ) -> Result<(), Reason> {
        self.expect(&GATES_RUN)?;
        ensure(self.requested_gates().contains(&gate.gate), "that gate was not requested")?;
        if let Some(request) = &mut self.gate_request {
            request.finished.push(gate.gate.clone());
        }
        if self.requested_gates().is_empty() {
            self.gate_request = None;
        }
        Ok(())
    }

    pub(super) fn request_error_fix(&mut self, request: &ErrorFixRequested) -> Result<(), Reason> {
        self.expect(&[Status::Paused, Status::Blocked])?;
        let error = self.errors.values().find(|error| error.id == request.error_id);
        let error = error.ok_or("there is no such error")?;
        ensure(!error.resolved, "it is already resolved")?;
        let cause = cause_of(&error.source).map(str::to_owned);
        self.request_resume(&ResumeRequested { by: request.by.clone(), budget_added: None })?;
        let phase = self.phase_mut().ok_or("all phases are complete")?;
        let run = phase.run;
        // Where agents still write, they are told about the error.
        let is_written =
            matches!(phase.stage, Stage::Refused | Stage::Agent(Task::Audit) | Stage::Commit);
        if cause.is_some() && is_written {
            (phase.stage, phase.run, phase.signed_off) = (Stage::Refused, None, false);
            (phase.fix_attempts, phase.requested_fix) = (0, cause);
            if let Some(run) = run {
                self.usage.end(run);
            }
        }
        Ok(())
    }

    /// The gates that a user has requested and that have not run.
    pub fn requested_gates(&self) -> Vec<String> {
        let (Some(request), Some(phase)) = (&self.gate_request, self.phase()) else {
            return Vec::new();
        };
        let mut names = self.gate_names(Some(phase));
        names.retain(|name| !request.finished.contains(name));
        names
    }
}
