//! Payloads about the base branch: the project's branch that a build starts from and is compared with
//! before its seal.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The base branch was compared with the build's branch, and nothing of it is left to merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BaseCompared {
    /// Such as `main`.
    pub branch: String,
    /// Its newest commit.
    pub tip_sha: String,
    /// The newest commit of the build's branch.
    pub head_sha: String,
    /// What the build's changes are compared with from now on, if a user has merged the base branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_sha: Option<String>,
    /// Why the remote could not be fetched before; the branch is as it was fetched last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetch_error: Option<String>,
}

/// The base branch had moved and was merged into the build's branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BaseMerged {
    /// Such as `main`.
    pub branch: String,
    /// Its newest commit.
    pub tip_sha: String,
    /// What the build's changes are compared with from now on: `tip_sha`, or a merge of it with the
    /// commit that the build started from.
    pub base_sha: String,
    /// The merge commit.
    pub commit_sha: String,
    /// The first of the files that the base branch changed.
    pub paths: Vec<String>,
    /// How many there are.
    pub path_count: u32,
    /// Files whose conflicts an agent has resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Why the remote could not be fetched before; the branch is as it was fetched last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetch_error: Option<String>,
}

/// The base branch had moved and cannot be merged without resolving conflicts. The files are in the
/// worktree with conflict markers; the branch has not changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RebaseConflict {
    /// Such as `main`.
    pub branch: String,
    /// Its newest commit.
    pub tip_sha: String,
    /// What the build's changes are compared with after the merge.
    pub base_sha: String,
    /// The newest commit of the build's branch.
    pub head_sha: String,
    /// The first files with conflicts.
    pub paths: Vec<String>,
    /// How many there are.
    pub path_count: u32,
    /// Why the remote could not be fetched before; the branch is as it was fetched last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetch_error: Option<String>,
}

impl RebaseConflict {
    /// The files, at most so many by name.
    pub fn listed(&self, most: usize) -> String {
        let shown = &self.paths[..self.paths.len().min(most)];
        let more = (self.path_count as usize).saturating_sub(shown.len());
        let mut text = shown.join(", ");
        if more > 0 {
            text += &format!(" and {more} more");
        }
        text
    }
}
