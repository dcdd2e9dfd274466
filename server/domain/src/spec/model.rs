//! The parts of a spec, and its limits.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::problem::{MissingSection, SpecProblem};
use crate::{criterion::ProofType, requirement::RequirementKind, requirements::Priority};

/// In bytes.
pub const MAX_SPEC: usize = 2 * 1024 * 1024;

/// Requirements and criteria together.
pub const MAX_REQUIREMENTS: usize = 300;

pub const MAX_PHASES: usize = 40;

/// Steps of all phases.
pub const MAX_STEPS: usize = 1_000;

pub const MAX_FILES: usize = 200;

/// The conventions that a spec follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpecFormat {
    /// Sections such as Requirements and Pass Criteria.
    #[default]
    Sections,
    /// GitHub Spec Kit: `spec.md`, `plan.md` and `tasks.md`.
    SpecKit,
    /// Kiro: `requirements.md`, `design.md` and `tasks.md`.
    Kiro,
}

/// A spec as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    pub format: SpecFormat,
    /// Empty if there is none.
    pub title: String,
    /// As written.
    pub overview: String,
    pub requirements: Vec<SpecRequirement>,
    /// As written, with code.
    pub design: String,
    pub files: Vec<SpecFile>,
    pub criteria: Vec<SpecCriterion>,
    pub phases: Vec<SpecPhase>,
    /// As written, with code.
    pub testing: String,
    pub test_command: Option<String>,
    /// As written, with code.
    pub tdd_plan: Option<String>,
    pub dependencies: Vec<String>,
    /// Globs of paths that may be changed; empty: any.
    pub scope: Vec<String>,
    /// Sections of notes and unknown ones, as written.
    pub notes: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecRequirement {
    /// As in the spec: `FR-001`, `2`, `US1`.
    pub label: Option<String>,
    pub text: String,
    pub priority: Priority,
    pub kind: RequirementKind,
    /// From 1.
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecCriterion {
    pub text: String,
    pub proof: ProofType,
    /// The position of the requirement that it proves.
    pub requirement: Option<usize>,
    /// The position of the phase after which it holds; otherwise it holds at the end.
    pub phase: Option<usize>,
    /// From 1.
    pub line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileAction {
    Create,
    Modify,
    Read,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecFile {
    pub path: String,
    pub action: FileAction,
    /// From 1.
    pub line: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecPhase {
    pub title: String,
    /// Empty if there is none.
    pub objective: String,
    pub steps: Vec<String>,
    /// From 1.
    pub line: usize,
}

/// A spec and everything that was found about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedSpec {
    pub spec: Spec,
    /// Sections that it does not have.
    pub missing: Vec<MissingSection>,
    /// Why it cannot be built, in the order of lines; those of the whole spec come first.
    pub errors: Vec<SpecProblem>,
    pub warnings: Vec<SpecProblem>,
}

impl ParsedSpec {
    /// Whether it can be built.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }
}
