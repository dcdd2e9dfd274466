//! Gates: the checks that must pass, as defined by a project.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::validation::ValidationError;

/// Gates that ForgeGuard performs itself; a project cannot use these names.
pub const BUILT_IN: [&str; 2] = ["validate", "scope"];

/// Per project.
pub const MAX_GATES: usize = 20;

/// For the commands of exit criteria.
const CRITERION_TIMEOUT_S: u32 = 900;

/// A check of a project: a command that must exit with code 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Gate)]
pub struct GateDefinition {
    /// Unique in the project: lower-case letters, digits and `-`, at most 40 characters.
    pub name: String,
    /// Shell command, run in the worktree.
    pub command: String,
    /// Seconds until its process tree is ended.
    pub timeout_s: u32,
    /// Whether the phase cannot complete unless it passes.
    pub required: bool,
    /// Whether it may use the network.
    pub network: bool,
    /// The JUnit XML report that the command writes, or a folder of them: a relative path. Without
    /// one, tests are read from the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// Whether it runs the project's tests. Agents run the first such gate to test their work.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub runs_tests: bool,
}

/// The stored output of a gate, if it is longer than what the event contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GateLog {
    /// SHA-256 of the stored bytes, in hex.
    pub sha256: String,
    /// Size of the stored bytes.
    pub bytes: u64,
    /// Bytes from the middle of the output that were not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// How a gate of a build changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GateChange {
    /// Its name.
    pub gate: String,
    /// `None` if it was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<GateDefinition>,
    /// `None` if it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<GateDefinition>,
}

/// How gates are detected in the course of a build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GateDetection {
    /// The gates that were detected before. Only their commands may change.
    pub names: Vec<String>,
}

/// The outcome of a test, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TestOutcome {
    Passed,
    /// Skipped, ignored, pending, to do, or expected to fail.
    Skipped,
    Failed,
}

/// A test that an exit criterion names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NamedTest {
    /// As the criterion names it.
    pub name: String,
    /// The worst, where several tests have this name.
    pub outcome: TestOutcome,
}

/// Tests that a gate ran, by their outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TestCounts {
    pub passed: u32,
    /// Errors count as failures.
    pub failed: u32,
    /// Skipped, ignored, pending or to do.
    pub skipped: u32,
}

impl TestCounts {
    /// Tests that ran to an outcome.
    pub fn executed(self) -> u32 {
        self.passed.saturating_add(self.failed)
    }
}

/// The names of tests that a gate ran, as far as they fit into its result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TestNames {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
}

impl AddAssign for TestCounts {
    fn add_assign(&mut self, other: Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
    }
}

/// The confinement of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SandboxLevel {
    /// Bubblewrap: own namespaces.
    Strict,
    /// Landlock and seccomp in the host's namespaces.
    Landlock,
    /// Not confined, as configured by the operator.
    None,
}

impl SandboxLevel {
    /// The name shown and stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Landlock => "landlock",
            Self::None => "none",
        }
    }
}

impl GateDefinition {
    /// Runs the command that proves a criterion. A project's own gate cannot have its name.
    pub fn of_criterion(phase: u32, index: u32, command: &str) -> Self {
        Self {
            name: format!("criterion:{phase}.{index}"),
            command: command.to_owned(),
            timeout_s: CRITERION_TIMEOUT_S,
            required: true,
            network: false,
            report: None,
            runs_tests: false,
        }
    }

    /// Checks name, command and timeout.
    pub fn validate(&self) -> Result<(), ValidationError> {
        let invalid = |field, reason| Err(ValidationError::new(field, reason));
        let name_fits = (1..=40).contains(&self.name.len())
            && self.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !name_fits {
            return invalid("name", "use 1 to 40 lower-case letters, digits and hyphens");
        }
        if BUILT_IN.contains(&self.name.as_str()) {
            return invalid("name", "this name belongs to a built-in gate");
        }
        if self.command.trim().is_empty() || self.command.len() > 2_000 {
            return invalid("command", "write a command of at most 2,000 characters");
        }
        if self.command.contains('\0') {
            return invalid("command", "a command cannot hold a NUL character");
        }
        if !(1..=3_600).contains(&self.timeout_s) {
            return invalid("timeout_s", "choose between 1 and 3,600 seconds");
        }
        if self.report.as_ref().is_some_and(|report| !is_report_path(report)) {
            return invalid("report", "use a path below the project's folder, such as report.xml");
        }
        Ok(())
    }
}

/// A relative path without `..`, outside `.git`.
fn is_report_path(path: &str) -> bool {
    let mut parts = path.split('/');
    let is_plain =
        |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    path.len() <= 200 && !path.contains(['\0', '\\']) && parts.all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(name: &str, command: &str, timeout_s: u32) -> GateDefinition {
        let (name, command) = (name.into(), command.into());
        GateDefinition {
            name,
            command,
            timeout_s,
            required: true,
            network: false,
            report: None,
            runs_tests: false,
        }
    }

    #[test]
    fn validation_names_the_invalid_field() {
        for (definition, field) in [
            (gate("", "true", 1), "name"),
            (gate("Test", "true", 1), "name"),
            (gate("validate", "true", 1), "name"),
            (gate("test", " ", 1), "command"),
            (gate("test", "a\0b", 1), "command"),
            (gate("test", "true", 0), "timeout_s"),
            (gate("test", "true", 3_601), "timeout_s"),
        ] {
            assert_eq!(definition.validate().unwrap_err().field, field, "{definition:?}");
        }
        for (report, is_valid) in [
            ("report.xml", true),
            ("target/surefire-reports", true),
            ("", false),
            ("/tmp/report.xml", false),
            ("../report.xml", false),
            (".git/report.xml", false),
            ("a//b.xml", false),
        ] {
            let gate = GateDefinition { report: Some(report.into()), ..gate("test", "true", 1) };
            assert_eq!(gate.validate().is_ok(), is_valid, "{report}");
        }
        assert_eq!(gate("unit-tests", "node --test", 300).validate(), Ok(()));
    }
}
