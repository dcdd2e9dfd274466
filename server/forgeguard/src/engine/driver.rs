//! Runs one build: fold, decide, perform the effect, append the result, repeat.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::{
    decide::{Effect, decide},
    errors::Severity,
    event::{
        EventBody,
        branch::{BranchLife, BranchStatus},
        gates::{FixAttemptStarted, RetryScheduled},
        life::{Actor, BlockReason, Paused, Sealing},
        phases::{IterationStarted, Mode, ModeSwitched, PhaseStarted},
        questions::{ClarificationResolved, ResolvedHow},
    },
    ids::BuildId,
    rounds,
    state::{BuildState, Status},
    tracking::{self, ObservedFailure},
};
use sandbox::UsageMeter;
use tokio_util::sync::CancellationToken;

use super::{blocking, error::EngineError, handle::Engine};
use crate::{
    agent::BudgetReservations,
    journal::{AppendError, Appended, Entry},
    store::{
        self,
        work_items::{Lease, Parked},
    },
};

/// Failures of the engine itself without progress in between, before the build is blocked.
const MAX_ENGINE_FAILURES: u32 = 5;
/// Before the first retry after such a failure; doubled each time.
const FIRST_RETRY_DELAY: TimeDelta = TimeDelta::seconds(5);
/// Consecutive effects that may fail because the journal has grown in the meantime.
const MAX_CONFLICTS: u32 = 3;
/// Before commands are read again after a failure.
const READ_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The worker of one build.
pub struct Driver {
    pub(super) engine: Engine,
    pub(super) lease: Lease,
    /// Cancelled by shutdown, the loss of the lease, or the end of the build.
    pub(super) stop: CancellationToken,
    /// Budget reserved by calls of its agents.
    pub(super) reservations: Arc<BudgetReservations>,
    /// Measures what its commands use.
    pub(super) meter: UsageMeter,
    /// Whether this worker started the build itself, so that its branch cannot exist yet.
    pub(super) fresh: bool,
}

/// Whether the worker continues after an effect.
enum Next {
    Continue,
    HandBack,
}

impl Driver {
    /// A worker for a build that it has claimed.
    pub fn new(engine: Engine, lease: Lease, stop: CancellationToken, meter: UsageMeter) -> Self {
        Self { engine, lease, stop, reservations: Arc::default(), meter, fresh: false }
    }

    /// Works until the build ends, waits, or the lease is lost. Failures of the engine itself are
    /// recorded and retried, and finally block the build.
    pub async fn run(mut self) {
        let _watch = self.watch_for_cancel().drop_guard();
        match self.work().await {
            Ok(()) => {}
            Err(error) if error.is_over() => {}
            Err(error) if error.is_temporary() => self.wait_out(&error).await,
            Err(error) => self.fail(&error).await,
        }
    }

    pub(super) fn build(&self) -> BuildId {
        self.lease.id
    }

    /// Appends events under this worker's lease.
    pub(super) async fn append(&self, events: Vec<EventBody>) -> Result<Appended, EngineError> {
        let entry = Entry::given(self.build(), Some(self.lease.fence), events);
        Ok(self.engine.journal().append(entry).await?)
    }

    /// Appends events that are derived from the current state.
    pub(super) async fn append_with(
        &self,
        derive: impl FnOnce(&BuildState) -> Vec<EventBody> + Send + 'static,
    ) -> Result<Appended, EngineError> {
        let fence = Some(self.lease.fence);
        let entry = Entry::derived(self.build(), fence, move |state, _| Ok(derive(state)));
        Ok(self.engine.journal().append(entry).await?)
    }

    async fn work(&mut self) -> Result<(), EngineError> {
        let (seq, state) = self.engine.journal().folded(self.build()).await?;
        let node = &self.engine.parts.node.name;
        if let Some(resumed) = state.resumed(seq, node, self.lease.fence as u32) {
            self.append(vec![resumed.into()]).await?;
        }
        self.clear_locks(&state).await?;
        if !self.settle_unrecorded_seal(&state).await? {
            self.settle_interrupted_step(&state).await?;
        }
        let mut overtaken = 0;
        loop {
            let (seq, state) = self.engine.journal().folded(self.build()).await?;
            if self.stop.is_cancelled() && state.cancel_requested.is_none() {
                return self.hand_back_on_shutdown(seq).await;
            }
            let effect = decide(&state, store::now());
            tracing::debug!(build_id = %self.build(), seq, ?effect);
            self.begin_step(&effect).await?;
            if self.take_in(&effect, &state).await? {
                continue;
            }
            match self.perform(effect, state, seq).await {
                Ok(Next::Continue) => overtaken = 0,
                Ok(Next::HandBack) => return Ok(()),
                // A command has been appended in the meantime: decide again.
                Err(error) if error.is_illegal() && overtaken < MAX_CONFLICTS => overtaken += 1,
                Err(error) => return Err(error),
            }
        }
    }

    async fn perform(
        &mut self,
        effect: Effect,
        state: Arc<BuildState>,
        seq: u64,
    ) -> Result<Next, EngineError> {
        match effect {
            Effect::Nothing => {
                self.put_away(&state).await;
                return Ok(Next::HandBack);
            }
            Effect::Wait { until } => return self.park(seq, until).await,
            Effect::Park => return self.park(seq, None).await,
            Effect::Start => self.start(&state).await?,
            Effect::CreateBranch => self.create_branch(&state).await?,
            Effect::Pause { by } => self.note(Paused { by, reason: None }).await?,
            Effect::Unpause { by } => self.unpause(&state, by).await?,
            Effect::Abandon { by, reason } if state.status == Status::Sealing => {
                self.abandon_while_sealing(&state, by, reason).await?;
            }
            Effect::Abandon { by, reason } => {
                self.append_with(move |state| rounds::abandon(state, by, reason)).await?;
            }
            Effect::AskAssumption { id } => self.ask_assumption(&state, id).await?,
            Effect::AskPlanApproval => self.ask_plan_approval(&state).await?,
            Effect::AskConfirmation => self.ask_confirmation(&state).await?,
            Effect::TimeOut { question_id } => {
                let (how, by) = (ResolvedHow::TimedOut, Actor::Forge);
                let resolved = ClarificationResolved { question_id, answer: None, how, by };
                self.settle_late(resolved).await?;
            }
            Effect::Block { reason } => self.block(&state, reason).await?,
            Effect::Retry { error_class, attempt, wait_s } => {
                let max_attempts = state.queued.waits.of(error_class).len() as u32;
                let retry_at = store::now() + TimeDelta::seconds(i64::from(wait_s));
                self.note(RetryScheduled { error_class, attempt, max_attempts, retry_at }).await?;
            }
            Effect::ControlPhase { request } => self.control_phase(&state, request).await?,
            Effect::RunRequestedGates { names } => self.run_requested_gates(&state, names).await?,
            Effect::StartPhase { phase } => self.start_phase(&state, phase).await?,
            Effect::StartIteration { phase, n } => {
                let why = "the plan stands".to_owned();
                let switched = ModeSwitched { phase, mode: Mode::Execute, why };
                let started = IterationStarted { phase, n };
                self.append(vec![switched.into(), started.into()]).await?;
            }
            Effect::RunAgent { phase, task, run } => {
                self.run_agent(state, phase, task, run).await?;
            }
            Effect::RunPreflight { names } => self.run_preflight(&state, names).await?,
            Effect::RunGates { phase, names } => self.run_gates(&state, phase, names).await?,
            Effect::JudgeRound { .. } => {
                self.append_with(rounds::finish_round).await?;
            }
            Effect::StartFix { phase, attempt, causes } => {
                let n = state.phase().map_or(0, |phase| phase.iteration) + 1;
                let started = FixAttemptStarted { phase, attempt, causes };
                self.append(vec![IterationStarted { phase, n }.into(), started.into()]).await?;
            }
            Effect::Commit { phase } => self.commit_phase(&state, phase).await?,
            Effect::Push => self.push().await?,
            Effect::CompletePhase { .. } => {
                self.append_with(rounds::complete_phase).await?;
            }
            Effect::CompareBase => self.compare_base(&state).await?,
            Effect::BeginSealing => self.begin_sealing(&state).await?,
            Effect::CompareTests => self.compare_tests(&state).await?,
            Effect::RunRedCheck { base_sha, gate } => {
                self.run_red_check(&state, base_sha, gate).await?;
            }
            Effect::CheckDeliverables => self.check_deliverables(&state).await?,
            Effect::TestMutants => self.test_mutants(&state).await?,
            Effect::Seal => self.seal(&state).await?,
        }
        Ok(Next::Continue)
    }

    async fn note(&self, event: impl Into<EventBody>) -> Result<(), EngineError> {
        self.append(vec![event.into()]).await.map(drop)
    }

    /// An answer may arrive just before the timeout; then it counts.
    async fn settle_late(&self, resolved: ClarificationResolved) -> Result<(), EngineError> {
        match self.append(vec![resolved.into()]).await {
            Err(EngineError::Append(AppendError::Illegal(_))) => Ok(()),
            other => other.map(drop),
        }
    }

    async fn start_phase(&self, state: &BuildState, phase: u32) -> Result<(), EngineError> {
        let title = state.phase().map_or(String::new(), |phase| phase.outline.title.clone());
        let explores = self.explores(state).await?;
        self.note(PhaseStarted { phase, title, explores }).await
    }

    async fn begin_sealing(&self, state: &BuildState) -> Result<(), EngineError> {
        let mut events: Vec<EventBody> = vec![Sealing {}.into()];
        if let Some(branch) = state.branch.clone() {
            events.push(BranchStatus { status: BranchLife::Sealing, ..branch }.into());
        }
        self.append(events).await.map(drop)
    }

    pub(super) async fn block(
        &self,
        state: &BuildState,
        reason: BlockReason,
    ) -> Result<(), EngineError> {
        self.note(blocking::blocked(state, reason)).await
    }

    async fn park(
        &self,
        seq: u64,
        until: Option<chrono::DateTime<chrono::Utc>>,
    ) -> Result<Next, EngineError> {
        Ok(match self.engine.journal().park(&self.lease, seq, until).await? {
            Parked::NewEvents => Next::Continue,
            Parked::Parked | Parked::LeaseLost => Next::HandBack,
        })
    }

    /// The service is stopping: another worker may claim the build immediately.
    async fn hand_back_on_shutdown(&self, seq: u64) -> Result<(), EngineError> {
        self.engine.journal().park(&self.lease, seq, Some(store::now())).await?;
        Ok(())
    }

    /// A failure of the engine itself: recorded, then retried or escalated to a user.
    async fn fail(&self, error: &EngineError) {
        tracing::error!(build_id = %self.build(), %error, "a build cannot continue");
        if let Err(second) = self.record_failure(error).await {
            tracing::error!(build_id = %self.build(), error = %second, "nor could that be recorded");
        }
    }

    async fn record_failure(&self, error: &EngineError) -> Result<(), EngineError> {
        let (build, message) = (self.build(), error.to_string());
        let seen = ObservedFailure::new(rounds::ENGINE_SOURCE, Severity::Error, &message);
        let id = store::new_id();
        let tracked = self
            .append_with(move |state| {
                if state.status.is_final() {
                    return Vec::new();
                }
                vec![tracking::track(state, build, id, store::now(), seen)]
            })
            .await?;
        let count = tracked.state.engine_failures;
        let event = if error.is_misconfiguration() {
            Some(blocking::misconfigured(&tracked.state, &message))
        } else {
            (count >= MAX_ENGINE_FAILURES).then(|| blocking::broken(&tracked.state, &message))
        };
        if let Some(event) = event.filter(|_| blocking::can_block(&tracked.state)) {
            let seq = self.append(vec![event.into()]).await?.last_seq;
            return self
                .engine
                .journal()
                .park(&self.lease, seq, None)
                .await
                .map(drop)
                .map_err(Into::into);
        }
        let wait = FIRST_RETRY_DELAY * (1 << count.min(6) as i32);
        let until = Some(store::now() + wait);
        self.engine.journal().park(&self.lease, tracked.last_seq, until).await?;
        Ok(())
    }

    /// Cancels `stop` when a user requests the build's end.
    fn watch_for_cancel(&self) -> CancellationToken {
        let done = CancellationToken::new();
        let (ended, stop) = (done.clone(), self.stop.clone());
        let journal = self.engine.journal().clone();
        let build = self.build();
        tokio::spawn(async move {
            let mut head = journal.follow(build);
            loop {
                match journal.state(build).await {
                    Ok(state) if state.cancel_requested.is_some() => return stop.cancel(),
                    Ok(_) => {}
                    Err(error) => {
                        tracing::warn!(%build, %error, "cannot look for commands; trying again");
                        head.mark_changed();
                        tokio::time::sleep(READ_RETRY_INTERVAL).await;
                    }
                }
                tokio::select! {
                    () = ended.cancelled() => return,
                    changed = head.changed() => if changed.is_err() { return },
                }
            }
        });
        done
    }
}
