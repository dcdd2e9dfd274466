//! Reading processes from `/proc`, and killing a whole process tree.
#![allow(clippy::disallowed_methods, reason = "this never runs on an async thread")]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::param::clock_ticks_per_second;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, getpgrp, kill_process_group,
    pidfd_open, pidfd_send_signal, wait, waitid,
};

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: i32,
    pub parent: i32,
    pub group: i32,
    pub threads: u64,
    pub zombie: bool,
}

/// Does not read `stat`: the kernel makes its readers wait while the process executes another
/// program, which a tree with thousands of processes can delay by seconds.
pub fn process(pid: i32) -> Option<Process> {
    parse_status(pid, &read(pid, "status")?)
}

/// Start time in clock ticks since boot, which with the pid identifies a process. Waits while it
/// executes another program.
pub fn start_time(pid: i32) -> Option<u64> {
    stat_fields(&read(pid, "stat")?)?.get(19)?.parse().ok()
}

/// CPU time, with that of children it has waited for. Waits while it executes another program.
pub fn cpu_time(pid: i32) -> Option<Duration> {
    let stat = read(pid, "stat")?;
    let ticks: u64 =
        stat_fields(&stat)?.get(11..15)?.iter().filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * 1000 / clock_ticks_per_second()))
}

/// A file of a process in `/proc`. The names of programs in it need not be UTF-8.
pub fn read(pid: i32, file: &str) -> Option<String> {
    let content = fs::read(format!("/proc/{pid}/{file}")).ok()?;
    Some(String::from_utf8_lossy(&content).into_owned())
}

/// Every process below `root`, parents before children.
pub fn descendants(root: i32) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in processes() {
        children.entry(process.parent).or_default().push(process);
    }
    let mut found: Vec<Process> = children.remove(&root).unwrap_or_default();
    let mut next = 0;
    while next < found.len() {
        found.extend(children.remove(&found[next].pid).unwrap_or_default());
        next += 1;
    }
    found
}

/// Processes whose initial environment contains this `NAME=value`.
pub fn with_variable(variable: &str) -> Vec<Process> {
    processes()
        .filter(|process| {
            fs::read(format!("/proc/{}/environ", process.pid)).is_ok_and(|environment| {
                environment.split(|&byte| byte == 0).any(|entry| entry == variable.as_bytes())
            })
        })
        .collect()
}

/// Number of processes and threads of the whole machine, which is cheap to read.
pub fn machine_tasks() -> Option<u64> {
    let loadavg = fs::read_to_string("/proc/loadavg").ok()?;
    loadavg.split(' ').nth(3)?.split('/').nth(1)?.parse().ok()
}

/// Sends a signal to this process, but not to a later one with the same pid: process groups do not
/// extend beyond the tree.
pub fn signal(target: &Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(target.pid) else { return };
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    if process(target.pid)
        .is_some_and(|now| (now.parent, now.group) == (target.parent, target.group))
    {
        let _ = pidfd_send_signal(handle, signal);
    }
}

/// Kills all processes returned by `find`, until it returns none twice in a row.
///
/// Process groups are killed first: the kernel kills a group in one step, which a forking process
/// cannot outrun. The rest are stopped before they are killed, for the same reason. Returns whether
/// all were gone within the timeout.
pub fn kill_all(find: impl Fn() -> Vec<Process>, timeout: Duration) -> bool {
    let deadline = Instant::now() + timeout;
    let mut quiet_rounds = 0;
    while quiet_rounds < 2 {
        let found = find();
        let alive: Vec<Process> = found.iter().filter(|found| !found.zombie).copied().collect();
        kill_groups(&alive);
        if alive.len() > 1 {
            alive.iter().for_each(|process| signal(process, Signal::STOP));
        }
        alive.iter().for_each(|process| signal(process, Signal::KILL));
        quiet_rounds = if found.is_empty() { quiet_rounds + 1 } else { 0 };
        if !found.is_empty() {
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    true
}

/// A process group never extends beyond its session, and every command has its own session; only
/// bubblewrap's outermost process shares the group of its parent.
fn kill_groups(processes: &[Process]) {
    let own = getpgrp().as_raw_nonzero().get();
    let groups: BTreeSet<i32> = processes.iter().map(|process| process.group).collect();
    for group in groups.into_iter().filter(|&group| group > 1 && group != own) {
        if let Some(group) = Pid::from_raw(group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Reaps all children that have exited, and returns pairs of pid and raw wait status.
pub fn reap() -> Vec<(i32, i32)> {
    let mut ended = Vec::new();
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        ended.push((pid.as_raw_nonzero().get(), status.as_raw()));
    }
    ended
}

/// Whether this process has a child, also one that has exited and was not reaped.
pub fn has_child() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::All, options), Err(Errno::CHILD))
}

/// Lists the directory first, which new processes would extend while the others are read.
fn processes() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids: Vec<i32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    pids.into_iter().filter_map(process)
}

fn parse_status(pid: i32, status: &str) -> Option<Process> {
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().next()
    };
    Some(Process {
        pid,
        parent: field("PPid")?.parse().ok()?,
        // Of the PID namespaces it is in, the first is that of this `/proc`.
        group: field("NSpgid")?.parse().ok()?,
        threads: field("Threads")?.parse().ok()?,
        zombie: matches!(field("State")?, "Z" | "X"),
    })
}

/// The fields after the name, which may contain spaces and parentheses.
fn stat_fields(stat: &str) -> Option<Vec<&str>> {
    Some(stat.rsplit_once(") ")?.1.split(' ').collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_is_parsed() {
        let status = "Name:\tState:\\nX\nState:\tS (sleeping)\nPid:\t42\nPPid:\t7\n\
                      NSpid:\t42\t3\nNSpgid:\t43\t3\nThreads:\t9\n";
        let expected = Process { pid: 42, parent: 7, group: 43, threads: 9, zombie: false };
        assert_eq!(parse_status(42, status), Some(expected));
        assert_eq!(parse_status(42, "Name:\ta\nState:\tS (sleeping)\n"), None);
    }

    #[test]
    fn fields_follow_a_name_with_parentheses() {
        let line = "42 (a) R (b) S 7 43 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0 1234 1 2";
        let fields = stat_fields(line).unwrap();
        assert_eq!((fields[0], fields[1], fields[19]), ("S", "7", "1234"));
        assert_eq!(fields[11..15], ["5", "6", "7", "8"]);
    }

    #[test]
    fn this_process_is_found_in_proc() {
        let pid = i32::try_from(std::process::id()).unwrap();
        let this = process(pid).unwrap();
        assert!(descendants(this.parent).iter().any(|process| process.pid == pid));
        assert!(machine_tasks().unwrap() > 0);
        assert!(start_time(pid).unwrap() > 0 && cpu_time(pid).is_some());
    }
}
