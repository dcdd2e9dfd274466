//! Claims generations and keeps their leases while they are worked on.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use domain::generation::GenerationKind;
use tokio::{sync::Semaphore, task::JoinSet, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::{
    handle::Engine,
    held::{Held, LEASE},
    interviewer, writer,
};
use crate::store::{
    self,
    generations::{self, Generation, Lease},
};

/// Between two looks at whether somebody wants it to stop. Each keeps the lease, too.
const LOOK: Duration = Duration::from_secs(1);

/// Claims and works on generations until shutdown. Who talks does not wait for others' contracts:
/// each kind has its own workers.
pub async fn run(engine: Engine) {
    release_own(&engine).await;
    tokio::join!(
        work_on(engine.clone(), GenerationKind::Contracts),
        work_on(engine, GenerationKind::Answers)
    );
}

async fn work_on(engine: Engine, kind: GenerationKind) {
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
        match claim(&engine, kind).await {
            Some(generation) => {
                let engine = engine.clone();
                writers.spawn(async move {
                    work(engine, generation).await;
                    drop(slot);
                });
            }
            None => {
                drop(slot);
                tokio::select! {
                    () = engine.wake_for(kind).notified() => {}
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
        Ok(count) => tracing::info!(count, "taking up what was being written"),
        Err(error) => tracing::error!(%error, "old leases could not be released; they will expire"),
    }
}

async fn claim(engine: &Engine, kind: GenerationKind) -> Option<Generation> {
    let now = store::now();
    let claimed = async {
        let mut conn = engine.db().read().await?;
        if !generations::is_any_due(&mut conn, kind, now).await? {
            return store::Result::Ok(None);
        }
        drop(conn);
        let mut tx = engine.db().write().await?;
        let owner = &engine.parts.node.owner;
        let generation = generations::claim(&mut tx, kind, owner, now, now + LEASE).await?;
        tx.commit().await?;
        Ok(generation)
    };
    claimed.await.unwrap_or_else(|error| {
        tracing::error!(%error, "the queue of generations could not be read");
        None
    })
}

/// Works on one generation while its lease is kept beside it.
async fn work(engine: Engine, generation: Generation) {
    let stop = engine.shutdown.child_token();
    let lease = generation.lease();
    let keeper = tokio::spawn(keep(engine.clone(), lease.clone(), stop.clone()));
    let (id, kind) = (generation.id, generation.kind);
    tracing::info!(generation_id = %id, ?kind, "writing");
    let held = Held { engine: engine.clone(), lease, generation, stop };
    let worked = match kind {
        GenerationKind::Contracts => writer::write(&held).await,
        GenerationKind::Answers => interviewer::answer(&held).await,
    };
    if let Err(error) = worked {
        tracing::error!(generation_id = %id, ?kind, %error, "it cannot be written");
        held.fail(&error).await;
    }
    keeper.abort();
    engine.generations.send_replace(());
    engine.wake_for(kind).notify_one();
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
