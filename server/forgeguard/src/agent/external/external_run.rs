//! One run of an external agent: its process, its gateway, and what becomes of both.

use std::{io, time::Duration};

use domain::{
    event::{
        EventBody,
        agents::{FileChanged, ToolCallFinished, ToolCallStarted},
    },
    failure::ErrorClass,
    ids::BuildErrorId,
    state::{BuildState, PhaseState},
};
use sandbox::{Outcome, OutputChunk, SandboxError};
use serde_json::json;
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    conclusion::{self, Observations},
    gateway::{Gateway, GatewayParts},
    home::AgentHome,
    model_request::RequestLimits,
    program::ExternalAgent,
    recorder::{Recorded, Recorder},
    run_records::RunRecords,
    task,
};
use crate::{
    agent::{
        ending::Ending,
        run::{AgentError, AgentRun, RunEnd},
        turn::marked,
    },
    journal::Entry,
    secret::Secret,
    store, text, threads,
    tools::{ChangedFile, ProgramRun},
};

/// Pieces of output that wait to be recorded; more than a process can print before they are read.
const QUEUED_PIECES: usize = 4_096;
/// How often the build's commands and limits are looked at while the process works.
const WATCH_INTERVAL: Duration = Duration::from_millis(500);
/// Looks between two checks whether a user has pushed.
const LOOKS_PER_PUSH_CHECK: u32 = 4;
/// Of one process, if the build has no time limit.
const MAX_DURATION: Duration = Duration::from_secs(4 * 3600);
const READ_TIMEOUT: Duration = Duration::from_secs(60);
/// For files of the agent's home directory, of which many may have to be removed.
const HOME_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of a process's output that are recorded.
const MAX_OUTPUT_BYTES: usize = 16 << 10;
/// Bytes of the token that authenticates a process at its gateway.
const TOKEN_BYTES: usize = 32;

/// Runs an external agent until it ends, or is stopped by a command, a limit or a push. A run that
/// is restarted starts another process in the files as they are. It continues the session if the agent
/// has one in `home`, or gets the same task again.
///
/// # Errors
/// If the end of the run could not be recorded; it can be restarted.
pub async fn run(
    run: AgentRun,
    agent: &ExternalAgent,
    home: AgentHome,
) -> Result<RunEnd, AgentError> {
    let state = run.journal.state(run.build_id).await?;
    let phase = state.phase().filter(|phase| phase.outline.number == run.phase);
    let phase = phase.ok_or(AgentError::NoPhase(run.phase))?;
    let is_exhausted = state.budgets.exhausted(&state.spent, phase.iteration).is_some();
    if run.cancel.is_cancelled() || state.wants_attention() || is_exhausted {
        return Ok(RunEnd::Interrupted);
    }
    let external = ExternalRun { run, agent, home };
    if external.run.price.is_none() && state.budgets.usd_micros.is_some() {
        let ending = Ending::no_price(&external.run.model);
        return external.end(ending).await;
    }
    external.work(&state, phase).await
}

struct ExternalRun<'a> {
    run: AgentRun,
    agent: &'a ExternalAgent,
    home: AgentHome,
}

/// A process that has ended.
struct Ended {
    outcome: Result<Outcome, SandboxError>,
    recorder: Recorder,
    /// A command, a limit, a push or the end of this worker stopped it.
    was_stopped: bool,
}

impl ExternalRun<'_> {
    async fn work(self, state: &BuildState, phase: &PhaseState) -> Result<RunEnd, AgentError> {
        let run = &self.run;
        let records = RunRecords::of(run);
        let (run_id, files) = (run.run_id, self.agent.home_files());
        let session = self.with_home(move |home| home.open(run_id, &files)).await?;
        let task = task::write(run, state, phase, &records, session.is_some()).await?;
        let token = hex::encode(rand::random::<[u8; TOKEN_BYTES]>());
        let invocation = self.agent.invocation(&task.text, &run.model, &token, session.as_deref());
        let stop = run.cancel.child_token();
        let parts = GatewayParts {
            journal: run.journal.clone(),
            build_id: run.build_id,
            run_id: run.run_id,
            fence: run.fence,
            reservations: run.reservations.clone(),
            provider: run.provider.clone(),
            price: run.price.unwrap_or_default(),
            limits: RequestLimits { model: run.model.clone(), max_tokens: run.max_tokens },
            records: records.clone(),
            token: Secret::new(token),
            interjections_seen: task.interjections_seen,
            notes_version: task.notes_version,
        };
        let gateway = Gateway::new(parts, stop.clone());
        let process = store::new_id::<domain::ids::RunId>().to_string();
        let before = self.run.changed_files().await?;
        let mut events = task.events;
        let name = self.agent.executor().name();
        events.push(self.process_started(&process, name));
        self.append(events).await?;
        let (listeners, listener) = mpsc::channel(1);
        let serving = tokio::spawn(gateway.clone().serve(listener));
        let program = ProgramRun {
            argv: invocation.argv,
            environment: invocation.environment,
            home: self.home.path(),
            timeout: remaining(state),
            label: format!("agent:{name}"),
            listeners,
        };
        let started_at = Instant::now();
        let ended = self.supervise(program, &records, &stop, &process).await;
        serving.abort();
        let exhausted = gateway.finish().await;
        let Ended { outcome, recorder, was_stopped } = ended?;
        let after = self.run.changed_files().await?;
        let mut events = self.file_events(&before, &after);
        events.push(self.process_finished(&process, name, &outcome, started_at));
        self.append(events).await?;
        if let Some(limit) = exhausted {
            return Ok(RunEnd::BudgetExhausted(limit));
        }
        let state = self.run.journal.state(self.run.build_id).await?;
        if records.needs_answer(&state, !after.is_empty()) {
            return Ok(RunEnd::Asked);
        }
        let iteration = state.phase().map_or(0, |phase| phase.iteration);
        if was_stopped || state.budgets.exhausted(&state.spent, iteration).is_some() {
            return Ok(RunEnd::Interrupted);
        }
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => return self.end(self.not_started(&error)).await,
        };
        let ending = conclusion::conclude(&Observations {
            task: self.run.task,
            label: self.agent.executor().label(),
            outcome: &outcome,
            last_text: recorder.last_text(),
            failure: recorder.failure.as_deref(),
            notes: &recorder.notes,
            has_changes: !after.is_empty(),
            is_already_done: state.phase().is_some_and(|phase| phase.already_done.is_some()),
        });
        self.end(ending).await
    }

    /// Runs the process, and records what it prints as it arrives.
    async fn supervise(
        &self,
        program: ProgramRun,
        records: &RunRecords,
        stop: &CancellationToken,
        process: &str,
    ) -> Result<Ended, AgentError> {
        let (sender, mut pieces) = mpsc::channel::<OutputChunk>(QUEUED_PIECES);
        let commands = self.run.commands.cancelled_by(stop.clone());
        let running = commands.run_program(program, sender);
        tokio::pin!(running);
        let mut recorder = Recorder::new(self.run.run_id, self.agent.clone(), process.to_owned());
        let mut looks = tokio::time::interval(WATCH_INTERVAL);
        let mut look = 0;
        let outcome = loop {
            tokio::select! {
                biased;
                Some(piece) = pieces.recv() => {
                    let mut recorded = Recorded::default();
                    recorder.take(&piece.text, piece.dropped_bytes, &mut recorded);
                    while let Ok(piece) = pieces.try_recv() {
                        recorder.take(&piece.text, piece.dropped_bytes, &mut recorded);
                    }
                    self.record(recorded).await?;
                    self.store_session(&mut recorder).await?;
                }
                outcome = &mut running => break outcome,
                _ = looks.tick() => {
                    look += 1;
                    if self.must_stop(records, look % LOOKS_PER_PUSH_CHECK == 0).await? {
                        stop.cancel();
                    }
                }
            }
        };
        let mut recorded = Recorded::default();
        while let Ok(piece) = pieces.try_recv() {
            recorder.take(&piece.text, piece.dropped_bytes, &mut recorded);
        }
        recorder.finish(&mut recorded);
        self.record(recorded).await?;
        self.store_session(&mut recorder).await?;
        Ok(Ended { outcome, recorder, was_stopped: stop.is_cancelled() })
    }

    /// Stores the session that the process has reported, for the next process of the run.
    async fn store_session(&self, recorder: &mut Recorder) -> Result<(), AgentError> {
        let Some(session) = recorder.new_session.take() else { return Ok(()) };
        let run_id = self.run.run_id;
        self.with_home(move |home| home.set_session(run_id, session)).await
    }

    async fn with_home<T: Send + 'static>(
        &self,
        work: impl FnOnce(&AgentHome) -> io::Result<T> + Send + 'static,
    ) -> Result<T, AgentError> {
        let home = self.home.clone();
        let done = threads::run(HOME_TIMEOUT, move || work(&home)).await;
        done.map_err(|error| error.to_string())
            .and_then(|done| done.map_err(|error| error.to_string()))
            .map_err(AgentError::Home)
    }

    /// Whether a command of the user, a limit, an open question or a push ends the process.
    async fn must_stop(
        &self,
        records: &RunRecords,
        checks_pushes: bool,
    ) -> Result<bool, AgentError> {
        let state = self.run.journal.state(self.run.build_id).await?;
        let iteration = state.phase().map_or(0, |phase| phase.iteration);
        if state.wants_attention()
            || records.must_end(&state)
            || state.budgets.exhausted(&state.spent, iteration).is_some()
        {
            return Ok(true);
        }
        let is_overtaken = self.run.is_overtaken.clone();
        Ok(checks_pushes
            && threads::run(READ_TIMEOUT, move || is_overtaken()).await.unwrap_or(false))
    }

    async fn record(&self, recorded: Recorded) -> Result<(), AgentError> {
        let Recorded { mut events, texts } = recorded;
        if events.is_empty() && texts.is_empty() {
            return Ok(());
        }
        let task = self.run.task;
        let entry = Entry::derived(self.run.build_id, self.run.fence, move |state, _| {
            events.extend(marked(state, task, &texts));
            Ok(events)
        });
        self.run.journal.append(entry).await?;
        Ok(())
    }

    async fn append(&self, events: Vec<EventBody>) -> Result<(), AgentError> {
        let entry = Entry::given(self.run.build_id, self.run.fence, events);
        self.run.journal.append(entry).await?;
        Ok(())
    }

    async fn end(&self, ending: Ending) -> Result<RunEnd, AgentError> {
        let place = (self.run.build_id, self.run.run_id);
        let entry = Entry::derived(place.0, self.run.fence, move |state, now| {
            Ok(ending.events(state, place, now, store::new_id::<BuildErrorId>))
        });
        self.run.journal.append(entry).await?;
        if let Err(error) = self.with_home(AgentHome::remove).await {
            tracing::warn!(build_id = %self.run.build_id, %error, "the agent's home directory is left until the next run");
        }
        Ok(RunEnd::Finished)
    }

    fn not_started(&self, error: &SandboxError) -> Ending {
        let error_class = match error {
            SandboxError::SupervisorLost | SandboxError::System { .. } => ErrorClass::Resource,
            _ => ErrorClass::Config,
        };
        let label = self.agent.executor().label();
        Ending::Failed {
            error_class,
            source: "agent:coder".to_owned(),
            message: format!("{label} could not be started: {error}"),
            retry_after_s: None,
        }
    }

    fn process_started(&self, process: &str, name: &str) -> EventBody {
        let (call_id, tool) = (process.to_owned(), name.to_owned());
        let input = json!({ "model": self.run.model });
        ToolCallStarted { run_id: self.run.run_id, call_id, tool, input }.into()
    }

    /// The process as a call, with the ends of all that it printed.
    fn process_finished(
        &self,
        process: &str,
        name: &str,
        outcome: &Result<Outcome, SandboxError>,
        started_at: Instant,
    ) -> EventBody {
        let (ok, output) = match outcome {
            Ok(outcome) => {
                let code = outcome.exit_code.map_or("none".to_owned(), |code| code.to_string());
                let restored = match outcome.git_pointer_restored {
                    true => "\n[the worktree's .git file was changed and has been restored]",
                    false => "",
                };
                let printed = text::ends(outcome.output.text().trim_end(), MAX_OUTPUT_BYTES);
                (outcome.succeeded(), format!("exit code {code}\n{printed}{restored}"))
            }
            Err(error) => (false, error.to_string()),
        };
        let duration_ms = u64::try_from(started_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (call_id, tool) = (process.to_owned(), name.to_owned());
        let run_id = self.run.run_id;
        ToolCallFinished { run_id, call_id, tool, ok, output, duration_ms }.into()
    }

    /// The files that the process has changed.
    fn file_events(&self, before: &[ChangedFile], after: &[ChangedFile]) -> Vec<EventBody> {
        let new = after.iter().filter(|file| !before.contains(file));
        let event = |file: &ChangedFile| {
            let ChangedFile { path, operation, insertions, deletions } = file.clone();
            let run_id = self.run.run_id;
            FileChanged { run_id, path, operation, insertions, deletions }.into()
        };
        new.map(event).collect()
    }
}

/// The rest of the build's time.
fn remaining(state: &BuildState) -> Duration {
    let spent = Duration::from_millis(state.spent.working_ms.max(0).unsigned_abs());
    let limit = state.budgets.minutes.map(|minutes| Duration::from_secs(u64::from(minutes) * 60));
    let left = limit.map(|limit| limit.saturating_sub(spent).max(Duration::from_secs(1)));
    left.unwrap_or(MAX_DURATION).min(MAX_DURATION)
}
