//! The coding agents that builds can use on this node.

use std::path::PathBuf;

use domain::{
    event::{agents::Role, life::Origin},
    executor::Executor,
    permission::Action,
};
use sandbox::Level;

use super::{handle::Engine, models::Models, settings::ProjectSettings};
use crate::agent::ExternalAgent;

impl Engine {
    /// All executors, and why a build with these models cannot use them.
    pub(super) fn executors(
        &self,
        origin: Origin,
        settings: &ProjectSettings,
        models: &Models,
    ) -> Vec<(Executor, Option<String>)> {
        let obstacle =
            |executor| (executor, self.executor_obstacle(origin, executor, settings, models));
        Executor::ALL.into_iter().map(obstacle).collect()
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
        let installed = match ExternalAgent::program(executor) {
            Some(program) => self.finds_program(program).then_some(()).ok_or_else(|| {
                format!(
                    "{program} was not found on this node: install it for the whole system, or with a \
                     version manager such as nvm that is in the PATH of ForgeGuard"
                )
            }),
            None => self.parts.executor_command.as_ref().map(drop).ok_or_else(|| {
                "no command is configured: an operator can set FORGEGUARD_EXECUTOR_COMMAND"
                    .to_owned()
            }),
        };
        let model = models.of(Role::Coder);
        installed.err().or_else(|| ExternalAgent::model_obstacle(executor, &*model.provider))
    }

    fn finds_program(&self, program: &str) -> bool {
        let system = sandbox::SYSTEM_PATH.split(':').map(PathBuf::from);
        let mut path = self.parts.toolchains.path.iter().cloned().chain(system);
        path.any(|folder| folder.join(program).is_file())
    }
}
