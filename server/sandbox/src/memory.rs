//! Memory used by a process tree, and memory of the machine.

use std::fs;
use std::time::{Duration, Instant};

use crate::tree::{self, Process};

/// For an exact count; after that the upper bound is used.
const EXACT_TIMEOUT: Duration = Duration::from_millis(100);

/// Bytes used by the processes, including shared memory and page tables, excluding file pages.
///
/// Far below `limit` this is an upper bound that counts shared pages for each process. Closer to
/// it, shared pages are counted once, if the kernel reports them in time. Waits while a process
/// executes another program.
pub fn used_bytes(processes: &[Process], limit: u64) -> u64 {
    let bound = processes.iter().map(|process| rss_bytes(process.pid)).sum();
    if bound <= limit / 4 {
        return bound;
    }
    exact_bytes(processes, Instant::now() + EXACT_TIMEOUT).unwrap_or(bound)
}

fn exact_bytes(processes: &[Process], deadline: Instant) -> Option<u64> {
    let mut total = 0;
    for process in processes {
        // A process can make `smaps_rollup` unreadable, but not `status`.
        total += pss_bytes(process.pid).unwrap_or_else(|| rss_bytes(process.pid));
        if Instant::now() > deadline {
            return None;
        }
    }
    Some(total)
}

/// Anonymous and shared memory of one process; shared pages count in full.
fn rss_bytes(pid: i32) -> u64 {
    let Some(status) = tree::read(pid, "status") else { return 0 };
    sum_of_fields(&status, &["RssAnon", "RssShmem", "VmPTE", "VmSwap"])
}

/// Proportional set size: a page shared by n processes counts as 1/n.
fn pss_bytes(pid: i32) -> Option<u64> {
    let (rollup, status) = (tree::read(pid, "smaps_rollup")?, tree::read(pid, "status")?);
    Some(
        sum_of_fields(&rollup, &["Pss_Anon", "Pss_Shmem", "SwapPss"])
            + sum_of_fields(&status, &["VmPTE"]),
    )
}

/// Bytes available without swapping.
pub fn available_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable")
}

/// Bytes of memory of this machine, or of the container if that has less.
pub fn installed_bytes() -> Option<u64> {
    let machine = field(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal")?;
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|limit| limit.trim().parse().ok());
    Some(container.map_or(machine, |limit: u64| limit.min(machine)))
}

fn sum_of_fields(text: &str, names: &[&str]) -> u64 {
    names.iter().filter_map(|name| field(text, name)).sum()
}

/// The value of a line such as `VmRSS:      123 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(number * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_matched_by_their_full_name() {
        let text = "Pss:   7 kB\nPss_Anon:      12 kB\nPss_Shmem:  3 kB\nThreads:\t1\n";
        assert_eq!(field(text, "Pss_Anon"), Some(12 << 10));
        assert_eq!(field(text, "Pss"), Some(7 << 10));
        assert_eq!((field(text, "Threads"), field(text, "SwapPss")), (None, None));
        assert_eq!(sum_of_fields(text, &["Pss_Anon", "Pss_Shmem", "SwapPss"]), 15 << 10);
    }

    #[test]
    fn used_memory_of_this_process_is_plausible() {
        let pid = i32::try_from(std::process::id()).unwrap();
        let this = tree::process(pid).unwrap();
        let (bound, exact) = (used_bytes(&[this], u64::MAX), used_bytes(&[this], 0));
        assert!(exact > 0 && bound > 0 && exact < installed_bytes().unwrap());
        assert!(available_bytes().unwrap() <= installed_bytes().unwrap());
        assert_eq!(exact_bytes(&[this], Instant::now() - EXACT_TIMEOUT), None);
    }
}
