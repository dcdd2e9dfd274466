//! Heartbeats of the builds that this node runs: what each does and what its commands use.

use std::time::Duration;

use domain::progress::Progress;
use sandbox::UsageMeter;
use tokio::time::{MissedTickBehavior, interval};

use super::{error::EngineError, handle::Engine};
use crate::{
    journal::PreviewKind,
    store::{
        self,
        work_items::{self, Heartbeat, Lease},
    },
};

const INTERVAL: Duration = Duration::from_secs(5);
/// Lists ignore heartbeats that are older than this: two in a row may fail.
pub const MAX_HEARTBEAT_AGE: Duration = Duration::from_secs(15);

/// Records heartbeats until the task is aborted.
pub(super) async fn send(engine: Engine, lease: Lease, meter: UsageMeter) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = meter.reading();
    loop {
        ticks.tick().await;
        let (load, now) = meter.load_since(last);
        last = now;
        if let Err(error) = record(&engine, &lease, load).await {
            tracing::debug!(build_id = %lease.id, %error, "a heartbeat could not be recorded");
        }
    }
}

async fn record(engine: &Engine, lease: &Lease, load: sandbox::Load) -> Result<(), EngineError> {
    let state = engine.journal().state(lease.id).await?;
    let Progress { step, percent } = Progress::of(&state);
    let heartbeat = Heartbeat {
        at: store::now(),
        step,
        progress_percent: percent,
        memory_bytes: load.memory_bytes,
        cpu_percent: load.cpu_percent.round() as u32,
    };
    let mut tx = engine.db().write().await?;
    work_items::record_heartbeat(&mut tx, lease, &heartbeat).await?;
    tx.commit().await?;
    let payload = serde_json::json!({
        "node": engine.parts.node.name,
        "at": heartbeat.at,
        "step": heartbeat.step,
        "progress_percent": heartbeat.progress_percent,
        "memory_bytes": heartbeat.memory_bytes,
        "cpu_percent": heartbeat.cpu_percent,
    });
    engine.journal().feed().preview(lease.id, PreviewKind::Heartbeat, &payload);
    Ok(())
}
