//! Makes the tool calls of a reply within the loop of a run, and records them.

use std::{sync::Arc, time::Duration};

use domain::{
    event::{EventBody, questions::ClarificationKind},
    state::BuildState,
};
use futures::{StreamExt, stream};
use llm::{Message, ToolCall};
use tokio::time::timeout;

use super::{
    calls::{self, CallOutcome, Outcomes},
    citations,
    ending::Ending,
    protocol,
    run::{AgentError, RunEnd},
    run_loop::{Flow, RunLoop},
};
use crate::{
    journal::Entry,
    tools::{self, AuditRun, Done, Fatal, ToolContext, ToolName, ToolReply},
};

/// How long the record of a reply waits for the results of reads.
const EARLY_TIMEOUT: Duration = Duration::from_millis(20);

impl RunLoop {
    /// Makes the next calls of the last reply.
    pub(super) async fn run_calls(
        &mut self,
        pending: &[ToolCall],
        mut state: Arc<BuildState>,
    ) -> Result<Flow, AgentError> {
        let batch = calls::batch(pending);
        state = self.record_start(&batch, state).await?;
        let made = self.early.take();
        let mut outcomes = made.unwrap_or_else(|| self.make(&batch, &state));
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
        Ok(if waits { Flow::Break(RunEnd::Asked) } else { Flow::Continue(state) })
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

    /// Appends a reply together with the start of the calls that are made next, in one transaction;
    /// also with their results, if they only read and finish soon. Returns the build's state
    /// afterwards.
    pub(super) async fn append_with_calls(
        &mut self,
        state: &Arc<BuildState>,
        mut events: Vec<EventBody>,
        mut messages: Vec<Message>,
        calls: &[ToolCall],
    ) -> Result<Arc<BuildState>, AgentError> {
        let starts = calls::starts(self.run.run_id, calls.iter());
        if let Some(finished) = self.make_early(calls, state).await {
            events.extend(starts);
            for (call, done, duration_ms) in finished {
                let (results, message) = calls::result(self.run.run_id, call, done, duration_ms);
                events.extend(results);
                messages.push(message);
            }
            return self.append(events, messages).await;
        }
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
        Ok(appended.state)
    }

    /// Makes calls that only read before their reply is recorded; after a crash, the reply is requested
    /// again. `None` unless all of them have finished soon; then their outcomes are kept.
    async fn make_early(
        &mut self,
        calls: &[ToolCall],
        state: &Arc<BuildState>,
    ) -> Option<Vec<(ToolCall, Done, u64)>> {
        if self.must_stop(state) || !calls.iter().all(calls::only_reads) {
            return None;
        }
        let mut outcomes = self.make(calls, state);
        let mut made = Vec::new();
        let all = async {
            while let Some(outcome) = outcomes.next().await {
                made.push(outcome);
            }
        };
        // Those that are not finished then are awaited after the reply is recorded.
        let _ = timeout(EARLY_TIMEOUT, all).await;
        let is_done = |made: &CallOutcome| matches!(made.reply, Ok(ToolReply::Done(_)));
        if made.len() < calls.len() || !made.iter().all(is_done) {
            self.early = Some(stream::iter(made).chain(outcomes).boxed());
            return None;
        }
        let done = made.into_iter().filter_map(|CallOutcome { call, reply, duration_ms }| {
            let Ok(ToolReply::Done(done)) = reply else { return None };
            Some((call, done, duration_ms))
        });
        Some(done.collect())
    }

    fn make(&self, calls: &[ToolCall], state: &Arc<BuildState>) -> Outcomes {
        let context = self.context(state.clone(), calls);
        calls::make(calls, &context, state, &self.interrupted)
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
