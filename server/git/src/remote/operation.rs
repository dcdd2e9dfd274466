//! Runs one command for a remote, within limits.

use std::{ffi::OsStr, fs::File, path::Path, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    time::{Instant, sleep_until, timeout_at},
};

use super::{
    access::{Login, RemoteAccess, RemoteLimits},
    command::RemoteCommand,
    failure::{self, RemoteFailure, classify},
    progress::{self, Progress},
};
use crate::{
    error::GitError,
    program::{self, ProcessGroup},
};

/// Of `git ls-remote`.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;
/// The end of the error output is kept.
const MAX_STDERR: usize = 16 * 1024;
/// For processes to remove their temporary files.
const GRACE: Duration = Duration::from_secs(5);

pub(super) struct Operation<'a> {
    access: &'a RemoteAccess,
    prepared: RemoteCommand,
    limits_files: bool,
}

impl<'a> Operation<'a> {
    pub fn new(
        access: &'a RemoteAccess,
        name: &'static str,
        repository: Option<&Path>,
    ) -> Result<Self, GitError> {
        let prepared = RemoteCommand::new(access, name, repository)?;
        Ok(Self { access, prepared, limits_files: name == "fetch" })
    }

    /// Holds a lock as long as the process runs, even if this one is killed.
    pub fn hold(&mut self, lock: File) {
        self.prepared.command.stdin(lock);
    }

    pub fn args(&mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) {
        self.prepared.command.args(args);
    }

    /// Adds the URL, after which there are no options.
    pub fn url(&mut self) {
        self.prepared.command.arg("--").arg(self.access.url.as_str());
    }

    /// Returns the standard output.
    pub async fn run(
        mut self,
        limits: RemoteLimits,
        mut report: impl FnMut(Progress) + Send,
        stop: impl Future<Output = ()>,
    ) -> Result<Vec<u8>, RemoteFailure> {
        let failed = || GitError::io("run git");
        let mut child = self.prepared.command.spawn().map_err(failed())?;
        let max_file = self.limits_files.then_some(limits.max_bytes);
        let leader = program::limit_resources(&child, max_file).map_err(failed())?;
        let mut group = ProcessGroup::new(leader);
        let deadline = Instant::now() + limits.timeout;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let mut output = Vec::new();
        let mut errors = Errors::default();
        let watched = async {
            let reading = async {
                if let Some(stdout) = stdout {
                    let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut output).await;
                }
                Ok(())
            };
            let watching = async {
                match stderr {
                    Some(stderr) => errors.watch(stderr, limits, &mut report).await,
                    None => Ok(()),
                }
            };
            tokio::try_join!(reading, watching)?;
            child.wait().await.map_err(failed()).map_err(RemoteFailure::from)
        };
        let ended = tokio::select! {
            ended = watched => ended,
            () = stop => Err(RemoteFailure::Cancelled),
            () = sleep_until(deadline) => Err(RemoteFailure::Timeout),
        };
        let status = match ended {
            Ok(status) => status,
            Err(failure) => {
                group.terminate();
                if timeout_at(Instant::now() + GRACE, child.wait()).await.is_err() {
                    group.kill();
                    let _ = child.wait().await;
                }
                group.set_ended();
                return Err(failure);
            }
        };
        group.set_ended();
        if status.success() {
            // `git fetch` only warns about branches that it has ignored.
            return match failure::is_shallow(&errors.text()) {
                true => Err(RemoteFailure::Shallow),
                false => Ok(output),
            };
        }
        let secret = match &self.access.login {
            Login::Token { token, .. } => Some(token.as_str()),
            _ => None,
        };
        let stdout = String::from_utf8_lossy(&output);
        Err(classify(&errors.text(), &stdout, secret))
    }
}

/// The error output: progress, and what is said about a failure.
#[derive(Default)]
struct Errors {
    kept: Vec<u8>,
    line: Vec<u8>,
}

impl Errors {
    /// Reads to the end. An error if nothing is written for too long, or too much is received.
    async fn watch(
        &mut self,
        mut stderr: impl AsyncRead + Unpin,
        limits: RemoteLimits,
        report: &mut (impl FnMut(Progress) + Send),
    ) -> Result<(), RemoteFailure> {
        let mut buffer = [0; 4096];
        loop {
            let read = timeout_at(Instant::now() + limits.stall, stderr.read(&mut buffer));
            let count = match read.await {
                Ok(Ok(count)) => count,
                Ok(Err(_)) => 0,
                Err(_) => return Err(RemoteFailure::Timeout),
            };
            if count == 0 {
                self.end_line(limits, report)?;
                return Ok(());
            }
            for byte in &buffer[..count] {
                match byte {
                    b'\r' | b'\n' => self.end_line(limits, report)?,
                    byte if self.line.len() < MAX_STDERR => self.line.push(*byte),
                    _ => {}
                }
            }
        }
    }

    fn end_line(
        &mut self,
        limits: RemoteLimits,
        report: &mut (impl FnMut(Progress) + Send),
    ) -> Result<(), RemoteFailure> {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        match progress::read(&line) {
            Some(found) => {
                if found.bytes.is_some_and(|bytes| bytes > limits.max_bytes) {
                    let limit = limits.max_bytes / (1024 * 1024);
                    let why = format!("more than {limit} MiB were received");
                    return Err(RemoteFailure::TooLarge(why));
                }
                report(found);
            }
            None => {
                self.kept.extend(line.as_bytes());
                self.kept.push(b'\n');
                let excess = self.kept.len().saturating_sub(MAX_STDERR);
                self.kept.drain(..excess);
            }
        }
        Ok(())
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }
}
