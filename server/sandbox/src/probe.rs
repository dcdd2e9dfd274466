//! Detects which levels work on this machine, by running a self-test at each.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::cgroup;
use crate::error::SandboxError;
use crate::level::Level;
use crate::outcome::Outcome;
use crate::policy::{Command, Policy};
use crate::runner::Runner;
use crate::self_test::{SelfTest, SelfTestResult};
use crate::wire::SELF_TEST;

const SELF_TEST_TIMEOUT: Duration = Duration::from_secs(20);
/// The first Landlock version that restricts signals and abstract sockets.
const MIN_ABI_WITH_SIGNAL_SCOPE: i32 = 6;

const LANDLOCK_SUGGESTION: &str = "Or select the weaker level `landlock`, which works here, if \
                                commands may change modes and times of the service's own files.";

/// The result of [`probe`].
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Report {
    pub strict: LevelReport,
    pub landlock: LevelReport,
}

/// Whether one level works on this machine.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LevelReport {
    pub level: Level,
    /// Whether a command ran and could not reach anything outside.
    pub holds: bool,
    /// What was observed, in a sentence.
    pub seen: String,
    /// What an operator can do if it does not hold.
    pub remedy: Option<String>,
    /// Limitations of this level on this machine.
    pub caveats: Vec<String>,
}

/// The selected level does not work here, so no command may run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("commands cannot be confined here: {seen} {remedy}")]
pub struct SandboxUnavailable {
    /// What the probe observed, in a sentence.
    pub seen: String,
    /// What an operator can do.
    pub remedy: String,
}

/// Runs a self-test at each level that restricts commands.
pub async fn probe(runner: &Runner) -> Report {
    Report { strict: strict(runner).await, landlock: landlock(runner).await }
}

/// Runs a self-test at the level that the operator selected, and, if it does not hold, at the other
/// one, which may be suggested.
pub async fn check(runner: &Runner, selected: Level) -> Result<Level, SandboxUnavailable> {
    let tested = match selected {
        Level::None => return Ok(Level::None),
        Level::Strict => strict(runner).await,
        Level::Landlock => landlock(runner).await,
    };
    match (tested.holds, selected) {
        (false, Level::Strict) => {
            choose(selected, &Report { strict: tested, landlock: landlock(runner).await })
        }
        _ => require(&tested),
    }
}

/// Returns the level that the operator selected, if it holds. A weaker one is never substituted,
/// because only the operator can accept its limitations.
pub fn choose(selected: Level, report: &Report) -> Result<Level, SandboxUnavailable> {
    match selected {
        Level::None => Ok(Level::None),
        Level::Strict => require(&report.strict).map_err(|strict| SandboxUnavailable {
            remedy: match report.landlock.holds {
                true => format!("{} {LANDLOCK_SUGGESTION}", strict.remedy),
                false => strict.remedy,
            },
            seen: strict.seen,
        }),
        Level::Landlock => require(&report.landlock),
    }
}

fn require(finding: &LevelReport) -> Result<Level, SandboxUnavailable> {
    if finding.holds {
        return Ok(finding.level);
    }
    Err(SandboxUnavailable {
        seen: finding.seen.clone(),
        remedy: finding.remedy.clone().unwrap_or_default(),
    })
}

async fn strict(runner: &Runner) -> LevelReport {
    let Some(program) = runner.bubblewrap() else {
        return failed(
            Level::Strict,
            "Bubblewrap is not installed.",
            "Install it, for example with `apt install bubblewrap` or `dnf install bubblewrap`.",
        );
    };
    match self_test(runner, Level::Strict).await {
        Ok(outcome) => {
            let mut caveats = shared_caveats();
            if outcome.landlock_abi.is_none() {
                caveats
                    .push("Without Landlock in the kernel, only bubblewrap's namespaces confine commands.".into());
            }
            passed(Level::Strict, format!("{} works.", program.display()), caveats)
        }
        Err(seen) => failed(
            Level::Strict,
            &format!("{} cannot build a sandbox here: {seen}.", program.display()),
            "Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, \
             user.max_user_namespaces above 0, and on Ubuntu \
             kernel.apparmor_restrict_unprivileged_userns=0). In a container, also allow it to \
             make namespaces and mount /proc, for example with `--security-opt \
             seccomp=unconfined --security-opt apparmor=unconfined --security-opt \
             systempaths=unconfined`.",
        ),
    }
}

async fn landlock(runner: &Runner) -> LevelReport {
    match self_test(runner, Level::Landlock).await {
        Ok(outcome) => {
            let abi = outcome.landlock_abi.unwrap_or_default();
            let mut caveats = shared_caveats();
            caveats.push(
                "Names, sizes and modes of files outside stay visible, and modes and times of \
                 the service's own files can be changed, which no kernel can refuse yet; contents \
                 cannot be read or written."
                    .into(),
            );
            caveats.push(
                "Without network access, programs cannot connect to themselves over loopback."
                    .into(),
            );
            caveats.push("Commands that ask for network access are not run.".into());
            if abi < MIN_ABI_WITH_SIGNAL_SCOPE {
                caveats.push(format!(
                    "Landlock version {abi} does not block signals to the service's own \
                     processes; Linux 6.12 and later do."
                ));
            }
            passed(Level::Landlock, format!("Landlock version {abi} works."), caveats)
        }
        Err(seen) => failed(
            Level::Landlock,
            &format!("Landlock cannot be used here: {seen}."),
            "Run Linux 6.2 or later with `landlock` in the kernel's lsm= list, and in a \
             container allow the landlock system calls.",
        ),
    }
}

fn shared_caveats() -> Vec<String> {
    match cgroup::check() {
        Ok(()) => Vec::new(),
        Err(reason) => vec![format!(
            "Memory and processes of a command are counted, not reserved: a burst can go past the \
             limit for a moment, and shared memory that a program has unmapped is found only \
             when the machine is short of memory. A control group of the service's own would \
             prevent that (with systemd: `Delegate=memory pids`). {reason}"
        )],
    }
}

fn passed(level: Level, seen: String, caveats: Vec<String>) -> LevelReport {
    LevelReport { level, holds: true, seen, remedy: None, caveats }
}

fn failed(level: Level, seen: &str, remedy: &str) -> LevelReport {
    let remedy = Some(remedy.to_owned());
    LevelReport { level, holds: false, seen: seen.to_owned(), remedy, caveats: Vec::new() }
}

/// Runs the self-test at one level. The error says what failed or got through.
async fn self_test(runner: &Runner, level: Level) -> Result<Outcome, String> {
    let top = runner.runs().join(format!("probe-{}", Uuid::now_v7()));
    let outcome = self_test_in(&top, runner, level).await;
    let removed = fs::remove_dir_all(&top);
    let outcome = outcome?;
    removed.map_err(|error| error.to_string())?;
    Ok(outcome)
}

async fn self_test_in(top: &Path, runner: &Runner, level: Level) -> Result<Outcome, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    let worktree = top.join("worktree");
    let secret = top.join("outside/secret");
    let prepare = || {
        fs::create_dir_all(&worktree)?;
        fs::create_dir_all(top.join("outside"))?;
        fs::write(&secret, "kept")?;
        Ok(SelfTest { secret: secret.clone(), listener: listener.local_addr()? })
    };
    let test = prepare().map_err(|error: std::io::Error| error.to_string())?;
    let mut policy = Policy::new(level, &worktree);
    policy.readable = vec![runner.supervisor().to_owned()];
    policy.hidden = vec![top.join("outside")];
    policy.limits.timeout = SELF_TEST_TIMEOUT;
    let program = runner.supervisor().to_str().ok_or("the program's path is not UTF-8")?;
    let argument = serde_json::to_string(&test).map_err(|error| error.to_string())?;
    let command = Command::new([program, SELF_TEST, &argument]).labelled("probe");
    let outcome = runner
        .run(policy, command, CancellationToken::new(), None)
        .await
        .map_err(|error: SandboxError| error.to_string())?;
    let result: SelfTestResult = serde_json::from_slice(&outcome.output.head)
        .map_err(|_| format!("the self-test printed: {}", outcome.output.text().trim()))?;
    let expected = SelfTestResult { wrote_inside: true, ..SelfTestResult::default() };
    let untouched = fs::read(&secret).is_ok_and(|content| content == b"kept");
    if result == expected && untouched {
        return Ok(outcome);
    }
    Err(format!("the confinement does not hold ({result:?})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(strict: bool, landlock: bool) -> Report {
        let finding = |level, holds| match holds {
            true => passed(level, "It works.".into(), Vec::new()),
            false => failed(level, "It fails.", "Fix it."),
        };
        Report {
            strict: finding(Level::Strict, strict),
            landlock: finding(Level::Landlock, landlock),
        }
    }

    #[test]
    fn selected_level_is_used_or_rejected_and_never_replaced() {
        let cases = [
            (Level::Strict, true, true, true),
            (Level::Strict, false, true, false),
            (Level::Strict, false, false, false),
            (Level::Landlock, true, true, true),
            (Level::Landlock, false, true, true),
            (Level::Landlock, true, false, false),
            (Level::None, false, false, true),
        ];
        for (selected, strict, landlock, holds) in cases {
            let chosen = choose(selected, &report(strict, landlock));
            assert_eq!(chosen.clone().ok(), holds.then_some(selected), "{selected}");
            if let Err(unavailable) = chosen {
                assert!(unavailable.remedy.contains("Fix it."));
                let offered = unavailable.remedy.contains("`landlock`");
                assert_eq!(offered, selected == Level::Strict && landlock);
            }
        }
    }
}
