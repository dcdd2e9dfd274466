//! What a questionnaire is made of.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How much is asked, and how many phases follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = QuestionnaireSize)]
pub enum Size {
    /// All eight sections.
    Full,
    /// Three sections, and exactly two phases.
    Mini,
}

/// A part of the questionnaire, in the order in which they are asked.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = QuestionnaireSection)]
pub enum SectionId {
    /// What it is, for whom, and what for.
    ProductIntent,
    /// Languages, frameworks, tests.
    TechStack,
    /// What it keeps.
    DatabaseSchema,
    /// What others can call.
    ApiEndpoints,
    /// What people see.
    UiRequirements,
    /// What may know what.
    ArchitecturalBoundaries,
    /// Where it runs.
    DeploymentTarget,
    /// Where and how it is developed.
    DevPlatform,
}

/// A section as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SectionOutline)]
pub struct Section {
    /// Which.
    pub id: SectionId,
    /// Its heading.
    pub title: &'static str,
    /// One sentence on what it is for.
    pub about: &'static str,
    /// In order.
    pub questions: &'static [Question],
}

/// One question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Question {
    /// Unique in its section.
    pub id: &'static str,
    /// The question, in plain words.
    pub label: &'static str,
    /// What helps to answer it.
    pub help: &'static str,
    /// An answer that somebody could have given; it is about another product.
    pub example: &'static str,
    /// What an answer looks like.
    pub kind: Kind,
    /// Whether nothing can be made without it.
    pub required: bool,
}

/// What an answer looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schema(as = QuestionKind)]
pub enum Kind {
    /// One line of text.
    Line,
    /// Some paragraphs.
    Text,
    /// One of these, or one's own words.
    Choice {
        /// What is offered.
        options: &'static [&'static str],
    },
    /// Short items, one below the other.
    List,
}

impl SectionId {
    /// All eight, in order.
    pub const ALL: [Self; 8] = [
        Self::ProductIntent,
        Self::TechStack,
        Self::DatabaseSchema,
        Self::ApiEndpoints,
        Self::UiRequirements,
        Self::ArchitecturalBoundaries,
        Self::DeploymentTarget,
        Self::DevPlatform,
    ];

    /// The section of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == name)
    }

    /// The name used in routes and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::ProductIntent => "product_intent",
            Self::TechStack => "tech_stack",
            Self::DatabaseSchema => "database_schema",
            Self::ApiEndpoints => "api_endpoints",
            Self::UiRequirements => "ui_requirements",
            Self::ArchitecturalBoundaries => "architectural_boundaries",
            Self::DeploymentTarget => "deployment_target",
            Self::DevPlatform => "dev_platform",
        }
    }
}

impl Size {
    /// The name used in routes and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Mini => "mini",
        }
    }
}
