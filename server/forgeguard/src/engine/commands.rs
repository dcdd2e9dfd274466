//! Users' commands to a build. Each appends an event; the build's worker performs it.

use domain::{
    budget::BudgetAdded,
    errors::ResolutionMethod,
    event::{
        EventBody,
        gates::{ErrorReopened, ErrorResolved},
        life::{Actor, CancelRequested, Interjected, PauseRequested, ResumeRequested},
        questions::{ClarificationResolved, ResolvedHow},
    },
    ids::{BuildErrorId, BuildId, ClarificationId},
    rounds,
    state::{BuildState, Status},
};

use super::{error::EngineError, handle::Engine};
use crate::journal::{AppendError, Appended, Entry};

const SETTLED: &str = "the question is already resolved";
const NO_SUCH_ERROR: &str = "there is no such error";

impl Engine {
    /// Requests a pause at the next boundary.
    pub async fn pause(&self, build: BuildId, by: Actor) -> Result<Appended, EngineError> {
        self.command(build, move |_| Ok(vec![PauseRequested { by }.into()])).await
    }

    /// Requests that a paused or blocked build continue, optionally with higher limits.
    pub async fn resume(
        &self,
        build: BuildId,
        by: Actor,
        budget_added: Option<BudgetAdded>,
    ) -> Result<Appended, EngineError> {
        self.command(build, move |_| Ok(vec![ResumeRequested { by, budget_added }.into()])).await
    }

    /// Requests the end of the build. A build that no worker holds ends immediately.
    pub async fn cancel(
        &self,
        build: BuildId,
        by: Actor,
        reason: Option<String>,
    ) -> Result<Appended, EngineError> {
        self.command(build, move |state| {
            let request = CancelRequested { by: by.clone(), reason: reason.clone() };
            let mut events: Vec<EventBody> = vec![request.into()];
            if state.status == Status::Queued {
                events.extend(rounds::abandon(state, by, reason));
            }
            Ok(events)
        })
        .await
    }

    /// Sends a message to the agents, delivered before their next turn.
    pub async fn interject(
        &self,
        build: BuildId,
        by: Actor,
        text: String,
    ) -> Result<Appended, EngineError> {
        self.command(build, move |_| Ok(vec![Interjected { by, text }.into()])).await
    }

    /// Answers a question, or with `None` leaves it to the agent. The first answer counts.
    pub async fn answer(
        &self,
        build: BuildId,
        question_id: ClarificationId,
        by: Actor,
        answer: Option<String>,
    ) -> Result<Appended, EngineError> {
        let answered = self.command(build, move |state| {
            let open = state.question.as_ref().map(|open| open.request.question_id);
            if open != Some(question_id) {
                return Err(AppendError::Refused(SETTLED));
            }
            let how = if answer.is_some() { ResolvedHow::Answered } else { ResolvedHow::Skipped };
            Ok(vec![ClarificationResolved { question_id, answer, how, by }.into()])
        });
        match answered.await {
            Err(EngineError::Append(AppendError::Refused(SETTLED))) => {
                Err(EngineError::AlreadySettled)
            }
            other => other,
        }
    }

    /// Dismisses an error.
    pub async fn dismiss_error(
        &self,
        build: BuildId,
        error_id: BuildErrorId,
    ) -> Result<Appended, EngineError> {
        let method = ResolutionMethod::Dismissed;
        let dismissed = ErrorResolved { error_id, method, summary: None };
        self.about_error(build, error_id, dismissed.into()).await
    }

    /// Reopens a dismissed error.
    pub async fn reopen_error(
        &self,
        build: BuildId,
        error_id: BuildErrorId,
    ) -> Result<Appended, EngineError> {
        self.about_error(build, error_id, ErrorReopened { error_id }.into()).await
    }

    async fn about_error(
        &self,
        build: BuildId,
        error_id: BuildErrorId,
        event: EventBody,
    ) -> Result<Appended, EngineError> {
        let appended = self.command(build, move |state| {
            if !state.errors.values().any(|error| error.id == error_id) {
                return Err(AppendError::Refused(NO_SUCH_ERROR));
            }
            Ok(vec![event])
        });
        match appended.await {
            Err(EngineError::Append(AppendError::Refused(NO_SUCH_ERROR))) => {
                Err(EngineError::NotFound("error"))
            }
            other => other,
        }
    }

    /// Appends a command, derived from the current state, and wakes a worker.
    async fn command(
        &self,
        build: BuildId,
        derive: impl FnOnce(&BuildState) -> Result<Vec<EventBody>, AppendError> + Send + 'static,
    ) -> Result<Appended, EngineError> {
        let entry = Entry::derived(build, None, move |state, _| derive(state));
        let appended = self.journal().append(entry).await.map_err(|error| match error {
            AppendError::UnknownBuild => EngineError::NotFound("build"),
            error => error.into(),
        })?;
        self.wake.notify_one();
        Ok(appended)
    }
}
