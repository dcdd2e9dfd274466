//! The processes that belong to a data directory, from `/proc`.

use std::{collections::HashSet, fs, path::Path};

/// A running process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    /// Program and arguments.
    pub command: String,
}

/// Every running process except this one whose program, directory, arguments or environment name
/// the data directory, or that has the id of a run below it. `runs` are ids seen earlier: a run's
/// directory is removed when it ends.
pub fn of(data: &Path, runs: &HashSet<String>) -> Vec<Process> {
    let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let pids = fs::read_dir("/proc").expect("/proc is mounted").flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| *pid != std::process::id()).filter_map(|pid| look(pid, &data, runs)).collect()
}

/// The ids of the runs that the data directory's nodes have recorded now.
pub fn runs(data: &Path) -> HashSet<String> {
    let nodes = fs::read_dir(data.join("nodes")).into_iter().flatten().flatten();
    let runs = nodes.flat_map(|node| fs::read_dir(node.path().join("runs")).into_iter().flatten());
    runs.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

fn look(pid: u32, data: &Path, runs: &HashSet<String>) -> Option<Process> {
    let of = |name: &str| format!("/proc/{pid}/{name}");
    let stat = fs::read_to_string(of("stat")).ok()?;
    // A zombie has ended; only its parent has not waited for it.
    if stat.rsplit(") ").next()?.starts_with(['Z', 'X']) {
        return None;
    }
    let read =
        |name: &str| String::from_utf8_lossy(&fs::read(of(name)).unwrap_or_default()).into_owned();
    let (command, environment) = (read("cmdline"), read("environ"));
    let linked = ["cwd", "exe", "root"]
        .into_iter()
        .any(|name| fs::read_link(of(name)).is_ok_and(|target| target.starts_with(data)));
    let shown = data.display().to_string();
    let named = command.contains(&shown) || environment.contains(&shown);
    let carries = environment.split('\0').filter_map(|entry| entry.strip_prefix("SANDBOX_RUN="));
    let carried = carries.into_iter().any(|run| runs.contains(run));
    (linked || named || carried)
        .then(|| Process { pid, command: command.replace('\0', " ").trim().to_owned() })
}
