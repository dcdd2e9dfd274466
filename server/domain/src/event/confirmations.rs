//! Payloads of what users confirm, clear, dismiss and change.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{event::life::Actor, finding_id::FindingId, requirement::RequirementId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConfirmationResult {
    Confirmed,
    Rejected,
}

/// A user judged an exit criterion before the seal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CriterionConfirmed {
    pub phase: u32,
    /// From 1 within the phase.
    pub index: u32,
    pub result: ConfirmationResult,
    /// Required for a rejection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The branch's newest commit. The confirmation does not hold for any other.
    pub head_sha: String,
    pub by: Actor,
}

/// A user accepted that the build weakened tests in one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WeakenedTestCleared {
    /// From 1, in the order of the newest comparison of the tests.
    pub number: u32,
    pub reason: String,
    /// The branch's newest commit.
    pub head_sha: String,
    pub by: Actor,
}

/// A user dismissed a finding of the auditor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingDismissed {
    #[schema(value_type = String, example = "F-1")]
    pub id: FindingId,
    pub reason: String,
    pub by: Actor,
}

/// What became of an assumption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "change", rename_all = "lowercase")]
pub enum RequirementChange {
    Confirmed,
    /// Confirmed with another text.
    Reworded {
        text: String,
    },
    /// With its scenarios, and the exit criteria that prove it.
    Removed,
}

/// A user answered about an assumption before the work began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequirementChanged {
    #[schema(value_type = String, example = "R-7")]
    pub id: RequirementId,
    #[serde(flatten)]
    pub change: RequirementChange,
    pub by: Actor,
}
