//! Groups of builds in lists across projects.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is to be done with a build, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BuildGroup {
    /// It waits for an answer of a user, or was paused or blocked.
    NeedsAnswer,
    Running,
    Queued,
    /// Sealed and not approved: it waits for a reviewer, or for a follow-up.
    InReview,
    Finished,
}

impl BuildGroup {
    pub const ALL: [Self; 5] =
        [Self::NeedsAnswer, Self::Running, Self::Queued, Self::InReview, Self::Finished];

    /// Its index in the list.
    pub fn place(self) -> u32 {
        self as u32
    }

    /// The group with this index.
    pub fn at(place: u32) -> Self {
        Self::ALL.into_iter().find(|group| group.place() == place).unwrap_or(Self::Finished)
    }
}
