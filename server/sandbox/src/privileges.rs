//! Dropping privileges and setting limits, for this process and its children.

use std::fs;
use std::io;
use std::os::fd::BorrowedFd;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Resource, Rlimit, getuid, setpriority_process, setrlimit};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits,
};

use crate::policy::Limits;

/// Slightly lower priority than the service; with a much lower one, commands would starve on a busy
/// machine.
const COMMAND_NICE_VALUE: i32 = 5;

/// Locked file pages of one process, which do not count as its own memory.
const MAX_LOCKED_BYTES: u64 = 8 << 20;
/// Makes the kernel kill commands first when memory runs out.
const OOM_SCORE_ADJ: &str = "1000";

/// Sets the limits that the kernel enforces per process.
pub fn set_limits(limits: &Limits) -> io::Result<()> {
    let limits_by_resource = [
        (Resource::Core, 0),
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Data, limits.memory_bytes),
        (Resource::Fsize, limits.file_size_bytes),
        (Resource::Memlock, MAX_LOCKED_BYTES),
        (Resource::Nofile, limits.open_files),
        (Resource::Nproc, limits.processes + tasks_of_this_user()),
    ];
    for (resource, limit) in limits_by_resource {
        let allowed = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let limit = Some(limit.min(allowed));
        setrlimit(resource, Rlimit { current: limit, maximum: limit })?;
    }
    Ok(())
}

/// Gives the supervisor real-time priority, if permitted: it does little work, and a tree that
/// forks into many sessions gets a full share of the CPU for each.
#[allow(unsafe_code, reason = "rustix cannot set a scheduling policy")]
pub fn raise_priority() {
    let priority = libc::sched_param { sched_priority: 1 };
    let policy = libc::SCHED_RR | libc::SCHED_RESET_ON_FORK;
    // SAFETY: the call reads one local struct.
    if unsafe { libc::sched_setscheduler(0, policy, &priority) } != 0 {
        let _ = setpriority_process(None, -20);
    }
}

/// Lowers the priority for CPU time and memory. Errors are ignored.
pub fn lower_priority() {
    let _ = setpriority_process(None, COMMAND_NICE_VALUE);
    let _ = fs::write("/proc/self/oom_score_adj", OOM_SCORE_ADJ);
}

/// Drops all capabilities irrevocably, so that file modes apply to user 0 too.
pub fn drop_capabilities() -> io::Result<()> {
    // Fails without CAP_SETPCAP, when the set is that of an ordinary user already.
    for bit in 0..=63 {
        let capability = CapabilitySet::from_bits_retain(1 << bit);
        if remove_capability_from_bounding_set(capability).is_err() {
            break;
        }
    }
    let _ = clear_ambient_capability_set();
    let locked = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    if let Err(error) = set_capabilities_secure_bits(locked)
        && getuid().is_root()
    {
        return Err(error.into());
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(set_capabilities(None, sets)?)
}

/// Ensures that the command inherits no open file of the service.
#[allow(unsafe_code, reason = "no safe call takes a descriptor that this program does not own")]
pub fn close_on_exec() -> io::Result<()> {
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&fd| fd > 2)
        .collect();
    for fd in open {
        // SAFETY: the number is only passed to fcntl, which returns EBADF if it is closed by now.
        let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
        let _ = fcntl_setfd(borrowed, FdFlags::CLOEXEC);
    }
    Ok(())
}

/// The kernel counts all tasks of a user against the limit, so existing ones are added.
fn tasks_of_this_user() -> u64 {
    use std::os::unix::fs::MetadataExt;
    let user = getuid().as_raw();
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    processes
        .flatten()
        .filter(|entry| entry.metadata().is_ok_and(|about| about.uid() == user))
        .filter_map(|entry| fs::read_dir(entry.path().join("task")).ok())
        .map(|tasks| tasks.count() as u64)
        .sum()
}
