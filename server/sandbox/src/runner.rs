//! Runs commands: starts the supervisor, passes on time and cancellation, gathers the outcome.
#![allow(clippy::disallowed_methods, reason = "starting processes is what this crate is for")]

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command as Process};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::bubblewrap;
use crate::error::SandboxError;
use crate::git_pointer::GitPointer;
use crate::leftovers;
use crate::outcome::Outcome;
use crate::output::{CappedOutput, OutputChunk, collect};
use crate::plan::Plan;
use crate::policy::{Command, Policy};
use crate::run_dir::RunDir;
use crate::wire::{self, Report, STOP_CANCELLED, STOP_TIMED_OUT, SUPERVISE, SetUp};

/// From asking the supervisor for the end to doing without it.
const SUPERVISOR_PATIENCE: Duration = Duration::from_secs(6);
/// From the end of the tree to the end of its output.
const OUTPUT_PATIENCE: Duration = Duration::from_secs(2);

/// Runs commands, each under a policy of its own.
#[derive(Clone, Debug)]
pub struct Runner {
    runs: PathBuf,
    supervisor: PathBuf,
    bubblewrap: Option<PathBuf>,
}

impl Runner {
    /// Keeps records and temporary files below `runs`, and this very program as supervisor:
    /// its `main` must begin with [`supervise_if_asked`](crate::supervise_if_asked).
    pub fn new(runs: impl Into<PathBuf>) -> Result<Self, SandboxError> {
        let supervisor = std::env::current_exe()
            .map_err(SandboxError::system("finding this program's own file"))?;
        Ok(Self { runs: runs.into(), supervisor, bubblewrap: bubblewrap::find() })
    }

    /// The same with another program as supervisor.
    pub fn with_supervisor(mut self, program: impl Into<PathBuf>) -> Self {
        self.supervisor = program.into();
        self
    }

    /// The same with another bubblewrap, or with none.
    pub fn with_bubblewrap(mut self, program: Option<PathBuf>) -> Self {
        self.bubblewrap = program;
        self
    }

    /// Where records and temporary files are kept.
    pub fn runs(&self) -> &Path {
        &self.runs
    }

    /// The bubblewrap in use, if any.
    pub fn bubblewrap(&self) -> Option<&Path> {
        self.bubblewrap.as_deref()
    }

    /// The program that supervises.
    pub fn supervisor(&self) -> &Path {
        &self.supervisor
    }

    /// Runs one command and returns once every process it started is gone.
    ///
    /// Cancelling `cancel`, or dropping the returned future, ends the tree. Output goes to
    /// `output` as it comes; what the channel has no room for is dropped, not waited for.
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
        // A task of its own, so that it also cleans up when nobody waits any more.
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
        let pointer = GitPointer::read(&plan.policy().worktree)
            .map_err(SandboxError::system("reading the worktree's .git"))?;
        let run = RunDir::create(&self.runs)
            .map_err(SandboxError::system("making the run's directory"))?;
        let outcome = self.run_in(&run, &plan, &pointer, cancel, output).await;
        let cleaned = tokio::task::spawn_blocking(move || {
            if let Err(error) = run.remove() {
                tracing::warn!(run = run.id, %error, "a run's directory stays behind");
            }
            pointer.restore()
        })
        .await;
        let restored = cleaned
            .map_err(io::Error::other)
            .and_then(|restored| restored)
            .map_err(SandboxError::system("putting the worktree's .git back"))?;
        outcome.map(|outcome| Outcome { git_pointer_restored: restored, ..outcome })
    }

    async fn run_in(
        &self,
        run: &RunDir,
        plan: &Plan,
        pointer: &GitPointer,
        cancel: CancellationToken,
        output: Option<mpsc::Sender<OutputChunk>>,
    ) -> Result<Outcome, SandboxError> {
        let job = plan.job(run, pointer, &self.supervisor, self.bubblewrap.as_deref())?;
        let mut supervisor = Supervisor::start(&self.supervisor, output)
            .map_err(SandboxError::system("starting the sandbox's supervisor"))?;
        // Nothing runs before it is on record, or it could outlive a crash unseen.
        leftovers::record(run, &plan.command().label, supervisor.pid())
            .map_err(SandboxError::system("recording the run"))?;
        let began = Instant::now();
        let report = supervisor.report(&job, plan.policy().limits.timeout, &cancel).await;
        if report.is_none() {
            supervisor.give_up(run.clone()).await;
        }
        let duration = began.elapsed();
        let output = supervisor.output().await?;
        finish(plan, report.ok_or(SandboxError::SupervisorLost)?, output, duration)
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
        // Ended before it began, as was asked.
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
    fn start(program: &Path, live: Option<mpsc::Sender<OutputChunk>>) -> io::Result<Self> {
        let (channel, theirs) = UnixStream::pair()?;
        let theirs = theirs.into_std()?;
        theirs.set_nonblocking(false)?;
        // One pipe for both streams keeps their order.
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        let process = Process::new(program)
            .arg(SUPERVISE)
            .env_clear()
            .current_dir("/")
            // A key pressed at the service's terminal is not meant for the command.
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .spawn()?;
        let abandon = CancellationToken::new();
        let reader = pipe::Receiver::from_owned_fd(reader)?;
        let reader = tokio::spawn(collect(reader, live, abandon.clone()));
        Ok(Self { process, channel, reader, abandon })
    }

    fn pid(&self) -> i32 {
        self.process.id().and_then(|pid| i32::try_from(pid).ok()).unwrap_or_default()
    }

    /// Hands over the job and waits for the report, passing on time and cancellation meanwhile.
    /// `None` if the supervisor is gone or does not answer.
    async fn report(
        &mut self,
        job: &wire::Job,
        time: Duration,
        cancel: &CancellationToken,
    ) -> Option<Report> {
        let deadline = Instant::now() + time;
        let (mut from, mut to) = self.channel.split();
        to.write_all(&wire::encode(job).ok()?).await.ok()?;
        let answer = async {
            let length = from.read_u32().await.ok()?;
            let mut body = vec![0; length as usize];
            from.read_exact(&mut body).await.ok()?;
            serde_json::from_slice(&body).ok()
        };
        tokio::pin!(answer);
        let stop = tokio::select! {
            report = &mut answer => return report,
            () = cancel.cancelled() => STOP_CANCELLED,
            () = sleep_until(deadline) => STOP_TIMED_OUT,
        };
        // If it is gone already, the answer tells.
        let _ = to.write_all(&[stop]).await;
        timeout(SUPERVISOR_PATIENCE, answer).await.ok().flatten()
    }

    /// Ends the tree from here, when the supervisor has not.
    async fn give_up(&mut self, run: RunDir) {
        let ended = tokio::task::spawn_blocking(move || leftovers::end(&run)).await;
        tracing::warn!(processes = ended.unwrap_or_default(), "a supervisor was lost");
    }

    /// Everything printed, once the supervisor is gone and the pipe has run dry.
    async fn output(mut self) -> Result<CappedOutput, SandboxError> {
        let lost = SandboxError::system("reading the command's output");
        if let Err(error) = self.process.wait().await {
            return Err(lost(error));
        }
        let alarm = tokio::spawn(async move {
            tokio::time::sleep(OUTPUT_PATIENCE).await;
            self.abandon.cancel();
        });
        let output = self.reader.await;
        alarm.abort();
        output.map_err(|error| lost(io::Error::other(error)))
    }
}
