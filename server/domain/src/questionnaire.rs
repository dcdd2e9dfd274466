//! The questionnaire about a project, and its answers.
//!
//! The questions are data, so that any client can show them. There are no questions about phases,
//! which follow from the answers. A mini project has three of the eight sections.

mod answers;
mod filling;
mod form;
mod questions;

pub use answers::{Answer, Answers, Progress, QuestionId};
pub use filling::{Filled, ProposedAnswers, Questionnaire};
pub use form::{Kind, Question, Section, SectionId, Size};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn mini_project_has_three_of_the_eight_sections() {
        let ids = |size: Size| size.sections().map(|section| section.id).collect::<Vec<_>>();
        assert_eq!(ids(Size::Full), SectionId::ALL);
        let mini = [SectionId::ProductIntent, SectionId::UiRequirements, SectionId::DevPlatform];
        assert_eq!(ids(Size::Mini), mini);
    }

    #[test]
    fn every_question_has_help_and_a_unique_id() {
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
