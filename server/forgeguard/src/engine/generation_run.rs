//! A generation under a lease: requests to the model, and recording of the results, only while the
//! lease lasts.

use std::{collections::BTreeMap, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    failure::ErrorClass,
    generation::{GenerationKind, GenerationStatus},
};
use llm::{ModelError, Reply, Request, Usage};
use tokio_util::sync::CancellationToken;

use super::{error::EngineError, handle::Engine, models::Model, queue::LEASE_DURATION};
use crate::store::{
    self, Tx, generation_drafts,
    generations::{self, Generation, Lease},
    interview_runs::InterviewRun,
    projects::{self, Project},
};

/// Before a retry after a failure of the service itself, and the number of retries.
const RETRY_DELAY: TimeDelta = TimeDelta::seconds(5);
const MAX_RETRIES: u32 = 3;

/// Between attempts to hand it back while the database cannot be written.
const OUTAGE_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// A generation and its lease.
pub(super) struct GenerationRun {
    pub engine: Engine,
    pub lease: Lease,
    pub generation: Generation,
    /// Cancelled by shutdown, the loss of the lease, or a user.
    pub stop: CancellationToken,
}

/// The result of a conversation with the model.
pub(super) enum Outcome {
    Written,
    Interrupted,
    /// For this reason.
    Failed(String),
    /// The provider failed; the request can be retried.
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

impl GenerationRun {
    /// Records the model; returns it and the project.
    pub async fn begin(&self) -> Result<(Project, Model), EngineError> {
        let project_id = self.generation.project_id;
        let project = projects::get(&mut self.engine.db().read().await?, project_id).await?;
        let project = project.ok_or(EngineError::NotFound("project"))?;
        let models = match self.generation.kind {
            GenerationKind::BuildQuestion => self.engine.question_models().await?,
            GenerationKind::Contracts | GenerationKind::Answers => {
                self.engine.models(project.origin, &BTreeMap::new()).await?
            }
        };
        let model = models.usual().clone();
        let mut tx = self.engine.db().write().await?;
        generations::set_model(&mut tx, &self.lease, &model.name).await?;
        self.keep(tx).await?;
        Ok((project, model))
    }

    /// The model's reply; `None` if the work is stopped first.
    pub async fn ask(&self, model: &Model, request: &Request) -> Option<Result<Reply, ModelError>> {
        let max_tokens = model.reply_tokens(request.max_tokens);
        let request = Request { max_tokens, ..request.clone() };
        let hear = async {
            let stream = model.provider.stream(&request).await?;
            llm::collect(stream, |_| {}).await
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => None,
            reply = hear => Some(reply),
        }
    }

    /// A transaction in which the lease is locked. `None` if the lease is lost.
    pub async fn transaction(&self) -> Result<Option<Tx>, EngineError> {
        let mut tx = self.engine.db().write().await?;
        let until = store::now() + LEASE_DURATION;
        let is_held = generations::renew(&mut tx, &self.lease, until).await?;
        Ok(is_held.then_some(tx))
    }

    /// Commits, and notifies followers.
    pub async fn keep(&self, tx: Tx) -> Result<(), EngineError> {
        tx.commit().await?;
        self.engine.generations.send_replace(());
        Ok(())
    }

    /// The generation was cancelled; or the service stops, and another worker continues.
    pub async fn interrupted(&self) -> Result<(), EngineError> {
        let row = generations::get(&mut self.engine.db().read().await?, self.lease.id).await?;
        if row.is_some_and(|row| row.cancel_requested) {
            let mut tx = self.engine.db().write().await?;
            generation_drafts::reset_unfinished(&mut tx, self.lease.id).await?;
            tx.commit().await?;
            return self.finish(GenerationStatus::Cancelled, None).await;
        }
        self.postpone(store::now(), self.generation.failures, None).await
    }

    /// Schedules a retry with the same delays as builds. Returns the reason if there are no retries
    /// left.
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

    /// Records the end of a conversation whose answer is recorded.
    pub async fn settle(&self, outcome: Outcome) -> Result<(), EngineError> {
        let why = match outcome {
            Outcome::Written => return Ok(()),
            Outcome::Interrupted => return self.interrupted().await,
            Outcome::Failed(why) => why,
            Outcome::Later(why) => match self.later(&why).await? {
                None => return Ok(()),
                Some(why) => why,
            },
        };
        self.finish(GenerationStatus::Failed, Some(&why)).await
    }

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

    /// A failure of the service itself: retried a few times, then the generation fails.
    pub async fn fail(&self, error: &EngineError) {
        if error.is_temporary() {
            return self.wait_out().await;
        }
        let failures = self.generation.failures + 1;
        let recorded = match failures {
            ..=MAX_RETRIES => self.postpone(store::now() + RETRY_DELAY, failures, None).await,
            _ => {
                let why = format!("The service failed: {error}. Check its log, then resume.");
                self.finish(GenerationStatus::Failed, Some(&why)).await
            }
        };
        if let Err(second) = recorded {
            tracing::error!(generation_id = %self.lease.id, error = %second, "nor could that be kept");
        }
    }

    /// The database is unavailable, which is no failure of the generation: it is handed back as soon as
    /// that can be recorded.
    async fn wait_out(&self) {
        let failures = self.generation.failures;
        while let Err(error) = self.postpone(store::now(), failures, None).await {
            tracing::warn!(generation_id = %self.lease.id, %error, "it waits until it can be continued");
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = tokio::time::sleep(OUTAGE_RETRY_INTERVAL) => {}
            }
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

/// Adds the usage of a reply.
pub(super) fn count_usage(run: &mut InterviewRun, usage: Usage, model: &Model) {
    run.tokens_in += usage.input;
    run.tokens_out += usage.output;
    run.cache_read += usage.cache_read;
    run.cache_write += usage.cache_write;
    if let Some(price) = model.price {
        let cost = run.cost_usd_micros.unwrap_or(0) + price.cost_usd_micros(usage);
        run.cost_usd_micros = Some(cost);
    }
}

fn sentence(error: &ModelError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
