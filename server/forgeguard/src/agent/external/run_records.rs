//! The tools of the registry that an external agent has: those of its role that need no worktree, for its
//! own build only. It fetches contracts and notes, and asks the user, as the built-in agent does.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use domain::{
    event::{Event, EventBody, agents::Role, questions::ClarificationRequest},
    failure::ErrorClass,
    ids::{BuildId, ProjectId, RunId},
    state::BuildState,
};
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    agent::run::AgentRun,
    contract_set::ContractSet,
    journal::{AppendError, Appended, Entry, Item, Journal},
    store, text,
    tools::{
        self, AgentCall, Asker, BuildRecords, Done, Records, Tool, ToolError, ToolName, ToolReply,
        registry, roles,
    },
};

/// Calls per run, each of which may add to the journal.
const MAX_CALLS: u32 = 500;
/// How long a call waits for the user's answer. Some agents give up on a call after 60 seconds.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(40);
/// For an agent to end its turn when the answer takes longer.
const END_TIMEOUT: Duration = Duration::from_secs(20);

const ANSWER_LATER: &str = "The user has not answered yet. End your turn now, without further changes: \
    you will be started again with the answer.";

/// What the tools of a run work with. Clones share it.
#[derive(Clone)]
pub struct RunRecords(Arc<Shared>);

struct Shared {
    build_id: BuildId,
    project_id: ProjectId,
    run_id: RunId,
    role: Role,
    phase: u32,
    fence: Option<u64>,
    contracts: Arc<ContractSet>,
    journal: Journal,
    call_count: AtomicU32,
    /// When it asked its last question.
    asked_at: Mutex<Option<Instant>>,
    /// Whether the process was told to end and wait for the answer.
    told_to_end: AtomicBool,
}

impl RunRecords {
    pub fn of(run: &AgentRun) -> Self {
        Self(Arc::new(Shared {
            build_id: run.build_id,
            project_id: run.project_id,
            run_id: run.run_id,
            role: run.role,
            phase: run.phase,
            fence: run.fence,
            contracts: run.contracts.clone(),
            journal: run.journal.clone(),
            call_count: AtomicU32::new(0),
            asked_at: Mutex::default(),
            told_to_end: AtomicBool::new(false),
        }))
    }

    /// The tools that the agent has.
    pub fn tools(&self) -> impl Iterator<Item = &'static dyn Tool> {
        let role = self.0.role;
        let tools = registry().iter().filter(move |tool| roles::has(role, tool.name()));
        tools.copied().filter(|tool| tool.for_clients().is_some() || asks(*tool))
    }

    /// Whether the agent must be started again with the user's answer to one of its questions. An answer
    /// may arrive just after the process has ended: one that asked and changed nothing was waiting for it.
    pub fn needs_answer(&self, state: &BuildState, has_changes: bool) -> bool {
        self.is_waiting(state) || (self.asked_at().is_some() && !has_changes)
    }

    /// Whether the process has not ended in time to wait for an answer.
    pub fn must_end(&self, state: &BuildState) -> bool {
        let is_over = |at: Instant| at.elapsed() >= ANSWER_TIMEOUT + END_TIMEOUT;
        self.asked_at().is_some_and(is_over) && self.is_waiting(state)
    }

    fn is_waiting(&self, state: &BuildState) -> bool {
        let mut open = state.questions.iter();
        self.0.told_to_end.load(Ordering::Relaxed)
            || open.any(|open| open.request.run_id == self.0.run_id)
    }

    fn asked_at(&self) -> Option<Instant> {
        *self.0.asked_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a tool that asks nothing. What it did is not recorded.
    ///
    /// # Errors
    /// [`ToolError::ForModel`] if the agent can correct it, otherwise [`ToolError::Fatal`].
    pub async fn read(&self, name: &str, input: Value) -> Result<Done, ToolError> {
        let tool = self.tools().find(|tool| tool.name().as_str() == name);
        let Some(tool) = tool.and_then(|tool| tool.for_clients()) else {
            let name = text::head(name, 60);
            return Err(ToolError::for_model(format!("There is no tool `{name}`.")));
        };
        let run = &*self.0;
        let state = run.journal.state(run.build_id).await.map_err(of_journal)?;
        let records = Records {
            project_id: run.project_id,
            build: Some(BuildRecords { id: run.build_id, state: &state, phase: run.phase }),
            contracts: &run.contracts,
            db: run.journal.db(),
            agent: Some(AgentCall { run_id: run.run_id, role: run.role, resumed: false }),
        };
        match tool.call_on(&records, input).await? {
            ToolReply::Done(done) => Ok(done),
            ToolReply::Ask(_) | ToolReply::Waiting => {
                Err(ToolError::for_model("This tool cannot ask."))
            }
        }
    }

    /// Calls a tool, and records in the journal what it did.
    ///
    /// # Errors
    /// As [`Self::read`]; [`ToolError::ForModel`] after too many calls.
    pub async fn call(&self, name: &str, input: Value) -> Result<Done, ToolError> {
        if self.0.call_count.fetch_add(1, Ordering::Relaxed) >= MAX_CALLS {
            let reason = format!("This run has made {MAX_CALLS} calls, which is its limit.");
            return Err(ToolError::for_model(reason));
        }
        if self.tools().any(|tool| asks(tool) && tool.name().as_str() == name) {
            return self.ask(input).await;
        }
        let mut done = self.read(name, input).await?;
        let events = std::mem::take(&mut done.events);
        if !events.is_empty() {
            self.append(events).await?;
        }
        Ok(done)
    }

    /// Asks the user. An answer that takes longer is part of the task when the agent is started again.
    async fn ask(&self, input: Value) -> Result<Done, ToolError> {
        let run = &*self.0;
        let state = run.journal.state(run.build_id).await.map_err(of_journal)?;
        let asker = Asker {
            db: run.journal.db(),
            build_id: run.build_id,
            run_id: run.run_id,
            call_id: &store::new_id::<RunId>().to_string(),
            role: run.role,
            state: &state,
        };
        let request = match tools::ask_clarification(&asker, input).await? {
            ToolReply::Ask(request) => *request,
            ToolReply::Done(done) => return Ok(done),
            ToolReply::Waiting => return Err(ToolError::for_model(ANSWER_LATER)),
        };
        let appended = self.append(vec![request.clone().into()]).await?;
        *run.asked_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let answer = self.answer(&request, appended.last_seq);
        let output = match tokio::time::timeout(ANSWER_TIMEOUT, answer).await {
            Ok(answer) => answer?,
            Err(_) => {
                run.told_to_end.store(true, Ordering::Relaxed);
                ANSWER_LATER.to_owned()
            }
        };
        Ok(Done { ok: true, output, ..Done::default() })
    }

    /// The answer to a question that was asked with the event `seq`.
    async fn answer(&self, asked: &ClarificationRequest, seq: u64) -> Result<String, ToolError> {
        let run = &*self.0;
        let broken = |reason: String| ToolError::broken(ErrorClass::Transient, reason);
        let mut feed = run.journal.feed().subscribe(run.build_id, seq).without_previews();
        loop {
            let next = feed.next().await.map_err(|error| broken(error.to_string()))?;
            let Item::Events(events) = next else { continue };
            for event in events {
                let event: Event = serde_json::from_slice(&event.event())
                    .map_err(|error| broken(error.to_string()))?;
                if let EventBody::BuildClarificationResolved(resolved) = event.body
                    && resolved.question_id == asked.question_id
                {
                    let answer = resolved.answer.as_deref();
                    return Ok(BuildState::answer_text(resolved.how, answer, asked.multiple));
                }
            }
        }
    }

    async fn append(&self, events: Vec<EventBody>) -> Result<Appended, ToolError> {
        let entry = Entry::given(self.0.build_id, self.0.fence, events);
        self.0.journal.append(entry).await.map_err(of_journal)
    }
}

fn asks(tool: &dyn Tool) -> bool {
    tool.name() == ToolName::ForgeAskClarification
}

fn of_journal(error: AppendError) -> ToolError {
    let error_class =
        if error.is_temporary() { ErrorClass::Transient } else { ErrorClass::Unknown };
    ToolError::broken(error_class, error.to_string())
}
