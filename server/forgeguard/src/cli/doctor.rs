//! `forgeguard doctor`: what works on this machine, with the remedy for what does not.

mod finding;
mod models;

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use super::failure::Failure;
use crate::{
    config::{Config, SandboxChoice},
    engine::Paths,
    server,
};
use finding::Finding;

/// Less than this and a build may run out of disk.
const DISK_NEEDED: u64 = 1 << 30;

pub async fn doctor(config: &Config, ask: bool) -> Result<ExitCode, Failure> {
    let paths = Paths::create(&config.data_dir)?;
    let mut findings = vec![data_directory(&paths), disk(&paths), database(config).await];
    findings.push(program(config, "git", "People clone with it; install it with your packages."));
    findings.push(program(config, "node", "The demo's tests run with it: https://nodejs.org."));
    findings.extend(sandbox_levels(config, &paths).await?);
    findings.extend(models::look(config, ask).await);
    let mut out = io::stdout();
    for Finding { what, holds, needed, seen, remedy } in &findings {
        let mark = match (holds, needed) {
            (true, _) => "ok  ",
            (false, true) => "FAIL",
            (false, false) => "--  ",
        };
        writeln!(out, "{mark} {what:<18} {seen}")?;
        if let Some(remedy) = remedy.as_ref().filter(|_| !holds) {
            writeln!(out, "     {:<18} → {remedy}", "")?;
        }
    }
    let sick = findings.iter().any(|finding| finding.needed && !finding.holds);
    Ok(if sick { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn data_directory(paths: &Paths) -> Finding {
    let (what, seen) = ("data directory", paths.root().display().to_string());
    Finding { what, holds: true, needed: true, seen, remedy: None }
}

fn disk(paths: &Paths) -> Finding {
    let free = rustix::fs::statvfs(paths.root()).map(|disk| disk.f_bavail * disk.f_frsize);
    let (holds, seen) = match free {
        Ok(free) => (free >= DISK_NEEDED, format!("{} MiB free", free >> 20)),
        Err(error) => (false, error.to_string()),
    };
    let remedy = Some("Make room, or move the data with --data-dir.".to_owned());
    Finding { what: "disk", holds, needed: true, seen, remedy }
}

async fn database(config: &Config) -> Finding {
    let (holds, seen) = match server::open_database(config).await {
        Ok(db) => {
            db.close().await;
            (true, "opens, and its tables are up to date".to_owned())
        }
        Err(error) => (false, error.to_string()),
    };
    let remedy = Some("Check DATABASE_URL, or unset it to use a file.".to_owned());
    Finding { what: "database", holds, needed: true, seen, remedy }
}

fn program(config: &Config, name: &'static str, remedy: &str) -> Finding {
    const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
    let system = SYSTEM.iter().map(PathBuf::from);
    let mut places = config.tool_path.iter().cloned().chain(system);
    let found = places.find(|place| place.join(name).is_file());
    let seen = match &found {
        Some(place) => place.join(name).display().to_string(),
        None => "not found".to_owned(),
    };
    let (holds, remedy) = (found.is_some(), Some(remedy.to_owned()));
    Finding { what: name, holds, needed: name == "git", seen, remedy }
}

async fn sandbox_levels(config: &Config, paths: &Paths) -> Result<Vec<Finding>, Failure> {
    let runner = server::runner(config, paths.node("doctor").join("runs"))?;
    let report = sandbox::probe(&runner).await;
    let none_needed = config.sandbox == SandboxChoice::None;
    let any = report.strict.holds || report.landlock.holds || none_needed;
    let show = |what, found: &sandbox::Finding| {
        let seen = [vec![found.seen.clone()], found.caveats.clone()].concat().join(" ");
        Finding { what, holds: found.holds, needed: !any, seen, remedy: found.remedy.clone() }
    };
    Ok(vec![show("sandbox strict", &report.strict), show("sandbox landlock", &report.landlock)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_looked_for_in_the_tool_path_too() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::in_directory(folder.path().into());
        let name = "a-program-that-nobody-has";
        assert!(!program(&config, name, "").holds);
        std::fs::write(folder.path().join(name), "").unwrap();
        config.tool_path.push(folder.path().to_owned());
        assert!(program(&config, name, "").holds);
    }
}
