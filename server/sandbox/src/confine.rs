//! The process that shuts itself in and then becomes the command.
#![allow(clippy::disallowed_methods, reason = "starting processes is what this crate is for")]

use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Signal, set_parent_process_death_signal, setsid, umask};

use crate::wire::{self, Confinement, SetUp};
use crate::{landlock, privileges, seccomp};

/// Reads a [`Confinement`] from standard input, applies it and becomes the command.
///
/// Returns an exit code only when that failed; the reason has gone back over the same socket.
pub fn confine() -> i32 {
    let Ok(channel) = fcntl_dupfd_cloexec(io::stdin(), 3).map(UnixStream::from) else { return 125 };
    let refusal = match wire::receive::<Confinement>(&channel) {
        Ok(confinement) => become_command(&confinement, &channel),
        Err(error) => SetUp::Failed { reason: format!("reading the policy: {error}") },
    };
    let _ = wire::send(&channel, &refusal);
    125
}

fn become_command(confinement: &Confinement, channel: &UnixStream) -> SetUp {
    let landlock_abi = match shut_in(confinement) {
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

/// The order matters: each step still needs what the next one takes away.
fn shut_in(confinement: &Confinement) -> Result<Option<i32>, String> {
    let named = |step: &'static str| move |error: io::Error| format!("{step}: {error}");
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(io::Error::from)
        .map_err(named("tying the command to its supervisor"))?;
    // Already a session's leader where bubblewrap made one.
    let _ = setsid();
    umask(rustix::fs::Mode::from_raw_mode(0o022));
    privileges::close_on_exec().map_err(named("closing inherited files"))?;
    let nothing = File::open("/dev/null").map_err(named("opening /dev/null"))?;
    rustix::stdio::dup2_stdin(&nothing)
        .map_err(io::Error::from)
        .map_err(named("emptying standard input"))?;
    std::env::set_current_dir(&confinement.cwd).map_err(named("entering the directory"))?;
    privileges::step_back();
    privileges::accept_limits(&confinement.limits).map_err(named("setting limits"))?;
    let Some(walls) = &confinement.walls else { return Ok(None) };
    privileges::drop_capabilities().map_err(named("dropping capabilities"))?;
    rustix::thread::set_no_new_privs(true)
        .map_err(io::Error::from)
        .map_err(named("giving up new privileges"))?;
    let abi = landlock::restrict(walls)?;
    seccomp::restrict(walls)?;
    Ok(abi)
}
