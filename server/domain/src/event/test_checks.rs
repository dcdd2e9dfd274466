//! Payloads about the tests of a build, which are checked before it is sealed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    gate::{NamedTest, SandboxLevel},
    weakened_tests::WeakenedTest,
};

/// The tests on the branch were compared with those before the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TestsCompared {
    pub baseline_sha: String,
    /// The branch's newest commit.
    pub head_sha: String,
    /// Where the tests that prove exit criteria come from.
    pub origins: Vec<TestOrigin>,
    /// Places where the build weakened tests; the first of them, if there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakened: Vec<WeakenedTest>,
}

/// Where a test that proves an exit criterion comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TestOrigin {
    pub phase: u32,
    /// As the criterion names it.
    pub test: String,
    #[serde(flatten)]
    pub change: TestChange,
}

/// How a test differs from the time before the build or the phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum TestChange {
    /// It existed before.
    Unchanged,
    /// It was added or changed since this commit, which must fail it.
    Changed {
        base_sha: String,
        /// Applied together with the test files, as none of them defines the test.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    /// It was added or changed in a source file that also contains the code, so that it cannot run
    /// without the change.
    Inline { path: String },
}

/// A gate ran on an earlier commit with the tests of the branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RedCheckFinished {
    pub gate: String,
    pub command: String,
    /// The commit from before the change.
    pub base_sha: String,
    /// The commit that the test files were taken from.
    pub head_sha: String,
    /// The first of the test files.
    pub test_files: Vec<String>,
    /// How many there are.
    pub test_file_count: u32,
    /// The tests that exit criteria name, if they ran or were skipped.
    pub named_tests: Vec<NamedTest>,
    /// `None` for a command that was ended by a signal.
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    /// Possibly truncated.
    pub output: String,
    /// SHA-256 of the complete output, in hex.
    pub output_sha256: String,
    pub sandbox: Option<SandboxLevel>,
}

/// The gates ran on small changes to the code that the build added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MutantsTested {
    /// The commit that was mutated.
    pub head_sha: String,
    /// The gates that ran tests.
    pub gates: Vec<String>,
    pub mutants: Vec<Mutant>,
    /// The time ended before all mutants of the sample had run.
    pub timed_out: bool,
    /// Whether the gates pass if they run again in the same folder. Only known if all mutants were
    /// killed.
    pub is_repeatable: bool,
    pub duration_ms: u64,
}

/// A small change to a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Mutant {
    pub path: String,
    pub line: u32,
    /// The code that was replaced, possibly shortened.
    pub before: String,
    pub after: String,
    pub outcome: MutantOutcome,
}

/// Whether the tests noticed a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MutantOutcome {
    /// A gate failed.
    Killed,
    /// Every gate passed.
    Survived,
    /// A gate failed without running a test. The mutant does not count.
    NotBuilt,
}
