//! What people decide about a sealed build, and who may.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::UserId;

/// What somebody decided about a sealed build. The newest decision counts; none is ever edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewDecision {
    /// It may be used as it is.
    Approved,
    /// Something has to change first.
    ChangesRequested,
}

/// Which of the two files of a diff a line stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiffSide {
    /// The file as it was at the baseline.
    Old,
    /// The file as it was sealed.
    New,
}

impl ReviewDecision {
    /// The decision as part of a sentence: "Ada has …".
    pub fn words(self) -> &'static str {
        match self {
            Self::Approved => "approved this build",
            Self::ChangesRequested => "requested changes",
        }
    }

    /// Whether `reviewer` may decide this about a build that `started_by` started: nobody signs
    /// off their own, whatever else they may do.
    pub fn is_open_to(self, reviewer: UserId, started_by: UserId) -> bool {
        match self {
            Self::Approved => reviewer != started_by,
            Self::ChangesRequested => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::ids::Id;

    #[test]
    fn nobody_approves_what_they_started() {
        let (ada, eve) = (UserId::from_uuid(Uuid::from_u128(1)), UserId::from_uuid(Uuid::max()));
        assert!(!ReviewDecision::Approved.is_open_to(ada, ada));
        assert!(ReviewDecision::Approved.is_open_to(eve, ada));
        assert!(ReviewDecision::ChangesRequested.is_open_to(ada, ada));
    }
}
