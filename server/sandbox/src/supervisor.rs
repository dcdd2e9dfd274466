//! The process between the service and a command, which sees the command's whole tree end.
#![allow(clippy::disallowed_methods, reason = "this process has one thread and one command")]

use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::{
    Pid, PidfdFlags, Signal, getpid, getppid, kill_process_group, pidfd_open, pidfd_send_signal,
    set_child_subreaper, test_kill_process,
};

use crate::disk::Disk;
use crate::outcome::Ending;
use crate::policy::Limits;
use crate::tree::{self, Process};
use crate::wire::{self, Confinement, Job, Report, STOP_TIMED_OUT, SetUp};
use crate::{landlock, privileges};

/// What a tree asked to end may still do before it is killed.
const GRACE: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(3);
const LAST_PATIENCE: Duration = Duration::from_secs(60);
const TICK: Duration = Duration::from_millis(10);
const CLOSE_LOOK: Duration = Duration::from_millis(250);
/// Looking takes at most one part in this many of a processor, on a machine full of processes too.
const LOOK_REST: u32 = 50;

/// Reads a [`Job`] from standard input, a socket, runs it, and answers with a [`Report`].
pub fn supervise() -> i32 {
    match run() {
        Ok(()) => 0,
        Err(_) => 125,
    }
}

fn run() -> io::Result<()> {
    privileges::close_on_exec()?;
    let channel = UnixStream::from(fcntl_dupfd_cloexec(io::stdin(), 3)?);
    // Orphans of the tree come to this process, whatever sessions and forks they hide behind.
    set_child_subreaper(Some(getpid()))?;
    privileges::step_forward();
    let job: Job = wire::receive(&channel)?;
    let report = match Run::start(&job) {
        Ok(run) => run.finish(&channel)?,
        Err(error) => {
            let reason = format!("starting {}: {error}", job.inner[0]);
            let set_up = Some(SetUp::Failed { reason });
            Report { ending: Ending::Exited, exit_code: None, set_up }
        }
    };
    // The service may be gone, and then nobody asks.
    let _ = wire::send(&channel, &report);
    // Leaving would set free what did not end in time.
    tree::kill_all(unreaped, LAST_PATIENCE);
    Ok(())
}

/// Shuts the supervisor in with its tree, as far as signals go. Only true if it is certain:
/// then one signal to everybody reaches the tree and nobody else.
fn alone_with_the_tree() -> bool {
    let Some(service) = getppid() else { return false };
    // The service has the same user, so nothing but the scope can refuse this.
    test_kill_process(service).is_ok()
        && landlock::scope_signals()
        && test_kill_process(service) == Err(Errno::PERM)
}

struct Run {
    command: Pid,
    handle: OwnedFd,
    inside: UnixStream,
    limits: Limits,
    disk: Option<Disk>,
    wrapper_depth: u8,
    alone: bool,
}

impl Run {
    fn start(job: &Job) -> io::Result<Self> {
        let alone = job.wrapper_depth == 0 && alone_with_the_tree();
        let (inside, theirs) = UnixStream::pair()?;
        let Confinement { cwd, limits, .. } = &job.confinement;
        let disk = Disk::watch(cwd, limits.free_disk_bytes).ok();
        let child = Command::new(&job.inner[0])
            .args(&job.inner[1..])
            .env_clear()
            .envs(run_variable(job))
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .spawn()?;
        let command = Pid::from_child(&child);
        let handle = pidfd_open(command, PidfdFlags::empty())?;
        // A wrapper that fails at once leaves nobody to read this; its exit tells.
        let _ = wire::send(&inside, &job.confinement);
        let limits = job.confinement.limits;
        let wrapper_depth = job.wrapper_depth;
        Ok(Self { command, handle, inside, limits, disk, wrapper_depth, alone })
    }

    fn finish(mut self, channel: &UnixStream) -> io::Result<Report> {
        let mut watch = Watch::new(self.limits, self.disk.take());
        let mut status = None;
        let ending = loop {
            if let Some(ending) = self.wait(channel)? {
                break ending;
            }
            self.note_status(&mut status);
            if status.is_some() {
                break Ending::Exited;
            }
            if let Some(ending) = watch.look() {
                break ending;
            }
        };
        if matches!(ending, Ending::TimedOut | Ending::Cancelled) {
            self.ask_to_end();
        }
        self.end_at_once();
        tree::kill_all(unreaped, PATIENCE);
        let exit_code = status.filter(|_| ending == Ending::Exited).map(exit_code);
        Ok(Report { ending, exit_code, set_up: self.set_up() })
    }

    /// Waits a tick, or less if something happens; says if the service wants the end.
    fn wait(&self, channel: &UnixStream) -> io::Result<Option<Ending>> {
        let tick = Timespec { tv_sec: 0, tv_nsec: TICK.subsec_nanos().into() };
        let mut waited = [
            PollFd::from_borrowed_fd(channel.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.handle.as_fd(), PollFlags::IN),
        ];
        match poll(&mut waited, Some(&tick)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if waited[0].revents().is_empty() {
            return Ok(None);
        }
        let mut byte = [0];
        let mut channel = channel;
        Ok(match channel.read(&mut byte) {
            Ok(1) if byte[0] == STOP_TIMED_OUT => Some(Ending::TimedOut),
            // Also when the service is gone.
            _ => Some(Ending::Cancelled),
        })
    }

    fn note_status(&self, status: &mut Option<i32>) {
        let pid = self.command.as_raw_nonzero().get();
        for (ended, with) in tree::reap() {
            if ended == pid {
                *status = Some(with);
            }
        }
    }

    /// One step that the kernel takes for the whole tree, so that nothing can outrun it: with
    /// bubblewrap the end of its first process, else a signal to all within reach.
    fn end_at_once(&self) {
        if self.alone {
            let everybody = Pid::INIT;
            let _ = kill_process_group(everybody, Signal::KILL);
        } else {
            let _ = pidfd_send_signal(&self.handle, Signal::KILL);
        }
    }

    fn ask_to_end(&self) {
        let until = Instant::now() + GRACE;
        for process in self.asked() {
            tree::signal(&process, Signal::TERM);
        }
        while Instant::now() < until {
            tree::reap();
            if self.asked().iter().all(|process| process.zombie) {
                return;
            }
            std::thread::sleep(TICK);
        }
    }

    /// The tree without bubblewrap's own processes at its top.
    fn asked(&self) -> Vec<Process> {
        let all = below();
        let mut wrappers = vec![getpid().as_raw_nonzero().get()];
        for _ in 0..self.wrapper_depth {
            let next = all.iter().filter(|process| wrappers.contains(&process.parent));
            wrappers = next.map(|process| process.pid).chain(wrappers.iter().copied()).collect();
        }
        all.into_iter().filter(|process| !wrappers.contains(&process.pid)).collect()
    }

    /// The last word that the confined process sent before it became the command.
    fn set_up(&self) -> Option<SetUp> {
        self.inside.set_nonblocking(true).ok()?;
        let mut last = None;
        while let Ok(message) = wire::receive(&self.inside) {
            last = Some(message);
        }
        last
    }
}

fn below() -> Vec<Process> {
    tree::descendants(getpid().as_raw_nonzero().get())
}

/// What is left of the tree, without those that only wait to be noticed.
fn unreaped() -> Vec<Process> {
    tree::reap();
    below()
}

fn run_variable(job: &Job) -> Option<(&str, &str)> {
    let variables = &job.confinement.environment;
    let found = variables.iter().find(|(name, _)| name == wire::RUN_VARIABLE)?;
    Some((&found.0, &found.1))
}

fn exit_code(status: i32) -> i32 {
    match status & 0x7f {
        0 => (status >> 8) & 0xff,
        signal => 128 + signal,
    }
}

/// Keeps the limits that the kernel does not: over the whole tree, and for user 0.
struct Watch {
    limits: Limits,
    disk: Option<Disk>,
    next_look: Instant,
    machine_tasks: u64,
}

impl Watch {
    fn new(limits: Limits, disk: Option<Disk>) -> Self {
        let machine_tasks = tree::machine_tasks().unwrap_or(0);
        Self { limits, disk, next_look: Instant::now() + CLOSE_LOOK, machine_tasks }
    }

    /// A glance at the machine's task count each tick, and a close look now and then or when
    /// that has grown so much that this tree may be the reason.
    fn look(&mut self) -> Option<Ending> {
        let tasks = tree::machine_tasks().unwrap_or(0);
        let grown = tasks.saturating_sub(self.machine_tasks) > self.limits.processes / 2;
        if !grown && Instant::now() < self.next_look {
            return None;
        }
        self.machine_tasks = tasks;
        let began = Instant::now();
        let ending = self.count();
        self.next_look = Instant::now() + CLOSE_LOOK.max(began.elapsed() * LOOK_REST);
        ending
    }

    fn count(&self) -> Option<Ending> {
        let processes = below();
        if processes.iter().map(|process| process.threads).sum::<u64>() > self.limits.processes {
            return Some(Ending::TooManyProcesses);
        }
        let memory: u64 = processes.iter().map(|process| tree::private_bytes(process.pid)).sum();
        if memory > self.limits.memory_bytes {
            return Some(Ending::TooMuchMemory);
        }
        let full = self.disk.as_ref().is_some_and(Disk::is_nearly_full);
        full.then_some(Ending::DiskNearlyFull)
    }
}
