//! Payloads about the tests of a build, which are checked before it is sealed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::{NamedTest, SandboxLevel};

/// The tests on the branch were compared with those before the build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TestsCompared {
    pub baseline_sha: String,
    /// The branch's newest commit.
    pub head_sha: String,
    /// Where the tests that prove exit criteria come from.
    pub origins: Vec<TestOrigin>,
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
