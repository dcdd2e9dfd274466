//! Giving up powers and accepting ceilings, for this process and all it starts.

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

/// A little below the service; further down, a busy machine would leave a command no time at all.
const NICENESS: i32 = 5;

/// Sets the ceilings the kernel keeps per process.
pub fn accept_limits(limits: &Limits) -> io::Result<()> {
    let ceilings = [
        (Resource::Core, 0),
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::Data, limits.memory_bytes),
        (Resource::Fsize, limits.file_size_bytes),
        (Resource::Nofile, limits.open_files),
        (Resource::Nproc, limits.processes + tasks_of_this_user()),
    ];
    for (resource, ceiling) in ceilings {
        let allowed = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let ceiling = Some(ceiling.min(allowed));
        setrlimit(resource, Rlimit { current: ceiling, maximum: ceiling })?;
    }
    Ok(())
}

/// Puts the supervisor before everything ordinary, where it may: it has little to do, and a tree
/// that multiplies through sessions of its own gets a full share of the machine with each.
#[allow(unsafe_code)]
pub fn step_forward() {
    let priority = libc::sched_param { sched_priority: 1 };
    let policy = libc::SCHED_RR | libc::SCHED_RESET_ON_FORK;
    // SAFETY: the call reads one struct that lives here; no safe wrapper of it is in use.
    if unsafe { libc::sched_setscheduler(0, policy, &priority) } != 0 {
        let _ = setpriority_process(None, -20);
    }
}

/// Lets the machine prefer others when processor time or memory is short. May fail quietly.
pub fn step_back() {
    let _ = setpriority_process(None, NICENESS);
    let _ = fs::write("/proc/self/oom_score_adj", "500");
}

/// Drops every capability for good, so that user 0 is bound by file modes like anybody.
pub fn drop_capabilities() -> io::Result<()> {
    // Without the right to do so the set is that of an ordinary user already.
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

/// Sees to it that no file of the service stays open in the command.
#[allow(unsafe_code)]
pub fn close_on_exec() -> io::Result<()> {
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&fd| fd > 2)
        .collect();
    for fd in open {
        // SAFETY: the number is only passed to fcntl, which answers EBADF if it is closed by now;
        // no safe call takes a descriptor that this program does not own.
        let borrowed = unsafe { BorrowedFd::borrow_raw(fd) };
        let _ = fcntl_setfd(borrowed, FdFlags::CLOEXEC);
    }
    Ok(())
}

/// The kernel counts all tasks of a user against the limit, so those already there are added.
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
