//! A seccomp filter of system calls that commands do not need.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

use crate::wire::{Restrictions, Sockets};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that access other processes or change the machine, and rarely needed ones with a large
/// attack surface.
const FORBIDDEN: &[c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_migrate_pages,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_move_pages,
    libc::SYS_name_to_handle_at,
    libc::SYS_nfsservctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Fail with ENOSYS, so that libraries fall back to older calls, whose arguments a filter can
/// inspect.
const UNKNOWN: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_openat2,
    // Pages in a pipe are not counted as memory of any process.
    libc::SYS_vmsplice,
];

/// Memory that outlives its mappings, which only control groups count. Fail with ENOSYS too.
const UNCOUNTED_MEMORY: &[c_long] = &[libc::SYS_memfd_create, libc::SYS_memfd_secret];
/// The largest System V segment: enough for a database's lock, and small in total.
const MAX_SEGMENT_BYTES: u64 = 64 << 10;

/// Calls on IPC objects of the whole host.
const HOST_IPC: &[c_long] = &[
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_msgget,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_shmat,
    libc::SYS_shmget,
];

#[cfg(target_arch = "x86_64")]
const LEGACY_CALLS: &[c_long] =
    &[libc::SYS_ioperm, libc::SYS_iopl, libc::SYS_modify_ldt, libc::SYS_uselib, libc::SYS__sysctl];
#[cfg(not(target_arch = "x86_64"))]
const LEGACY_CALLS: &[c_long] = &[];

/// Bit in the numbers of x32 calls, the second ABI of x86-64.
#[cfg(target_arch = "x86_64")]
const X32_BIT: i64 = 0x4000_0000;

const NAMESPACES: libc::c_int = libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWUTS;

/// Forbids the calls for this thread and its children. Requires no_new_privs.
pub fn restrict(restrictions: &Restrictions) -> Result<(), String> {
    install(restrictions).map_err(|error| format!("seccomp: {error}"))
}

fn install(restrictions: &Restrictions) -> Result<(), seccompiler::Error> {
    let refused = refused(restrictions)?;
    let uncounted = if restrictions.memory_is_counted { &[] } else { UNCOUNTED_MEMORY };
    let unknown = UNKNOWN.iter().chain(uncounted).map(|&call| (call, Vec::new())).collect();
    apply_filter(&program(unknown, libc::ENOSYS)?)?;
    apply_filter(&program(refused, libc::EPERM)?)
}

fn program(rules: Rules, errno: libc::c_int) -> Result<BpfProgram, seccompiler::Error> {
    let arch = std::env::consts::ARCH.try_into()?;
    let answer = SeccompAction::Errno(errno.unsigned_abs());
    let rules = with_x32_numbers(rules);
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, answer, arch)?.try_into()?)
}

/// Adds the x32 numbers of the same calls.
#[cfg(target_arch = "x86_64")]
fn with_x32_numbers(rules: Rules) -> Rules {
    let mut all: Rules =
        rules.iter().map(|(&call, rules)| (call | X32_BIT, rules.clone())).collect();
    // From 512 on, x32 has its own numbers, and no current software uses it.
    all.extend((512..=547).map(|call| (call | X32_BIT, Vec::new())));
    all.extend(rules);
    all
}

#[cfg(not(target_arch = "x86_64"))]
fn with_x32_numbers(rules: Rules) -> Rules {
    rules
}

fn refused(restrictions: &Restrictions) -> Result<Rules, seccompiler::Error> {
    let mut rules: Rules = FORBIDDEN
        .iter()
        .chain(LEGACY_CALLS)
        .chain(if restrictions.host_ipc { HOST_IPC } else { &[] })
        .map(|&call| (call, Vec::new()))
        .collect();
    refuse_namespaces(&mut rules)?;
    refuse_set_id_files(&mut rules)?;
    refuse_terminal_input(&mut rules)?;
    if restrictions.host_ipc {
        refuse_limits_of_others(&mut rules)?;
    } else if !restrictions.memory_is_counted {
        refuse_large_segments(&mut rules)?;
    }
    refuse_sockets(&mut rules, restrictions.sockets)?;
    Ok(rules)
}

fn refuse_namespaces(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    let flags = (0..32).map(|bit| 1u32 << bit).filter(|bit| NAMESPACES as u32 & bit != 0);
    let any: Result<Vec<_>, seccompiler::Error> =
        flags.map(|flag| rule(&[has_bits(0, flag)?])).collect();
    rules.insert(libc::SYS_clone, any?);
    Ok(())
}

/// A set-user-id file created inside would give other users the service's privileges outside.
fn refuse_set_id_files(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    /// Linux 6.6 and later; not defined by libc on all targets.
    const FCHMODAT2: c_long = 452;
    let mut modes = vec![
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (FCHMODAT2, 2),
        (libc::SYS_mknodat, 2),
    ];
    let mut opens = vec![(libc::SYS_openat, 2, 3)];
    #[cfg(target_arch = "x86_64")]
    {
        modes.extend([(libc::SYS_chmod, 1), (libc::SYS_mknod, 1), (libc::SYS_creat, 1)]);
        opens.push((libc::SYS_open, 1, 2));
    }
    let bits = [libc::S_ISUID, libc::S_ISGID];
    for (call, mode) in modes.drain(..) {
        let any: Result<Vec<_>, seccompiler::Error> =
            bits.iter().map(|&bit| rule(&[has_bits(mode, bit)?])).collect();
        rules.insert(call, any?);
    }
    for (call, flags, mode) in opens.drain(..) {
        let mut any = Vec::new();
        for bit in bits {
            for creating in [libc::O_CREAT, libc::O_TMPFILE] {
                any.push(rule(&[has_bits(flags, creating as u32)?, has_bits(mode, bit)?])?);
            }
        }
        rules.insert(call, any);
    }
    Ok(())
}

/// Injecting input into a terminal that is shared with processes outside.
fn refuse_terminal_input(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    let commands = [libc::TIOCSTI as u32, libc::TIOCLINUX as u32];
    let any: Result<Vec<_>, seccompiler::Error> =
        commands.iter().map(|&command| rule(&[is(1, command)?])).collect();
    rules.insert(libc::SYS_ioctl, any?);
    Ok(())
}

fn refuse_large_segments(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    let size =
        SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Gt, MAX_SEGMENT_BYTES)?;
    rules.insert(libc::SYS_shmget, vec![rule(&[size])?]);
    Ok(())
}

/// The service runs as the same user, so commands could change its limits and priority.
fn refuse_limits_of_others(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    rules.insert(libc::SYS_prlimit64, vec![rule(&[is_not(0, 0)?])?]);
    rules.insert(libc::SYS_setpriority, vec![rule(&[is_not(0, 0)?])?, rule(&[is_not(1, 0)?])?]);
    Ok(())
}

fn refuse_sockets(rules: &mut Rules, sockets: Sockets) -> Result<(), seccompiler::Error> {
    let families = match sockets {
        Sockets::Closed => [].as_slice(),
        Sockets::All => &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
    };
    if families.is_empty() {
        rules.insert(libc::SYS_socket, Vec::new());
        return Ok(());
    }
    let others: Result<Vec<_>, seccompiler::Error> =
        families.iter().map(|&family| is_not(0, family.unsigned_abs())).collect();
    let netlink_other_than_route = rule(&[is(0, libc::AF_NETLINK.unsigned_abs())?, is_not(2, 0)?])?;
    rules.insert(libc::SYS_socket, vec![rule(&others?)?, netlink_other_than_route]);
    Ok(())
}

fn rule(conditions: &[SeccompCondition]) -> Result<SeccompRule, seccompiler::Error> {
    Ok(SeccompRule::new(conditions.to_vec())?)
}

fn is(argument: u8, value: u32) -> Result<SeccompCondition, seccompiler::Error> {
    condition(argument, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u32) -> Result<SeccompCondition, seccompiler::Error> {
    condition(argument, SeccompCmpOp::Ne, value)
}

fn has_bits(argument: u8, bits: u32) -> Result<SeccompCondition, seccompiler::Error> {
    condition(argument, SeccompCmpOp::MaskedEq(u64::from(bits)), bits)
}

fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u32,
) -> Result<SeccompCondition, seccompiler::Error> {
    let value = u64::from(value);
    Ok(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?)
}
