//! Claims builds that want a worker, and keeps their leases while they are worked on.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::ids::BuildId;
use tokio::{sync::Semaphore, task::JoinSet, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::{driver::Driver, handle::Engine};
use crate::{
    journal::PreviewKind,
    store::{self, work_items::Lease},
};

/// How long a lease lasts without being renewed.
const LEASE: TimeDelta = TimeDelta::seconds(60);
/// Between two renewals; a third of the lease, so that one may fail.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// Between two looks at the queue for what other nodes put there.
const LOOK: Duration = Duration::from_secs(1);

/// Claims and drives builds until shutdown, then lets go of what is being worked on.
pub async fn run(engine: Engine) {
    release_own(&engine).await;
    let slots = Arc::new(Semaphore::new(engine.parts.workers.max(1)));
    let mut builds = JoinSet::new();
    while !engine.shutdown.is_cancelled() {
        while let Some(ended) = builds.try_join_next() {
            report(ended);
        }
        let slot = tokio::select! {
            slot = slots.clone().acquire_owned() => slot,
            () = engine.shutdown.cancelled() => break,
        };
        let Ok(slot) = slot else { break };
        match claim(&engine).await {
            Some(lease) => {
                let engine = engine.clone();
                builds.spawn(async move {
                    drive(engine, lease).await;
                    drop(slot);
                });
            }
            None => {
                drop(slot);
                wait_for_work(&engine).await;
            }
        }
    }
    while let Some(ended) = builds.join_next().await {
        report(ended);
    }
}

/// What this node held when it was last ended is free again: nobody else is this node.
async fn release_own(engine: &Engine) {
    let owner = engine.parts.node.owner.clone();
    let released = async {
        let mut tx = engine.db().write().await?;
        let count = store::work_items::release(&mut tx, &owner, store::now()).await?;
        tx.commit().await?;
        store::Result::Ok(count)
    };
    match released.await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "taking up builds that were being worked on"),
        Err(error) => tracing::error!(%error, "old leases could not be released; they will expire"),
    }
}

async fn claim(engine: &Engine) -> Option<Lease> {
    let now = store::now();
    let claimed = async {
        let mut tx = engine.db().write().await?;
        let owner = &engine.parts.node.owner;
        let item = store::work_items::claim(&mut tx, owner, now, now + LEASE).await?;
        tx.commit().await?;
        store::Result::Ok(item)
    };
    match claimed.await {
        Ok(item) => item.map(|item| item.lease()),
        Err(error) => {
            tracing::error!(%error, "the queue could not be read");
            None
        }
    }
}

async fn wait_for_work(engine: &Engine) {
    tokio::select! {
        () = engine.wake.notified() => {}
        () = tokio::time::sleep(LOOK) => {}
        () = engine.shutdown.cancelled() => {}
    }
}

/// Drives one build while its lease is renewed beside it.
async fn drive(engine: Engine, lease: Lease) {
    let build_id = lease.build_id;
    let stop = engine.shutdown.child_token();
    let heartbeat = tokio::spawn(keep(engine.clone(), lease.clone(), stop.clone()));
    tracing::info!(%build_id, generation = lease.generation, "working on build");
    Driver::new(engine.clone(), lease, stop).run().await;
    heartbeat.abort();
    engine.wake.notify_one();
}

/// Renews the lease; stops the work when it is lost.
async fn keep(engine: Engine, lease: Lease, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(HEARTBEAT);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match renew(&engine, &lease).await {
            Ok(true) => heartbeat(&engine, lease.build_id),
            Ok(false) => {
                stop.cancel();
                return;
            }
            Err(error) => tracing::warn!(%error, "a lease could not be renewed; trying again"),
        }
    }
}

async fn renew(engine: &Engine, lease: &Lease) -> store::Result<bool> {
    let mut tx = engine.db().write().await?;
    let renewed = store::work_items::renew(&mut tx, lease, store::now() + LEASE).await?;
    tx.commit().await?;
    Ok(renewed)
}

fn heartbeat(engine: &Engine, build: BuildId) {
    let payload = serde_json::json!({ "node": engine.parts.node.name, "at": store::now() });
    engine.journal().feed().preview(build, PreviewKind::Heartbeat, &payload);
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a worker broke; its build is taken up again when the lease ends");
    }
}
