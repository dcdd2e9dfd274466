//! Weakened tests that an auditor is shown, and those that it clears.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::weakened_tests::WeakenedTest;

/// Weakened tests that an auditor is shown; their numbers count from 1.
pub const MAX_AUDITED: usize = 20;

/// A place where the build weakened tests, as an auditor is shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditedWeakening {
    /// With file and line.
    pub text: String,
    /// Git's id of the file's content; `None` for a deleted file, or a gate that ran fewer tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob_sha: Option<String>,
}

/// A weakened test that an auditor found to be justified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClearedWeakening {
    /// Cleared only as long as text and content stay the same.
    #[serde(flatten)]
    pub weakening: AuditedWeakening,
    /// With the cited lines, which the auditor's run has read.
    pub reason: String,
}

impl From<&WeakenedTest> for AuditedWeakening {
    fn from(weakened: &WeakenedTest) -> Self {
        Self { text: weakened.to_string(), blob_sha: weakened.blob_sha.clone() }
    }
}
