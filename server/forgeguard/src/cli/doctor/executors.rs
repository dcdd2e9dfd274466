//! The external coding agents that builds can use, with their versions.

use domain::executor::Executor;
use sandbox::{Level, Policy, Runner};

use super::{super::failure::Failure, check::Check};
use crate::{
    agent::{ExternalAgent, Installed, installed},
    config::Config,
    engine::Paths,
};

/// Asks each installed agent for its version, in the sandbox.
pub(super) async fn check(
    config: &Config,
    paths: &Paths,
    runner: &Runner,
    level: Level,
) -> Result<Vec<Check>, Failure> {
    let folder = tempfile::tempdir_in(paths.node("doctor"))?;
    let mut checks = Vec::new();
    for executor in Executor::ALL {
        let label = executor.label();
        let command = config.executor_command.as_deref();
        let Some(agent) = ExternalAgent::new(executor, command) else { continue };
        if let ExternalAgent::Custom(line) = &agent {
            checks.push(found(format!("{label}: {line}"), level));
        }
        let Some(program) = agent.program() else { continue };
        let mut policy = Policy::new(level, folder.path()).with_toolchains(&config.toolchains);
        policy.hidden = vec![paths.root().to_owned()];
        checks.push(match installed(program, runner, policy).await? {
            Installed::Version(version) => found(format!("{label}: {version}"), level),
            Installed::No => missing(format!("{label}: not installed"), None),
            Installed::Unknown => {
                let remedy = format!("Run {program} --version as the user that runs ForgeGuard.");
                missing(format!("{label}: its version is unknown"), Some(remedy))
            }
        });
    }
    Ok(checks)
}

/// External agents reach their models over the network of the strict sandbox.
fn found(observed: String, level: Level) -> Check {
    let passed = level == Level::Strict;
    let remedy = "External agents need the strict sandbox: install bubblewrap.".to_owned();
    Check { name: "coding agent", passed, required: false, observed, remedy: Some(remedy) }
}

fn missing(observed: String, remedy: Option<String>) -> Check {
    Check { name: "coding agent", passed: false, required: false, observed, remedy }
}
