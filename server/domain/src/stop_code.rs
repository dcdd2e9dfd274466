//! Why an agent stops by itself, as the protocol names it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why an agent stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StopCode {
    /// It was asked for something that it cannot show.
    EvidenceMissing,
    /// What is wanted can be read in two ways.
    AmbiguousIntent,
    /// Two contracts contradict each other.
    ContractConflict,
    /// The change would reach further than it may.
    RiskExceedsScope,
    /// The same steps give different results.
    NonDeterministicBehavior,
    /// The machine lacks something.
    EnvironmentLimitation,
}

impl StopCode {
    const ALL: [(Self, &'static str); 6] = [
        (Self::EvidenceMissing, "EVIDENCE_MISSING"),
        (Self::AmbiguousIntent, "AMBIGUOUS_INTENT"),
        (Self::ContractConflict, "CONTRACT_CONFLICT"),
        (Self::RiskExceedsScope, "RISK_EXCEEDS_SCOPE"),
        (Self::NonDeterministicBehavior, "NON_DETERMINISTIC_BEHAVIOR"),
        (Self::EnvironmentLimitation, "ENVIRONMENT_LIMITATION"),
    ];

    /// The code that agents write so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(code, _)| *code)
    }

    /// The code as agents write it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(code, _)| *code == self).map_or("", |(_, name)| name)
    }
}
