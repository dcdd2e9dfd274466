//! The sections and questions of a questionnaire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The size of a questionnaire, which determines the number of phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = QuestionnaireSize)]
pub enum Size {
    /// All eight sections.
    Full,
    /// Three sections, and exactly two phases.
    Mini,
}

/// The sections, in the order in which they are asked.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = QuestionnaireSection)]
pub enum SectionId {
    ProductIntent,
    TechStack,
    DatabaseSchema,
    ApiEndpoints,
    UiRequirements,
    ArchitecturalBoundaries,
    DeploymentTarget,
    DevPlatform,
}

/// A section of the questionnaire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SectionOutline)]
pub struct Section {
    pub id: SectionId,
    pub title: &'static str,
    /// One sentence about its purpose.
    pub about: &'static str,
    /// In order.
    pub questions: &'static [Question],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Question {
    /// Unique in its section.
    pub id: &'static str,
    pub label: &'static str,
    pub help: &'static str,
    /// An answer, about another product.
    pub example: &'static str,
    pub kind: Kind,
    /// Whether contracts cannot be written without it.
    pub required: bool,
}

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schema(as = QuestionKind)]
pub enum Kind {
    /// One line of text.
    Line,
    /// Several paragraphs.
    Text,
    /// One of the options, or another text.
    Choice { options: &'static [&'static str] },
    /// A list of short items.
    List,
}

impl SectionId {
    /// In the order in which they are asked.
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

    /// The section with this name.
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
