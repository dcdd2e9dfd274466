//! The programs of all projects' gates, run in the sandbox as a gate runs them.

use std::{collections::BTreeMap, path::Path, time::Duration};

use domain::{gate::GateDefinition, gate_programs};
use sandbox::{Command, Ending, Level, Outcome, Policy, Runner};
use tokio_util::sync::CancellationToken;

use super::{super::failure::Failure, check::Check};
use crate::{
    config::Config,
    engine::{Paths, ProjectSettings, detected_gates},
    server,
    store::projects::{self, Project},
};

const TIMEOUT: Duration = Duration::from_secs(60);
const MAX_SHOWN_CHARS: usize = 160;

/// Directories of version managers, and how each selects a version.
const MANAGERS: [(&str, &str); 9] = [
    (".pyenv", "Install a version and select it for all folders: pyenv global VERSION."),
    (".cargo", "Select a toolchain: rustup default stable."),
    (".nvm", "Select a version: nvm alias default VERSION."),
    ("fnm", "Select a version: fnm default VERSION."),
    (".fnm", "Select a version: fnm default VERSION."),
    (".asdf", "Select a version for all folders: asdf set --home NAME VERSION."),
    ("mise", "Select a version for all folders: mise use --global NAME@VERSION."),
    (".volta", "Select a version: volta install NAME."),
    (".sdkman", "Select a version: sdk default NAME VERSION."),
];

/// Runs each program once, with a question for its version.
pub(super) async fn check(
    config: &Config,
    paths: &Paths,
    runner: &Runner,
    level: Level,
) -> Result<Vec<Check>, Failure> {
    // The check of the database reports why it cannot be opened.
    let Ok(db) = server::open_database(config).await else { return Ok(Vec::new()) };
    let projects = projects::all(&mut db.read().await?).await?;
    db.close().await;
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for project in projects {
        for gate in gates(paths, &project) {
            for program in gate_programs::programs(&gate.command) {
                let users = users.entry(program).or_default();
                if !users.contains(&project.name) {
                    users.push(project.name.clone());
                }
            }
        }
    }
    let folder = tempfile::tempdir_in(paths.node("doctor"))?;
    let mut checks = Vec::new();
    for (program, users) in users {
        let mut policy = Policy::new(level, folder.path()).with_toolchains(&config.toolchains);
        policy.hidden = vec![paths.root().to_owned()];
        policy.limits.timeout = TIMEOUT;
        let command = Command::shell(question(&program)).labelled("doctor");
        let outcome = runner.run(policy, command, CancellationToken::new(), None).await?;
        checks.push(result(config, &program, &users.join(", "), &outcome));
    }
    Ok(checks)
}

/// The gates that a build of the project starts with.
fn gates(paths: &Paths, project: &Project) -> Vec<GateDefinition> {
    let settings = ProjectSettings::read(&project.settings).unwrap_or_default();
    if !settings.gates.is_empty() || !settings.detect_gates {
        return settings.gates;
    }
    let found = detected_gates::of_branch(&paths.hosted(project.id), &project.default_branch);
    found.map_or_else(|_| Vec::new(), |found| found.gates.into_iter().map(|it| it.gate).collect())
}

/// A shell line that ends with 127 if there is no such program.
fn question(program: &str) -> String {
    let option = if program == "go" { "version" } else { "--version" };
    format!("command -v {program} >/dev/null || exit 127; {program} {option}")
}

fn result(config: &Config, program: &str, users: &str, outcome: &Outcome) -> Check {
    let output = outcome.output.text();
    let line = output.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line: String = line.chars().take(MAX_SHOWN_CHARS).collect();
    let path = config.search_path.iter().map(|folder| folder.join(program));
    let path = path.into_iter().find(|path| path.is_file());
    let (state, remedy) = match (outcome.ending, outcome.exit_code) {
        (Ending::Exited, Some(0)) => (format!("found: {line}"), None),
        (Ending::Exited, Some(127)) if line.is_empty() => {
            ("missing".to_owned(), Some(remedy_if_missing(program, path.as_deref())))
        }
        (Ending::Exited, Some(code)) => {
            let remedy = remedy_if_failed(program, path.as_deref());
            (format!("failed with exit code {code}: {line}"), Some(remedy))
        }
        _ => {
            ("failed: it was stopped".to_owned(), Some(remedy_if_failed(program, path.as_deref())))
        }
    };
    let observed = format!("{program} for {users}: {state}");
    Check { name: "gate program", passed: remedy.is_none(), required: false, observed, remedy }
}

fn remedy_if_missing(program: &str, path: Option<&Path>) -> String {
    match path {
        Some(path) => format!(
            "It is at {}, which the sandbox does not read: install it for the whole system, such as \
             in /usr/local/bin, or by a version manager.",
            path.display()
        ),
        None => format!(
            "Install {program}, and add its directory to the PATH that ForgeGuard is started with."
        ),
    }
}

fn remedy_if_failed(program: &str, path: Option<&Path>) -> String {
    let of_manager = path.and_then(|path| {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_in =
            |name: &str| [path, &target].iter().any(|path| path.iter().any(|it| it == name));
        MANAGERS.iter().find(|(name, _)| is_in(name))
    });
    match of_manager {
        Some((_, remedy)) => (*remedy).to_owned(),
        None => format!("Run {program} --version as the user that runs ForgeGuard, and repair it."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedy_names_the_version_manager_of_a_shim() {
        let shim = Path::new("/home/ada/.pyenv/shims/python3");
        assert!(remedy_if_failed("python3", Some(shim)).contains("pyenv global"));
        let own = Path::new("/usr/bin/python3");
        assert!(remedy_if_failed("python3", Some(own)).contains("python3 --version"));
        assert!(remedy_if_missing("tox", Some(Path::new("/opt/x/tox"))).contains("/opt/x/tox"));
        assert!(remedy_if_missing("tox", None).starts_with("Install tox"));
    }
}
