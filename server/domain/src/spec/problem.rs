//! What is wrong with a spec, and what it does not say.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A problem of a spec, with its place if it has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpecProblem {
    /// From 1; null for the spec as a whole.
    #[schema(required)]
    pub line: Option<usize>,
    /// The line as written, shortened; empty for the spec as a whole.
    pub quoted: String,
    pub text: String,
}

impl fmt::Display for SpecProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.quoted.as_str()) {
            (Some(line), "") => write!(f, "line {line}: {}", self.text),
            (Some(line), quoted) => write!(f, "line {line}, “{quoted}”: {}", self.text),
            (None, _) => f.write_str(&self.text),
        }
    }
}

/// A section that a spec can have, and what happens without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissingSection {
    Overview,
    Requirements,
    TechnicalDesign,
    Files,
    ImplementationPlan,
    TestingStrategy,
    TestCommand,
    TddPlan,
    Dependencies,
    FileScope,
}

impl MissingSection {
    /// The heading under which it is written.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Requirements => "Requirements",
            Self::TechnicalDesign => "Technical Design",
            Self::Files => "Files to create, modify or read",
            Self::ImplementationPlan => "Implementation Plan",
            Self::TestingStrategy => "Testing Strategy",
            Self::TestCommand => "Test Command",
            Self::TddPlan => "TDD Plan",
            Self::Dependencies => "Dependencies",
            Self::FileScope => "File Scope",
        }
    }

    /// What it would be used for, and what happens instead.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Overview => "It tells agents and reviewers what the change is for.",
            Self::Requirements => {
                "It says what to build beyond the pass criteria; without it, only those are required."
            }
            Self::TechnicalDesign => {
                "It tells agents how to build it; without it, they decide from the existing code."
            }
            Self::Files => {
                "It becomes the deliverables that the seal checks; without it, the steps of the plan are."
            }
            Self::ImplementationPlan => {
                "It divides the work into phases with a commit each; without it, there is one phase."
            }
            Self::TestingStrategy => "It tells agents which tests to write.",
            Self::TestCommand => {
                "It becomes a required gate; without it, gates are detected from the repository."
            }
            Self::TddPlan => {
                "It requires that new tests fail before the change; without it, the project's setting applies."
            }
            Self::Dependencies => "It tells agents what must exist already.",
            Self::FileScope => {
                "It limits which paths a build may change; without it, every path is allowed."
            }
        }
    }

    /// Whether its absence is worth a warning; the others are optional.
    pub fn is_expected(self) -> bool {
        !matches!(self, Self::TddPlan | Self::Dependencies | Self::FileScope)
    }
}
