//! The workers for the queues of generations, one for each kind.

use std::marker::PhantomData;

use domain::{generation::GenerationKind, ids::GenerationId};
use tokio::{sync::Notify, time::MissedTickBehavior};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{
    build_questions::answerer,
    generation_run::GenerationRun,
    handle::Engine,
    interviewer,
    queue::{self, POLL_INTERVAL, Worker},
    writer,
};
use crate::store::{
    self,
    generations::{self, AnswerQueue, BuildQuestionQueue, ContractQueue, Generation, Lease},
    leases::LeaseQueue,
};

/// Claims and works on generations until shutdown. Each kind has its own workers, so that answers
/// do not wait for contracts.
pub async fn run(engine: Engine) {
    let contracts = GenerationWorker::<ContractQueue>::new(&engine, GenerationKind::Contracts);
    let answers = GenerationWorker::<AnswerQueue>::new(&engine, GenerationKind::Answers);
    let questions =
        GenerationWorker::<BuildQuestionQueue>::new(&engine, GenerationKind::BuildQuestion);
    tokio::join!(queue::run(contracts), queue::run(answers), queue::run(questions));
}

struct GenerationWorker<Q> {
    engine: Engine,
    kind: GenerationKind,
    queue: PhantomData<Q>,
}

impl<Q> GenerationWorker<Q> {
    fn new(engine: &Engine, kind: GenerationKind) -> Self {
        Self { engine: engine.clone(), kind, queue: PhantomData }
    }
}

impl<Q> Clone for GenerationWorker<Q> {
    fn clone(&self) -> Self {
        Self::new(&self.engine, self.kind)
    }
}

impl<Q: LeaseQueue<Id = GenerationId>> Worker for GenerationWorker<Q> {
    type Queue = Q;

    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn when_due(&self) -> &Notify {
        self.engine.wake_for(self.kind)
    }

    async fn work(&self, lease: Lease, stop: CancellationToken) {
        let (id, kind) = (lease.id, self.kind);
        let generation = match read(&self.engine, id).await {
            Ok(Some(generation)) => generation,
            Ok(None) => return,
            Err(error) => {
                tracing::error!(generation_id = %id, %error, "it could not be read; its lease will expire");
                return;
            }
        };
        let cancellation = watch_for_cancel(self.engine.clone(), lease.clone(), stop.clone());
        let _cancellation = AbortOnDropHandle::new(tokio::spawn(cancellation));
        tracing::info!(generation_id = %id, ?kind, "writing");
        let held = GenerationRun { engine: self.engine.clone(), lease, generation, stop };
        let worked = match kind {
            GenerationKind::Contracts => writer::write(&held).await,
            GenerationKind::Answers => interviewer::answer(&held).await,
            GenerationKind::BuildQuestion => answerer::answer(&held).await,
        };
        if let Err(error) = worked {
            tracing::error!(generation_id = %id, ?kind, %error, "it cannot be written");
            held.fail(&error).await;
        }
        self.engine.generations.send_replace(());
    }
}

async fn read(engine: &Engine, id: GenerationId) -> store::Result<Option<Generation>> {
    generations::get(&mut engine.db().read().await?, id).await
}

/// Cancels `stop` when a user cancels the generation, or its lease is lost.
async fn watch_for_cancel(engine: Engine, lease: Lease, stop: CancellationToken) {
    let mut changes = engine.follow_generations();
    let mut ticks = tokio::time::interval(POLL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            _ = changes.changed() => {}
        }
        match read(&engine, lease.id).await {
            Ok(Some(row)) if row.fence == lease.fence && !row.cancel_requested => {}
            Ok(_) => return stop.cancel(),
            Err(error) => tracing::warn!(%error, "a generation could not be read; trying again"),
        }
    }
}
