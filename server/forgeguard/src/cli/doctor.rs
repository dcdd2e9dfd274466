//! `forgeguard doctor`: checks this machine, and explains how to fix problems.

mod check;
mod executors;
mod models;
mod programs;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use super::failure::Failure;
use crate::{
    config::{Config, SandboxChoice},
    engine::Paths,
    server,
};
use check::Check;

/// Builds may run out of disk space with less.
const MIN_FREE_DISK_BYTES: u64 = 1 << 30;

pub async fn doctor(config: &Config, send_requests: bool) -> Result<ExitCode, Failure> {
    let paths = Paths::create(&config.data_dir)?;
    let mut checks = vec![data_directory(&paths), disk(&paths), database(config).await];
    checks.push(program(
        config,
        "git",
        "Install git with your package manager, or add it to PATH.",
    ));
    checks.push(program(config, "ssh", "Repositories with ssh addresses need the OpenSSH client."));
    checks.push(program(config, "node", "The demo's tests need Node.js: https://nodejs.org."));
    let runner = server::runner(config, paths.node("doctor").join("runs"))?;
    let report = sandbox::probe(&runner).await;
    checks.extend(sandbox_levels(config, &report));
    // Without a sandbox no command may run; that is reported already.
    if let Ok(level) = sandbox::choose(config.sandbox.level(), &report) {
        checks.extend(programs::check(config, &paths, &runner, level).await?);
        checks.extend(executors::check(config, &paths, &runner, level).await?);
    }
    checks.push(network(config));
    checks.extend(models::check(config, &paths, send_requests).await?);
    let mut out = io::stdout();
    for Check { name, passed, required, observed, remedy } in &checks {
        let mark = match (passed, required) {
            (true, _) => "ok  ",
            (false, true) => "FAIL",
            (false, false) => "--  ",
        };
        writeln!(out, "{mark} {name:<18} {observed}")?;
        if let Some(remedy) = remedy.as_ref().filter(|_| !passed) {
            writeln!(out, "     {:<18} → {remedy}", "")?;
        }
    }
    let failed = checks.iter().any(|check| check.required && !check.passed);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn data_directory(paths: &Paths) -> Check {
    let (name, observed) = ("data directory", paths.root().display().to_string());
    Check { name, passed: true, required: true, observed, remedy: None }
}

fn disk(paths: &Paths) -> Check {
    let free = rustix::fs::statvfs(paths.root()).map(|disk| disk.f_bavail * disk.f_frsize);
    let (passed, observed) = match free {
        Ok(free) => (free >= MIN_FREE_DISK_BYTES, format!("{} MiB free", free >> 20)),
        Err(error) => (false, error.to_string()),
    };
    let remedy = Some("Free some space, or choose another --data-dir.".to_owned());
    Check { name: "disk", passed, required: true, observed, remedy }
}

async fn database(config: &Config) -> Check {
    let (passed, observed) = match server::open_database(config).await {
        Ok(db) => {
            db.close().await;
            (true, "connected; migrations are up to date".to_owned())
        }
        Err(error) => (false, error.to_string()),
    };
    let remedy = Some("Check DATABASE_URL, or unset it to use SQLite.".to_owned());
    Check { name: "database", passed, required: true, observed, remedy }
}

fn program(config: &Config, name: &'static str, remedy: &str) -> Check {
    let mut places = config.search_path.iter();
    let found = places.find(|place| place.join(name).is_file());
    let observed = match &found {
        Some(place) => place.join(name).display().to_string(),
        None => "not found".to_owned(),
    };
    let (passed, remedy) = (found.is_some(), Some(remedy.to_owned()));
    Check { name, passed, required: name == "git", observed, remedy }
}

fn sandbox_levels(config: &Config, report: &sandbox::Report) -> Vec<Check> {
    let show = |name, found: &sandbox::LevelReport, level| {
        let observed = [vec![found.seen.clone()], found.caveats.clone()].concat().join(" ");
        let required = config.sandbox == level;
        Check { name, passed: found.holds, required, observed, remedy: found.remedy.clone() }
    };
    vec![
        show("sandbox strict", &report.strict, SandboxChoice::Strict),
        show("sandbox landlock", &report.landlock, SandboxChoice::Landlock),
    ]
}

fn network(config: &Config) -> Check {
    let (passed, observed) = match (&config.network, config.sandbox) {
        (None, _) => (false, "disabled".to_owned()),
        (Some(_), SandboxChoice::Landlock) => (false, "requires the strict sandbox".to_owned()),
        (Some(_), SandboxChoice::None) => {
            (true, "gates have unrestricted access to the host's network".to_owned())
        }
        (Some(rules), SandboxChoice::Strict) => {
            let allow = rules.allow.iter().map(|destination| format!(", {destination}"));
            (
                true,
                format!(
                    "gates that request it reach public addresses{}",
                    allow.collect::<String>()
                ),
            )
        }
    };
    let remedy = Some("Set network.enabled = true, and sandbox = \"strict\".".to_owned());
    Check { name: "network", passed, required: false, observed, remedy }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_access_is_shown_with_its_exceptions() {
        let mut config = Config::in_directory("data".into());
        let allow = vec!["10.0.0.0/8:443".parse().unwrap(), "db.internal".parse().unwrap()];
        config.network = Some(sandbox::EgressRules { allow });
        let shown = network(&config);
        assert!(
            shown.passed
                && shown.observed.ends_with("public addresses, 10.0.0.0/8:443, db.internal")
        );
        config.network = None;
        assert!(!network(&config).passed);
    }

    #[test]
    fn program_is_found_on_the_search_path() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::in_directory(folder.path().into());
        let name = "a-missing-program";
        assert!(!program(&config, name, "").passed);
        std::fs::write(folder.path().join(name), "").unwrap();
        config.search_path.push(folder.path().to_owned());
        assert!(program(&config, name, "").passed);
    }
}
