//! The worker for the queue of builds.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use domain::ids::BuildId;
use sandbox::UsageMeter;
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{
    driver::Driver,
    handle::Engine,
    heartbeats,
    queue::{self, Worker},
    worker_slots::WorkerSlots,
};
use crate::store::work_items::{BuildQueue, Lease};

/// Claims and runs builds until shutdown.
pub async fn run(engine: Engine) {
    engine.remove_old_checkouts().await;
    engine.remove_old_agent_homes().await;
    let (slots, claimed) = WorkerSlots::new(engine.parts.workers);
    engine.offer_slots(slots.clone());
    queue::run_with(BuildWorker { engine, running: Arc::default() }, slots, claimed).await;
}

#[derive(Clone)]
struct BuildWorker {
    engine: Engine,
    /// The builds that this node runs.
    running: Arc<Mutex<HashMap<BuildId, RunningBuild>>>,
}

struct RunningBuild {
    stop: CancellationToken,
    ended: CancellationToken,
}

impl Worker for BuildWorker {
    type Queue = BuildQueue;

    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn when_due(&self) -> &Notify {
        &self.engine.wake
    }

    async fn work(&self, lease: Lease, stop: CancellationToken) {
        let ended = CancellationToken::new();
        let _ended = ended.clone().drop_guard();
        // An earlier run on this node lost its lease while the database could not be written, and
        // may still use the worktree.
        if let Some(earlier) = self.replace(lease.id, RunningBuild { stop: stop.clone(), ended }) {
            earlier.stop.cancel();
            earlier.ended.cancelled().await;
        }
        tracing::info!(build_id = %lease.id, fence = lease.fence, "working on build");
        let meter = UsageMeter::default();
        let heartbeats = heartbeats::send(self.engine.clone(), lease.clone(), meter.clone());
        let _heartbeats = AbortOnDropHandle::new(tokio::spawn(heartbeats));
        Driver::new(self.engine.clone(), lease, stop, meter).run().await;
    }
}

impl BuildWorker {
    /// Registers a run of a build; returns an earlier one that has not ended.
    fn replace(&self, build: BuildId, run: RunningBuild) -> Option<RunningBuild> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|_, run| !run.ended.is_cancelled());
        running.insert(build, run)
    }
}
