//! Runs the gates of sealed builds again for reviewers, on a clean checkout of the sealed commit and
//! with the gates that the journal records. A sealed build accepts no events, so the work is a queue
//! of its own, and its results are beside the seal.

use std::{sync::Arc, time::Instant};

use chrono::TimeDelta;
use domain::{
    audit::AuditAction,
    gate::GateDefinition,
    gate_rerun::RerunGate,
    ids::GateRerunId,
    state::{BuildState, Status},
};
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{
    branch,
    error::EngineError,
    handle::Engine,
    queue::{self, Worker},
};
use crate::{
    store::{
        self,
        audit_log::{self, NewEntry},
        builds::{self, Build},
        gate_reruns::{self, Lease, RerunQueue},
        leases,
        users::User,
    },
    text,
    tools::commands::Commands,
};

/// Before an attempt is repeated after a failure of this service.
const RETRY_DELAY: TimeDelta = TimeDelta::seconds(5);
/// After so many attempts that a stop or an error of the service interrupted, it has failed.
const MAX_ATTEMPTS: u32 = 3;
/// Of the output of a gate that is stored.
const MAX_OUTPUT_BYTES: usize = 16 << 10;

/// Works on requested runs until shutdown.
pub async fn run(engine: Engine) {
    queue::run(RerunWorker { engine }).await;
}

impl Engine {
    /// Queues a run of the gates of a sealed build, and records that in the audit log.
    pub async fn rerun_gates(&self, build: &Build, by: &User) -> Result<GateRerunId, EngineError> {
        if build.status != Status::Sealed {
            return Err(EngineError::NothingToRerun);
        }
        let (id, now) = (store::new_id(), store::now());
        let mut tx = self.db().write().await?;
        gate_reruns::insert(&mut tx, id, build.id, by.id, now).await.map_err(
            |error| match error {
                store::Error::AlreadyExists(_) => EngineError::UnfinishedRerun,
                error => error.into(),
            },
        )?;
        let (action, subject) = (AuditAction::GateRerunRequested, format!("build/{}", build.id));
        let detail = json!({ "rerun": id, "commit": build.head_sha });
        audit_log::append(&mut tx, &NewEntry::by(by, now, action, subject, detail)).await?;
        tx.commit().await?;
        self.wake_rerunners.notify_one();
        Ok(id)
    }
}

#[derive(Clone)]
struct RerunWorker {
    engine: Engine,
}

impl Worker for RerunWorker {
    type Queue = RerunQueue;

    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn when_due(&self) -> &Notify {
        &self.engine.wake_rerunners
    }

    async fn work(&self, lease: Lease, stop: CancellationToken) {
        let ended = match self.rerun(&lease, &stop).await {
            Ok(true) => self.finish(&lease, None).await,
            Ok(false) => self.hand_back(&lease, TimeDelta::zero()).await,
            Err(error) if error.is_temporary() => {
                tracing::warn!(rerun_id = %lease.id, %error, "gates could not be run; trying again");
                self.hand_back(&lease, RETRY_DELAY).await
            }
            Err(error) => {
                tracing::warn!(rerun_id = %lease.id, %error, "gates could not be run again");
                self.finish(&lease, Some(error.to_string())).await
            }
        };
        if let Err(error) = ended {
            tracing::error!(rerun_id = %lease.id, %error, "the lease will expire");
        }
    }
}

impl RerunWorker {
    /// Runs the gates one after another. False if it was interrupted.
    async fn rerun(&self, lease: &Lease, stop: &CancellationToken) -> Result<bool, EngineError> {
        let mut tx = self.engine.db().write().await?;
        let begun = gate_reruns::begin(&mut tx, lease).await?;
        tx.commit().await?;
        let mut conn = self.engine.db().read().await?;
        let Some(row) = gate_reruns::get(&mut conn, lease.id).await?.filter(|_| begun) else {
            return Ok(false);
        };
        if row.attempts > MAX_ATTEMPTS {
            return Err(EngineError::RerunInterrupted(MAX_ATTEMPTS));
        }
        let build = builds::get(&mut conn, row.build_id).await?;
        drop(conn);
        let build = build.ok_or(EngineError::NotFound("build"))?;
        let state = self.engine.journal().state(build.id).await?;
        let mut results = Vec::new();
        for gate in sealed_gates(&state) {
            let Some(result) = self.run_gate(&build, &state, &gate, stop).await? else {
                return Ok(false);
            };
            results.push(result);
            let results = serde_json::to_string(&results)?;
            let mut tx = self.engine.db().write().await?;
            let recorded = gate_reruns::set_results(&mut tx, lease, &results).await?;
            tx.commit().await?;
            if !recorded {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Runs a gate on its own checkout. `None` if it was interrupted.
    async fn run_gate(
        &self,
        build: &Build,
        state: &BuildState,
        gate: &GateDefinition,
        stop: &CancellationToken,
    ) -> Result<Option<RerunGate>, EngineError> {
        let engine = &self.engine;
        let clone = engine.working_clone(build.project_id).await?;
        let head = branch::head(state)?;
        let checkout = engine.check_out(clone.clone(), head).await?;
        let begun = Instant::now();
        let ran = async {
            let policy = engine.policy(&checkout.path, clone.path(), checkout.pointer.clone())?;
            let runner = engine.parts.runner.clone();
            let commands = Commands::new(runner, policy, stop.clone(), Arc::new(|_| {}));
            let names = state.named_tests();
            engine.run_gate_command(commands, gate, &checkout.path, &names).await
        };
        let ran = ran.await;
        let duration_ms = begun.elapsed().as_millis() as u64;
        engine.remove_checkout(checkout);
        let Some(outcome) = ran? else { return Ok(None) };
        let passed_at_seal = state.final_gates.get(&gate.name).is_some_and(|gate| gate.passed);
        Ok(Some(RerunGate {
            gate: gate.name.clone(),
            command: gate.command.clone(),
            required: gate.required,
            passed: outcome.passed,
            passed_at_seal,
            out_of: outcome.exhausted,
            exit_code: outcome.exit_code,
            duration_ms,
            output: text::ends(&outcome.output, MAX_OUTPUT_BYTES),
            output_sha256: outcome.output_sha256,
            sandbox: outcome.sandbox,
            tests: outcome.tests.counts,
            failed_tests: outcome.tests.failed,
        }))
    }

    /// Ends the run, and records the digest of its results in the audit log.
    async fn finish(&self, lease: &Lease, failure: Option<String>) -> Result<(), EngineError> {
        let now = store::now();
        let mut tx = self.engine.db().write().await?;
        if !gate_reruns::finish(&mut tx, lease, failure.as_deref(), now).await? {
            return Ok(());
        }
        if let Some(row) = gate_reruns::get(&mut tx, lease.id).await? {
            let digest = domain::attestation::sha256(row.results.as_bytes());
            let detail = json!({ "rerun": row.id, "results_sha256": digest, "failure": failure });
            let (action, subject) =
                (AuditAction::GateRerunFinished, format!("build/{}", row.build_id));
            let entry = NewEntry::by_service(now, action, subject, detail);
            audit_log::append(&mut tx, &entry).await?;
        }
        Ok(tx.commit().await?)
    }

    async fn hand_back(&self, lease: &Lease, wait: TimeDelta) -> Result<(), EngineError> {
        let mut tx = self.engine.db().write().await?;
        leases::hand_back::<RerunQueue>(&mut tx, lease, store::now() + wait).await?;
        Ok(tx.commit().await?)
    }
}

/// The gates with a command that ran on the sealed commit.
fn sealed_gates(state: &BuildState) -> Vec<GateDefinition> {
    state.final_gates.keys().filter_map(|name| state.gate(name)).collect()
}
