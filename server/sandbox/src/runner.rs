//! Runs commands: starts the supervisor, forwards timeouts and cancellation, returns the outcome.
#![allow(clippy::disallowed_methods, reason = "starting processes is what this crate is for")]

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command as Process};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::bubblewrap;
use crate::cgroup::{ControlGroups, RunGroup};
use crate::descriptor;
use crate::egress::Egress;
use crate::error::SandboxError;
use crate::leftovers;
use crate::level::Level;
use crate::memory_budget::MemoryBudget;
use crate::outcome::Outcome;
use crate::output::{CappedOutput, LiveOutput, OutputChunk, collect};
use crate::plan::Plan;
use crate::policy::{Command, Policy};
use crate::removal::RemovalWorker;
use crate::run_dir::RunDir;
use crate::usage_meter::{Usage, UsageMeter};
use crate::wire::{
    self, Report, STOP_CANCELLED, STOP_TIMED_OUT, STOP_TOO_MUCH_MEMORY, SUPERVISE, SetUp,
    SupervisorMessage,
};
use crate::worktree_locks::WorktreeLocks;

/// From requesting termination until the supervisor is killed.
const SUPERVISOR_TIMEOUT: Duration = Duration::from_secs(6);
/// From the end of the process tree until its output is abandoned.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(2);

/// Runs commands, each under its own policy.
#[derive(Clone, Debug)]
pub struct Runner {
    runs: PathBuf,
    supervisor: PathBuf,
    bubblewrap: Option<PathBuf>,
    removal: Arc<RemovalWorker>,
    locks: Arc<WorktreeLocks>,
    memory: Arc<MemoryBudget>,
    control_groups: Option<Arc<ControlGroups>>,
    meter: UsageMeter,
}

impl Runner {
    /// Keeps records and temporary files below `runs`, and uses this executable as supervisor: its
    /// `main` must begin with [`run_helper_if_requested`](crate::run_helper_if_requested). Files
    /// left by runs, including those of an earlier service, are removed in the background.
    pub fn new(runs: impl Into<PathBuf>) -> Result<Self, SandboxError> {
        let runs = runs.into();
        let supervisor =
            std::env::current_exe().map_err(SandboxError::system("locating this executable"))?;
        let removal = RemovalWorker::start(runs.clone())
            .map_err(SandboxError::system("starting the removal thread"))?;
        Ok(Self {
            runs,
            supervisor,
            bubblewrap: bubblewrap::find(),
            removal: Arc::new(removal),
            locks: Arc::default(),
            memory: Arc::new(MemoryBudget::new(None)),
            control_groups: None,
            meter: UsageMeter::default(),
        })
    }

    /// Uses another executable as supervisor.
    pub fn with_supervisor(mut self, program: impl Into<PathBuf>) -> Self {
        self.supervisor = program.into();
        self
    }

    /// Uses another bubblewrap, or none.
    pub fn with_bubblewrap(mut self, program: Option<PathBuf>) -> Self {
        self.bubblewrap = program;
        self
    }

    /// Limits the memory that all runs use together, in bytes. The default is three quarters of the
    /// machine's memory.
    pub fn with_total_memory(mut self, limit_bytes: u64) -> Self {
        self.memory = Arc::new(MemoryBudget::new(Some(limit_bytes)));
        self
    }

    /// Creates a control group for each run, if one is delegated to this process. Moves this
    /// process within its group, so it must be called at startup. Without control groups, the
    /// supervisors measure memory.
    pub fn with_control_groups(mut self) -> Self {
        match ControlGroups::create(self.memory.limit_bytes()) {
            Ok(groups) => self.control_groups = Some(Arc::new(groups)),
            Err(reason) => tracing::info!(reason, "memory of commands is measured, not reserved"),
        }
        self
    }

    /// The same runner, whose runs are metered separately.
    pub fn metered_by(&self, meter: &UsageMeter) -> Self {
        Self { meter: meter.clone(), ..self.clone() }
    }

    pub fn runs(&self) -> &Path {
        &self.runs
    }

    pub fn bubblewrap(&self) -> Option<&Path> {
        self.bubblewrap.as_deref()
    }

    pub fn supervisor(&self) -> &Path {
        &self.supervisor
    }

    /// Runs one command and returns after all processes it started are gone.
    ///
    /// Cancelling `cancel`, or dropping the returned future, kills the process tree. Output is sent
    /// to `output` as it arrives, and dropped if the channel is full.
    pub async fn run(
        &self,
        policy: Policy,
        command: Command,
        cancel: CancellationToken,
        output: Option<mpsc::Sender<OutputChunk>>,
    ) -> Result<Outcome, SandboxError> {
        let cancel = cancel.child_token();
        let _cancel_if_dropped = cancel.clone().drop_guard();
        let runner = self.clone();
        // A separate task, so that it cleans up even if the caller drops the future.
        let task = tokio::spawn(async move {
            let plan = Plan::new(policy, command)?;
            runner.run_plan(plan, cancel, output).await
        });
        task.await.map_err(|_| SandboxError::SupervisorLost)?
    }

    async fn run_plan(
        &self,
        plan: Plan,
        cancel: CancellationToken,
        output: Option<mpsc::Sender<OutputChunk>>,
    ) -> Result<Outcome, SandboxError> {
        // At the landlock level a command can replace the pointer, so runs in one worktree must not
        // overlap.
        let _worktree_lock = match plan.level() {
            Level::Landlock => tokio::select! {
                lock = self.locks.lock(&plan.policy().worktree) => Some(lock),
                () = cancel.cancelled() => return Ok(Outcome::cancelled(plan.level())),
            },
            Level::Strict | Level::None => None,
        };
        let plan = Arc::new(plan);
        self.restore_pointer(&plan).await?;
        let run = RunDir::create(&self.runs)
            .map_err(SandboxError::system("creating the run's directory"))?;
        let outcome = self.run_in(&run, &plan, cancel, output).await;
        if let Err(error) = run.remove() {
            tracing::warn!(run = run.id, %error, "a run's directory could not be removed");
        }
        let git_pointer_restored = self.restore_pointer(&plan).await?;
        self.removal.wake();
        outcome.map(|outcome| Outcome { git_pointer_restored, ..outcome })
    }

    /// Returns whether the worktree's `.git` file had been changed.
    async fn restore_pointer(&self, plan: &Arc<Plan>) -> Result<bool, SandboxError> {
        let (plan, runs) = (Arc::clone(plan), self.runs.clone());
        let restored = tokio::task::spawn_blocking(move || {
            plan.pointer().map_or(Ok(false), |pointer| pointer.restore(&runs))
        });
        restored
            .await
            .map_err(io::Error::other)
            .flatten()
            .map_err(SandboxError::system("restoring the worktree's .git file"))
    }

    async fn run_in(
        &self,
        run: &RunDir,
        plan: &Plan,
        cancel: CancellationToken,
        output: Option<mpsc::Sender<OutputChunk>>,
    ) -> Result<Outcome, SandboxError> {
        let group = self.control_groups.as_ref();
        let group = group
            .map(|groups| groups.add_run(&run.id, &plan.policy().limits))
            .transpose()
            .map_err(SandboxError::system("creating the run's control group"))?;
        let outcome = self.run_within(group.clone(), run, plan, cancel, output).await;
        if let Some(Err(error)) = group.map(|group| group.remove()) {
            tracing::warn!(run = run.id, %error, "a run's control group could not be removed");
        }
        outcome
    }

    async fn run_within(
        &self,
        group: Option<RunGroup>,
        run: &RunDir,
        plan: &Plan,
        cancel: CancellationToken,
        output: Option<mpsc::Sender<OutputChunk>>,
    ) -> Result<Outcome, SandboxError> {
        let job = plan.job(run, group, &self.supervisor, self.bubblewrap.as_deref())?;
        let (rules, service) = (plan.egress().cloned(), plan.policy().service.clone());
        let egress = match rules.is_some() || service.is_some() {
            true => Some(
                Egress::start(rules, service, output.clone())
                    .map_err(SandboxError::system("starting the command's network proxy"))?,
            ),
            false => None,
        };
        let (egress, handover) = egress.unzip();
        let max_bytes = plan.policy().limits.output_bytes;
        let live = output.map(|output| LiveOutput::new(output, plan.command().output_delay));
        let mut supervisor = Supervisor::start(&self.supervisor, live, max_bytes)
            .map_err(SandboxError::system("starting the sandbox supervisor"))?;
        // Recorded before the command starts, so that it is found after a crash.
        leftovers::record(run, &plan.command().label, supervisor.pid())
            .map_err(SandboxError::system("recording the run"))?;
        let started_at = Instant::now();
        let (memory, metered) = (self.memory.add_run(), self.meter.add_run());
        let on_usage = |usage: Usage| {
            memory.report(usage.memory_bytes);
            metered.report(usage);
        };
        let deadline = Instant::now() + plan.policy().limits.timeout;
        let stop = async {
            tokio::select! {
                () = cancel.cancelled() => STOP_CANCELLED,
                () = memory.exceeded() => STOP_TOO_MUCH_MEMORY,
                () = sleep_until(deadline) => STOP_TIMED_OUT,
            }
        };
        let report = supervisor.report(&job, handover, stop, on_usage).await;
        if report.is_none() {
            supervisor.kill_run(run.clone()).await;
        }
        let duration = started_at.elapsed();
        let network_refusals = match egress {
            Some(egress) => egress.finish().await,
            None => Vec::new(),
        };
        let output = supervisor.output().await?;
        let outcome = finish(plan, report.ok_or(SandboxError::SupervisorLost)?, output, duration)?;
        Ok(Outcome { network_refusals, ..outcome })
    }
}

fn finish(
    plan: &Plan,
    report: Report,
    output: CappedOutput,
    duration: Duration,
) -> Result<Outcome, SandboxError> {
    let level = plan.level();
    let landlock_abi = match report.set_up {
        Some(SetUp::Ready { landlock_abi }) => landlock_abi,
        Some(SetUp::ProgramNotFound) => {
            return Err(SandboxError::ProgramNotFound(plan.command().argv[0].clone()));
        }
        Some(SetUp::Failed { reason }) => return Err(SandboxError::NotConfined { level, reason }),
        // Ended before the command started.
        None if report.exit_code.is_none() => None,
        None => {
            let reason = output.text().trim().to_owned();
            return Err(SandboxError::NotConfined { level, reason });
        }
    };
    Ok(Outcome {
        ending: report.ending,
        exit_code: report.exit_code,
        output,
        duration,
        level,
        landlock_abi,
        network_refusals: Vec::new(),
        git_pointer_restored: false,
    })
}

struct Supervisor {
    process: Child,
    channel: UnixStream,
    reader: JoinHandle<CappedOutput>,
    abandon: CancellationToken,
}

impl Supervisor {
    fn start(
        program: &Path,
        live: Option<LiveOutput>,
        max_output_bytes: usize,
    ) -> io::Result<Self> {
        let (channel, theirs) = UnixStream::pair()?;
        let theirs = theirs.into_std()?;
        theirs.set_nonblocking(false)?;
        // One pipe for both streams keeps their order.
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        let process = Process::new(program)
            .arg(SUPERVISE)
            .env_clear()
            .current_dir("/")
            // Otherwise Ctrl+C in the service's terminal would reach the command.
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .spawn()?;
        let abandon = CancellationToken::new();
        let reader = pipe::Receiver::from_owned_fd(reader)?;
        let reader = tokio::spawn(collect(reader, live, abandon.clone(), max_output_bytes));
        Ok(Self { process, channel, reader, abandon })
    }

    fn pid(&self) -> i32 {
        self.process.id().and_then(|pid| i32::try_from(pid).ok()).unwrap_or_default()
    }

    /// Sends the job and waits for the report; forwards the reason to stop when there is one. `None`
    /// if the supervisor is gone or does not respond.
    async fn report(
        &mut self,
        job: &wire::Job,
        handover: Option<OwnedFd>,
        stop: impl Future<Output = u8>,
        on_usage: impl Fn(Usage),
    ) -> Option<Report> {
        self.channel.write_all(&wire::encode(job).ok()?).await.ok()?;
        if let Some(handover) = handover {
            let send = || descriptor::send(&self.channel, &handover);
            self.channel.async_io(Interest::WRITABLE, send).await.ok()?;
        }
        let (mut from, mut to) = self.channel.split();
        let report = async {
            loop {
                let length = from.read_u32().await.ok()?;
                let mut body = vec![0; length as usize];
                from.read_exact(&mut body).await.ok()?;
                match serde_json::from_slice(&body).ok()? {
                    SupervisorMessage::Usage(usage) => on_usage(usage),
                    SupervisorMessage::Ended(report) => return Some(report),
                }
            }
        };
        tokio::pin!(report);
        let stop = tokio::select! {
            report = &mut report => return report,
            stop = stop => stop,
        };
        // If the supervisor is already gone, awaiting the report fails.
        let _ = to.write_all(&[stop]).await;
        timeout(SUPERVISOR_TIMEOUT, report).await.ok().flatten()
    }

    /// Kills the process tree if the supervisor has not.
    async fn kill_run(&mut self, run: RunDir) {
        let ended = tokio::task::spawn_blocking(move || leftovers::kill(&run)).await;
        tracing::warn!(
            processes = ended.unwrap_or_default(),
            "a sandbox supervisor exited without a report"
        );
    }

    /// Returns the output after the supervisor exited and the pipe reached its end.
    async fn output(mut self) -> Result<CappedOutput, SandboxError> {
        let lost = SandboxError::system("reading the command's output");
        if let Err(error) = self.process.wait().await {
            return Err(lost(error));
        }
        let timer = tokio::spawn(async move {
            tokio::time::sleep(OUTPUT_TIMEOUT).await;
            self.abandon.cancel();
        });
        let output = self.reader.await;
        timer.abort();
        output.map_err(|error| lost(io::Error::other(error)))
    }
}
