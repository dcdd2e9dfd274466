//! Claims rows of a lease queue, and keeps their leases while a worker works on them.

use std::{
    panic::AssertUnwindSafe,
    time::{Duration, Instant},
};

use futures::FutureExt;
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, mpsc},
    task::{JoinError, JoinSet},
    time::{MissedTickBehavior, interval_at},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use uuid::Uuid;

use super::{
    handle::Engine,
    lease_watch::LeaseWatch,
    worker_slots::{Claimed, WorkerSlots},
};
use crate::store::{
    self,
    leases::{self, Lease, LeaseQueue, StoredLease},
};

/// How long a lease lasts without being renewed: another node continues within 20 s.
pub(super) const LEASE_DURATION: Duration = Duration::from_secs(12);
/// A third of the lease, so that one renewal may fail.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(4);
/// Before a row is claimed again after its worker panicked.
const PANIC_RETRY_DELAY: Duration = Duration::from_secs(5);
/// Rows that other nodes queue are found by polling.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);

type IdOf<W> = <<W as Worker>::Queue as LeaseQueue>::Id;

/// What a node does with the rows of a queue.
pub(super) trait Worker: Clone + Send + Sync + 'static {
    type Queue: LeaseQueue;

    fn engine(&self) -> &Engine;

    /// Notified when a row may be due on this node.
    fn when_due(&self) -> &Notify;

    /// Works on a row until it has ended, waits, or `stop` is cancelled: by shutdown, or because
    /// the lease is lost.
    fn work(
        &self,
        lease: Lease<IdOf<Self>>,
        stop: CancellationToken,
    ) -> impl Future<Output = ()> + Send;
}

/// Claims and works on rows until shutdown, then waits for the workers to stop.
pub(super) async fn run<W: Worker>(worker: W) {
    let (slots, claimed) = WorkerSlots::new(worker.engine().parts.workers);
    run_with(worker, slots, claimed).await;
}

/// The same, with rows that were claimed elsewhere.
pub(super) async fn run_with<W: Worker>(
    worker: W,
    slots: WorkerSlots<IdOf<W>>,
    mut claimed: mpsc::Receiver<Claimed<IdOf<W>>>,
) {
    release_own(&worker).await;
    let engine = worker.engine().clone();
    let mut tasks = JoinSet::new();
    let mut watch = LeaseWatch::new(LEASE_DURATION);
    let mut watched_at: Option<Instant> = None;
    while !engine.shutdown.is_cancelled() {
        while let Some(ended) = tasks.try_join_next() {
            report(ended);
        }
        let slot = tokio::select! {
            biased;
            () = engine.shutdown.cancelled() => break,
            Some(Claimed { lease, slot }) = claimed.recv() => {
                tasks.spawn(work(worker.clone(), lease, slot));
                continue;
            }
            slot = slots.acquire() => slot,
        };
        let Some(slot) = slot else { break };
        // Not before each claim, which would delay builds that a command has just woken.
        if watched_at.is_none_or(|at| at.elapsed() >= POLL_INTERVAL) {
            expire_leases(&worker, &mut watch).await;
            watched_at = Some(Instant::now());
        }
        match claim(&worker).await {
            Some(lease) => drop(tasks.spawn(work(worker.clone(), lease, slot))),
            None => {
                drop(slot);
                tokio::select! {
                    Some(Claimed { lease, slot }) = claimed.recv() => {
                        tasks.spawn(work(worker.clone(), lease, slot));
                    }
                    () = wait_for_work(&worker) => {}
                }
            }
        }
    }
    // What was claimed until now is handed back by its worker.
    slots.close();
    while let Ok(Claimed { lease, slot }) = claimed.try_recv() {
        tasks.spawn(work(worker.clone(), lease, slot));
    }
    while let Some(ended) = tasks.join_next().await {
        report(ended);
    }
}

/// Releases the leases that this node held when its process last ended.
async fn release_own<W: Worker>(worker: &W) {
    let engine = worker.engine();
    let released = async {
        let mut tx = engine.db().write().await?;
        let owner = &engine.parts.node.owner;
        let count = leases::release::<W::Queue>(&mut tx, owner, store::now()).await?;
        tx.commit().await?;
        store::Result::Ok(count)
    };
    match released.await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "leases of this node's previous process released"),
        Err(error) => tracing::error!(%error, "old leases could not be released; they will expire"),
    }
}

async fn expire_leases<W: Worker>(worker: &W, watch: &mut LeaseWatch<Uuid, StoredLease>) {
    let engine = worker.engine();
    let expired = async {
        let held = leases::held::<W::Queue>(&mut engine.db().read().await?).await?;
        let held = held.into_iter().map(|lease| (lease.id, lease)).collect();
        for (id, lease) in watch.expired(held, Instant::now()) {
            let mut tx = engine.db().write().await?;
            let own = &engine.parts.node.owner;
            if leases::expire::<W::Queue>(&mut tx, &lease, own, store::now()).await? {
                tracing::warn!(%id, owner = lease.owner, "a lease has expired");
            }
            tx.commit().await?;
        }
        store::Result::Ok(())
    };
    if let Err(error) = expired.await {
        tracing::error!(%error, "the leases of other workers could not be checked");
    }
}

async fn claim<W: Worker>(worker: &W) -> Option<Lease<IdOf<W>>> {
    let engine = worker.engine();
    let now = store::now();
    let claimed = async {
        if !leases::is_any_due::<W::Queue>(&mut engine.db().read().await?, now).await? {
            return store::Result::Ok(None);
        }
        // Whatever is written under the lease is on disk no earlier than the claim, and a failure of
        // the machine that could lose the claim ends its holder too.
        let mut tx = engine.db().write_for_processes().await?;
        let owner = &engine.parts.node.owner;
        let lease = leases::claim::<W::Queue>(&mut tx, owner, now, now + LEASE_DURATION).await?;
        tx.commit().await?;
        Ok(lease)
    };
    claimed.await.unwrap_or_else(|error| {
        tracing::error!(%error, "the queue could not be read");
        None
    })
}

async fn wait_for_work(worker: &impl Worker) {
    tokio::select! {
        () = worker.when_due().notified() => {}
        () = tokio::time::sleep(POLL_INTERVAL) => {}
        () = worker.engine().shutdown.cancelled() => {}
    }
}

/// Works on one row while its lease is renewed in another task. The slot is free afterwards.
async fn work<W: Worker>(worker: W, lease: Lease<IdOf<W>>, _slot: OwnedSemaphorePermit) {
    let stop = worker.engine().shutdown.child_token();
    let renewals = keep_lease(worker.clone(), lease.clone(), stop.clone());
    let renewals = AbortOnDropHandle::new(tokio::spawn(renewals));
    let worked = AssertUnwindSafe(worker.work(lease.clone(), stop)).catch_unwind().await;
    drop(renewals);
    if worked.is_err() {
        hand_back(&worker, &lease).await;
    }
    worker.when_due().notify_one();
}

/// After a panic.
async fn hand_back<W: Worker>(worker: &W, lease: &Lease<IdOf<W>>) {
    let id = lease.id;
    tracing::error!(%id, "a worker panicked; another attempt follows");
    let handed_back = async {
        let mut tx = worker.engine().db().write().await?;
        let run_after = store::now() + PANIC_RETRY_DELAY;
        leases::hand_back::<W::Queue>(&mut tx, lease, run_after).await?;
        tx.commit().await
    };
    if let Err(error) = handed_back.await {
        tracing::error!(%id, %error, "its lease could not be released; it will expire");
    }
}

/// Renews the lease that was just claimed; cancels `stop` when it is lost.
async fn keep_lease<W: Worker>(worker: W, lease: Lease<IdOf<W>>, stop: CancellationToken) {
    let first = tokio::time::Instant::now() + RENEWAL_INTERVAL;
    let mut ticks = interval_at(first, RENEWAL_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match renew(&worker, &lease).await {
            Ok(true) => {}
            Ok(false) => return stop.cancel(),
            Err(error) => tracing::warn!(%error, "a lease could not be renewed; trying again"),
        }
    }
}

async fn renew<W: Worker>(worker: &W, lease: &Lease<IdOf<W>>) -> store::Result<bool> {
    let mut tx = worker.engine().db().write().await?;
    let until = store::now() + LEASE_DURATION;
    let renewed = leases::renew::<W::Queue>(&mut tx, lease, until).await?;
    tx.commit().await?;
    Ok(renewed)
}

fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a worker ended unexpectedly; its lease will expire");
    }
}
