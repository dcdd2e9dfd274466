//! The process between the service and a command, which terminates the command's process tree.
#![allow(clippy::disallowed_methods, reason = "this process serves one command")]

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

use crate::cgroup::RunGroup;
use crate::disk::Disk;
use crate::outcome::Ending;
use crate::policy::Limits;
use crate::tree::{self, Process};
use crate::usage_reader::{Reading, UsageReader};
use crate::wire::{
    self, Confinement, Job, Report, STOP_TIMED_OUT, STOP_TOO_MUCH_MEMORY, SetUp, SupervisorMessage,
};
use crate::{descriptor, landlock, memory, privileges};

/// From SIGTERM or SIGINT to SIGKILL.
const TERMINATION_GRACE_PERIOD: Duration = Duration::from_secs(1);
const KILL_TIMEOUT: Duration = Duration::from_secs(3);
const FINAL_KILL_TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(10);
const MEASURE_INTERVAL: Duration = Duration::from_millis(250);
/// Measuring uses at most 1/50 of a CPU, however many processes the machine has.
const MEASURE_COST_DIVISOR: u32 = 50;

/// Reads a [`Job`] from standard input, a socket, runs it, and replies with a [`Report`].
pub fn supervise() -> i32 {
    match run() {
        Ok(()) => 0,
        Err(_) => 125,
    }
}

fn run() -> io::Result<()> {
    privileges::close_on_exec()?;
    let channel = UnixStream::from(fcntl_dupfd_cloexec(io::stdin(), 3)?);
    // Makes this process the parent of all orphans in the tree, regardless of sessions and forks.
    set_child_subreaper(Some(getpid()))?;
    privileges::raise_priority();
    let job: Job = wire::receive(&channel)?;
    let handover = match job.confinement.listeners.is_empty() {
        true => None,
        false => Some(descriptor::receive(&channel)?),
    };
    let report = match Run::start(&job, handover) {
        Ok(run) => run.finish(&channel)?,
        Err(error) => {
            let reason = format!("starting {}: {error}", job.program[0]);
            let set_up = Some(SetUp::Failed { reason });
            Report { ending: Ending::Exited, exit_code: None, set_up }
        }
    };
    // Fails if the service is gone, which does not matter.
    let _ = wire::send(&channel, &SupervisorMessage::Ended(report));
    // Exiting would release processes that did not end in time.
    tree::kill_all(unreaped, FINAL_KILL_TIMEOUT);
    Ok(())
}

/// Restricts signals from this process to its own tree, so that `kill(-1)` reaches nothing else.
/// Returns true only if that was verified.
fn scope_signals_to_tree() -> bool {
    let Some(service) = getppid() else { return false };
    // The service runs as the same user, so only the scope can cause EPERM.
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
    usage: UsageReader,
    wrapper_depth: u8,
    signals_scoped: bool,
    control_group: Option<RunGroup>,
    interrupted_first: bool,
}

impl Run {
    fn start(job: &Job, handover: Option<OwnedFd>) -> io::Result<Self> {
        let signals_scoped = job.wrapper_depth == 0 && scope_signals_to_tree();
        let (inside, theirs) = UnixStream::pair()?;
        let Confinement { worktree, limits, .. } = &job.confinement;
        let disk = Disk::watch(worktree, limits.free_disk_bytes).ok();
        let usage = UsageReader::start(limits.memory_bytes)?;
        let mut command = Command::new(&job.program[0]);
        command
            .args(&job.program[1..])
            .env_clear()
            .envs(run_variable(job))
            .stdin(Stdio::from(OwnedFd::from(theirs)));
        let child = match &job.control_group {
            Some(group) => group.start_within(|| command.spawn())?,
            None => command.spawn()?,
        };
        let command = Pid::from_child(&child);
        let handle = pidfd_open(command, PidfdFlags::empty())?;
        // Fails if bubblewrap exited immediately, which its exit status shows.
        let _ = wire::send(&inside, &job.confinement);
        if let Some(handover) = handover {
            let _ = descriptor::send(&inside, &handover);
        }
        let limits = job.confinement.limits;
        let (wrapper_depth, control_group) = (job.wrapper_depth, job.control_group.clone());
        Ok(Self {
            command,
            handle,
            inside,
            limits,
            disk,
            usage,
            wrapper_depth,
            signals_scoped,
            control_group,
            interrupted_first: job.interrupted_first,
        })
    }

    fn finish(self, channel: &UnixStream) -> io::Result<Report> {
        let mut monitor = LimitMonitor::new(&self);
        let mut status = None;
        let ending = loop {
            if let Some(ending) = self.wait(channel)? {
                break ending;
            }
            self.record_exit_status(&mut status);
            if status.is_some() {
                break Ending::Exited;
            }
            if let Some(ending) = monitor.check(channel) {
                break ending;
            }
        };
        if matches!(ending, Ending::TimedOut | Ending::Cancelled) {
            self.terminate();
        }
        self.kill();
        tree::kill_all(unreaped, KILL_TIMEOUT);
        let out_of_memory = self.control_group.as_ref().is_some_and(RunGroup::ran_out_of_memory);
        let ending = match ending {
            Ending::Exited if out_of_memory => Ending::TooMuchMemory,
            ending => ending,
        };
        let exit_code = status.filter(|_| ending == Ending::Exited).map(exit_code);
        Ok(Report { ending, exit_code, set_up: self.set_up() })
    }

    /// Waits for the poll interval, the command's exit or the service. Returns a reason if the
    /// service requested termination.
    fn wait(&self, channel: &UnixStream) -> io::Result<Option<Ending>> {
        let interval = Timespec { tv_sec: 0, tv_nsec: POLL_INTERVAL.subsec_nanos().into() };
        let mut descriptors = [
            PollFd::from_borrowed_fd(channel.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.handle.as_fd(), PollFlags::IN),
        ];
        match poll(&mut descriptors, Some(&interval)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if descriptors[0].revents().is_empty() {
            return Ok(None);
        }
        let mut byte = [0];
        let mut channel = channel;
        Ok(match channel.read(&mut byte) {
            Ok(1) if byte[0] == STOP_TIMED_OUT => Some(Ending::TimedOut),
            Ok(1) if byte[0] == STOP_TOO_MUCH_MEMORY => Some(Ending::TooMuchMemory),
            // Includes end of file, when the service is gone.
            _ => Some(Ending::Cancelled),
        })
    }

    fn record_exit_status(&self, status: &mut Option<i32>) {
        let pid = self.command.as_raw_nonzero().get();
        for (ended, raw) in tree::reap() {
            if ended == pid {
                *status = Some(raw);
            }
        }
    }

    /// Kills the whole tree in one system call, which a forking tree cannot outrun: through its
    /// control group, by killing bubblewrap's PID namespace, or by a signal to all reachable
    /// processes.
    fn kill(&self) {
        if let Some(group) = &self.control_group {
            group.kill();
        }
        if self.signals_scoped {
            let every_process = Pid::INIT;
            let _ = kill_process_group(every_process, Signal::KILL);
        } else {
            let _ = pidfd_send_signal(&self.handle, Signal::KILL);
        }
    }

    fn terminate(&self) {
        let deadline = Instant::now() + TERMINATION_GRACE_PERIOD;
        let signal = if self.interrupted_first { Signal::INT } else { Signal::TERM };
        for process in self.processes_to_terminate() {
            tree::signal(&process, signal);
        }
        while Instant::now() < deadline {
            tree::reap();
            if self.processes_to_terminate().iter().all(|process| process.zombie) {
                return;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// The process tree without bubblewrap's own processes.
    fn processes_to_terminate(&self) -> Vec<Process> {
        let all = descendants();
        let mut wrappers = vec![getpid().as_raw_nonzero().get()];
        for _ in 0..self.wrapper_depth {
            let next = all.iter().filter(|process| wrappers.contains(&process.parent));
            wrappers = next.map(|process| process.pid).chain(wrappers.iter().copied()).collect();
        }
        all.into_iter().filter(|process| !wrappers.contains(&process.pid)).collect()
    }

    /// The last message that the confined process sent before it executed the command.
    fn set_up(&self) -> Option<SetUp> {
        self.inside.set_nonblocking(true).ok()?;
        let mut last = None;
        while let Ok(message) = wire::receive(&self.inside) {
            last = Some(message);
        }
        last
    }
}

fn descendants() -> Vec<Process> {
    tree::descendants(getpid().as_raw_nonzero().get())
}

/// The remaining processes of the tree, after reaping zombies. Orphans become children of this
/// process: without a child there are none, and `/proc`, which lists the whole machine, is not read.
fn unreaped() -> Vec<Process> {
    tree::reap();
    if tree::has_child() { descendants() } else { Vec::new() }
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

/// Enforces the limits that the kernel does not: over the whole tree, and for user 0.
struct LimitMonitor<'a> {
    limits: Limits,
    disk: Option<&'a Disk>,
    usage: &'a UsageReader,
    next_measurement: Instant,
    machine_tasks: u64,
    available_memory: u64,
}

impl<'a> LimitMonitor<'a> {
    fn new(run: &'a Run) -> Self {
        Self {
            limits: run.limits,
            disk: run.disk.as_ref(),
            usage: &run.usage,
            next_measurement: Instant::now() + MEASURE_INTERVAL,
            machine_tasks: tree::machine_tasks().unwrap_or(0),
            available_memory: memory::available_bytes().unwrap_or(0),
        }
    }

    /// Reads the machine's tasks and memory on each call, and measures the tree at an interval or
    /// when those changed so much that this tree may be the reason.
    fn check(&mut self, channel: &UnixStream) -> Option<Ending> {
        if let Some(reading) = self.usage.take()
            && let Some(ending) = self.check_usage(&reading, channel)
        {
            return Some(ending);
        }
        let tasks = tree::machine_tasks().unwrap_or(0);
        let available = memory::available_bytes().unwrap_or(0);
        let grown = tasks.saturating_sub(self.machine_tasks) > self.limits.processes / 2
            || self.available_memory.saturating_sub(available) > self.limits.memory_bytes / 4;
        if !grown && Instant::now() < self.next_measurement {
            return None;
        }
        self.machine_tasks = tasks;
        self.available_memory = available;
        let started_at = Instant::now();
        let processes = descendants();
        self.wait_after(started_at.elapsed());
        if processes.iter().map(|process| process.threads).sum::<u64>() > self.limits.processes {
            return Some(Ending::TooManyProcesses);
        }
        self.usage.request(processes);
        let full = self.disk.is_some_and(Disk::is_nearly_full);
        full.then_some(Ending::DiskNearlyFull)
    }

    fn check_usage(&mut self, reading: &Reading, channel: &UnixStream) -> Option<Ending> {
        self.wait_after(reading.took);
        if reading.usage.memory_bytes > self.limits.memory_bytes {
            return Some(Ending::TooMuchMemory);
        }
        try_send(channel, &SupervisorMessage::Usage(reading.usage));
        None
    }

    /// Delays the next measurement according to the cost of this one.
    fn wait_after(&mut self, cost: Duration) {
        let next = Instant::now() + MEASURE_INTERVAL.max(cost * MEASURE_COST_DIVISOR);
        self.next_measurement = self.next_measurement.max(next);
    }
}

/// Drops the message instead of waiting if the service does not read.
fn try_send(channel: &UnixStream, message: &SupervisorMessage) {
    let mut writable = [PollFd::from_borrowed_fd(channel.as_fd(), PollFlags::OUT)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    if poll(&mut writable, Some(&now)) == Ok(1) && writable[0].revents().contains(PollFlags::OUT) {
        let _ = wire::send(channel, message);
    }
}
