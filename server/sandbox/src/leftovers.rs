//! Runs that outlived the service that started them.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::run_dir::RunDir;
use crate::tree::{self, Process};
use crate::wire::RUN_VARIABLE;

const PATIENCE: Duration = Duration::from_secs(5);

/// A run that was still recorded when the service started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// The command's label.
    pub label: String,
    /// Processes of it that were alive and have been ended.
    pub processes: usize,
}

/// Written before a command starts and removed after its last process ended.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    label: String,
    supervisor: i32,
    started: u64,
}

/// Ends what is still alive of the runs recorded below `runs`, and removes what they left.
///
/// Call it before the first run of a new service. A process is only ended if both its pid and
/// its start time are those of the record, or if it carries the run's id in its environment.
pub fn end_leftovers(runs: &Path) -> io::Result<Vec<Leftover>> {
    let entries = match fs::read_dir(runs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut leftovers = Vec::new();
    for entry in entries {
        let Some(run) = RunDir::existing(entry?.path()) else { continue };
        let record = read(&run);
        let processes = end(&run);
        run.remove()?;
        let label = record.map_or_else(String::new, |record| record.label);
        leftovers.push(Leftover { label, processes });
    }
    Ok(leftovers)
}

/// Notes which process supervises a run.
pub(crate) fn record(run: &RunDir, label: &str, supervisor: i32) -> io::Result<()> {
    let started = tree::process(supervisor).map_or(0, |process| process.started);
    let record = Record { label: label.to_owned(), supervisor, started };
    fs::write(run.record(), serde_json::to_vec(&record)?)
}

/// Ends everything of one run; says how many processes that were.
pub(crate) fn end(run: &RunDir) -> usize {
    let record = read(run);
    let variable = format!("{RUN_VARIABLE}={}", run.id);
    let alive = || {
        let mut found = record.as_ref().map(Record::tree).unwrap_or_default();
        for process in tree::with_variable(&variable) {
            if !found.iter().any(|known| known.pid == process.pid) {
                found.push(process);
            }
        }
        found.retain(|process| !process.zombie);
        found
    };
    let count = alive().len();
    if !tree::kill_all(alive, PATIENCE) {
        tracing::warn!(run = run.id, "some processes of a run would not end");
    }
    count
}

impl Record {
    /// The supervisor, if it is still that process, and all below it.
    fn tree(&self) -> Vec<Process> {
        let Some(supervisor) = tree::process(self.supervisor) else { return Vec::new() };
        if supervisor.started != self.started {
            return Vec::new();
        }
        let mut tree = tree::descendants(self.supervisor);
        tree.push(supervisor);
        tree
    }
}

fn read(run: &RunDir) -> Option<Record> {
    serde_json::from_slice(&fs::read(run.record()).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::disallowed_methods, reason = "an innocent process is needed")]
    fn a_process_that_only_has_the_pid_is_spared() {
        let runs = tempfile::tempdir().unwrap();
        let run = RunDir::create(runs.path()).unwrap();
        let mut innocent = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let supervisor = i32::try_from(innocent.id()).unwrap();
        let started = tree::process(supervisor).unwrap().started - 1;
        let stale = Record { label: "old".into(), supervisor, started };
        fs::write(run.record(), serde_json::to_vec(&stale).unwrap()).unwrap();

        let leftovers = end_leftovers(runs.path()).unwrap();
        assert_eq!(leftovers, [Leftover { label: "old".into(), processes: 0 }]);
        assert!(innocent.try_wait().unwrap().is_none());
        assert_eq!(fs::read_dir(runs.path()).unwrap().count(), 0);
        innocent.kill().unwrap();
        innocent.wait().unwrap();
    }
}
