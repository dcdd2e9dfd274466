//! The questionnaire: what a person is asked about what should be built, and what they answered.
//!
//! The questions are data, so that any client can show them. Phases are never asked for: they follow
//! from the rest. A mini project answers three of the eight sections.

mod answers;
mod questions;

pub use answers::{Answer, Answers, Misfit, Place, Progress};

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

    /// The section with its questions.
    pub fn section(self) -> Section {
        questions::section(self)
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

    /// The sections that are asked, in order.
    pub fn sections(self) -> impl Iterator<Item = Section> {
        let asked = move |id: &SectionId| match self {
            Self::Full => true,
            Self::Mini => matches!(
                id,
                SectionId::ProductIntent | SectionId::UiRequirements | SectionId::DevPlatform
            ),
        };
        SectionId::ALL.into_iter().filter(asked).map(SectionId::section)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_mini_project_is_asked_three_sections_of_the_eight() {
        let ids = |size: Size| size.sections().map(|section| section.id).collect::<Vec<_>>();
        assert_eq!(ids(Size::Full), SectionId::ALL);
        let mini = [SectionId::ProductIntent, SectionId::UiRequirements, SectionId::DevPlatform];
        assert_eq!(ids(Size::Mini), mini);
    }

    #[test]
    fn every_question_helps_and_can_be_told_from_the_others() {
        for section in Size::Full.sections() {
            let mut ids = HashSet::new();
            assert!(!section.questions.is_empty() && section.about.ends_with('.'));
            for question in section.questions {
                assert!(ids.insert(question.id), "{} is there twice", question.id);
                assert!(question.label.ends_with('?'), "{} does not ask", question.id);
                assert!(!question.help.is_empty() && !question.example.is_empty());
                if let Kind::Choice { options } = question.kind {
                    assert!(options.len() >= 2, "{} leaves no choice", question.id);
                    assert!(options.contains(&question.example), "{}", question.id);
                }
            }
        }
    }

    #[test]
    fn examples_are_about_another_product() {
        let json = serde_json::to_string(&Size::Full.sections().collect::<Vec<_>>()).unwrap();
        for word in ["forgeguard", "journal", "sandbox", "axum", "sqlx", "auditor"] {
            assert!(!json.to_lowercase().contains(word), "the questions hold `{word}`");
        }
    }
}
