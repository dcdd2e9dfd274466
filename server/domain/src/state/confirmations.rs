//! What users have confirmed, cleared and dismissed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    event::{agents::Finding, life::Actor},
    requirement::RequirementId,
};

/// Who dismissed something, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dismissal {
    /// The user's name at that time.
    pub by: String,
    pub reason: String,
}

impl Dismissal {
    pub fn by(user: &Actor, reason: &str) -> Self {
        Self { by: user.name().to_owned(), reason: reason.to_owned() }
    }
}

/// A finding that a user dismissed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DismissedFinding {
    pub phase: u32,
    pub finding: Finding,
    pub dismissal: Dismissal,
}

/// The questions about assumptions before the work begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedAssumptions {
    pub ids: BTreeSet<RequirementId>,
    /// A question expired: the others are not asked, because each would delay the build.
    pub is_unanswered: bool,
}
