//! The process that confines itself and then executes the command.
#![allow(clippy::disallowed_methods, reason = "starting processes is what this crate is for")]

use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rootdir::RootDir;
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Signal, set_parent_process_death_signal, setsid, umask};

use crate::wire::{self, Confinement, SetUp};
use crate::{descriptor, egress, landlock, privileges, seccomp};

/// Reads a [`Confinement`] from standard input, applies it and executes the command.
///
/// Returns an exit code only on failure; the reason has been sent over the same socket.
pub fn confine() -> i32 {
    let Ok(channel) = fcntl_dupfd_cloexec(io::stdin(), 3).map(UnixStream::from) else { return 125 };
    let failure = match wire::receive::<Confinement>(&channel) {
        Ok(confinement) => match open_listeners(&confinement, &channel) {
            Ok(()) => exec_command(&confinement, &channel),
            Err(error) => SetUp::Failed { reason: format!("opening a listener: {error}") },
        },
        Err(error) => SetUp::Failed { reason: format!("reading the policy: {error}") },
    };
    let _ = wire::send(&channel, &failure);
    125
}

fn open_listeners(confinement: &Confinement, channel: &UnixStream) -> io::Result<()> {
    if !confinement.listeners.is_empty() {
        egress::open_listeners(&descriptor::receive(channel)?, &confinement.listeners)?;
    }
    Ok(())
}

fn exec_command(confinement: &Confinement, channel: &UnixStream) -> SetUp {
    let landlock_abi = match apply_confinement(confinement) {
        Ok(abi) => abi,
        Err(reason) => return SetUp::Failed { reason },
    };
    if let Err(error) = wire::send(channel, &SetUp::Ready { landlock_abi }) {
        return SetUp::Failed { reason: format!("reporting: {error}") };
    }
    let Some((program, arguments)) = confinement.argv.split_first() else {
        return SetUp::ProgramNotFound;
    };
    let error = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(confinement.environment.iter().map(|(name, value)| (name, value)))
        .exec();
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => SetUp::ProgramNotFound,
        _ => SetUp::Failed { reason: format!("starting `{program}`: {error}") },
    }
}

/// Each step may need privileges that a later one drops, so the order matters. Returns the Landlock
/// version in force.
fn apply_confinement(confinement: &Confinement) -> Result<Option<i32>, String> {
    let named = |step: &'static str| move |error: io::Error| format!("{step}: {error}");
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(io::Error::from)
        .map_err(named("setting the parent death signal"))?;
    // Fails if bubblewrap has already made this process a session leader.
    let _ = setsid();
    umask(rustix::fs::Mode::from_raw_mode(0o022));
    privileges::close_on_exec().map_err(named("closing inherited files"))?;
    let nothing = File::open("/dev/null").map_err(named("opening /dev/null"))?;
    rustix::stdio::dup2_stdin(&nothing)
        .map_err(io::Error::from)
        .map_err(named("redirecting standard input"))?;
    // A command of another run may have placed a link there since the path was checked.
    RootDir::open(&confinement.worktree)
        .and_then(|worktree| worktree.open_dir(&confinement.cwd))
        .and_then(|cwd| Ok(rustix::process::fchdir(cwd)?))
        .map_err(named("entering the working directory"))?;
    privileges::lower_priority();
    privileges::set_limits(&confinement.limits).map_err(named("setting limits"))?;
    let Some(restrictions) = &confinement.restrictions else { return Ok(None) };
    privileges::drop_capabilities().map_err(named("dropping capabilities"))?;
    rustix::thread::set_no_new_privs(true)
        .map_err(io::Error::from)
        .map_err(named("setting no_new_privs"))?;
    let abi = landlock::restrict(restrictions)?;
    seccomp::restrict(restrictions)?;
    Ok(abi)
}
