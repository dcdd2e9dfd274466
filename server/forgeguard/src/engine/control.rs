//! Users' control over phases, gates and errors: the commands, and what a worker does.

use domain::{
    event::{
        EventBody,
        control::{ErrorFixRequested, GatesRequested, PhaseRetryRequested, PhaseSkipRequested},
        life::{Actor, Interjected},
    },
    ids::{BuildErrorId, BuildId},
    rounds,
    state::{BuildState, PhaseRequest, Status},
};

use super::{driver::Driver, error::EngineError, handle::Engine};
use crate::{
    journal::{AppendError, Appended},
    store::build_errors::{self, BuildError},
    text,
};

/// Of an error's message to the agents.
const MAX_MESSAGE_BYTES: usize = 3_000;

impl Engine {
    /// Requests that the current phase begin again, with or without the changes so far.
    pub async fn retry_phase(
        &self,
        build: BuildId,
        request: PhaseRetryRequested,
    ) -> Result<Appended, EngineError> {
        self.command(build, move |_| Ok(vec![request.into()])).await
    }

    /// Requests that the current phase be left out. Its changes are saved and discarded.
    pub async fn skip_phase(
        &self,
        build: BuildId,
        request: PhaseSkipRequested,
    ) -> Result<Appended, EngineError> {
        self.command(build, move |_| Ok(vec![request.into()])).await
    }

    /// Requests that the gates of the current phase run on the files as they are.
    pub async fn request_gates(&self, build: BuildId, by: Actor) -> Result<Appended, EngineError> {
        self.command(build, move |_| Ok(vec![GatesRequested { by }.into()])).await
    }

    /// Tells the agents to fix an error, and lets a paused or blocked build continue with that.
    pub async fn fix_error(
        &self,
        build: BuildId,
        error_id: BuildErrorId,
        by: Actor,
    ) -> Result<Appended, EngineError> {
        let error = build_errors::get(&mut self.db().read().await?, build, error_id).await?;
        let error = error.ok_or(EngineError::NotFound("error"))?;
        self.command(build, move |state| {
            if state.status.is_final() {
                let why =
                    "the build has ended: request changes in its review, or start a new build";
                return Err(AppendError::Refused(why));
            }
            let is_open = |it: &domain::state::ErrorState| it.id == error_id && !it.resolved;
            if !state.errors.values().any(is_open) {
                return Err(AppendError::Refused("the error is already resolved"));
            }
            let told = Interjected { by: by.clone(), text: told(&error) };
            let mut events: Vec<EventBody> = vec![told.into()];
            if matches!(state.status, Status::Paused | Status::Blocked) {
                events.push(ErrorFixRequested { error_id, by }.into());
            }
            Ok(events)
        })
        .await
    }
}

impl Driver {
    /// Saves and discards the changes of the current phase, if that was requested, and lets it begin
    /// again or leaves it out.
    pub(super) async fn control_phase(
        &self,
        state: &BuildState,
        request: PhaseRequest,
    ) -> Result<(), EngineError> {
        let discards = match &request {
            PhaseRequest::Retry(request) => request.discard_changes,
            PhaseRequest::Skip(_) => true,
        };
        let mut rescue = None;
        if discards && state.branch_ready {
            let worktree = self.workspace().await?.worktree;
            let saved = self.engine.blocking(move || Ok(worktree.restore()?)).await?;
            rescue = saved.map(|saved| saved.reference);
        }
        self.append_with(move |state| rounds::control_phase(state, &request, rescue))
            .await
            .map(drop)
    }
}

/// The message to the agents: the error with its place.
fn told(error: &BuildError) -> String {
    let place = error.file_path.as_ref().map_or(String::new(), |path| format!(" in {path}"));
    let message = text::head(error.message.trim(), MAX_MESSAGE_BYTES);
    format!(
        "Fix this error next ({}, from {}{place}):\n{message}",
        error.severity.name(),
        error.source
    )
}
