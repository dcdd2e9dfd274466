//! A worktree, secrets around it, and a runner.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sandbox::{Command, Level, Outcome, Policy, Runner, SandboxError, choose};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// What every secret outside the worktree contains.
pub const SECRET: &str = "nobody-inside-may-see-this";

/// Expands to one test per level for each function `async fn name(site: Site)`.
macro_rules! at_each_level {
    ($($name:ident),+ $(,)?) => {
        mod strict {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                if let Some(site) = crate::support::Site::at(sandbox::Level::Strict).await {
                    super::$name(site).await;
                }
            })+
        }
        mod landlock {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                if let Some(site) = crate::support::Site::at(sandbox::Level::Landlock).await {
                    super::$name(site).await;
                }
            })+
        }
    };
}
pub(crate) use at_each_level;

/// The helper program, which supervises like the service would.
pub fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_sandbox-run").into()
}

/// A place to run commands in.
pub struct Site {
    pub level: Level,
    pub runner: Runner,
    pub policy: Policy,
    pub top: TempDir,
}

impl Site {
    /// `None` where the machine cannot do the level, and then the probe has to say so.
    pub async fn at(level: Level) -> Option<Self> {
        let site = Self::unprobed(level);
        let report = sandbox::probe(&site.runner).await;
        match choose(Some(level), &report) {
            Ok(_) => Some(site),
            Err(unavailable) => {
                assert!(!unavailable.seen.is_empty() && !unavailable.remedy.is_empty());
                eprintln!("{level} cannot be tested here: {unavailable}");
                None
            }
        }
    }

    /// A place without a look at what the machine can do.
    pub fn unprobed(level: Level) -> Self {
        let top = tempfile::tempdir().unwrap();
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

    /// Runs a shell line that must at least get as far as running.
    pub async fn shell(&self, line: &str) -> Outcome {
        self.run(Command::shell(line)).await.unwrap()
    }

    /// Runs a Python program.
    pub async fn python(&self, program: &str) -> Outcome {
        self.run(Command::new(["/usr/bin/python3", "-c", program])).await.unwrap()
    }

    /// No record and no temporary file of any run is left.
    pub fn assert_tidy(&self) {
        let left: Vec<_> = fs::read_dir(self.runner.runs()).unwrap().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// A number of seconds that no other sleep on this machine uses, to find a process by.
pub fn unique_sleep() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("1000.{}{:03}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Processes whose command line has this word.
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

/// Polls until a condition holds.
pub async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
