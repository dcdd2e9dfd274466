//! Payloads about the build's branch.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where the branch is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BranchLife {
    /// Work goes on.
    Active,
    /// The final gates run.
    Sealing,
    /// It carries its seal.
    Sealed,
    /// It was given up; it stays as it is.
    Abandoned,
}

impl BranchLife {
    /// The name shown and stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Sealing => "sealing",
            Self::Sealed => "sealed",
            Self::Abandoned => "abandoned",
        }
    }
}

/// The branch as it stands now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BranchStatus {
    /// `forge/build-<id>`.
    pub branch: String,
    /// The commit it began from.
    pub baseline_sha: String,
    /// Its newest commit.
    pub head_sha: String,
    /// Commits since the baseline.
    pub commit_count: u32,
    /// Where it is in its life.
    pub status: BranchLife,
}

/// Who made a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuthorKind {
    /// ForgeGuard.
    Forge,
    /// A person.
    Human,
}

/// The branch has a new commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommitCreated {
    /// Full sha.
    pub sha: String,
    /// First line of the message.
    pub title: String,
    /// Who made it.
    pub author_kind: AuthorKind,
    /// The name that a person's commit bears.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author_name: Option<String>,
    /// Files changed.
    pub files: u32,
    /// Lines added.
    pub insertions: u32,
    /// Lines removed.
    pub deletions: u32,
    /// The phase it belongs to, where there is one.
    pub phase: Option<u32>,
}

/// The branch's newest commit is at its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pushed {
    /// What was pushed.
    pub sha: String,
    /// The origin's name: `hosted`, or its address without credentials.
    pub remote: String,
}
