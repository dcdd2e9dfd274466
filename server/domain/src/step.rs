//! `step`: what one event makes of a build. The transition table of the product stands here.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::{
    errors::{ResolutionMethod, Severity},
    event::{
        EventBody,
        agents::{AgentFinished, AgentStarted, AgentTurn, RunOutcome, Task},
        branch::{AuthorKind, BranchLife, BranchStatus, CommitCreated},
        gates::{
            ErrorReopened, ErrorResolved, ErrorTracked, FixAttemptResult, FixAttemptStarted,
            GateFinished,
        },
        life::{Actor, Queued, ResumeRequested, Started},
        phases::{IterationFinished, PhaseStarted},
        questions::{ClarificationRequest, ClarificationResolved, ResolvedHow},
    },
    failure::ErrorClass,
    ids::RunId,
    state::{
        BuildState, ErrorState, Fix, FixTold, GateResult, Interjection, OpenQuestion, PhaseState,
        PhaseStatus, PlanStep, Stage, Status,
    },
};

/// How many failures a build remembers for its STUCK report.
const REMEMBERED_FAILURES: usize = 5;
const REMEMBERED_LENGTH: usize = 400;

/// The event cannot happen to a build in this state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{event} cannot happen while the build is {status}: {why}", status = .status.map_or("not there", Status::name))]
pub struct Illegal {
    /// The event's type.
    pub event: &'static str,
    /// The status it met; `None` before the first event.
    pub status: Option<Status>,
    /// In plain words.
    pub why: &'static str,
}

type Why = &'static str;

/// Folds one event into the state. `None` is the build before its first event.
pub fn step(
    state: Option<BuildState>,
    seq: u64,
    at: DateTime<Utc>,
    body: &EventBody,
) -> Result<BuildState, Illegal> {
    let status = state.as_ref().map(|state| state.status);
    let illegal = |why| Illegal { event: body.type_name(), status, why };
    match (state, body) {
        (None, EventBody::BuildQueued(queued)) => Ok(begin(queued, at)),
        (None, _) => Err(illegal("a build begins with build_queued")),
        (Some(_), EventBody::BuildQueued(_)) => Err(illegal("it was queued before")),
        (Some(state), _) if state.status.is_final() => Err(illegal("it has ended")),
        (Some(mut state), _) => {
            state.count_time(at, body);
            state.apply(seq, body).map_err(illegal)?;
            Ok(state)
        }
    }
}

fn begin(queued: &Queued, at: DateTime<Utc>) -> BuildState {
    BuildState {
        status: Status::Queued,
        queued: queued.clone(),
        last_at: at,
        attempt: 0,
        branch: None,
        branch_ready: false,
        pushed_sha: None,
        phases: queued.phases.iter().cloned().map(PhaseState::new).collect(),
        final_gates: Default::default(),
        budgets: queued.budgets,
        spent: Default::default(),
        errors: Default::default(),
        question: None,
        unanswered: Vec::new(),
        interjections: Vec::new(),
        notes_version: 0,
        usage: Default::default(),
        pause_requested: None,
        resume_requested: None,
        cancel_requested: None,
        blocked: None,
        retry: None,
        last_failures: Vec::new(),
        sealed: None,
    }
}

fn ensure(holds: bool, why: Why) -> Result<(), Why> {
    if holds { Ok(()) } else { Err(why) }
}

impl BuildState {
    /// The time between two events is work if the build was working; a restart's gap is not.
    fn count_time(&mut self, at: DateTime<Utc>, body: &EventBody) {
        let gap = (at - self.last_at).num_milliseconds().max(0);
        if self.status.is_working() && !matches!(body, EventBody::BuildResumed(_)) {
            self.spent.working_ms += gap;
        }
        self.last_at = self.last_at.max(at);
    }

    fn apply(&mut self, seq: u64, body: &EventBody) -> Result<(), Why> {
        use EventBody as E;
        match body {
            E::BuildQueued(_) => Err("it was queued before"),
            E::BuildStarted(started) => self.start(started),
            E::BuildResumed(resumed) => {
                ensure(self.status != Status::Queued, "it has not started")?;
                self.attempt = resumed.attempt;
                Ok(())
            }
            E::BuildPauseRequested(request) => {
                ensure(self.can_pause(), "there is nothing to pause")?;
                ensure(self.pause_requested.is_none(), "a pause is asked for already")?;
                self.pause_requested = Some(request.by.clone());
                Ok(())
            }
            E::BuildPaused(_) => {
                ensure(self.can_pause(), "there is nothing to pause")?;
                ensure(self.pause_requested.take().is_some(), "nobody asked for a pause")?;
                self.status = Status::Paused;
                Ok(())
            }
            E::BuildResumeRequested(request) => self.request_resume(request),
            E::BuildUnpaused(_) => self.unpause(),
            E::BuildBlocked(blocked) => {
                self.expect(&[Status::Running, Status::Retrying])?;
                self.status = Status::Blocked;
                self.retry = None;
                // It stands still anyway: one resumption is enough to go on.
                self.pause_requested = None;
                self.blocked = Some(blocked.reason);
                Ok(())
            }
            E::BuildCancelRequested(request) => {
                ensure(self.status != Status::Sealing, "it is being sealed")?;
                ensure(self.cancel_requested.is_none(), "an end is asked for already")?;
                self.cancel_requested = Some((request.by.clone(), request.reason.clone()));
                Ok(())
            }
            E::BuildAbandoned(_) => {
                ensure(self.status != Status::Sealing, "it is being sealed")?;
                ensure(self.cancel_requested.is_some(), "nobody asked for its end")?;
                ensure(self.question.is_none(), "a question is still open")?;
                self.status = Status::Abandoned;
                Ok(())
            }
            E::BuildInterjected(interjected) => {
                ensure(self.status != Status::Sealing, "all the work is done")?;
                let by_forge = interjected.by == Actor::Forge;
                let text = interjected.text.clone();
                self.interjections.push(Interjection { seq, by_forge, text });
                Ok(())
            }
            E::BuildSealing(_) => {
                self.expect(&[Status::Running])?;
                ensure(self.phase().is_none(), "a phase is not complete")?;
                ensure(self.cancel_requested.is_none(), "its end is asked for")?;
                // All the work is done: there is nothing left to pause.
                self.pause_requested = None;
                self.status = Status::Sealing;
                Ok(())
            }
            E::BuildSealed(sealed) => {
                self.expect(&[Status::Sealing])?;
                let gates = self.gate_names(None);
                let complete = gates.iter().all(|name| self.final_gates.contains_key(name));
                ensure(complete, "a final gate has not run")?;
                let commits = self.branch.as_ref().map_or(0, |branch| branch.commit_count);
                ensure(commits > 0, "the branch has no commit")?;
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
            E::BuildPhaseStarted(started) => self.start_phase(started),
            E::BuildPlanUpdated(plan) => {
                let phase = self.current(plan.phase)?;
                ensure(phase.stage == Stage::Agent(Task::Plan), "nobody is planning")?;
                let step = |text: &String| PlanStep { text: text.clone(), done: false };
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
            E::BuildModeSwitched(switched) => self.current(switched.phase).map(drop),
            E::BuildIterationStarted(started) => {
                let phase = self.current(started.phase)?;
                let begins = matches!(phase.stage, Stage::Agent(Task::Execute) | Stage::Refused);
                ensure(begins && phase.run.is_none(), "a round cannot begin here")?;
                ensure(started.n == phase.iteration + 1, "that is not the next round")?;
                phase.iteration = started.n;
                // What was shown so far was shown on other code.
                phase.gates.clear();
                phase.criteria.clear();
                Ok(())
            }
            E::BuildIterationFinished(finished) => self.finish_iteration(finished),
            E::BuildAgentStarted(started) => self.start_agent(started),
            E::BuildAgentTurn(turn) => self.take_turn(turn),
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
            E::BuildGateStarted(gate) => self.gate_may_run(gate.phase, &gate.gate),
            E::BuildGateFinished(gate) => self.finish_gate(gate),
            E::BuildCriterionChecked(criterion) => {
                let phase = self.current(criterion.phase)?;
                phase.criteria.insert(criterion.index, criterion.clone());
                Ok(())
            }
            E::BuildFixAttemptStarted(fix) => self.start_fix(fix),
            E::BuildFixAttemptResult(result) => self.judge_fix(result),
            E::BuildRetryScheduled(retry) => {
                self.expect(&[Status::Running])?;
                let phase = self.phase_mut().ok_or("no phase is open")?;
                ensure(phase.failure.is_some(), "nothing failed")?;
                *phase.retries.entry(retry.error_class).or_default() += 1;
                self.status = Status::Retrying;
                self.retry = Some(retry.clone());
                Ok(())
            }
            E::BuildErrorTracked(tracked) => self.track_error(tracked),
            E::BuildErrorResolved(resolved) => self.resolve_error(resolved),
            E::BuildErrorReopened(reopened) => self.reopen_error(reopened),
            E::BuildClarificationRequest(request) => self.ask(request),
            E::BuildClarificationResolved(resolved) => self.settle(resolved),
            E::BuildLog(_) => Ok(()),
        }
    }

    fn expect(&self, allowed: &[Status]) -> Result<(), Why> {
        ensure(allowed.contains(&self.status), "that is not its turn")
    }

    /// An agent that has asked may still tell the results of its other calls.
    fn at_work(&self) -> Result<(), Why> {
        self.expect(&[Status::Running, Status::AwaitingInput])
    }

    fn can_pause(&self) -> bool {
        matches!(self.status, Status::Running | Status::AwaitingInput | Status::Retrying)
    }

    /// The phase being worked on, if it is this one and the build does not stand still.
    fn current(&mut self, number: u32) -> Result<&mut PhaseState, Why> {
        self.at_work()?;
        self.begun(number)
    }

    /// The phase being worked on, if it is this one.
    fn begun(&mut self, number: u32) -> Result<&mut PhaseState, Why> {
        self.phase_mut()
            .filter(|phase| phase.outline.number == number && phase.status == PhaseStatus::Running)
            .ok_or("that phase is not being worked on")
    }

    /// The phase whose agent this is.
    fn running(&mut self, run: RunId) -> Result<&mut PhaseState, Why> {
        self.at_work()?;
        self.phase_mut().filter(|phase| phase.run == Some(run)).ok_or("that agent is not at work")
    }

    fn start(&mut self, started: &Started) -> Result<(), Why> {
        self.expect(&[Status::Queued])?;
        ensure(self.cancel_requested.is_none(), "its end is asked for")?;
        self.status = Status::Running;
        self.attempt = started.attempt;
        self.branch = Some(BranchStatus {
            branch: started.branch.clone(),
            baseline_sha: started.baseline_sha.clone(),
            head_sha: started.baseline_sha.clone(),
            commit_count: 0,
            status: BranchLife::Active,
        });
        Ok(())
    }

    fn request_resume(&mut self, request: &ResumeRequested) -> Result<(), Why> {
        ensure(self.resume_requested.is_none(), "a resumption is asked for already")?;
        if let Some(added) = request.budget_added {
            self.budgets = self.budgets.with(added);
        }
        if self.pause_requested.take().is_some() {
            return Ok(());
        }
        ensure(matches!(self.status, Status::Paused | Status::Blocked), "it does not stand still")?;
        self.resume_requested = Some(request.by.clone());
        Ok(())
    }

    fn unpause(&mut self) -> Result<(), Why> {
        self.expect(&[Status::Paused, Status::Blocked])?;
        ensure(self.resume_requested.take().is_some(), "nobody asked for it")?;
        if self.blocked.take().is_some()
            && let Some(phase) = self.phase_mut()
        {
            phase.failure = None;
            phase.retries.clear();
            phase.fix_attempts = 0;
        }
        self.status = match (&self.question, &self.retry) {
            (Some(_), _) => Status::AwaitingInput,
            (None, Some(_)) => Status::Retrying,
            (None, None) => Status::Running,
        };
        Ok(())
    }

    fn set_branch(&mut self, status: &BranchStatus) -> Result<(), Why> {
        let branch = self.branch.as_mut().ok_or("it has not started")?;
        let same = branch.branch == status.branch && branch.baseline_sha == status.baseline_sha;
        ensure(same, "that is another branch")?;
        *branch = status.clone();
        self.branch_ready = true;
        Ok(())
    }

    fn commit(&mut self, commit: &CommitCreated) -> Result<(), Why> {
        ensure(self.branch_ready, "there is no branch")?;
        let branch = self.branch.as_mut().ok_or("it has not started")?;
        ensure(branch.head_sha != commit.sha, "that commit is recorded already")?;
        branch.head_sha.clone_from(&commit.sha);
        branch.commit_count += 1;
        if let Some(number) = commit.phase {
            let phase = self.current(number)?;
            ensure(phase.stage == Stage::Commit, "the phase is not signed off")?;
            phase.stage = Stage::Push;
        }
        if commit.author_kind == AuthorKind::Human {
            self.doubt();
        }
        Ok(())
    }

    /// A person changed the code: what gates and auditor said, they said of other code.
    fn doubt(&mut self) {
        if self.status == Status::Sealing {
            self.final_gates.clear();
        }
        let Some(phase) = self.phase_mut() else { return };
        match phase.stage {
            // The auditor is told of the change; when it is done, the gates speak again.
            Stage::Agent(Task::Audit) => {}
            Stage::Gates | Stage::Commit | Stage::Push => {
                phase.stage = Stage::Gates;
                phase.signed_off = false;
            }
            Stage::Agent(_) | Stage::Refused | Stage::Complete => return,
        }
        phase.gates.clear();
        phase.criteria.clear();
    }

    fn start_phase(&mut self, started: &PhaseStarted) -> Result<(), Why> {
        self.expect(&[Status::Running])?;
        ensure(self.branch_ready, "there is no branch")?;
        let phase = self.phase_mut().ok_or("all phases are complete")?;
        ensure(phase.outline.number == started.phase, "another phase comes first")?;
        ensure(phase.status == PhaseStatus::Pending, "it has begun")?;
        phase.status = PhaseStatus::Running;
        Ok(())
    }

    fn start_agent(&mut self, started: &AgentStarted) -> Result<(), Why> {
        self.expect(&[Status::Running, Status::Retrying])?;
        ensure(started.role == started.task.role(), "that is not this role's task")?;
        let phase = self.begun(started.phase)?;
        ensure(phase.stage == Stage::Agent(started.task), "that is not the phase's next task")?;
        ensure(phase.run.is_none(), "an agent is at work already")?;
        phase.run = Some(started.run_id);
        *phase.runs.entry(started.task).or_default() += 1;
        phase.failure = None;
        self.retry = None;
        self.status = Status::Running;
        self.usage.begin(started);
        Ok(())
    }

    fn take_turn(&mut self, turn: &AgentTurn) -> Result<(), Why> {
        // The outside world answers again; what an agent does with that is another matter.
        self.running(turn.run_id)?.retries.remove(&ErrorClass::Transient);
        self.spent.tokens_in += turn.tokens_in + turn.cache_read + turn.cache_write;
        self.spent.tokens_out += turn.tokens_out;
        self.spent.usd_micros += turn.cost_usd_micros;
        self.usage.take_turn(turn);
        self.interjections.retain(|words| words.seq > turn.interjections_seen);
        self.notes_version = turn.notes_version;
        Ok(())
    }

    fn finish_agent(&mut self, finished: &AgentFinished) -> Result<(), Why> {
        ensure(self.question.is_none(), "it waits for an answer")?;
        self.running(finished.run_id)?;
        self.usage.end(finished.run_id);
        let phase = self.running(finished.run_id)?;
        let Stage::Agent(task) = phase.stage else { return Err("no agent has a task") };
        if finished.outcome != RunOutcome::Completed {
            phase.run = None;
            phase.failure = Some(finished.outcome.clone());
            let failure = format!("{}: {}", task.role().name(), finished.summary);
            self.remember_failure(failure);
            return Ok(());
        }
        phase.retries.clear();
        // Every gate had spoken before the audit; they are gone when a person changed the code since.
        let doubted = phase.gates.is_empty();
        phase.stage = match task {
            Task::Scout => Stage::Agent(Task::Plan),
            Task::Plan => {
                ensure(!phase.plan.is_empty(), "it left no plan")?;
                Stage::Agent(Task::Execute)
            }
            Task::Execute => Stage::Gates,
            Task::Fix => {
                let fix = phase.fix.as_mut().ok_or("no fix is being tried")?;
                fix.summary.clone_from(&finished.summary);
                Stage::Gates
            }
            Task::Audit => {
                phase.findings.clone_from(&finished.findings);
                let grave = finished.findings.iter().any(|f| f.severity >= Severity::Error);
                let approved = finished.signed_off && !grave;
                phase.signed_off = approved && !doubted;
                match (approved, doubted) {
                    (true, true) => Stage::Gates,
                    (true, false) => Stage::Commit,
                    (false, _) => Stage::Refused,
                }
            }
        };
        phase.run = None;
        Ok(())
    }

    fn gate_may_run(&mut self, phase: Option<u32>, gate: &str) -> Result<(), Why> {
        let gate = gate.to_owned();
        let Some(number) = phase else {
            self.expect(&[Status::Sealing])?;
            ensure(self.gate_names(None).contains(&gate), "there is no such gate")?;
            return ensure(!self.final_gates.contains_key(&gate), "it has run already");
        };
        let current = self.current(number)?;
        ensure(current.stage == Stage::Gates, "it is not the gates' turn")?;
        ensure(!current.gates.contains_key(&gate), "it has run in this round")?;
        ensure(self.gate_names(self.phase()).contains(&gate), "there is no such gate")
    }

    fn finish_gate(&mut self, gate: &GateFinished) -> Result<(), Why> {
        self.gate_may_run(gate.phase, &gate.gate)?;
        let results = match gate.phase {
            Some(number) => &mut self.current(number)?.gates,
            None => &mut self.final_gates,
        };
        results.insert(gate.gate.clone(), GateResult::from(gate));
        if !gate.passed {
            let code = gate.exit_code.map_or(String::new(), |code| format!(", exit code {code}"));
            self.remember_failure(format!("gate {}{code}: {}", gate.gate, gate.output.trim()));
        }
        Ok(())
    }

    fn finish_iteration(&mut self, finished: &IterationFinished) -> Result<(), Why> {
        let passed = self.round_passed(finished.phase)?;
        ensure(passed == finished.passed, "the gates say otherwise")?;
        let phase = self.current(finished.phase)?;
        ensure(finished.n == phase.iteration, "that is another round")?;
        ensure(phase.fix.is_none(), "a fix has not been judged")?;
        phase.stage = if passed { Stage::Agent(Task::Audit) } else { Stage::Refused };
        if passed {
            phase.findings.clear();
        }
        Ok(())
    }

    /// Whether all that is required is green. One that is red says enough; to pass, every gate must
    /// have run.
    fn round_passed(&mut self, number: u32) -> Result<bool, Why> {
        let names = self.gate_names(self.phase());
        let phase = self.current(number)?;
        ensure(phase.stage == Stage::Gates, "it is not the gates' turn")?;
        let passed = phase.gates.values().all(|gate| gate.passed || !gate.required);
        let complete = names.iter().all(|name| phase.gates.contains_key(name));
        ensure(complete || !passed, "a gate has not run")?;
        Ok(passed)
    }

    fn start_fix(&mut self, fix: &FixAttemptStarted) -> Result<(), Why> {
        let phase = self.current(fix.phase)?;
        ensure(phase.stage == Stage::Refused, "nothing was refused")?;
        ensure(phase.gates.is_empty(), "no round was begun for it")?;
        ensure(fix.attempt == phase.fix_attempts + 1, "that is not the next attempt")?;
        phase.fix_attempts = fix.attempt;
        let (attempt, causes) = (fix.attempt, fix.causes.clone());
        phase.fix = Some(Fix { attempt, causes, summary: String::new() });
        phase.stage = Stage::Agent(Task::Fix);
        Ok(())
    }

    fn judge_fix(&mut self, result: &FixAttemptResult) -> Result<(), Why> {
        let passed = self.round_passed(result.phase)?;
        ensure(passed == result.passed, "the gates say otherwise")?;
        let phase = self.current(result.phase)?;
        let fix = phase.fix.take().ok_or("no fix is being tried")?;
        ensure(fix.attempt == result.attempt, "that is another attempt")?;
        phase.fixes.push(FixTold { round: phase.iteration, summary: fix.summary });
        if result.passed {
            phase.fix_attempts = 0;
        }
        Ok(())
    }

    fn track_error(&mut self, tracked: &ErrorTracked) -> Result<(), Why> {
        let record = &tracked.record;
        let before = self.errors.get(&record.fingerprint);
        let count = before.map_or(0, |error| error.occurrence_count);
        ensure(record.occurrence_count == count + 1, "it was counted wrongly")?;
        ensure(before.is_none_or(|error| error.id == record.id), "that error has another id")?;
        let came_back = before.is_some_and(|error| error.regression || error.resolved);
        ensure(record.regression == came_back, "whether it came back is told wrongly")?;
        let round = self.phase().map_or(0, |phase| phase.iteration);
        Arc::make_mut(&mut self.errors).insert(
            record.fingerprint.clone(),
            ErrorState {
                id: record.id,
                first_seen: record.first_seen,
                occurrence_count: record.occurrence_count,
                severity: record.severity,
                source: record.source.clone(),
                phase: record.phase.clone(),
                round,
                dismissed: false,
                resolved: false,
                regression: record.regression,
            },
        );
        Ok(())
    }

    fn resolve_error(&mut self, resolved: &ErrorResolved) -> Result<(), Why> {
        let dismissed = resolved.method == ResolutionMethod::Dismissed;
        // The seal judges what it met when its commit was made.
        ensure(!(dismissed && self.status == Status::Sealing), "it is being sealed")?;
        let mut errors = Arc::make_mut(&mut self.errors).values_mut();
        let error = errors.find(|error| error.id == resolved.error_id);
        let error = error.ok_or("there is no such error")?;
        ensure(!error.resolved, "it is settled already")?;
        ensure(
            !(dismissed && error.severity == Severity::Fatal),
            "a fatal error cannot be dismissed",
        )?;
        error.resolved = true;
        error.dismissed = dismissed;
        Ok(())
    }

    fn reopen_error(&mut self, reopened: &ErrorReopened) -> Result<(), Why> {
        ensure(self.status != Status::Sealing, "it is being sealed")?;
        let mut errors = Arc::make_mut(&mut self.errors).values_mut();
        let error = errors.find(|error| error.id == reopened.error_id);
        let error = error.ok_or("there is no such error")?;
        ensure(error.resolved && error.dismissed, "nobody has dismissed it")?;
        (error.resolved, error.dismissed) = (false, false);
        Ok(())
    }

    fn ask(&mut self, request: &ClarificationRequest) -> Result<(), Why> {
        self.expect(&[Status::Running])?;
        self.running(request.run_id)?;
        ensure(self.question.is_none(), "a question is open already")?;
        ensure(self.spent.clarifications < self.budgets.clarifications, "no questions are left")?;
        self.spent.clarifications += 1;
        self.question = Some(OpenQuestion { request: request.clone() });
        self.status = Status::AwaitingInput;
        Ok(())
    }

    fn settle(&mut self, resolved: &ClarificationResolved) -> Result<(), Why> {
        let open = self.question.as_ref().ok_or("no question is open")?;
        ensure(open.request.question_id == resolved.question_id, "that question is not open")?;
        if resolved.how == ResolvedHow::TimedOut {
            self.unanswered.push(open.request.question.clone());
        }
        self.question = None;
        if self.status == Status::AwaitingInput {
            self.status = Status::Running;
        }
        Ok(())
    }

    fn remember_failure(&mut self, text: String) {
        if self.last_failures.len() == REMEMBERED_FAILURES {
            self.last_failures.remove(0);
        }
        self.last_failures.push(text.chars().take(REMEMBERED_LENGTH).collect());
    }
}
