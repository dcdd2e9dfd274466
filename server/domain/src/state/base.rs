//! What is known about the base branch of a build.

use serde::{Deserialize, Serialize};

use crate::event::base::{BaseMerged, RebaseConflict};

/// Comparisons of the build's branch with its base branch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseState {
    /// The branch's head for which nothing was left to merge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_head: Option<String>,
    /// A merge that waits for its conflicts to be resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Box<OpenConflict>>,
    /// Finished merges, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merges: Vec<BaseMerged>,
}

impl BaseState {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A merge of the base branch with conflicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenConflict {
    pub found: RebaseConflict,
    /// A user has pushed or resumed the build since: the branches are compared again.
    #[serde(default)]
    pub is_outdated: bool,
}
