//! The versions of installed agents, as they report them in the sandbox.

use std::time::Duration;

use sandbox::{Command, Policy, Runner, SandboxError};
use tokio_util::sync::CancellationToken;

const TIMEOUT: Duration = Duration::from_secs(20);
const MAX_CHARS: usize = 40;

/// What is known about the installation of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Installed {
    No,
    /// It does not report a version.
    Unknown,
    Version(String),
}

/// Asks a program for its version, in the sandbox of this policy.
///
/// # Errors
/// If the sandbox cannot be started.
pub async fn installed(
    program: &str,
    runner: &Runner,
    mut policy: Policy,
) -> Result<Installed, SandboxError> {
    policy.limits.timeout = TIMEOUT;
    let line = format!("command -v {program} >/dev/null || exit 127; {program} --version");
    let command = Command::shell(line).labelled("version");
    let outcome = runner.run(policy, command, CancellationToken::new(), None).await?;
    Ok(match outcome.exit_code {
        Some(0) => Installed::Version(version_in(&outcome.output.text())),
        Some(127) => Installed::No,
        _ => Installed::Unknown,
    })
}

/// The number in the first line, or the line if it has none.
fn version_in(output: &str) -> String {
    let line = output.lines().next().unwrap_or_default().trim();
    let is_number =
        |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    let version = line.split_whitespace().find(is_number).unwrap_or(line);
    version.chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_the_number_among_the_words_of_a_program() {
        for (output, version) in [
            ("2.1.44 (Claude Code)\n", "2.1.44"),
            ("codex-cli 0.101.0\n", "0.101.0"),
            ("1.2.10\nnews: 1.3.0\n", "1.2.10"),
            ("nightly\n", "nightly"),
            ("", ""),
        ] {
            assert_eq!(version_in(output), version);
        }
    }
}
