//! What was answered, whether it fits, and what is still missing.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::form::{Kind, Question, SectionId, Size};

/// Characters of the longest answer, and of one line or item.
const MOST_TEXT: usize = 20_000;
const MOST_LINE: usize = 500;
/// Items of the longest list.
const MOST_ITEMS: usize = 100;

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Answer {
    /// To a line, a text or a choice.
    Text(String),
    /// To a list.
    Items(Vec<String>),
}

/// All answers: section → question → answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = QuestionnaireAnswers)]
pub struct Answers(BTreeMap<SectionId, BTreeMap<String, Answer>>);

/// Names a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = QuestionPlace)]
pub struct Place {
    /// Its section.
    pub section: SectionId,
    /// The question in it.
    pub question: String,
}

impl Place {
    /// Section and question, such as `product_intent.summary`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.section.name(), self.question)
    }
}

impl fmt::Display for Place {
    /// Its field in what clients send, such as `answers.product_intent.summary`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "answers.{}", self.name())
    }
}

/// An answer that does not fit its question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Which.
    pub place: Place,
    /// In plain words.
    pub reason: String,
}

/// How far the questionnaire is filled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = QuestionnaireProgress)]
pub struct Progress {
    /// Questions with an answer.
    pub answered: usize,
    /// All questions that are asked.
    pub questions: usize,
    /// What must be answered and is not, in order.
    pub missing: Vec<Place>,
}

impl Answer {
    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::Items(items) => items.iter().all(|item| item.trim().is_empty()),
        }
    }

    /// The same without space around it, and without items that say nothing.
    pub(super) fn tidied(self) -> Self {
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

    /// Why it does not fit a question of this kind.
    pub(super) fn misfit(&self, kind: Kind) -> Option<String> {
        let long = |text: &str, most: usize| {
            (text.chars().count() > most).then(|| format!("write at most {most} characters"))
        };
        if self.texts().any(|text| text.contains('\0')) {
            return Some("an answer cannot hold a NUL character".into());
        }
        match (kind, self) {
            (Kind::Text, Self::Text(text)) => long(text, MOST_TEXT),
            (Kind::Line | Kind::Choice { .. }, Self::Text(text)) => {
                match text.trim().contains('\n') {
                    true => Some("write one line".into()),
                    false => long(text, MOST_LINE),
                }
            }
            (Kind::List, Self::Items(items)) => match items.len() > MOST_ITEMS {
                true => Some(format!("write at most {MOST_ITEMS} items")),
                false => items.iter().find_map(|item| long(item, MOST_LINE)),
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

    /// Takes an answer; an empty one takes the old one away.
    pub fn set(&mut self, section: SectionId, question: impl Into<String>, answer: Answer) {
        let answers = self.0.entry(section).or_default();
        match answer.is_empty() {
            true => drop(answers.remove(&question.into())),
            false => drop(answers.insert(question.into(), answer)),
        }
    }

    /// All that does not fit: unknown questions, the wrong form, too much text. Answers that a
    /// project of this size is not asked for are kept, so that nothing is lost when it changes.
    pub fn misfits(&self) -> Vec<Misfit> {
        let mut misfits = Vec::new();
        for (section, answers) in &self.0 {
            let questions = section.section().questions;
            for (id, answer) in answers {
                let question = questions.iter().find(|question| question.id == id);
                let reason = match question {
                    Some(question) => answer.misfit(question.kind),
                    None => Some("there is no such question".to_owned()),
                };
                let place = || Place { section: *section, question: id.clone() };
                misfits.extend(reason.map(|reason| Misfit { place: place(), reason }));
            }
        }
        misfits
    }

    /// What is answered of what a project of this size is asked.
    pub fn progress(&self, size: Size) -> Progress {
        let mut progress = Progress { answered: 0, questions: 0, missing: Vec::new() };
        for section in size.sections() {
            for question in section.questions {
                progress.questions += 1;
                match self.get(section.id, question.id) {
                    Some(_) => progress.answered += 1,
                    None if question.required => progress
                        .missing
                        .push(Place { section: section.id, question: question.id.to_owned() }),
                    None => {}
                }
            }
        }
        progress
    }

    /// The answered questions of a section as Markdown, for a reader who has seen no form.
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
    fn answers_are_checked_one_by_one() {
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
            let misfits = answers(json.clone()).misfits();
            let reason = misfits.first().map(|misfit| misfit.reason.as_str());
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
    fn progress_counts_what_is_asked_and_names_what_is_missing() {
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
    fn a_section_is_told_with_its_questions() {
        let answers = answers(json!({"product_intent": {
            "summary": " It counts. \n", "features": ["count up", " ", "count down"]
        }}));
        let text = answers.markdown(SectionId::ProductIntent);
        assert_eq!(
            text,
            "## What it is\n\n### What should it do?\nIt counts.\n\n\
             ### What must they be able to do?\n- count up\n- count down\n"
        );
        assert_eq!(answers.markdown(SectionId::TechStack), "## Technology\n");
    }
}
