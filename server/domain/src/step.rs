//! `step`: the transition table of builds.

mod agents;
mod base;
mod branch;
mod confirmations;
mod control;
mod failures;
mod gates;
mod guards;
mod life;
mod phases;
mod preflight;
mod questions;
mod test_checks;

use chrono::{DateTime, Utc};

use self::guards::{Reason, ensure};
use crate::{
    event::{
        EventBody,
        agents::Task,
        life::{Actor, Queued},
    },
    phases::PhaseOutline,
    state::{
        BuildState, Interjection, PhaseState, PhaseStatus, PlanStep, SkippedPhase, Stage, Status,
    },
    working_time,
};

/// The event is not allowed in this state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{event} cannot happen while the build is {status}: {why}", status = .status.map_or("not created", Status::name))]
pub struct Illegal {
    pub event: &'static str,
    /// `None` before the first event.
    pub status: Option<Status>,
    pub why: &'static str,
}

/// Applies an event to the state; `None` before the first event.
pub fn step(
    state: Option<BuildState>,
    seq: u64,
    at: DateTime<Utc>,
    body: &EventBody,
) -> Result<BuildState, Illegal> {
    let status = state.as_ref().map(|state| state.status);
    let illegal = |why| Illegal { event: body.type_name(), status, why };
    match (state, body) {
        (None, EventBody::BuildQueued(queued)) => Ok(initial_state(queued, at)),
        (None, _) => Err(illegal("a build begins with build_queued")),
        (Some(_), EventBody::BuildQueued(_)) => Err(illegal("it was queued before")),
        (Some(state), _) if state.status.is_final() => Err(illegal("it has ended")),
        (Some(mut state), _) => {
            working_time::count(&mut state, at, body);
            state.apply(seq, at, body).map_err(illegal)?;
            state.count_engine_failures(body);
            Ok(state)
        }
    }
}

fn initial_state(queued: &Queued, at: DateTime<Utc>) -> BuildState {
    BuildState {
        status: Status::Queued,
        queued: queued.clone(),
        last_at: at,
        started_at: None,
        attempt: 0,
        branch: None,
        branch_ready: false,
        pushed_sha: None,
        phases: queued.phases.iter().map(|outline| initial_phase(queued, outline)).collect(),
        final_gates: Default::default(),
        baseline: Default::default(),
        found_gates: Vec::new(),
        changed_gates: Default::default(),
        exhausted_gate: None,
        most_tests: Default::default(),
        test_evidence: Default::default(),
        budgets: queued.budgets,
        spent: Default::default(),
        warned_limits: Vec::new(),
        errors: Default::default(),
        questions: Vec::new(),
        unanswered: Vec::new(),
        interjections: Vec::new(),
        notes_version: 0,
        usage: Default::default(),
        pause_requested: None,
        resume_requested: None,
        cancel_requested: None,
        phase_request: None,
        gate_request: None,
        blocked: None,
        block_explanation: None,
        retry: None,
        last_failures: Vec::new(),
        engine_failures: 0,
        last_finding: 0,
        deliverables: None,
        dismissed_findings: Vec::new(),
        asked_assumptions: Default::default(),
        requirement_changes: Vec::new(),
        confirmations_asked_at: None,
        base: Default::default(),
        sealed: None,
    }
}

fn initial_phase(queued: &Queued, outline: &PhaseOutline) -> PhaseState {
    let mut phase = PhaseState::new(outline.clone());
    if let Some(first) = queued.first_phase.as_deref().filter(|it| outline.number < it.number) {
        let reason = format!("started at phase {}", first.number);
        phase.status = PhaseStatus::Skipped;
        phase.skipped = Some(Box::new(SkippedPhase { by: first.by.clone(), reason }));
    }
    phase
}

impl BuildState {
    fn apply(&mut self, seq: u64, at: DateTime<Utc>, body: &EventBody) -> Result<(), Reason> {
        use EventBody as E;
        match body {
            E::BuildQueued(_) => Err("it was queued before"),
            E::BuildStarted(started) => self.start(at, started),
            E::BuildResumed(resumed) => {
                ensure(self.status != Status::Queued, "it has not started")?;
                self.attempt = resumed.attempt;
                Ok(())
            }
            E::BuildClockCorrected(corrected) => {
                ensure(self.status.is_working(), "it is not being worked on")?;
                self.spent.working_ms = corrected.working_ms;
                Ok(())
            }
            E::BuildBudgetWarning(warning) => {
                let due = self.due_budget_warnings();
                ensure(due.iter().any(|due| due.limit == warning.limit), "it is not due")?;
                self.warned_limits.push(warning.limit);
                Ok(())
            }
            E::BuildPauseRequested(request) => {
                ensure(self.can_pause(), "there is nothing to pause")?;
                ensure(self.pause_requested.is_none(), "a pause was already requested")?;
                self.pause_requested = Some(request.by.clone());
                Ok(())
            }
            E::BuildPaused(_) => {
                ensure(self.can_pause(), "there is nothing to pause")?;
                ensure(self.pause_requested.take().is_some(), "no pause was requested")?;
                self.questions.iter_mut().for_each(|question| question.pause(at));
                self.status = Status::Paused;
                Ok(())
            }
            E::BuildResumeRequested(request) => self.request_resume(request),
            E::BuildUnpaused(unpaused) => self.unpause(at, unpaused),
            E::BuildBlocked(blocked) => {
                let parkable = [Status::Queued, Status::Running, Status::Retrying, Status::Sealing];
                self.expect(&parkable)?;
                self.status = Status::Blocked;
                self.retry = None;
                // A blocked build does not run: one request to resume is sufficient.
                self.pause_requested = None;
                self.blocked = Some(blocked.reason);
                self.block_explanation = blocked.explanation().map(Box::new);
                Ok(())
            }
            E::BuildCancelRequested(request) => {
                ensure(self.cancel_requested.is_none(), "its end was already requested")?;
                self.cancel_requested = Some((request.by.clone(), request.reason.clone()));
                Ok(())
            }
            E::BuildAbandoned(_) => {
                ensure(self.cancel_requested.is_some(), "its end was not requested")?;
                ensure(self.questions.is_empty(), "a question is still open")?;
                self.status = Status::Abandoned;
                Ok(())
            }
            E::BuildInterjected(interjected) => {
                let is_done = self.status == Status::Sealing || self.is_being_confirmed();
                ensure(!is_done, "all work is done")?;
                let by_forge = interjected.by == Actor::Forge;
                let text = interjected.text.clone();
                self.interjections.push(Interjection { seq, by_forge, text });
                Ok(())
            }
            E::BuildSealing(_) => {
                // A final gate that ran out of memory or disk runs again after a wait.
                self.expect(&[Status::Running, Status::Retrying])?;
                ensure(self.phase().is_none(), "a phase is not complete")?;
                let is_merged = self.status == Status::Retrying || self.is_base_compared();
                ensure(is_merged, "the base branch was not compared")?;
                ensure(self.cancel_requested.is_none(), "its end was requested")?;
                // All work is done: there is nothing to pause.
                self.pause_requested = None;
                self.end_retry();
                // The final gates run now.
                self.gate_request = None;
                self.status = Status::Sealing;
                Ok(())
            }
            E::BuildDeliverablesChecked(checked) => {
                self.expect(&[Status::Sealing])?;
                let head = self.branch.as_ref().map(|branch| branch.head_sha.as_str());
                ensure(head == Some(checked.head_sha.as_str()), "that is not the branch's head")?;
                self.deliverables = Some(checked.clone());
                Ok(())
            }
            E::BuildSealed(sealed) => {
                self.expect(&[Status::Sealing])?;
                let gates = self.gate_names(None);
                let complete = gates.iter().all(|name| self.final_gates.contains_key(name));
                ensure(complete, "a final gate has not run")?;
                let is_checked = sealed.evidence.rules < 4 || self.next_test_check().is_none();
                ensure(is_checked, "its tests have not been checked")?;
                ensure(self.has_commits_before(&sealed.seal_commit), "the branch has no commit")?;
                self.status = Status::Sealed;
                self.sealed = Some(sealed.clone());
                Ok(())
            }
            E::BuildBranchStatus(status) => self.set_branch(status),
            E::BuildCommitCreated(commit) => self.commit(commit),
            E::BuildPushed(pushed) => {
                ensure(self.branch_ready, "there is no branch")?;
                let head = self.branch.as_ref().map(|branch| branch.head_sha.as_str());
                let newest = head == Some(pushed.sha.as_str());
                self.pushed_sha = Some(pushed.sha.clone());
                if let Some(phase) = self.phase_mut().filter(|phase| phase.stage == Stage::Push) {
                    ensure(newest, "that is not the branch's newest commit")?;
                    phase.stage = Stage::Complete;
                }
                Ok(())
            }
            E::BuildBaseCompared(compared) => self.compare_base(compared),
            E::BuildBaseMerged(merged) => self.merge_base(merged),
            E::BuildRebaseConflict(conflict) => self.report_rebase_conflict(conflict),
            E::BuildPhaseStarted(started) => self.start_phase(started),
            E::BuildPlanUpdated(plan) => {
                let phase = self.current(plan.phase)?;
                ensure(phase.stage == Stage::Agent(Task::Plan), "no agent is planning")?;
                let step =
                    |text: &String| PlanStep { text: text.clone(), done: false, dropped: None };
                phase.plan = plan.steps.iter().map(step).collect();
                Ok(())
            }
            E::BuildTaskDone(done) => {
                let phase = self.current(done.phase)?;
                let index = (done.task as usize).checked_sub(1);
                let step = index.and_then(|index| phase.plan.get_mut(index));
                let step = step.ok_or("the plan has no such step")?;
                ensure(!step.done, "that step is done already")?;
                step.done = true;
                step.dropped = None;
                Ok(())
            }
            E::BuildTaskDropped(dropped) => self.drop_step(dropped),
            E::BuildPhaseAlreadyDone(declared) => {
                let phase = self.current(declared.phase)?;
                ensure(phase.stage == Stage::Agent(Task::Execute), "no agent carries out a plan")?;
                phase.already_done = Some(declared.reason.clone());
                Ok(())
            }
            E::BuildPhaseComplete(complete) => {
                let phase = self.current(complete.phase)?;
                ensure(
                    phase.stage == Stage::Complete,
                    "it is not signed off, committed and pushed",
                )?;
                phase.status = PhaseStatus::Complete;
                Ok(())
            }
            E::BuildPhaseRetryRequested(request) => self.request_phase_retry(request),
            E::BuildPhaseSkipRequested(request) => self.request_phase_skip(request),
            E::BuildPhaseRestarted(restarted) => self.restart_phase(restarted),
            E::BuildPhaseSkipped(skipped) => self.skip_phase(skipped),
            E::BuildGatesRequested(request) => self.request_gates(request),
            E::BuildRequestedGateFinished(gate) => self.finish_requested_gate(gate),
            E::BuildErrorFixRequested(request) => self.request_error_fix(request),
            E::BuildModeSwitched(switched) => self.current(switched.phase).map(drop),
            E::BuildIterationStarted(started) => {
                let phase = self.current(started.phase)?;
                let begins = matches!(phase.stage, Stage::Agent(Task::Execute) | Stage::Refused);
                ensure(begins && phase.run.is_none(), "a round cannot begin here")?;
                ensure(started.n == phase.iteration + 1, "that is not the next round")?;
                phase.iteration = started.n;
                // The results so far are for other code.
                phase.gates.clear();
                if let Some(tree) = phase.gate_tree.take() {
                    phase.checked_tree = Some(tree);
                }
                phase.criteria.clear();
                Ok(())
            }
            E::BuildIterationFinished(finished) => self.finish_iteration(finished),
            E::BuildAgentStarted(started) => self.start_agent(started),
            E::BuildAgentTurn(turn) => self.record_turn(turn),
            E::BuildToolCallStarted(call) => self.running(call.run_id).map(drop),
            E::BuildToolCallFinished(call) => self.running(call.run_id).map(drop),
            E::BuildFileChanged(change) => self.running(change.run_id).map(drop),
            E::BuildContextCompacted(compacted) => {
                self.running(compacted.run_id)?;
                self.usage.shorten(compacted.run_id);
                Ok(())
            }
            E::BuildContractRead(read) => {
                self.running(read.run_id)?;
                self.usage.read(read);
                Ok(())
            }
            E::BuildAgentFinished(finished) => self.finish_agent(finished),
            E::BuildPreflightStarted(started) => self.start_preflight(started),
            E::BuildPreflightFinished(finished) => self.finish_preflight(finished),
            E::BuildGatesDetected(detected) => self.add_detected_gates(detected),
            E::BuildGatesChanged(changed) => self.change_gates(changed),
            E::BuildGateStarted(gate) => self.start_gate(gate),
            E::BuildGateFinished(gate) => self.finish_gate(gate),
            E::BuildGateOutOfResources(gate) => self.fail_gate_for_resources(gate),
            E::BuildCriterionChecked(criterion) => {
                let phase = self.current(criterion.phase)?;
                phase.criteria.insert(criterion.index, criterion.clone());
                Ok(())
            }
            E::BuildCriterionConfirmed(confirmed) => self.confirm_criterion(confirmed),
            E::BuildWeakenedTestCleared(cleared) => self.clear_weakened_test(cleared),
            E::BuildFindingDismissed(dismissed) => self.dismiss_finding(dismissed),
            E::BuildRequirementChanged(changed) => self.change_requirement(changed),
            E::BuildTestsCompared(compared) => self.compare_tests(compared),
            E::BuildRedCheckFinished(check) => self.finish_red_check(check),
            E::BuildMutantsTested(tested) => self.test_mutants(tested),
            E::BuildFixAttemptStarted(fix) => self.start_fix(fix),
            E::BuildFixAttemptResult(result) => self.finish_fix(result),
            E::BuildRetryScheduled(retry) => self.schedule_retry(retry),
            E::BuildErrorTracked(tracked) => self.track_error(tracked),
            E::BuildErrorResolved(resolved) => self.resolve_error(resolved),
            E::BuildErrorReopened(reopened) => self.reopen_error(reopened),
            E::BuildClarificationRequest(request) => self.ask_question(request),
            E::BuildClarificationResolved(resolved) => self.resolve_question(resolved),
            E::BuildLog(_) => Ok(()),
        }
    }
}
