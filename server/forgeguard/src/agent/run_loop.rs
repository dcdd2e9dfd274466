//! The loop of one run. The next step depends only on the transcript and the build's state.

use std::{collections::HashSet, ops::ControlFlow, sync::Arc, time::Duration};

use domain::{
    event::{
        EventBody,
        agents::{ContextCompacted, Task},
    },
    ids::BuildErrorId,
    state::{BuildState, PhaseState},
};
use llm::{Message, ModelError, Reply, Request, ToolCall, UserBlock};

use super::{
    briefing::Briefing,
    budget_reservations::{self, ReserveError},
    calls::{self, Outcomes},
    compaction::{self, TokenScale},
    doom_loop::doom_loop,
    dossier,
    ending::Ending,
    interrupted_calls, label, prompt,
    protocol::{self, Next, Place},
    reply::{self, PreviewTarget},
    run::{AgentError, AgentRun, RequestError, RunEnd},
    transcript::Transcript,
    turn::{self, Turn, UserInput},
};
use crate::{
    journal::{AgentMessage, Entry},
    store, threads, tools,
};

/// Runs an agent until its task is done, it is interrupted, or it asks the user.
///
/// # Errors
/// If the end of the run could not be recorded; it can be restarted.
pub async fn run(run: AgentRun) -> Result<RunEnd, AgentError> {
    let mut conn = run.journal.db().read().await?;
    let transcript = Transcript::load(&mut conn, &run.earlier_runs, run.run_id).await?;
    let pending = transcript.pending();
    let interrupted =
        interrupted_calls::find(&mut conn, run.build_id, run.run_id, &pending).await?;
    drop(conn);
    let changed_files = match run.task {
        Task::Audit => changed_files(&run).await?,
        _ => Vec::new(),
    };
    let state = run.journal.state(run.build_id).await?;
    let scale = TokenScale::UNKNOWN;
    let (started, early) = (HashSet::new(), None);
    let run = RunLoop { run, transcript, interrupted, started, early, changed_files, scale };
    run.run(state).await
}

/// The paths that the phase has changed, on which an auditor's judgement depends.
async fn changed_files(run: &AgentRun) -> Result<Vec<String>, AgentError> {
    let changes = run.changes.clone();
    let read = threads::run(READ_TIMEOUT, move || changes.paths()).await;
    read.map_err(|error| error.to_string()).flatten().map_err(AgentError::Changes)
}

pub(super) struct RunLoop {
    pub(super) run: AgentRun,
    pub(super) transcript: Transcript,
    /// Calls that an earlier process may have made without recording their results.
    pub(super) interrupted: HashSet<String>,
    /// Calls of the last reply whose start was recorded with it.
    pub(super) started: HashSet<String>,
    /// The outcomes of these calls, if they were made before the reply was recorded.
    pub(super) early: Option<Outcomes>,
    /// For an audit: the paths that the phase has changed.
    pub(super) changed_files: Vec<String>,
    /// The ratio of the provider's token counts to ours, as far as this process knows it.
    scale: TokenScale,
}

/// The end of the run, or the build's state before the next step.
pub(super) type Flow = ControlFlow<RunEnd, Arc<BuildState>>;

/// For reading the branch or the skills before a turn.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

impl RunLoop {
    async fn run(mut self, mut state: Arc<BuildState>) -> Result<RunEnd, AgentError> {
        loop {
            let flow = match self.transcript.pending() {
                _ if self.must_stop(&state) => return Ok(RunEnd::Interrupted),
                // Calls after an accepted plan are made when it is carried out.
                _ if self.run.task == Task::Plan
                    && let Some(ending) = self.accepted_end(&state)? =>
                {
                    self.end(ending, Vec::new(), Vec::new()).await?
                }
                pending if let Some(ending) = self.accepted_end(&state)? => {
                    let results = pending.into_iter().map(not_called).collect();
                    self.end(ending, Vec::new(), results).await?
                }
                pending if !pending.is_empty() => self.run_calls(&pending, state).await?,
                _ => self.take_turn(&state).await?,
            };
            match flow {
                Flow::Break(end) => return Ok(end),
                Flow::Continue(next) => state = next,
            }
        }
    }

    /// Whether a command of the user or the end of the process interrupts the run.
    pub(super) fn must_stop(&self, state: &BuildState) -> bool {
        self.run.cancel.is_cancelled() || state.wants_attention()
    }

    fn accepted_end(&self, state: &BuildState) -> Result<Option<Ending>, AgentError> {
        let phase = self.phase(state)?;
        Ok(protocol::accepted_end(self.place(state, phase), &self.transcript))
    }

    fn phase<'a>(&self, state: &'a BuildState) -> Result<&'a PhaseState, AgentError> {
        let phase = state.phase().filter(|phase| phase.outline.number == self.run.phase);
        phase.ok_or(AgentError::NoPhase(self.run.phase))
    }

    fn place<'a>(&self, state: &BuildState, phase: &'a PhaseState) -> Place<'a> {
        let (task, last_finding) = (self.run.task, state.last_finding);
        Place { task, phase, has_changes: !self.changed_files.is_empty(), last_finding }
    }

    /// Requests the model's next reply and records its effects.
    async fn take_turn(&mut self, state: &Arc<BuildState>) -> Result<Flow, AgentError> {
        let phase = self.phase(state)?;
        let is_overtaken = self.run.is_overtaken.clone();
        let (is_overtaken, news) = tokio::join!(
            threads::run(READ_TIMEOUT, move || is_overtaken()),
            news(&self.run, &self.transcript, state, phase)
        );
        if is_overtaken.unwrap_or(false) {
            return Ok(Flow::Break(RunEnd::Interrupted));
        }
        let threshold = state.budgets.doom_loop;
        if let Some(tool) = doom_loop(&self.transcript.own_finished_calls(), threshold) {
            let ending = Ending::DoomLoop { tool: tool.to_owned(), times: threshold };
            return self.end(ending, Vec::new(), Vec::new()).await;
        }
        if state.budgets.exhausted(&state.spent, phase.iteration).is_some() {
            return Ok(Flow::Break(RunEnd::Interrupted));
        }
        if self.transcript.turns() >= self.run.max_turns {
            let message = format!("it was not done after {} replies", self.run.max_turns);
            let ending = Ending::protocol_violation(self.run.task.role(), message);
            return self.end(ending, Vec::new(), Vec::new()).await;
        }
        let (news, user_input) = news?;
        let request = self.request(phase, &self.transcript, &news)?;
        let estimated = request.estimated_tokens();
        let prompt_tokens = self.scale.tokens(estimated);
        if compaction::is_full(prompt_tokens, self.run.window)
            && let Some(state) = self.compact(phase, &news, prompt_tokens).await?
        {
            return Ok(Flow::Continue(state));
        }
        if self.run.price.is_none() && state.budgets.usd_micros.is_some() {
            return self.end(Ending::no_price(&self.run.model), Vec::new(), Vec::new()).await;
        }
        let cost = budget_reservations::max_cost(&request, self.run.price.unwrap_or_default());
        let (journal, build_id) = (&self.run.journal, self.run.build_id);
        let reserved = tokio::select! {
            () = self.run.cancel.cancelled() => return Ok(Flow::Break(RunEnd::Interrupted)),
            reserved = self.run.reservations.reserve(journal, build_id, cost) => reserved,
        };
        // Held until the reply's cost is in the journal.
        let _reservation = match reserved {
            Ok(reservation) => reservation,
            Err(ReserveError::Exhausted(limit)) => {
                return Ok(Flow::Break(RunEnd::BudgetExhausted(limit)));
            }
            Err(ReserveError::Unreadable(error)) => return Err(error.into()),
        };
        let target = PreviewTarget {
            feed: self.run.journal.feed(),
            build_id: self.run.build_id,
            run_id: self.run.run_id,
        };
        let provider = &*self.run.provider;
        match reply::request(provider, &request, target, &self.run.cancel).await {
            Err(RequestError::Cancelled) => Ok(Flow::Break(RunEnd::Interrupted)),
            Err(RequestError::Failed(error)) => {
                // The provider counts exactly; our estimate was too low.
                if matches!(error, ModelError::TooLong)
                    && let Some(state) = self.compact(phase, &news, self.run.window).await?
                {
                    return Ok(Flow::Continue(state));
                }
                self.end(Ending::model_failed(&error), Vec::new(), Vec::new()).await
            }
            Ok(reply) => {
                self.scale = TokenScale::measured(reply.usage.prompt(), estimated);
                self.record(state, phase, news, reply, user_input).await
            }
        }
    }

    /// Replaces the middle of the conversation by a summary, if that makes it shorter. Returns the
    /// build's state afterwards.
    async fn compact(
        &mut self,
        phase: &PhaseState,
        news: &[Message],
        before: u64,
    ) -> Result<Option<Arc<BuildState>>, AgentError> {
        let Some(mut shortened) = compaction::shorten(&self.transcript) else { return Ok(None) };
        let briefing = Briefing::load(&self.run).await?;
        let state = self.run.journal.state(self.run.build_id).await?;
        let task = prompt::first(self.run.task, &state, phase, &briefing, false)?;
        shortened.summary.text += &format!("\n\nYour task, as it is now:\n\n{task}");
        let row = self.transcript.summary_row(&shortened.summary);
        let mut shorter = self.transcript.clone();
        shorter.shorten(shortened.summary);
        let after = self.request(phase, &shorter, news)?.estimated_tokens();
        let after = self.scale.tokens(after);
        if !compaction::is_worth_it(before, after, self.run.window) {
            return Ok(None);
        }
        let (run_id, contracts_read) = (self.run.run_id, shortened.contracts_read);
        let compacted = ContextCompacted { run_id, before, after, contracts_read };
        let entry = Entry::given(self.run.build_id, self.run.fence, vec![compacted.into()]);
        let appended = self.run.journal.append(entry.with_messages(vec![row])).await?;
        self.transcript = shorter;
        Ok(Some(appended.state))
    }

    fn request(
        &self,
        phase: &PhaseState,
        transcript: &Transcript,
        news: &[Message],
    ) -> Result<Request, AgentError> {
        let role = self.run.role;
        let number = phase.runs.get(&self.run.task).copied().unwrap_or(1);
        Ok(Request {
            label: label::of_run(self.run.phase, self.run.task, number),
            model: self.run.model.clone(),
            system: prompt::system(role)?,
            tools: tools::definitions(role),
            messages: transcript.conversation(news),
            max_tokens: self.run.max_tokens,
            forgotten_turns: transcript.forgotten_turns(),
            earlier_turns: transcript.earlier_turns(),
        })
    }

    /// Records a reply and its effects in one entry, so that a crash leaves all of it or nothing.
    async fn record(
        &mut self,
        state: &Arc<BuildState>,
        phase: &PhaseState,
        news: Vec<Message>,
        mut reply: Reply,
        user_input: UserInput,
    ) -> Result<Flow, AgentError> {
        reply.tool_calls = self.transcript.with_unique_ids(reply.tool_calls);
        let place = self.place(state, phase);
        let parsed = protocol::parse_reply(place, &self.transcript, &reply);
        let turn = Turn {
            run_id: self.run.run_id,
            phase: self.run.phase,
            price: self.run.price.unwrap_or_default(),
            user_input,
        };
        let events = turn::events(turn, &reply, &parsed);
        let mut messages = news;
        let calls = calls::batch(&reply.tool_calls);
        messages.push(reply.into_message());
        match parsed.next {
            Next::End(ending) => self.end(ending, events, messages).await,
            Next::Calls(reminder) => {
                messages.extend(reminder.map(Message::user));
                let state = self.append_with_calls(state, events, messages, &calls).await?;
                Ok(Flow::Continue(state))
            }
            Next::Remind(reminder) => {
                messages.push(Message::user(reminder));
                self.append(events, messages).await.map(Flow::Continue)
            }
        }
    }

    /// Appends the last events and messages of the run, and its end.
    pub(super) async fn end(
        &mut self,
        ending: Ending,
        before: Vec<EventBody>,
        messages: Vec<Message>,
    ) -> Result<Flow, AgentError> {
        if let (Task::Scout, Ending::Completed { summary }) = (self.run.task, &ending) {
            // Stored before the end, so that every finished scout has one; repeating it is harmless.
            let run = &self.run;
            dossier::store(run.journal.db(), run.build_id, run.phase, summary).await?;
        }
        let place = (self.run.build_id, self.run.run_id);
        let entry = Entry::derived(place.0, self.run.fence, move |state, now| {
            let ending = ending.events(state, place, now, store::new_id::<BuildErrorId>);
            Ok(before.into_iter().chain(ending).collect())
        });
        let rows = self.transcript.rows(&messages);
        self.run.journal.append(entry.with_messages(rows)).await?;
        Ok(Flow::Break(RunEnd::Finished))
    }

    /// Appends events and messages; returns the build's state after them.
    pub(super) async fn append(
        &mut self,
        events: Vec<EventBody>,
        messages: Vec<Message>,
    ) -> Result<Arc<BuildState>, AgentError> {
        let rows: Vec<AgentMessage> = self.transcript.rows(&messages);
        let entry = Entry::given(self.run.build_id, self.run.fence, events);
        let appended = self.run.journal.append(entry.with_messages(rows)).await?;
        self.transcript.extend(messages);
        Ok(appended.state)
    }
}

/// Messages for the model other than tool results, and the user's input that they contain.
async fn news(
    run: &AgentRun,
    transcript: &Transcript,
    state: &BuildState,
    phase: &PhaseState,
) -> Result<(Vec<Message>, UserInput), AgentError> {
    let mut news = Vec::new();
    let is_known = !run.earlier_runs.is_empty();
    let (notes, notes_version) = if transcript.has_begun() {
        notes(run).await?
    } else {
        let briefing = Briefing::load(run).await?;
        let first = prompt::first(run.task, state, phase, &briefing, is_known)?;
        news.push(Message::user(first));
        (briefing.notes, briefing.notes_version)
    };
    let has_notes = transcript.has_begun() || is_known;
    if has_notes && notes_version != state.notes_version {
        news.push(Message::user(prompt::changed_notes(&notes)));
    }
    let interjections = state.interjections.iter();
    news.extend(interjections.map(|said| Message::user(prompt::interjected(said))));
    let interjections_seen = state.interjections.last().map_or(0, |last| last.seq);
    Ok((news, UserInput { interjections_seen, notes_version }))
}

/// The current notes of the project's owner, and their version.
async fn notes(run: &AgentRun) -> Result<(String, u32), AgentError> {
    let mut conn = run.journal.db().read().await?;
    let note = store::notes::of_owner(&mut conn, run.project_id).await?;
    Ok(note.map_or_else(Default::default, |note| (note.content, note.version)))
}

/// The result of a call that was not made because an earlier one of its reply has ended the task.
fn not_called(call: ToolCall) -> Message {
    let content = "Not called: the task had ended before.".to_owned();
    let block = UserBlock::ToolResult { call_id: call.id, content, is_error: true };
    Message::User { content: vec![block] }
}
