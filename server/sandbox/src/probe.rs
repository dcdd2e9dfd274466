//! Which levels hold on this machine, found out by running each once.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::SandboxError;
use crate::level::Level;
use crate::outcome::Outcome;
use crate::policy::{Command, Policy};
use crate::runner::Runner;
use crate::trial::{Findings, Trial};
use crate::wire::TRY;

const PATIENCE: Duration = Duration::from_secs(20);
/// The Landlock version from which signals and abstract sockets stay inside.
const SCOPED: i32 = 6;

/// What was found out.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Report {
    /// The strict level here.
    pub strict: Finding,
    /// The landlock level here.
    pub landlock: Finding,
}

/// One level on this machine.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// The level that was tried.
    pub level: Level,
    /// Whether a command ran and all its attempts to get out failed.
    pub holds: bool,
    /// What was seen, in a sentence.
    pub seen: String,
    /// What an operator can do, where it does not hold.
    pub remedy: Option<String>,
    /// What to know about it, where it holds.
    pub caveats: Vec<String>,
}

/// No level that was allowed holds here, so no command may run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("commands cannot be confined here: {seen} {remedy}")]
pub struct SandboxUnavailable {
    /// What was seen when it was tried.
    pub seen: String,
    /// What an operator can do.
    pub remedy: String,
}

/// Runs a trial at each level that puts up walls.
pub async fn probe(runner: &Runner) -> Report {
    Report { strict: strict(runner).await, landlock: landlock(runner).await }
}

/// The level to use: what the operator wants, if it holds, else the strongest that does.
/// `None` as a level is only ever chosen by the operator.
pub fn choose(wanted: Option<Level>, report: &Report) -> Result<Level, SandboxUnavailable> {
    match wanted {
        Some(Level::None) => Ok(Level::None),
        Some(Level::Strict) => held(&report.strict),
        Some(Level::Landlock) => held(&report.landlock),
        None => held(&report.strict).or_else(|strict| {
            held(&report.landlock).map_err(|landlock| SandboxUnavailable {
                seen: format!("{} {}", strict.seen, landlock.seen),
                remedy: format!("{} Or: {}", strict.remedy, landlock.remedy),
            })
        }),
    }
}

fn held(finding: &Finding) -> Result<Level, SandboxUnavailable> {
    if finding.holds {
        return Ok(finding.level);
    }
    Err(SandboxUnavailable {
        seen: finding.seen.clone(),
        remedy: finding.remedy.clone().unwrap_or_default(),
    })
}

async fn strict(runner: &Runner) -> Finding {
    let Some(program) = runner.bubblewrap() else {
        return failing(
            Level::Strict,
            "Bubblewrap is not installed.",
            "Install it, for example with `apt install bubblewrap` or `dnf install bubblewrap`.",
        );
    };
    match trial(runner, Level::Strict).await {
        Ok(outcome) => {
            let mut caveats = shared_caveats();
            if outcome.landlock_abi.is_none() {
                caveats
                    .push("Without Landlock in the kernel, bubblewrap's walls stand alone.".into());
            }
            holding(Level::Strict, format!("{} works.", program.display()), caveats)
        }
        Err(seen) => failing(
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

async fn landlock(runner: &Runner) -> Finding {
    match trial(runner, Level::Landlock).await {
        Ok(outcome) => {
            let abi = outcome.landlock_abi.unwrap_or_default();
            let mut caveats = shared_caveats();
            caveats.push(
                "Names, sizes and modes of files outside stay visible, and modes and times of \
                 the service's own files can be changed; contents cannot be read or written."
                    .into(),
            );
            caveats
                .push("Without network, programs cannot talk to themselves over loopback.".into());
            if abi < SCOPED {
                caveats.push(format!(
                    "Version {abi} of Landlock does not hold back signals to the service's own \
                     processes; Linux 6.12 and later do."
                ));
            }
            holding(Level::Landlock, format!("Landlock version {abi} works."), caveats)
        }
        Err(seen) => failing(
            Level::Landlock,
            &format!("Landlock cannot be used here: {seen}."),
            "Run Linux 6.2 or later with `landlock` in the kernel's lsm= list, and in a \
             container allow the landlock system calls.",
        ),
    }
}

fn shared_caveats() -> Vec<String> {
    vec![
        "Memory and number of processes of a whole tree are watched, not reserved: a burst can \
          go past the limit for a moment before the tree is ended."
            .into(),
    ]
}

fn holding(level: Level, seen: String, caveats: Vec<String>) -> Finding {
    Finding { level, holds: true, seen, remedy: None, caveats }
}

fn failing(level: Level, seen: &str, remedy: &str) -> Finding {
    let remedy = Some(remedy.to_owned());
    Finding { level, holds: false, seen: seen.to_owned(), remedy, caveats: Vec::new() }
}

/// Runs the attempts at one level; the error says what went wrong or got through.
async fn trial(runner: &Runner, level: Level) -> Result<Outcome, String> {
    let top = runner.runs().join(format!("probe-{}", Uuid::now_v7()));
    let result = trial_below(&top, runner, level).await;
    let removed = fs::remove_dir_all(&top);
    let outcome = result?;
    removed.map_err(|error| error.to_string())?;
    Ok(outcome)
}

async fn trial_below(top: &Path, runner: &Runner, level: Level) -> Result<Outcome, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    let worktree = top.join("worktree");
    let secret = top.join("outside/secret");
    let prepare = || {
        fs::create_dir_all(&worktree)?;
        fs::create_dir_all(top.join("outside"))?;
        fs::write(&secret, "kept")?;
        Ok(Trial { secret: secret.clone(), listener: listener.local_addr()? })
    };
    let trial = prepare().map_err(|error: std::io::Error| error.to_string())?;
    let mut policy = Policy::new(level, &worktree);
    policy.readable = vec![runner.supervisor().to_owned()];
    policy.hidden = vec![top.join("outside")];
    policy.limits.timeout = PATIENCE;
    let program = runner.supervisor().to_str().ok_or("the program's path is not UTF-8")?;
    let argument = serde_json::to_string(&trial).map_err(|error| error.to_string())?;
    let command = Command::new([program, TRY, &argument]).labelled("probe");
    let outcome = runner
        .run(policy, command, CancellationToken::new(), None)
        .await
        .map_err(|error: SandboxError| error.to_string())?;
    let findings: Findings = serde_json::from_slice(&outcome.output.head)
        .map_err(|_| format!("the trial said: {}", outcome.output.text().trim()))?;
    let expected = Findings { wrote_inside: true, ..Findings::default() };
    let untouched = fs::read(&secret).is_ok_and(|content| content == b"kept");
    if findings == expected && untouched {
        return Ok(outcome);
    }
    Err(format!("the walls do not hold ({findings:?})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(strict: bool, landlock: bool) -> Report {
        let finding = |level, holds| match holds {
            true => holding(level, "It works.".into(), Vec::new()),
            false => failing(level, "It fails.", "Mend it."),
        };
        Report {
            strict: finding(Level::Strict, strict),
            landlock: finding(Level::Landlock, landlock),
        }
    }

    #[test]
    fn the_choice_fails_closed() {
        let cases = [
            (None, true, true, Some(Level::Strict)),
            (None, false, true, Some(Level::Landlock)),
            (None, false, false, None),
            (Some(Level::Strict), false, true, None),
            (Some(Level::Landlock), true, true, Some(Level::Landlock)),
            (Some(Level::Landlock), true, false, None),
            (Some(Level::None), false, false, Some(Level::None)),
        ];
        for (wanted, strict, landlock, expected) in cases {
            let chosen = choose(wanted, &report(strict, landlock));
            assert_eq!(chosen.clone().ok(), expected, "{wanted:?} {strict} {landlock}");
            if let Err(unavailable) = chosen {
                assert!(unavailable.remedy.contains("Mend it."));
            }
        }
    }
}
