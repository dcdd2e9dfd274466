//! Cleanup of runs that outlived the service that started them.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use rootdir::RootDir;
use serde::{Deserialize, Serialize};

use crate::removal::{self, REMOVAL_DIR};
use crate::run_dir::RunDir;
use crate::tree::{self, Process};
use crate::wire::RUN_VARIABLE;

const KILL_TIMEOUT: Duration = Duration::from_secs(5);
const MAX_RECORD_BYTES: u64 = 64 << 10;

/// A run that was still recorded at startup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    pub label: String,
    /// Number of its processes that were alive and have been killed.
    pub processes: usize,
}

/// Written before a command starts and removed after its last process ended.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    label: String,
    supervisor: i32,
    started: u64,
}

/// Kills the processes of the runs recorded below `runs`, and moves their directories to where they
/// are removed in the background. What cannot be read or moved is logged and stays.
///
/// Must be called before the first run. A process is killed only if both its pid and its start time
/// match the record, or if it has the run's id in its environment.
pub fn end_leftovers(runs: &Path) -> Vec<Leftover> {
    let entries = match fs::read_dir(runs) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            tracing::warn!(runs = %runs.display(), %error, "runs of an earlier service could not be listed");
            return Vec::new();
        }
    };
    let mut leftovers = Vec::new();
    for entry in entries.flatten().filter(|entry| entry.file_name() != REMOVAL_DIR) {
        if let Some(run) = RunDir::existing(entry.path()) {
            let record = read(&run);
            let processes = kill(&run);
            let label = record.map_or_else(String::new, |record| record.label);
            leftovers.push(Leftover { label, processes });
        }
        let name = entry.file_name();
        let moved = RootDir::open(runs).and_then(|root| removal::move_away(&root, &name, runs));
        if let Err(error) = moved {
            tracing::warn!(run = ?name, %error, "files of an earlier run could not be moved away");
        }
    }
    leftovers
}

/// Records which process supervises a run.
pub(crate) fn record(run: &RunDir, label: &str, supervisor: i32) -> io::Result<()> {
    let started = tree::start_time(supervisor).unwrap_or(0);
    let record = Record { label: label.to_owned(), supervisor, started };
    fs::write(run.record(), serde_json::to_vec(&record)?)
}

/// Kills all processes of one run and returns their number.
pub(crate) fn kill(run: &RunDir) -> usize {
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
    if !tree::kill_all(alive, KILL_TIMEOUT) {
        tracing::warn!(run = run.id, "some processes of a run could not be killed");
    }
    count
}

impl Record {
    /// The supervisor, if its pid was not reused, and its descendants.
    fn tree(&self) -> Vec<Process> {
        if tree::start_time(self.supervisor) != Some(self.started) {
            return Vec::new();
        }
        let Some(supervisor) = tree::process(self.supervisor) else { return Vec::new() };
        let mut tree = tree::descendants(self.supervisor);
        tree.push(supervisor);
        tree
    }
}

/// The record is untrusted: without confinement a command can overwrite it.
fn read(run: &RunDir) -> Option<Record> {
    let record = run.record();
    let content = RootDir::open(record.parent()?).ok()?.read(record.file_name()?, MAX_RECORD_BYTES);
    serde_json::from_slice(&content.ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_leftovers_do_not_fail_startup() {
        let runs = tempfile::tempdir().unwrap();
        let records: [&dyn Fn(&Path); 3] = [
            &|record| fs::write(record, "{not json").unwrap(),
            &|record| fs::create_dir(record).unwrap(),
            &|record| std::os::unix::fs::symlink("/dev/zero", record).unwrap(),
        ];
        for corrupt in records {
            corrupt(&RunDir::create(runs.path()).unwrap().record());
        }
        fs::write(runs.path().join("file"), "").unwrap();
        fs::create_dir(runs.path().join("probe-that-was-cut-off")).unwrap();
        assert_eq!(end_leftovers(runs.path()).len(), 3);
        let removed = fs::read_dir(runs.path().join(REMOVAL_DIR)).unwrap().count();
        assert_eq!((removed, fs::read_dir(runs.path()).unwrap().count()), (5, 1));
        assert!(end_leftovers(&runs.path().join("file")).is_empty());
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "an unrelated process is needed")]
    fn process_that_reuses_the_pid_is_not_killed() {
        let runs = tempfile::tempdir().unwrap();
        let run = RunDir::create(runs.path()).unwrap();
        let mut unrelated = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let supervisor = i32::try_from(unrelated.id()).unwrap();
        let started = tree::start_time(supervisor).unwrap() - 1;
        let stale = Record { label: "old".into(), supervisor, started };
        fs::write(run.record(), serde_json::to_vec(&stale).unwrap()).unwrap();

        let leftovers = end_leftovers(runs.path());
        assert_eq!(leftovers, [Leftover { label: "old".into(), processes: 0 }]);
        assert!(unrelated.try_wait().unwrap().is_none());
        assert!(!run.record().exists());
        unrelated.kill().unwrap();
        unrelated.wait().unwrap();
    }
}
