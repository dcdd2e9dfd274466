//! The reasons for which an agent stops, as defined by the protocol.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why an agent stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum StopCode {
    /// It was asked for evidence that it cannot provide.
    EvidenceMissing,
    /// The request is ambiguous.
    AmbiguousIntent,
    ContractConflict,
    /// The change would exceed its scope.
    RiskExceedsScope,
    /// The same steps give different results.
    NonDeterministicBehavior,
    /// The environment lacks something.
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

    /// The code with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(code, _)| *code)
    }

    /// The code as agents write it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(code, _)| *code == self).map_or("", |(_, name)| name)
    }
}
