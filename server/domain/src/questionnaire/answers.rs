//! Answers to the questionnaire: validation and progress.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::{Kind, Question, SectionId, Size};
use crate::validation::ValidationError;

/// In characters, of an answer, and of one line or item.
const MAX_TEXT_CHARS: usize = 20_000;
const MAX_LINE_CHARS: usize = 500;
const MAX_ITEMS: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Answer {
    /// For a line, a text or a choice.
    Text(String),
    /// For a list.
    Items(Vec<String>),
}

/// All answers: section → question → answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = QuestionnaireAnswers)]
pub struct Answers(BTreeMap<SectionId, BTreeMap<String, Answer>>);

/// Identifies a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = QuestionPlace)]
pub struct QuestionId {
    pub section: SectionId,
    pub question: String,
}

impl QuestionId {
    /// Such as `product_intent.summary`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.section.name(), self.question)
    }
}

impl fmt::Display for QuestionId {
    /// The field in requests, such as `answers.product_intent.summary`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "answers.{}", self.name())
    }
}

/// The progress of filling in the questionnaire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = QuestionnaireProgress)]
pub struct Progress {
    /// The number of answered questions.
    pub answered: usize,
    /// The number of all questions.
    pub questions: usize,
    /// Required questions without an answer, in order.
    pub missing: Vec<QuestionId>,
}

impl Answer {
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::Items(items) => items.iter().all(|item| item.trim().is_empty()),
        }
    }

    /// Without surrounding space and empty items.
    pub(super) fn trimmed(self) -> Self {
        let trimmed = |text: String| match text.trim() {
            trim if trim.len() == text.len() => text,
            trim => trim.to_owned(),
        };
        match self {
            Self::Text(text) => Self::Text(trimmed(text)),
            Self::Items(items) => {
                let items = items.into_iter().map(trimmed);
                Self::Items(items.filter(|item| !item.is_empty()).collect())
            }
        }
    }

    /// The reason why it is not valid for a question of this kind.
    pub(super) fn mismatch(&self, kind: Kind) -> Option<String> {
        let long = |text: &str, most: usize| {
            (text.chars().count() > most).then(|| format!("write at most {most} characters"))
        };
        if self.texts().any(|text| text.contains('\0')) {
            return Some("an answer cannot hold a NUL character".into());
        }
        match (kind, self) {
            (Kind::Text, Self::Text(text)) => long(text, MAX_TEXT_CHARS),
            (Kind::Line | Kind::Choice { .. }, Self::Text(text)) => {
                match text.trim().contains('\n') {
                    true => Some("write one line".into()),
                    false => long(text, MAX_LINE_CHARS),
                }
            }
            (Kind::List, Self::Items(items)) => match items.len() > MAX_ITEMS {
                true => Some(format!("write at most {MAX_ITEMS} items")),
                false => items.iter().find_map(|item| long(item, MAX_LINE_CHARS)),
            },
            (Kind::List, Self::Text(_)) => Some("this is a list: give its items".into()),
            (_, Self::Items(_)) => Some("this is one text and no list".into()),
        }
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let (text, items) = match self {
            Self::Text(text) => (Some(text), &[][..]),
            Self::Items(items) => (None, &items[..]),
        };
        text.into_iter().chain(items).map(String::as_str)
    }
}

impl Answers {
    /// The answer to a question, unless it is empty.
    pub fn get(&self, section: SectionId, question: &str) -> Option<&Answer> {
        self.0.get(&section)?.get(question).filter(|answer| !answer.is_empty())
    }

    /// Sets an answer; an empty one removes the answer.
    pub fn set(&mut self, section: SectionId, question: impl Into<String>, answer: Answer) {
        let answers = self.0.entry(section).or_default();
        match answer.is_empty() {
            true => drop(answers.remove(&question.into())),
            false => drop(answers.insert(question.into(), answer)),
        }
    }

    /// Unknown questions, answers of another kind, and texts that are too long. Answers to questions
    /// that are not asked for a project of this size are valid: they are kept in case the size changes.
    pub fn validate(&self) -> Vec<ValidationError> {
        let mut errors = Vec::new();
        for (section, answers) in &self.0 {
            let questions = section.section().questions;
            for (id, answer) in answers {
                let question = questions.iter().find(|question| question.id == id);
                let reason = match question {
                    Some(question) => answer.mismatch(question.kind),
                    None => Some("there is no such question".to_owned()),
                };
                let question = || QuestionId { section: *section, question: id.clone() };
                errors.extend(reason.map(|reason| ValidationError::new(question(), reason)));
            }
        }
        errors
    }

    /// The progress for a project of this size.
    pub fn progress(&self, size: Size) -> Progress {
        let mut progress = Progress { answered: 0, questions: 0, missing: Vec::new() };
        for section in size.sections() {
            for question in section.questions {
                progress.questions += 1;
                match self.get(section.id, question.id) {
                    Some(_) => progress.answered += 1,
                    None if question.required => progress
                        .missing
                        .push(QuestionId { section: section.id, question: question.id.to_owned() }),
                    None => {}
                }
            }
        }
        progress
    }

    /// The answered questions of a section as Markdown, for readers who do not know the form.
    pub fn markdown(&self, section: SectionId) -> String {
        let outline = section.section();
        let mut text = format!("## {}\n", outline.title);
        for Question { id, label, .. } in outline.questions {
            let Some(answer) = self.get(section, id) else { continue };
            text += &format!("\n### {label}\n");
            match answer {
                Answer::Text(answer) => text += &format!("{}\n", answer.trim()),
                Answer::Items(items) => {
                    let items =
                        items.iter().map(|item| item.trim()).filter(|item| !item.is_empty());
                    text.extend(items.map(|item| format!("- {item}\n")));
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn answers(json: Value) -> Answers {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn answers_are_validated_one_by_one() {
        let long = "x".repeat(501);
        let cases = [
            (json!({"product_intent": {"summary": "It counts."}}), None),
            (json!({"product_intent": {"features": ["one", "two"]}}), None),
            (json!({"tech_stack": {"language": "My own"}}), None),
            (json!({"product_intent": {"colour": "red"}}), Some("no such question")),
            (json!({"product_intent": {"features": "one"}}), Some("this is a list")),
            (json!({"product_intent": {"summary": ["one"]}}), Some("no list")),
            (json!({"product_intent": {"summary": "a\0b"}}), Some("NUL")),
            (json!({"product_intent": {"features": [long]}}), Some("at most 500")),
            (json!({"product_intent": {"features": vec!["a"; 101]}}), Some("at most 100 items")),
            (json!({"dev_platform": {"test_command": "a\nb"}}), Some("one line")),
            (json!({"product_intent": {"summary": "x".repeat(20_001)}}), Some("at most 20000")),
        ];
        for (json, expected) in cases {
            let errors = answers(json.clone()).validate();
            let reason = errors.first().map(|error| error.reason.as_str());
            match expected {
                None => assert_eq!(reason, None, "{json}"),
                Some(part) => {
                    assert!(reason.unwrap_or_default().contains(part), "{json}: {reason:?}")
                }
            }
        }
        assert!(serde_json::from_value::<Answers>(json!({"weather": {}})).is_err());
    }

    #[test]
    fn progress_counts_questions_and_names_missing_answers() {
        let mut answers = answers(json!({
            "product_intent": {"summary": "It counts.", "users": "  ", "features": [" ", ""]},
            "tech_stack": {"language": "Go"},
        }));
        let mini = answers.progress(Size::Mini);
        assert_eq!((mini.answered, mini.questions), (1, 11));
        let missing: Vec<&str> = mini.missing.iter().map(|place| place.question.as_str()).collect();
        assert_eq!(missing, ["users", "features", "kind"]);
        assert_eq!(answers.progress(Size::Full).answered, 2);

        answers.set(SectionId::ProductIntent, "users", Answer::Text("Me".into()));
        answers.set(SectionId::ProductIntent, "features", Answer::Items(vec!["count".into()]));
        answers.set(SectionId::UiRequirements, "kind", Answer::Text("Nothing".into()));
        assert_eq!(answers.progress(Size::Mini).missing, []);
        answers.set(SectionId::UiRequirements, "kind", Answer::Text(String::new()));
        assert_eq!(answers.get(SectionId::UiRequirements, "kind"), None);
    }

    #[test]
    fn section_is_rendered_with_its_questions() {
        let answers = answers(json!({"product_intent": {
            "summary": " It counts. \n", "features": ["count up", " ", "count down"]
        }}));
        let text = answers.markdown(SectionId::ProductIntent);
        assert_eq!(
            text,
            "## Product\n\n### What should it do?\nIt counts.\n\n\
             ### What must they be able to do?\n- count up\n- count down\n"
        );
        assert_eq!(answers.markdown(SectionId::TechStack), "## Technology\n");
    }
}
