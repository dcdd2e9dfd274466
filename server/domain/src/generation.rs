//! Generations of contracts and answers by a model. Each contract has its own conversation; answers
//! come from an interview, or answer a question about a build.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::contract::ContractType;

/// The kind of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GenerationKind {
    /// Contracts, from the answers.
    Contracts,
    /// Answers, from an interview.
    Answers,
    /// The answer to a question about a build.
    BuildQuestion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GenerationStatus {
    /// Waits for a worker, or for a provider that failed.
    Queued,
    Running,
    Done,
    /// What was written is kept.
    Failed,
    /// By a user; what was written is kept.
    Cancelled,
}

impl GenerationStatus {
    /// Whether it only continues if a user resumes it.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// The status of one contract of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DraftStatus {
    Waiting,
    Writing,
    /// It is a version of the project's contract.
    Written,
    /// The model submitted no valid text.
    Failed,
}

impl ContractType {
    /// The maximum number of replies for writing this contract: for reading other contracts, and for
    /// correcting invalid submissions.
    pub fn turn_limit(self) -> u32 {
        match self {
            Self::Manifesto | Self::Blueprint | Self::Stack => 8,
            Self::Schema | Self::Boundaries => 10,
            Self::Physics | Self::Ui | Self::BuilderDirective => 12,
            Self::Phases => 16,
        }
    }

    /// The contracts written before this one.
    pub fn before(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().take_while(move |kind| *kind != self)
    }

    /// This contract and those written after it.
    pub fn from_here(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().skip_while(move |kind| *kind != self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_and_from_here_are_all_contracts() {
        for kind in ContractType::ALL {
            let both: Vec<_> = kind.before().chain(kind.from_here()).collect();
            assert_eq!(both, ContractType::ALL);
            assert_eq!(kind.from_here().next(), Some(kind));
            assert!(
                kind.turn_limit() as usize > kind.before().count(),
                "{kind} can read all before"
            );
        }
    }
}
