//! Users' commands to a build. Each appends an event; the build's worker performs it.

use domain::{
    budget::BudgetAdded,
    errors::ResolutionMethod,
    event::{
        EventBody,
        confirmations::FindingDismissed,
        gates::{ErrorReopened, ErrorResolved},
        life::{Actor, CancelRequested, Interjected, PauseRequested, ResumeRequested},
        questions::{ClarificationKind, ClarificationResolved, ResolvedHow},
    },
    ids::{BuildErrorId, BuildId, ClarificationId},
    rounds,
    state::{BuildState, Status},
};

use super::{error::EngineError, handle::Engine, queue::LEASE_DURATION};
use crate::{
    journal::{AppendError, Appended, Claim, Entry},
    store,
};

const SETTLED: &str = "the question is already resolved";
const OWN_WORK: &str = "the build waits for work that only its user does: answer when it is pushed, or \
    pause or cancel the build";
const NO_SUCH_FINDING: &str = "there is no such open finding";
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
        let entry = Entry::derived(build, None, move |state, _| {
            let open = state.open_question(question_id);
            let open = open.ok_or(AppendError::Refused(SETTLED))?;
            if open.kind == ClarificationKind::Work && answer.is_none() {
                return Err(AppendError::Refused(OWN_WORK));
            }
            let changes = match (open.requirement, &answer) {
                (Some(id), Some(answer)) => {
                    state.changes_by_answer(id, answer, &by).map_err(AppendError::Refused)?
                }
                _ => Vec::new(),
            };
            let how = if answer.is_some() { ResolvedHow::Answered } else { ResolvedHow::Skipped };
            let resolved = ClarificationResolved { question_id, answer, how, by };
            let changes = changes.into_iter().map(EventBody::from);
            Ok(std::iter::once(resolved.into()).chain(changes).collect())
        });
        // A user who answers is waiting for the agent: the build continues in the same transaction.
        match self.append_command(entry.claimed_for(self.free_worker())).await {
            Err(EngineError::Append(AppendError::Refused(SETTLED))) => {
                Err(EngineError::AlreadySettled)
            }
            other => other,
        }
    }

    /// Confirms a criterion or clears a weakened test, which the state machine allows only while the
    /// build waits for that.
    pub async fn settle_item(
        &self,
        build: BuildId,
        event: EventBody,
    ) -> Result<Appended, EngineError> {
        self.command(build, move |_| Ok(vec![event])).await
    }

    /// Dismisses a finding of the auditor, with the error that it is tracked as.
    pub async fn dismiss_finding(
        &self,
        build: BuildId,
        dismissed: FindingDismissed,
    ) -> Result<Appended, EngineError> {
        let appended = self.command(build, move |state| {
            let mut findings = state.phases.iter().flat_map(|phase| &phase.findings);
            let finding = findings.find(|finding| finding.id == Some(dismissed.id));
            let finding = finding.ok_or(AppendError::Refused(NO_SUCH_FINDING))?;
            let error = state.errors.get(rounds::finding_failure(finding).fingerprint());
            let open = error.filter(|error| !error.resolved).map(|error| error.id);
            let FindingDismissed { reason, by, .. } = dismissed.clone();
            Ok(match open {
                Some(error_id) => vec![dismissal(error_id, reason, by)],
                None => vec![dismissed.into()],
            })
        });
        not_found(appended.await, NO_SUCH_FINDING, "finding")
    }

    /// Dismisses an error.
    pub async fn dismiss_error(
        &self,
        build: BuildId,
        error_id: BuildErrorId,
        reason: String,
        by: Actor,
    ) -> Result<Appended, EngineError> {
        self.about_error(build, error_id, dismissal(error_id, reason, by)).await
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
        not_found(appended.await, NO_SUCH_ERROR, "error")
    }

    /// Appends a command, derived from the current state, and wakes a worker.
    pub(super) async fn command(
        &self,
        build: BuildId,
        derive: impl FnOnce(&BuildState) -> Result<Vec<EventBody>, AppendError> + Send + 'static,
    ) -> Result<Appended, EngineError> {
        self.append_command(Entry::derived(build, None, move |state, _| derive(state))).await
    }

    async fn append_command(&self, entry: Entry) -> Result<Appended, EngineError> {
        let appended = self.journal().append(entry).await.map_err(|error| match error {
            AppendError::UnknownBuild => EngineError::NotFound("build"),
            error => error.into(),
        })?;
        self.wake.notify_one();
        Ok(appended)
    }

    /// A worker of this node that can continue a build, if one is free.
    fn free_worker(&self) -> Option<Claim> {
        let begin = self.build_slots()?.take()?;
        let node = &self.parts.node;
        Some(Claim {
            owner: node.owner.clone(),
            node: node.name.clone(),
            lease_until: store::now() + LEASE_DURATION,
            begin: Box::new(begin),
        })
    }
}

/// Also closes the finding that is tracked as this error.
fn dismissal(error_id: BuildErrorId, reason: String, by: Actor) -> EventBody {
    let method = ResolutionMethod::Dismissed;
    ErrorResolved { error_id, method, summary: Some(reason), by: Some(by) }.into()
}

/// A refusal with this text as an error about a missing item.
fn not_found(
    appended: Result<Appended, EngineError>,
    text: &str,
    what: &'static str,
) -> Result<Appended, EngineError> {
    match appended {
        Err(EngineError::Append(AppendError::Refused(refusal))) if refusal == text => {
            Err(EngineError::NotFound(what))
        }
        other => other,
    }
}
