//! Claims generations and writes their contracts: one after another, turn by turn, each turn kept
//! before the next is asked for.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    contract::{ContractType, VersionSource},
    failure::ErrorClass,
    generation::{DraftStatus, GenerationStatus},
    ids::ProjectId,
};
use llm::{ModelError, OFFLINE, Reply, Request};
use tokio::{sync::Semaphore, task::JoinSet, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::{
    error::EngineError,
    generations::{NO_WORDS, material},
    handle::Engine,
    models::Model,
};
use crate::{
    contracts::{
        draft::draft as fill_in,
        writing::{Conversation, Material, Next, fits, pasted_tokens},
    },
    store::{
        self, Tx,
        contracts::{self, NewContract},
        generation_drafts::{self, Draft},
        generations::{self, Generation, Lease},
        projects,
    },
};

/// How long a lease lasts without being renewed.
const LEASE: TimeDelta = TimeDelta::seconds(60);
/// Between two looks at whether somebody wants it to stop. Each keeps the lease, too.
const LOOK: Duration = Duration::from_secs(1);
/// Before it is tried again after a failure of the service itself, and how often.
const OWN_WAIT: TimeDelta = TimeDelta::seconds(5);
const OWN_TRIES: u32 = 3;

/// Claims and works on generations until shutdown.
pub async fn run(engine: Engine) {
    release_own(&engine).await;
    let slots = Arc::new(Semaphore::new(engine.parts.workers.max(1)));
    let mut writers = JoinSet::new();
    while !engine.shutdown.is_cancelled() {
        while let Some(ended) = writers.try_join_next() {
            report(ended);
        }
        let slot = tokio::select! {
            slot = slots.clone().acquire_owned() => slot,
            () = engine.shutdown.cancelled() => break,
        };
        let Ok(slot) = slot else { break };
        match claim(&engine).await {
            Some(generation) => {
                let engine = engine.clone();
                writers.spawn(async move {
                    write(engine, generation).await;
                    drop(slot);
                });
            }
            None => {
                drop(slot);
                tokio::select! {
                    () = engine.wake_writers.notified() => {}
                    () = tokio::time::sleep(LOOK) => {}
                    () = engine.shutdown.cancelled() => {}
                }
            }
        }
    }
    while let Some(ended) = writers.join_next().await {
        report(ended);
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a writer broke; its generation is taken up again when the lease ends");
    }
}

/// What this node held when it was last ended is free again.
async fn release_own(engine: &Engine) {
    let released = async {
        let mut tx = engine.db().write().await?;
        let owner = &engine.parts.node.owner;
        let count = generations::release(&mut tx, owner, store::now()).await?;
        tx.commit().await?;
        store::Result::Ok(count)
    };
    match released.await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "taking up contracts that were being written"),
        Err(error) => tracing::error!(%error, "old leases could not be released; they will expire"),
    }
}

async fn claim(engine: &Engine) -> Option<Generation> {
    let now = store::now();
    let claimed = async {
        let mut conn = engine.db().read().await?;
        if !generations::is_any_due(&mut conn, now).await? {
            return store::Result::Ok(None);
        }
        drop(conn);
        let mut tx = engine.db().write().await?;
        let owner = &engine.parts.node.owner;
        let generation = generations::claim(&mut tx, owner, now, now + LEASE).await?;
        tx.commit().await?;
        Ok(generation)
    };
    claimed.await.unwrap_or_else(|error| {
        tracing::error!(%error, "the queue of generations could not be read");
        None
    })
}

/// Works on one generation while its lease is kept beside it.
async fn write(engine: Engine, generation: Generation) {
    let stop = engine.shutdown.child_token();
    let lease = generation.lease();
    let keeper = tokio::spawn(keep(engine.clone(), lease.clone(), stop.clone()));
    tracing::info!(generation_id = %generation.id, "writing contracts");
    let writer = Writer { engine: engine.clone(), lease, generation, stop };
    if let Err(error) = writer.work().await {
        tracing::error!(generation_id = %writer.lease.id, %error, "contracts cannot be written");
        writer.fail(&error).await;
    }
    keeper.abort();
    engine.generations.send_replace(());
    engine.wake_writers.notify_one();
}

/// Renews the lease, and stops the work when that is lost or somebody wants it to stop.
async fn keep(engine: Engine, lease: Lease, stop: CancellationToken) {
    let mut changes = engine.follow_generations();
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut renew_at = store::now() + LEASE / 3;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            _ = changes.changed() => {}
        }
        match wants_to_go_on(&engine, &lease, &mut renew_at).await {
            Ok(true) => {}
            Ok(false) => return stop.cancel(),
            Err(error) => tracing::warn!(%error, "a lease could not be looked at; trying again"),
        }
    }
}

async fn wants_to_go_on(
    engine: &Engine,
    lease: &Lease,
    renew_at: &mut DateTime<Utc>,
) -> store::Result<bool> {
    let now = store::now();
    if now < *renew_at {
        let row = generations::get(&mut engine.db().read().await?, lease.id).await?;
        return Ok(row.is_some_and(|row| row.lease() == *lease && !row.cancel_requested));
    }
    let mut tx = engine.db().write().await?;
    let cancel = generations::renew(&mut tx, lease, now + LEASE).await?;
    tx.commit().await?;
    *renew_at = now + LEASE / 3;
    Ok(cancel == Some(false))
}

struct Writer {
    engine: Engine,
    lease: Lease,
    generation: Generation,
    /// Cancelled when the service ends, the lease is lost, or a person wants it to stop.
    stop: CancellationToken,
}

/// What came of one contract.
enum Outcome {
    /// It is there.
    Written,
    /// It was interrupted.
    Interrupted,
    /// It will not come, for this reason.
    Failed(String),
    /// The provider failed and can be asked again.
    Later(ModelError),
}

impl Writer {
    async fn work(&self) -> Result<(), EngineError> {
        let project_id = self.generation.project_id;
        let mut conn = self.engine.db().read().await?;
        let project = projects::get(&mut conn, project_id).await?;
        let project = project.ok_or(EngineError::NotFound("project"))?;
        let model = self.engine.models(project.origin).usual().clone();
        let drafts = generation_drafts::list(&mut conn, self.lease.id).await?;
        drop(conn);
        let mut tx = self.engine.db().write().await?;
        generations::note_model(&mut tx, &self.lease, &model.name).await?;
        tx.commit().await?;
        for mut draft in drafts {
            if draft.status == DraftStatus::Written {
                continue;
            }
            let mut conn = self.engine.db().read().await?;
            let material = material(&mut conn, &project).await?;
            drop(conn);
            match self.write_one(&mut draft, &material, &model).await? {
                Outcome::Written => {}
                Outcome::Interrupted => return self.interrupted().await,
                Outcome::Failed(why) => return self.failed(draft, &why).await,
                Outcome::Later(why) => return self.later(draft, &why).await,
            }
        }
        self.finish(GenerationStatus::Done, None).await
    }

    /// One contract, from where its conversation stands.
    async fn write_one(
        &self,
        draft: &mut Draft,
        material: &Material,
        model: &Model,
    ) -> Result<Outcome, EngineError> {
        let mut conn = self.engine.db().read().await?;
        let stored =
            generation_drafts::conversation(&mut conn, self.lease.id, draft.position).await?;
        drop(conn);
        let stored = stored.unwrap_or_else(|| NO_WORDS.to_owned());
        let messages: Vec<llm::Message> =
            serde_json::from_str(&stored).map_err(EngineError::Conversation)?;
        let mut talk = match messages.is_empty() {
            true => Conversation::begin(draft.kind, material),
            false => Conversation::resume(draft.kind, messages),
        };
        draft.status = DraftStatus::Writing;
        if !self.record(draft, &stored, None).await? {
            return Ok(Outcome::Interrupted);
        }
        loop {
            let request = talk.request(&model.name, draft.attempt, material.brief.size)?;
            let reply = match self.ask(model, &request).await {
                None => return Ok(Outcome::Interrupted),
                Some(Err(ModelError::NoScenario { .. }))
                    if model.provider.name() == OFFLINE && talk.turns() == 0 =>
                {
                    return self.fill_in(draft, material).await;
                }
                Some(Err(why)) => return Ok(failed(why)),
                Some(Ok(reply)) => reply,
            };
            count(draft, &request, &reply, model);
            let heard = talk.hear(reply, material);
            draft.turn = talk.turns();
            draft.tool = heard.tool;
            if heard.submissions > 0 {
                let each = pasted_tokens(draft.kind, material)?;
                draft.pasted_tokens += each * u64::from(heard.submissions);
            }
            if let Some(refusal) = heard.refusal {
                draft.refusals += 1;
                draft.refusal = Some(refusal);
            }
            let said = serde_json::to_string(talk.messages()).map_err(EngineError::Conversation)?;
            let accepted = match &heard.next {
                Next::Accept(text) => Some((text.as_str(), VersionSource::Generated)),
                Next::Ask | Next::GiveUp(_) => None,
            };
            if !self.record(draft, &said, accepted).await? {
                return Ok(Outcome::Interrupted);
            }
            match heard.next {
                Next::Ask => {}
                Next::Accept(_) => return Ok(Outcome::Written),
                Next::GiveUp(why) => return Ok(Outcome::Failed(why)),
            }
        }
    }

    /// Without a model a template is filled with the answers.
    async fn fill_in(
        &self,
        draft: &mut Draft,
        material: &Material,
    ) -> Result<Outcome, EngineError> {
        let (kind, brief) = (draft.kind, material.brief.clone());
        let text = self.engine.blocking(move || Ok(fill_in(kind, &brief))).await?;
        if let Err(why) = fits(kind, &text, material) {
            let why = format!("The draft of the {kind} contract does not fit: {why}.");
            return Ok(Outcome::Failed(why));
        }
        let accepted = Some((text.as_str(), VersionSource::Draft));
        Ok(match self.record(draft, NO_WORDS, accepted).await? {
            true => Outcome::Written,
            false => Outcome::Interrupted,
        })
    }

    /// The model's reply; none where the work is stopped before it has come.
    async fn ask(&self, model: &Model, request: &Request) -> Option<Result<Reply, ModelError>> {
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

    /// Keeps how far a contract is and, with it, the version that it became. False if the lease is
    /// lost; then nothing is kept.
    async fn record(
        &self,
        draft: &mut Draft,
        said: &str,
        accepted: Option<(&str, VersionSource)>,
    ) -> Result<bool, EngineError> {
        let mut tx = self.engine.db().write().await?;
        if generations::renew(&mut tx, &self.lease, store::now() + LEASE).await?.is_none() {
            return Ok(false);
        }
        if draft.turn > 0 {
            generations::note_answer(&mut tx, &self.lease).await?;
        }
        if let Some((text, source)) = accepted {
            let version =
                insert_version(&mut tx, self.generation.project_id, draft.kind, text, source)
                    .await?;
            draft.status = DraftStatus::Written;
            draft.version = Some(version);
            draft.source = Some(source);
        }
        let said = if accepted.is_some() { NO_WORDS } else { said };
        generation_drafts::update(&mut tx, self.lease.id, draft, said).await?;
        tx.commit().await?;
        self.engine.generations.send_replace(());
        Ok(true)
    }

    /// Somebody wanted it to stop, or this service ends: then another worker goes on at once.
    async fn interrupted(&self) -> Result<(), EngineError> {
        let row = generations::get(&mut self.engine.db().read().await?, self.lease.id).await?;
        if row.is_some_and(|row| row.cancel_requested) {
            let mut tx = self.engine.db().write().await?;
            generation_drafts::lay_down(&mut tx, self.lease.id).await?;
            tx.commit().await?;
            return self.finish(GenerationStatus::Cancelled, None).await;
        }
        self.postpone(store::now(), self.generation.failures, None).await
    }

    async fn failed(&self, mut draft: Draft, why: &str) -> Result<(), EngineError> {
        draft.status = DraftStatus::Failed;
        self.record(&mut draft, NO_WORDS, None).await?;
        self.finish(GenerationStatus::Failed, Some(why)).await
    }

    /// Waits as long as a build would, and gives up after as many tries.
    async fn later(&self, draft: Draft, why: &ModelError) -> Result<(), EngineError> {
        let row = generations::get(&mut self.engine.db().read().await?, self.lease.id).await?;
        let failures = row.map_or(0, |row| row.failures) + 1;
        let asked = why.retry_after().map(|wait| wait.as_secs_f64().ceil() as u32);
        match self.engine.parts.waits.wait_s(ErrorClass::Transient, failures, asked) {
            Some(wait_s) => {
                let run_after = store::now() + TimeDelta::seconds(i64::from(wait_s));
                self.postpone(run_after, failures, Some(&sentence(why))).await
            }
            None => self.failed(draft, &sentence(why)).await,
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

    async fn finish(
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
    async fn fail(&self, error: &EngineError) {
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
}

async fn insert_version(
    tx: &mut Tx,
    project_id: ProjectId,
    kind: ContractType,
    content: &str,
    source: VersionSource,
) -> store::Result<u32> {
    let next = NewContract {
        id: store::new_id(),
        project_id,
        kind,
        format: kind.format(),
        content,
        source,
        author_id: None,
        created_at: store::now(),
    };
    Ok(contracts::insert(tx, &next).await?.version)
}

fn count(draft: &mut Draft, request: &Request, reply: &Reply, model: &Model) {
    let usage = reply.usage;
    draft.tokens_in += usage.input;
    draft.tokens_out += usage.output;
    draft.cache_read += usage.cache_read;
    draft.cache_write += usage.cache_write;
    draft.sent_tokens += request.estimated_tokens();
    if let Some(price) = model.price {
        let cost = draft.cost_usd_micros.unwrap_or(0) + price.cost_usd_micros(usage);
        draft.cost_usd_micros = Some(cost);
    }
}

fn failed(why: ModelError) -> Outcome {
    match why.class() {
        llm::ErrorClass::Transient => Outcome::Later(why),
        llm::ErrorClass::Config | llm::ErrorClass::Unknown => Outcome::Failed(sentence(&why)),
    }
}

fn sentence(error: &ModelError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
