//! The engine's handle.

use std::{path::PathBuf, sync::Arc, time::Duration};

use domain::{
    failure::RetryWaits, gate::SandboxLevel, generation::GenerationKind, ids::BuildId,
    permission::Rule,
};
use tokio::sync::{Notify, Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::{
    error::EngineError,
    models::{ModelSource, Models},
    node::Node,
    paths::Paths,
    push_slots::{PushLimits, PushSlots},
    repack_queue::RepackQueue,
    seal_key::SealKey,
};
use crate::{journal::Journal, store::Db, threads};

const BLOCKING_TIMEOUT: Duration = Duration::from_secs(300);

/// The parts of the engine, created by the caller.
pub struct Parts {
    /// The journal and its database.
    pub journal: Journal,
    pub paths: Paths,
    pub node: Node,
    /// Builds that run concurrently.
    pub workers: usize,
    /// The models of agents.
    pub models: ModelSource,
    /// The models of agents in the bundled demo.
    pub demo_models: Models,
    /// Delays between retries.
    pub waits: RetryWaits,
    /// Permission rules of the installation.
    pub permissions: Arc<[Rule]>,
    /// Limits for users' pushes.
    pub push_limits: PushLimits,
    /// Signs seals.
    pub seal_key: SealKey,
    /// Runs commands.
    pub runner: sandbox::Runner,
    /// How commands are confined, or what an operator can do to make that possible.
    pub level: Result<sandbox::Level, String>,
    /// Directories with programs that commands may use, such as Node's.
    pub tool_path: Vec<PathBuf>,
    /// Permitted destinations of commands with network access; none if `None`.
    pub network: Option<sandbox::EgressRules>,
}

/// A handle to the engine; clones share it.
#[derive(Clone)]
pub struct Engine {
    pub(super) parts: Arc<Parts>,
    /// Notified when a build may be due.
    pub(super) wake: Arc<Notify>,
    /// Notified when a generation of contracts may be due.
    wake_writers: Arc<Notify>,
    /// Notified when a generation of answers may be due.
    wake_interviewers: Arc<Notify>,
    /// Changes when a generation on this node has made progress.
    pub(super) generations: watch::Sender<()>,
    /// Slots for pushes.
    pub(super) push_slots: Arc<PushSlots>,
    /// Slots for unpacking pushes: each may need as much memory as git is allowed.
    pub(super) unpacking: Arc<Semaphore>,
    /// Projects whose repositories may have to be repacked.
    pub(super) repack_queue: Arc<RepackQueue>,
    pub(super) shutdown: CancellationToken,
}

/// Pushes that are unpacked concurrently; others wait.
const MAX_UNPACKING: usize = 2;

impl Engine {
    /// Creates a handle. Nothing runs until [`super::build_worker::run`].
    pub fn new(parts: Parts, shutdown: CancellationToken) -> Self {
        let push_slots = Arc::new(PushSlots::new(parts.push_limits.max_concurrent));
        Self {
            push_slots,
            unpacking: Arc::new(Semaphore::new(MAX_UNPACKING)),
            repack_queue: Arc::default(),
            parts: Arc::new(parts),
            wake: Arc::default(),
            wake_writers: Arc::default(),
            wake_interviewers: Arc::default(),
            generations: watch::Sender::new(()),
            shutdown,
        }
    }

    pub fn journal(&self) -> &Journal {
        &self.parts.journal
    }

    pub fn db(&self) -> &Db {
        self.parts.journal.db()
    }

    /// This node's name in leases.
    pub fn node(&self) -> &str {
        &self.parts.node.owner
    }

    pub fn paths(&self) -> &Paths {
        &self.parts.paths
    }

    /// Permission rules of the installation.
    pub fn permissions(&self) -> &Arc<[Rule]> {
        &self.parts.permissions
    }

    /// Notified when a generation of this kind may be due.
    pub(super) fn wake_for(&self, kind: GenerationKind) -> &Notify {
        match kind {
            GenerationKind::Contracts => &self.wake_writers,
            GenerationKind::Answers => &self.wake_interviewers,
        }
    }

    /// The models that this node can use.
    pub fn model_source(&self) -> &ModelSource {
        &self.parts.models
    }

    /// How commands are confined.
    pub fn sandbox_level(&self) -> Result<SandboxLevel, EngineError> {
        self.level().map(shown)
    }

    pub(super) fn level(&self) -> Result<sandbox::Level, EngineError> {
        self.parts.level.clone().map_err(EngineError::NoSandbox)
    }

    /// Runs blocking work, such as git's, outside the async threads, within [`BLOCKING_TIMEOUT`].
    pub(super) async fn blocking<T, W>(&self, work: W) -> Result<T, EngineError>
    where
        T: Send + 'static,
        W: FnOnce() -> Result<T, EngineError> + Send + 'static,
    {
        threads::run(BLOCKING_TIMEOUT, work).await?
    }
}

/// The sandbox's level as recorded in the journal.
pub(super) fn shown(level: sandbox::Level) -> SandboxLevel {
    match level {
        sandbox::Level::Strict => SandboxLevel::Strict,
        sandbox::Level::Landlock => SandboxLevel::Landlock,
        sandbox::Level::None => SandboxLevel::None,
    }
}

/// The name of a build's branch.
pub(super) fn branch_name(build: BuildId) -> Result<git::BuildBranchName, EngineError> {
    Ok(git::BuildBranchName::of_build(&build.to_string())?)
}
