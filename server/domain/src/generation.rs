//! A generation: a model writes for a project. Contracts come one after another, each from a
//! conversation of its own; answers come from what a person said.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::contract::ContractType;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GenerationKind {
    /// Contracts, from the answers.
    Contracts,
    /// Answers, from what a person said in their own words.
    Answers,
}

/// How a generation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum GenerationStatus {
    /// It waits for a worker, or for a provider that failed.
    Queued,
    /// A worker has it.
    Running,
    /// All is written.
    Done,
    /// It stopped; what was written stays.
    Failed,
    /// A person stopped it; what was written stays.
    Cancelled,
}

impl GenerationStatus {
    /// Whether nothing more comes unless somebody resumes it.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }
}

/// How one contract of a generation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DraftStatus {
    /// Its turn has not come.
    Waiting,
    /// The model is at it.
    Writing,
    /// It is a version of the project's contract.
    Written,
    /// No text that fits came of it.
    Failed,
}

impl ContractType {
    /// Replies that a model has for writing this contract: what it may have to read, and some for
    /// texts that do not fit (seed 004 §26.3 has 12 for each; its §30 asks for one limit per type).
    pub fn turn_limit(self) -> u32 {
        match self {
            Self::Manifesto | Self::Blueprint | Self::Stack => 8,
            Self::Schema | Self::Boundaries => 10,
            Self::Physics | Self::Ui | Self::BuilderDirective => 12,
            Self::Phases => 16,
        }
    }

    /// Those that are written before this one.
    pub fn before(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().take_while(move |kind| *kind != self)
    }

    /// This one and those that are written after it.
    pub fn from_here(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().skip_while(move |kind| *kind != self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_and_from_here_are_all_nine() {
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
