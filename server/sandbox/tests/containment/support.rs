//! A worktree, secrets outside it, and a runner.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sandbox::{Command, Level, Outcome, Policy, Runner, SandboxError, choose};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// What every secret outside the worktree contains.
pub const SECRET: &str = "content-of-the-secret";

/// Expands to one test per level for each function `async fn name(env: TestEnv)`.
macro_rules! at_each_level {
    ($($name:ident),+ $(,)?) => {
        mod strict {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                if let Some(env) = crate::support::TestEnv::at(sandbox::Level::Strict).await {
                    super::$name(env).await;
                }
            })+
        }
        mod landlock {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                if let Some(env) = crate::support::TestEnv::at(sandbox::Level::Landlock).await {
                    super::$name(env).await;
                }
            })+
        }
    };
}
pub(crate) use at_each_level;

/// The executable that serves as supervisor, like the service.
pub fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_sandbox-run").into()
}

/// A temporary directory with a worktree and secrets, and a policy for running commands in it.
pub struct TestEnv {
    pub level: Level,
    pub runner: Runner,
    pub policy: Policy,
    pub top: TempDir,
}

impl TestEnv {
    /// `None` if the machine does not support the level, which the probe must report.
    pub async fn at(level: Level) -> Option<Self> {
        let env = Self::without_probe(level);
        let report = sandbox::probe(&env.runner).await;
        match choose(level, &report) {
            Ok(_) => Some(env),
            Err(unavailable) => {
                assert!(!unavailable.seen.is_empty() && !unavailable.remedy.is_empty());
                eprintln!("{level} cannot be tested here: {unavailable}");
                None
            }
        }
    }

    /// Does not check whether the machine supports the level.
    pub fn without_probe(level: Level) -> Self {
        // Limits of disk space and of memory differ, and TMPDIR may be in memory.
        let top = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for name in ["worktree", "other-worktree", "data"] {
            fs::create_dir(top.path().join(name)).unwrap();
        }
        fs::write(top.path().join("data/secret.key"), SECRET).unwrap();
        fs::write(top.path().join("other-worktree/file"), SECRET).unwrap();
        let runner = Runner::new(top.path().join("runs")).unwrap().with_supervisor(program());
        let mut policy = Policy::new(level, top.path().join("worktree"));
        policy.hidden = vec![top.path().join("data")];
        policy.limits.timeout = Duration::from_secs(30);
        Self { level, runner, policy, top }
    }

    pub fn worktree(&self) -> PathBuf {
        self.top.path().join("worktree")
    }

    pub fn secret(&self) -> PathBuf {
        self.top.path().join("data/secret.key")
    }

    pub async fn run(&self, command: Command) -> Result<Outcome, SandboxError> {
        self.runner.run(self.policy.clone(), command, CancellationToken::new(), None).await
    }

    /// Runs a shell command line, which must start.
    pub async fn shell(&self, line: &str) -> Outcome {
        self.run(Command::shell(line)).await.unwrap()
    }

    /// Runs a Python program, which must start.
    pub async fn python(&self, program: &str) -> Outcome {
        self.run(Command::new(["/usr/bin/python3", "-c", program])).await.unwrap()
    }

    /// Directories of runs that are neither finished nor queued for removal.
    pub fn remaining_runs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.runner.runs()).unwrap().flatten();
        entries.map(|entry| entry.path()).filter(|path| !path.ends_with("removed")).collect()
    }

    /// Waits until the files of finished runs are removed.
    pub async fn assert_removed(&self) {
        self.assert_no_run_left();
        let area = self.runner.runs().join("removed");
        let count = || fs::read_dir(&area).map_or(0, Iterator::count);
        eventually("leftovers are removed", || count() == 0).await;
    }

    /// Asserts that no run's directory is left.
    pub fn assert_no_run_left(&self) {
        let left = self.remaining_runs();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Runs git outside the sandbox.
#[allow(clippy::disallowed_methods, reason = "it prepares a repository outside the sandbox")]
pub fn git(at: &Path, arguments: &[&str]) -> String {
    let output = Process::new("git")
        .arg("-C")
        .arg(at)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A number of seconds that no other `sleep` process uses, to find processes by.
pub fn unique_sleep() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("1000.{}{:03}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Processes that have this argument.
pub fn processes_with(word: &str) -> Vec<i32> {
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            fs::read(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|line| line.split(|&byte| byte == 0).any(|part| part == word.as_bytes()))
        })
        .collect()
}

/// Polls until a condition holds, with a timeout that suffices on slow disks.
pub async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(600);
    while !condition() {
        assert!(Instant::now() < deadline, "timed out: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
