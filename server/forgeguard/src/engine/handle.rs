//! The engine as the rest of the service holds it.

use std::{path::PathBuf, sync::Arc};

use domain::{
    event::life::Origin, failure::RetryWaits, gate::SandboxLevel, generation::GenerationKind,
    ids::BuildId, permission::Rule,
};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::{error::EngineError, models::Models, node::Node, paths::Paths, seal_key::SealKey};
use crate::{journal::Journal, store::Db};

/// Everything the engine is made of; all of it comes from outside.
pub struct Parts {
    /// The journal, and behind it the database.
    pub journal: Journal,
    /// Where things lie.
    pub paths: Paths,
    /// Who this node is.
    pub node: Node,
    /// Builds that run at once.
    pub workers: usize,
    /// What agents talk to.
    pub models: Models,
    /// What agents of the bundled demo talk to.
    pub demo_models: Models,
    /// When what failed is tried again.
    pub waits: RetryWaits,
    /// What agents may do, whatever the project.
    pub permissions: Arc<[Rule]>,
    /// Signs seals.
    pub seal_key: SealKey,
    /// Runs commands.
    pub runner: sandbox::Runner,
    /// How they are confined, or what an operator can do so that they can be.
    pub level: Result<sandbox::Level, String>,
    /// Directories with programs that commands may use, such as Node's.
    pub tool_path: Vec<PathBuf>,
}

/// A handle to the engine; clones share it.
#[derive(Clone)]
pub struct Engine {
    pub(super) parts: Arc<Parts>,
    /// Told whenever a build may want a worker.
    pub(super) wake: Arc<Notify>,
    /// Told whenever contracts may want a writer.
    wake_writers: Arc<Notify>,
    /// Told whenever a person may want an answer.
    wake_interviewers: Arc<Notify>,
    /// Changes whenever a generation has gone on, on this node.
    pub(super) generations: watch::Sender<()>,
    pub(super) shutdown: CancellationToken,
}

impl Engine {
    /// Puts the parts together. Nothing runs until [`super::queue::run`].
    pub fn new(parts: Parts, shutdown: CancellationToken) -> Self {
        Self {
            parts: Arc::new(parts),
            wake: Arc::default(),
            wake_writers: Arc::default(),
            wake_interviewers: Arc::default(),
            generations: watch::Sender::new(()),
            shutdown,
        }
    }

    /// The journal of all builds.
    pub fn journal(&self) -> &Journal {
        &self.parts.journal
    }

    /// The database.
    pub fn db(&self) -> &Db {
        self.parts.journal.db()
    }

    /// The data directory.
    pub fn paths(&self) -> &Paths {
        &self.parts.paths
    }

    /// The installation's rules about what agents may do.
    pub fn permissions(&self) -> &Arc<[Rule]> {
        &self.parts.permissions
    }

    /// Told whenever a generation of this kind may want a worker.
    pub(super) fn wake_for(&self, kind: GenerationKind) -> &Notify {
        match kind {
            GenerationKind::Contracts => &self.wake_writers,
            GenerationKind::Answers => &self.wake_interviewers,
        }
    }

    /// What agents of a project talk to.
    pub(super) fn models(&self, origin: Origin) -> &Models {
        match origin {
            Origin::Demo => &self.parts.demo_models,
            Origin::Questionnaire => &self.parts.models,
        }
    }

    /// How agents' commands are confined.
    pub fn sandbox_level(&self) -> Result<SandboxLevel, EngineError> {
        self.level().map(shown)
    }

    pub(super) fn level(&self) -> Result<sandbox::Level, EngineError> {
        self.parts.level.clone().map_err(EngineError::NoSandbox)
    }

    /// Runs blocking work, such as git's, outside the async threads.
    pub(super) async fn blocking<T, W>(&self, work: W) -> Result<T, EngineError>
    where
        T: Send + 'static,
        W: FnOnce() -> Result<T, EngineError> + Send + 'static,
    {
        match tokio::task::spawn_blocking(work).await {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(EngineError::Closed),
        }
    }
}

/// The sandbox's word for a level in the words of the journal.
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
