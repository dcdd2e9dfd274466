//! How a build checks its tests before it is sealed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::validation::ValidationError;

/// The checks of a build's tests, as its project sets them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct TestChecks {
    /// Whether tests that the build added or changed must fail without its change.
    pub red_check: bool,
    /// `None` if the code is not mutated.
    pub mutation_sample: Option<MutationSample>,
}

impl Default for TestChecks {
    fn default() -> Self {
        Self { red_check: true, mutation_sample: Some(MutationSample::default()) }
    }
}

/// A sample of small changes to the new code that the tests should notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MutationSample {
    /// Mutants in a build, from 1 to 200.
    pub max_mutants: u32,
    /// Percentage of them that the tests must notice.
    pub min_killed_percent: u32,
}

impl Default for MutationSample {
    fn default() -> Self {
        Self { max_mutants: 20, min_killed_percent: 50 }
    }
}

impl MutationSample {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ValidationError> {
        if !(1..=200).contains(&self.max_mutants) {
            let reason = "choose between 1 and 200 mutants";
            return Err(ValidationError::new("mutation_sample.max_mutants", reason));
        }
        if self.min_killed_percent > 100 {
            let reason = "choose a percentage of at most 100";
            return Err(ValidationError::new("mutation_sample.min_killed_percent", reason));
        }
        Ok(())
    }
}
