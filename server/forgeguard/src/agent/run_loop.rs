//! The loop of one run. The next step depends only on the transcript and the build's state.

use std::{collections::HashSet, sync::Arc, time::Duration};

use domain::{
    event::{
        EventBody,
        agents::{ContextCompacted, Task},
        questions::ClarificationKind,
    },
    ids::BuildErrorId,
    state::{BuildState, PhaseState},
};
use futures::StreamExt;
use llm::{Message, ModelError, Reply, Request, ToolCall, UserBlock};

use super::{
    briefing::Briefing,
    budget_reservations::{self, ReserveError},
    calls::{self, CallOutcome},
    citations,
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
    store, threads,
    tools::{self, AuditRun, Done, Fatal, ToolContext, ToolName, ToolReply},
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
    let scale = TokenScale::UNKNOWN;
    let started = HashSet::new();
    RunLoop { run, transcript, interrupted, started, changed_files, scale }.run().await
}

/// The paths that the phase has changed, on which an auditor's judgement depends.
async fn changed_files(run: &AgentRun) -> Result<Vec<String>, AgentError> {
    let changes = run.changes.clone();
    let read = threads::run(READ_TIMEOUT, move || changes.paths()).await;
    read.map_err(|error| error.to_string()).flatten().map_err(AgentError::Changes)
}

struct RunLoop {
    run: AgentRun,
    transcript: Transcript,
    /// Calls that an earlier process may have made without recording their results.
    interrupted: HashSet<String>,
    /// Calls of the last reply whose start was recorded with it.
    started: HashSet<String>,
    /// For an audit: the paths that the phase has changed.
    changed_files: Vec<String>,
    /// The ratio of the provider's token counts to ours, as far as this process knows it.
    scale: TokenScale,
}

type Flow = std::ops::ControlFlow<RunEnd>;

/// For reading the branch or the skills before a turn.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

const CONTINUE: Flow = Flow::Continue(());

impl RunLoop {
    async fn run(mut self) -> Result<RunEnd, AgentError> {
        loop {
            let state = self.run.journal.state(self.run.build_id).await?;
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
            if let Flow::Break(end) = flow {
                return Ok(end);
            }
        }
    }

    /// Whether a command of the user or the end of the process interrupts the run.
    fn must_stop(&self, state: &BuildState) -> bool {
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

    /// Makes the next calls of the last reply.
    async fn run_calls(
        &mut self,
        pending: &[ToolCall],
        mut state: Arc<BuildState>,
    ) -> Result<Flow, AgentError> {
        let batch = calls::batch(pending);
        state = self.record_start(&batch, state).await?;
        let context = self.context(state.clone(), &batch);
        let mut outcomes = calls::make(&batch, &context, &state, &self.interrupted);
        let (mut questions, mut permission, mut waits) = (Vec::new(), None, false);
        while let Some(CallOutcome { call, reply, duration_ms }) = outcomes.next().await {
            match reply {
                Ok(ToolReply::Done(done)) => {
                    state = self.record_result(call, done, duration_ms).await?;
                }
                Ok(ToolReply::Ask(request)) if request.kind == ClarificationKind::Question => {
                    let reply = tools::add_question(&state, &mut questions, *request);
                    if let Some(ToolReply::Done(done)) = reply {
                        state = self.record_result(call, done, duration_ms).await?;
                    }
                }
                Ok(ToolReply::Ask(request)) => {
                    // One at a time; the other calls are repeated later.
                    permission.get_or_insert(*request);
                }
                Ok(ToolReply::Waiting) => waits = true,
                Err(Fatal::Cancelled) => return Ok(Flow::Break(RunEnd::Interrupted)),
                Err(Fatal::Broken { error_class, message }) => {
                    let ending = Ending::tool_failed(&call.name, error_class, message);
                    return self.end(ending, Vec::new(), Vec::new()).await;
                }
            }
            if self.must_stop(&state) {
                return Ok(Flow::Break(RunEnd::Interrupted));
            }
        }
        questions.extend(permission.filter(|_| !waits));
        if !questions.is_empty() {
            let asked = questions.into_iter().map(EventBody::from).collect();
            self.append(asked, Vec::new()).await?;
            waits = true;
        }
        Ok(if waits { Flow::Break(RunEnd::Asked) } else { CONTINUE })
    }

    async fn record_result(
        &mut self,
        call: ToolCall,
        done: Done,
        duration_ms: u64,
    ) -> Result<Arc<BuildState>, AgentError> {
        let (events, message) = calls::result(self.run.run_id, call, done, duration_ms);
        self.append(events, vec![message]).await
    }

    /// Records the start of calls, unless it is recorded.
    async fn record_start(
        &mut self,
        calls: &[ToolCall],
        state: Arc<BuildState>,
    ) -> Result<Arc<BuildState>, AgentError> {
        let is_new = |id: &str| !self.interrupted.contains(id) && !self.started.contains(id);
        let started = calls::starts(self.run.run_id, calls.iter().filter(|call| is_new(&call.id)));
        if started.is_empty() { Ok(state) } else { self.append(started, Vec::new()).await }
    }

    /// Appends a reply together with the start of the calls that are made next, in one transaction.
    async fn append_with_starts(
        &mut self,
        events: Vec<EventBody>,
        messages: Vec<Message>,
        calls: &[ToolCall],
    ) -> Result<(), AgentError> {
        let starts = calls::starts(self.run.run_id, calls.iter());
        let is_cancelled = self.run.cancel.is_cancelled();
        let is_next = move |state: &BuildState| !is_cancelled && !state.wants_attention();
        let entry = Entry::derived(self.run.build_id, self.run.fence, move |state, _| {
            let starts = if is_next(state) { starts } else { Vec::new() };
            Ok(events.into_iter().chain(starts).collect())
        });
        let rows = self.transcript.rows(&messages);
        let appended = self.run.journal.append(entry.with_messages(rows)).await?;
        self.transcript.extend(messages);
        if is_next(&appended.state) {
            self.started = calls.iter().map(|call| call.id.clone()).collect();
        }
        Ok(())
    }

    /// Requests the model's next reply and records its effects.
    async fn take_turn(&mut self, state: &BuildState) -> Result<Flow, AgentError> {
        let is_overtaken = self.run.is_overtaken.clone();
        if threads::run(READ_TIMEOUT, move || is_overtaken()).await.unwrap_or(false) {
            return Ok(Flow::Break(RunEnd::Interrupted));
        }
        let phase = self.phase(state)?;
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
        let (news, user_input) = self.news(state, phase).await?;
        let request = self.request(phase, &self.transcript, &news)?;
        let prompt_tokens = self.scale.tokens(request.estimated_tokens());
        if compaction::is_full(prompt_tokens, self.run.window)
            && self.compact(phase, &news, prompt_tokens).await?
        {
            return Ok(CONTINUE);
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
            // The provider counts exactly; our estimate was too low.
            Err(RequestError::Failed(ModelError::TooLong))
                if self.compact(phase, &news, self.run.window).await? =>
            {
                Ok(CONTINUE)
            }
            Err(RequestError::Failed(error)) => {
                self.end(Ending::model_failed(&error), Vec::new(), Vec::new()).await
            }
            Ok(reply) => {
                self.scale = TokenScale::measured(reply.usage.prompt(), request.estimated_tokens());
                self.record(self.place(state, phase), news, reply, user_input).await
            }
        }
    }

    /// Replaces the middle of the conversation by a summary, if that makes it shorter.
    async fn compact(
        &mut self,
        phase: &PhaseState,
        news: &[Message],
        before: u64,
    ) -> Result<bool, AgentError> {
        let Some(mut shortened) = compaction::shorten(&self.transcript) else { return Ok(false) };
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
            return Ok(false);
        }
        let (run_id, contracts_read) = (self.run.run_id, shortened.contracts_read);
        let compacted = ContextCompacted { run_id, before, after, contracts_read };
        let entry = Entry::given(self.run.build_id, self.run.fence, vec![compacted.into()]);
        self.run.journal.append(entry.with_messages(vec![row])).await?;
        self.transcript = shorter;
        Ok(true)
    }

    /// Messages for the model other than tool results, and the user's input that they contain.
    async fn news(
        &self,
        state: &BuildState,
        phase: &PhaseState,
    ) -> Result<(Vec<Message>, UserInput), AgentError> {
        let mut news = Vec::new();
        let is_known = !self.run.earlier_runs.is_empty();
        let (notes, notes_version) = if self.transcript.has_begun() {
            self.notes().await?
        } else {
            let briefing = Briefing::load(&self.run).await?;
            let first = prompt::first(self.run.task, state, phase, &briefing, is_known)?;
            news.push(Message::user(first));
            (briefing.notes, briefing.notes_version)
        };
        let has_notes = self.transcript.has_begun() || is_known;
        if has_notes && notes_version != state.notes_version {
            news.push(Message::user(prompt::changed_notes(&notes)));
        }
        let interjections = state.interjections.iter();
        news.extend(interjections.map(|said| Message::user(prompt::interjected(said))));
        let interjections_seen = state.interjections.last().map_or(0, |last| last.seq);
        Ok((news, UserInput { interjections_seen, notes_version }))
    }

    /// The current notes of the project's owner, and their version.
    async fn notes(&self) -> Result<(String, u32), AgentError> {
        let mut conn = self.run.journal.db().read().await?;
        let note = store::notes::of_owner(&mut conn, self.run.project_id).await?;
        Ok(note.map_or_else(Default::default, |note| (note.content, note.version)))
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
        place: Place<'_>,
        news: Vec<Message>,
        mut reply: Reply,
        user_input: UserInput,
    ) -> Result<Flow, AgentError> {
        reply.tool_calls = self.transcript.with_unique_ids(reply.tool_calls);
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
                self.append_with_starts(events, messages, &calls).await.map(|()| CONTINUE)
            }
            Next::Remind(reminder) => {
                messages.push(Message::user(reminder));
                self.append(events, messages).await.map(|_| CONTINUE)
            }
        }
    }

    /// Appends the last events and messages of the run, and its end.
    async fn end(
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
    async fn append(
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

    fn context(&self, state: Arc<BuildState>, calls: &[ToolCall]) -> ToolContext {
        let run = &self.run;
        let audit = match calls.iter().any(|call| call.name == ToolName::SignOff.as_str()) {
            true => AuditRun {
                read: citations::read_lines(&self.transcript),
                changed_files: self.changed_files.clone(),
            },
            false => AuditRun::default(),
        };
        ToolContext {
            build_id: run.build_id,
            project_id: run.project_id,
            run_id: run.run_id,
            call_id: String::new(),
            resumed: false,
            role: run.role,
            task: run.task,
            phase: run.phase,
            mode: run.mode(),
            worktree: run.worktree.clone(),
            changes: run.changes.clone(),
            contracts: run.contracts.clone(),
            state,
            db: run.journal.db().clone(),
            has_read_contract: protocol::has_read_contract(&self.transcript),
            audit: Arc::new(audit),
            commands: run.commands.cancelled_by(run.cancel.clone()),
            copy: run.copy.clone(),
            permissions: run.permissions.clone(),
        }
    }
}

/// The result of a call that was not made because an earlier one of its reply has ended the task.
fn not_called(call: ToolCall) -> Message {
    let content = "Not called: the task had ended before.".to_owned();
    let block = UserBlock::ToolResult { call_id: call.id, content, is_error: true };
    Message::User { content: vec![block] }
}
