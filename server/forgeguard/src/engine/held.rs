//! A generation that a worker holds: the model is asked, what came of it is kept, and it waits or
//! ends, all of that only while the lease lasts.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{failure::ErrorClass, generation::GenerationStatus};
use llm::{ModelError, Reply, Request};
use tokio_util::sync::CancellationToken;

use super::{error::EngineError, handle::Engine, models::Model};
use crate::store::{
    self, Tx, generation_drafts,
    generations::{self, Generation, Lease},
    projects::{self, Project},
};

/// How long a lease lasts without being renewed.
pub(super) const LEASE: TimeDelta = TimeDelta::seconds(60);
/// Before it is tried again after a failure of the service itself, and how often.
const OWN_WAIT: TimeDelta = TimeDelta::seconds(5);
const OWN_TRIES: u32 = 3;

/// A generation and the right to work on it.
pub(super) struct Held {
    pub engine: Engine,
    pub lease: Lease,
    pub generation: Generation,
    /// Cancelled when the service ends, the lease is lost, or a person wants it to stop.
    pub stop: CancellationToken,
}

/// What came of a conversation with the model.
pub(super) enum Outcome {
    /// What was asked for is there.
    Written,
    /// It was interrupted.
    Interrupted,
    /// It will not come, for this reason.
    Failed(String),
    /// The provider failed and can be asked again.
    Later(ModelError),
}

impl From<ModelError> for Outcome {
    fn from(why: ModelError) -> Self {
        match why.class() {
            llm::ErrorClass::Transient => Self::Later(why),
            llm::ErrorClass::Config | llm::ErrorClass::Unknown => Self::Failed(sentence(&why)),
        }
    }
}

impl Held {
    /// The project, and the model that writes for it.
    pub async fn begin(&self) -> Result<(Project, Model), EngineError> {
        let project_id = self.generation.project_id;
        let project = projects::get(&mut self.engine.db().read().await?, project_id).await?;
        let project = project.ok_or(EngineError::NotFound("project"))?;
        let model = self.engine.models(project.origin).usual().clone();
        let mut tx = self.engine.db().write().await?;
        generations::note_model(&mut tx, &self.lease, &model.name).await?;
        self.keep(tx).await?;
        Ok((project, model))
    }

    /// The model's reply; none where the work is stopped before it has come.
    pub async fn ask(&self, model: &Model, request: &Request) -> Option<Result<Reply, ModelError>> {
        let hear = async {
            let stream = model.provider.stream(request).await?;
            llm::collect(stream, |_| {}).await
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => None,
            reply = hear => Some(reply),
        }
    }

    /// A transaction in which nobody else can take the generation over. None if somebody has.
    pub async fn transaction(&self) -> Result<Option<Tx>, EngineError> {
        let mut tx = self.engine.db().write().await?;
        let renewed = generations::renew(&mut tx, &self.lease, store::now() + LEASE).await?;
        Ok(renewed.map(|_| tx))
    }

    /// Keeps what was done in a transaction, and shows it.
    pub async fn keep(&self, tx: Tx) -> Result<(), EngineError> {
        tx.commit().await?;
        self.engine.generations.send_replace(());
        Ok(())
    }

    /// Somebody wanted it to stop, or this service ends: then another worker goes on at once.
    pub async fn interrupted(&self) -> Result<(), EngineError> {
        let row = generations::get(&mut self.engine.db().read().await?, self.lease.id).await?;
        if row.is_some_and(|row| row.cancel_requested) {
            let mut tx = self.engine.db().write().await?;
            generation_drafts::lay_down(&mut tx, self.lease.id).await?;
            tx.commit().await?;
            return self.finish(GenerationStatus::Cancelled, None).await;
        }
        self.postpone(store::now(), self.generation.failures, None).await
    }

    /// Waits as long as a build would. After as many tries it gives up, and says why.
    pub async fn later(&self, why: &ModelError) -> Result<Option<String>, EngineError> {
        let row = generations::get(&mut self.engine.db().read().await?, self.lease.id).await?;
        let failures = row.map_or(0, |row| row.failures) + 1;
        let asked = why.retry_after().map(|wait| wait.as_secs_f64().ceil() as u32);
        match self.engine.parts.waits.wait_s(ErrorClass::Transient, failures, asked) {
            Some(wait_s) => {
                let run_after = store::now() + TimeDelta::seconds(i64::from(wait_s));
                self.postpone(run_after, failures, Some(&sentence(why))).await?;
                Ok(None)
            }
            None => Ok(Some(sentence(why))),
        }
    }

    /// Ends it.
    pub async fn finish(
        &self,
        status: GenerationStatus,
        failure: Option<&str>,
    ) -> Result<(), EngineError> {
        let mut tx = self.engine.db().write().await?;
        generations::finish(&mut tx, &self.lease, status, failure, store::now()).await?;
        tx.commit().await?;
        Ok(())
    }

    /// A failure of the service itself: tried again a few times, then put before a person.
    pub async fn fail(&self, error: &EngineError) {
        let failures = self.generation.failures + 1;
        let recorded = match failures {
            ..=OWN_TRIES => self.postpone(store::now() + OWN_WAIT, failures, None).await,
            _ => {
                let why = format!("The service failed: {error}. Look at its log, then go on.");
                self.finish(GenerationStatus::Failed, Some(&why)).await
            }
        };
        if let Err(second) = recorded {
            tracing::error!(generation_id = %self.lease.id, error = %second, "nor could that be kept");
        }
    }

    async fn postpone(
        &self,
        run_after: DateTime<Utc>,
        failures: u32,
        why: Option<&str>,
    ) -> Result<(), EngineError> {
        let mut tx = self.engine.db().write().await?;
        generations::postpone(&mut tx, &self.lease, run_after, failures, why).await?;
        tx.commit().await?;
        Ok(())
    }
}

fn sentence(error: &ModelError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
