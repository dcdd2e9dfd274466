//! Payloads about the build's branch.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The status of a build's branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BranchLife {
    Active,
    /// The final gates run.
    Sealing,
    Sealed,
    /// No longer changed.
    Abandoned,
}

impl BranchLife {
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Sealing => "sealing",
            Self::Sealed => "sealed",
            Self::Abandoned => "abandoned",
        }
    }
}

/// The build's branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BranchStatus {
    /// As in `build_started`.
    pub branch: String,
    /// The commit that it started from, or that its base branch had when it was merged last: what the
    /// build's changes are compared with.
    pub baseline_sha: String,
    /// Its newest commit.
    pub head_sha: String,
    /// Commits since the baseline.
    pub commit_count: u32,
    pub status: BranchLife,
}

/// The author of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuthorKind {
    /// ForgeGuard.
    Forge,
    /// A user.
    Human,
}

/// The branch has a new commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommitCreated {
    /// Full SHA.
    pub sha: String,
    /// First line of the message.
    pub title: String,
    pub author_kind: AuthorKind,
    /// The author's name, for a commit by a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author_name: Option<String>,
    /// Files changed.
    pub files: u32,
    pub insertions: u32,
    pub deletions: u32,
    pub phase: Option<u32>,
    /// The git tree, for commits by ForgeGuard. Journals of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_sha: Option<String>,
}

/// The branch's newest commit was pushed to its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pushed {
    pub sha: String,
    /// The origin: `hosted`, or its URL without credentials.
    pub remote: String,
}
