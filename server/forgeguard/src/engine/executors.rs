//! The coding agents that builds can use on this node.

use std::{fs, path::PathBuf};

use domain::{
    event::{agents::Role, life::Origin},
    executor::Executor,
    permission::Action,
};
use sandbox::{Level, Policy};

use super::{handle::Engine, models::Models, settings::ProjectSettings};
use crate::agent::{ExternalAgent, Installed, installed};

/// Why the custom command cannot be used.
pub(super) const NO_COMMAND: &str =
    "no command is configured: an operator can set FORGEGUARD_EXECUTOR_COMMAND";

/// An executor for a build that is not started yet.
pub struct ExecutorChoice {
    pub executor: Executor,
    /// Of the program that is installed on this node.
    pub version: Option<String>,
    /// Why the build cannot use it.
    pub obstacle: Option<String>,
}

impl Engine {
    /// All executors, and why a build with these models cannot use them.
    pub(super) async fn executors(
        &self,
        origin: Origin,
        settings: &ProjectSettings,
        models: &Models,
    ) -> Vec<ExecutorChoice> {
        let mut choices = Vec::new();
        for executor in Executor::ALL {
            let version = self.executor_version(executor).await;
            let obstacle = self.executor_obstacle(origin, executor, settings, models);
            choices.push(ExecutorChoice { executor, version, obstacle });
        }
        choices
    }

    /// Why a build with these models cannot use an executor.
    pub(super) fn executor_obstacle(
        &self,
        origin: Origin,
        executor: Executor,
        settings: &ProjectSettings,
        models: &Models,
    ) -> Option<String> {
        if executor.is_builtin() {
            return None;
        }
        if origin == Origin::Demo {
            return Some("the demo project plays a recorded build".to_owned());
        }
        if executor == Executor::OwnEditor {
            return None;
        }
        if self.parts.level.as_ref().is_ok_and(|level| *level != Level::Strict) {
            return Some(
                "it needs the strict sandbox: install bubblewrap and allow user namespaces"
                    .to_owned(),
            );
        }
        let mut rules = self.parts.permissions.iter().chain(&settings.permissions);
        if rules.any(|rule| rule.action != Action::Allow) {
            return Some(
                "permission rules that deny or ask are enforced only for the built-in agent: \
                 remove them from the project's and the installation's settings, or choose the \
                 built-in agent"
                    .to_owned(),
            );
        }
        let Some(agent) = self.external_agent(executor) else { return Some(NO_COMMAND.to_owned()) };
        let missing = agent.program().filter(|program| self.find_program(program).is_none());
        let is_missing = |program| {
            format!(
                "{program} was not found on this node: install it for the whole system, or with a \
                 version manager such as nvm that is in the PATH of ForgeGuard"
            )
        };
        let model = models.of(Role::Coder);
        missing.map(is_missing).or_else(|| agent.model_obstacle(&*model.provider))
    }

    /// The external agent of an executor, as this node starts it.
    pub(super) fn external_agent(&self, executor: Executor) -> Option<ExternalAgent> {
        ExternalAgent::new(executor, self.parts.executor_command.as_deref())
    }

    /// The version of an installed agent; `None` if it is unknown.
    async fn executor_version(&self, executor: Executor) -> Option<String> {
        let agent = self.external_agent(executor)?;
        let program = agent.program()?;
        let file = self.find_program(program)?;
        self.executor_versions.of(file, self.reported_version(program)).await
    }

    async fn reported_version(&self, program: &str) -> Option<String> {
        let level = self.parts.level.clone().ok()?;
        let folders = self.paths().node("versions");
        fs::create_dir_all(&folders).ok()?;
        let folder = tempfile::tempdir_in(folders).ok()?;
        let mut policy = Policy::new(level, folder.path()).with_toolchains(&self.parts.toolchains);
        policy.hidden = vec![self.paths().root().to_owned()];
        match installed(program, &self.parts.runner, policy).await {
            Ok(Installed::Version(version)) => Some(version),
            Ok(Installed::No | Installed::Unknown) => None,
            Err(error) => {
                tracing::warn!(program, %error, "the version of a coding agent is unknown");
                None
            }
        }
    }

    /// The file of a program that commands in the sandbox can run.
    fn find_program(&self, program: &str) -> Option<PathBuf> {
        let system = sandbox::SYSTEM_PATH.split(':').map(PathBuf::from);
        let path = self.parts.toolchains.path.iter().cloned().chain(system);
        path.map(|folder| folder.join(program)).find(|file| file.is_file())
    }
}
