//! The engine's handle.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::{
    failure::RetryWaits, gate::SandboxLevel, generation::GenerationKind, ids::BuildId,
    permission::Rule,
};
use tokio::sync::{Notify, Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::{
    error::EngineError,
    executor_versions::ExecutorVersions,
    models::{ModelSource, Models, OpenSource},
    node::Node,
    opened_providers::OpenedProviders,
    paths::Paths,
    push_slots::{PushLimits, PushSlots},
    repack_queue::RepackQueue,
    seal_key::{PublicKey, SealKey},
    worker_slots::WorkerSlots,
};
use crate::{
    journal::Journal,
    store::{Db, provider_keys::ProviderKey},
    threads,
};

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
    pub models: OpenSource,
    /// The models of agents in the bundled demo.
    pub demo_models: Models,
    /// Before each part of a reply in the bundled demo, at normal speed.
    pub demo_delay: Duration,
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
    /// What commands may use besides the system's programs, such as Node.
    pub toolchains: sandbox::Toolchains,
    /// The shell line of the custom executor, if there is one.
    pub executor_command: Option<String>,
    /// Permitted destinations of commands with network access; none if `None`.
    pub network: Option<sandbox::EgressRules>,
}

/// A handle to the engine; clones share it.
#[derive(Clone)]
pub struct Engine {
    pub(super) parts: Arc<Parts>,
    /// Notified when a build may be due.
    pub(super) wake: Arc<Notify>,
    /// The workers that run builds on this node; none until they run.
    build_slots: Arc<Mutex<Option<WorkerSlots<BuildId>>>>,
    /// Notified when a generation of contracts may be due.
    wake_writers: Arc<Notify>,
    /// Notified when a generation of answers may be due.
    wake_interviewers: Arc<Notify>,
    /// Notified when a question about a build may be due.
    wake_question_answerers: Arc<Notify>,
    /// Notified when a build may have to be delivered.
    pub(super) wake_deliverers: Arc<Notify>,
    /// Notified when an item of a backlog may be startable.
    pub(super) wake_backlogs: Arc<Notify>,
    /// Notified when the gates of a sealed build may have to run again.
    pub(super) wake_rerunners: Arc<Notify>,
    /// Changes when a generation on this node has made progress.
    pub(super) generations: watch::Sender<()>,
    /// The source of models for the keys that were last read.
    model_source: Arc<Mutex<Option<CachedModels>>>,
    /// Notified when a fetch of a remote may be due.
    pub(super) wake_fetcher: Arc<Notify>,
    /// Changes when a fetch on this node has made progress.
    pub(super) fetches: watch::Sender<()>,
    /// Slots for tests of connections to remotes.
    pub(super) remote_tests: Arc<Semaphore>,
    /// Sign-in providers that were opened on this node.
    pub(super) opened_providers: Arc<OpenedProviders>,
    pub(super) executor_versions: Arc<ExecutorVersions>,
    /// Slots for pushes.
    pub(super) push_slots: Arc<PushSlots>,
    /// Slots for unpacking pushes: each may need as much memory as git is allowed.
    pub(super) unpacking: Arc<Semaphore>,
    /// Projects whose repositories may have to be repacked.
    pub(super) repack_queue: Arc<RepackQueue>,
    pub(super) shutdown: CancellationToken,
}

/// The keys that are set in the app, and the models that result.
type CachedModels = (Vec<ProviderKey>, Arc<ModelSource>);

/// Pushes that are unpacked concurrently; others wait.
const MAX_UNPACKING: usize = 2;
/// Tests of connections that run concurrently; others wait.
const MAX_REMOTE_TESTS: usize = 4;

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
            build_slots: Arc::default(),
            wake_writers: Arc::default(),
            wake_interviewers: Arc::default(),
            wake_question_answerers: Arc::default(),
            wake_deliverers: Arc::default(),
            wake_backlogs: Arc::default(),
            wake_rerunners: Arc::default(),
            remote_tests: Arc::new(Semaphore::new(MAX_REMOTE_TESTS)),
            opened_providers: Arc::default(),
            executor_versions: Arc::default(),
            wake_fetcher: Arc::default(),
            fetches: watch::Sender::new(()),
            generations: watch::Sender::new(()),
            model_source: Arc::default(),
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

    /// The key that verifies this installation's seals.
    pub fn public_seal_key(&self) -> PublicKey {
        self.parts.seal_key.public()
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
            GenerationKind::BuildQuestion => &self.wake_question_answerers,
        }
    }

    /// Lets commands claim builds for these workers.
    pub(super) fn offer_slots(&self, slots: WorkerSlots<BuildId>) {
        *self.build_slots.lock().unwrap_or_else(PoisonError::into_inner) = Some(slots);
    }

    /// The workers that run builds on this node, if any.
    pub(super) fn build_slots(&self) -> Option<WorkerSlots<BuildId>> {
        self.build_slots.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn cached_models(&self) -> MutexGuard<'_, Option<CachedModels>> {
        self.model_source.lock().unwrap_or_else(PoisonError::into_inner)
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
