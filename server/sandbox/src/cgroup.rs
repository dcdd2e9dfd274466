//! Control groups (version 2), if one is delegated to the service: the kernel then counts all
//! memory of a run, including memory that belongs to no process, and kills the run if it exceeds
//! its limit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::policy::Limits;

const MOUNT: &str = "/sys/fs/cgroup";
const CONTROLLERS: [&str; 2] = ["memory", "pids"];
const ENABLE: &str = "+memory +pids";
/// Bubblewrap's processes, which count in addition to those of the command.
const WRAPPER_PROCESSES: u64 = 4;

/// The service's group, divided into a subgroup for itself and one for runs.
#[derive(Debug)]
pub struct ControlGroups {
    service: PathBuf,
    runs: PathBuf,
}

/// The group of one run, and that of its supervisor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunGroup {
    path: PathBuf,
    service: PathBuf,
}

/// Checks whether control groups can be used. The error is a sentence with the reason.
pub fn check() -> Result<(), String> {
    own_group().and_then(|group| check_group(&group))
}

impl ControlGroups {
    /// Divides the group of this process. `total_bytes` limits the memory of all runs together.
    pub fn create(total_bytes: u64) -> Result<Self, String> {
        Self::divide(&own_group()?, total_bytes)
    }

    fn divide(group: &Path, total_bytes: u64) -> Result<Self, String> {
        check_group(group)?;
        let groups = Self { service: group.join("service"), runs: group.join("runs") };
        groups.set_up(group, total_bytes).map_err(|error| {
            // Best effort: restores the previous state.
            let _ = join(group);
            let _ = fs::remove_dir(&groups.runs);
            let _ = fs::remove_dir(&groups.service);
            format!("The control group {} cannot be divided: {error}.", group.display())
        })?;
        Ok(groups)
    }

    fn set_up(&self, group: &Path, total_bytes: u64) -> io::Result<()> {
        fs::create_dir_all(&self.service)?;
        fs::create_dir_all(&self.runs)?;
        // A group with processes of its own cannot enable controllers for subgroups.
        join(&self.service)?;
        fs::write(group.join("cgroup.subtree_control"), ENABLE)?;
        fs::write(self.runs.join("cgroup.subtree_control"), ENABLE)?;
        limit_memory(&self.runs, total_bytes)
    }

    /// Creates the group of one run.
    pub fn add_run(&self, id: &str, limits: &Limits) -> io::Result<RunGroup> {
        let path = self.runs.join(id);
        fs::create_dir(&path)?;
        limit_memory(&path, limits.memory_bytes)?;
        fs::write(path.join("memory.oom.group"), "1")?;
        let processes = limits.processes + WRAPPER_PROCESSES;
        fs::write(path.join("pids.max"), processes.to_string())?;
        Ok(RunGroup { path, service: self.service.clone() })
    }
}

impl RunGroup {
    /// Calls `start` while this process is in the group, so that its children are created there.
    pub fn start_within<T>(&self, start: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        join(&self.path)?;
        let started = start();
        // The supervisor must outlive its run.
        join(&self.service)?;
        started
    }

    /// Kills all processes in the group.
    pub fn kill(&self) {
        let _ = fs::write(self.path.join("cgroup.kill"), "1");
    }

    /// Whether the kernel killed processes of the group because of its memory limit.
    pub fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        events.lines().any(|line| line.strip_prefix("oom_kill ").is_some_and(|n| n != "0"))
    }

    /// Removes the group, which must be empty.
    pub fn remove(&self) -> io::Result<()> {
        fs::remove_dir(&self.path)
    }
}

fn limit_memory(group: &Path, bytes: u64) -> io::Result<()> {
    fs::write(group.join("memory.max"), bytes.to_string())?;
    match fs::write(group.join("memory.swap.max"), "0") {
        // Missing on kernels without swap accounting.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        written => written,
    }
}

/// Moves this process, with all its threads, into a group.
fn join(group: &Path) -> io::Result<()> {
    fs::write(group.join("cgroup.procs"), "0")
}

fn own_group() -> Result<PathBuf, String> {
    let membership = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
    let path = membership.lines().find_map(|line| line.strip_prefix("0::/"));
    let path = path.ok_or("This system has no control groups version 2.")?;
    Ok(Path::new(MOUNT).join(path))
}

fn check_group(group: &Path) -> Result<(), String> {
    let read = |name| fs::read_to_string(group.join(name)).unwrap_or_default();
    let controllers = read("cgroup.controllers");
    if !CONTROLLERS.iter().all(|name| controllers.split_whitespace().any(|has| has == *name)) {
        return Err(format!("{} does not limit memory and processes.", group.display()));
    }
    let own_pid = std::process::id().to_string();
    if read("cgroup.procs").split_whitespace().any(|pid| pid != own_pid) {
        return Err(format!("{} is shared with other processes.", group.display()));
    }
    let writable = fs::OpenOptions::new().write(true).open(group.join("cgroup.subtree_control"));
    writable
        .map(drop)
        .map_err(|error| format!("{} is not delegated to this service: {error}.", group.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of regular files instead of the kernel's, which keep what is written to them.
    fn group(controllers: &str, members: &str) -> tempfile::TempDir {
        let group = tempfile::tempdir().unwrap();
        fs::write(group.path().join("cgroup.controllers"), controllers).unwrap();
        fs::write(group.path().join("cgroup.procs"), members).unwrap();
        fs::write(group.path().join("cgroup.subtree_control"), "").unwrap();
        group
    }

    #[test]
    fn group_is_divided_and_each_run_limited() {
        let group = group("cpu memory pids", &std::process::id().to_string());
        let groups = ControlGroups::divide(group.path(), 1000).unwrap();
        let read = |name: &str| fs::read_to_string(group.path().join(name)).unwrap();
        assert_eq!(read("service/cgroup.procs"), "0");
        assert_eq!(read("cgroup.subtree_control"), ENABLE);
        assert_eq!(read("runs/cgroup.subtree_control"), ENABLE);
        assert_eq!(read("runs/memory.max"), "1000");

        let limits = Limits { memory_bytes: 100, processes: 7, ..Limits::default() };
        let run = groups.add_run("one", &limits).unwrap();
        assert_eq!(
            (read("runs/one/memory.max"), read("runs/one/memory.swap.max")),
            ("100".into(), "0".into())
        );
        assert_eq!(
            (read("runs/one/memory.oom.group"), read("runs/one/pids.max")),
            ("1".into(), "11".into())
        );

        fs::write(group.path().join("service/cgroup.procs"), "").unwrap();
        run.start_within(|| {
            assert_eq!(read("runs/one/cgroup.procs"), "0");
            assert_eq!(read("service/cgroup.procs"), "");
            Ok(())
        })
        .unwrap();
        assert_eq!(read("service/cgroup.procs"), "0");
        run.kill();
        assert_eq!(read("runs/one/cgroup.kill"), "1");
        assert!(!run.ran_out_of_memory());
        for (events, expected) in [("oom 1\noom_kill 0\n", false), ("oom 1\noom_kill 2\n", true)] {
            fs::write(group.path().join("runs/one/memory.events"), events).unwrap();
            assert_eq!(run.ran_out_of_memory(), expected);
        }
    }

    #[test]
    fn group_that_is_not_delegated_is_not_changed() {
        let own = std::process::id().to_string();
        let cases = [
            (group("cpu pids", &own), "does not limit"),
            (group("cpu memory pids", &format!("{own}\n1")), "shared"),
            (group("memory pids", &own), "not delegated"),
        ];
        fs::remove_file(cases[2].0.path().join("cgroup.subtree_control")).unwrap();
        for (group, reason) in cases {
            let before = fs::read_dir(group.path()).unwrap().count();
            let refusal = ControlGroups::divide(group.path(), 1000).unwrap_err();
            assert!(refusal.contains(reason), "{refusal}");
            assert_eq!(fs::read_dir(group.path()).unwrap().count(), before);
        }
    }
}
