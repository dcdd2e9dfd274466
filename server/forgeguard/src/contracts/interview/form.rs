//! The questionnaire as JSON for the model: questions and current answers.

use domain::questionnaire::{Answer, Kind, Question, QuestionId, Questionnaire, Section};
use serde::{Deserialize, Serialize};

use crate::text::head;

/// Size limit of a shown answer, in bytes. Longer ones can be changed only in the form, because the
/// model cannot repeat what it does not see.
const SHOWN: usize = 6_000;
/// Size limit of all shown answers, in bytes.
const ALL_SHOWN: usize = 48_000;

/// The form as the model knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Known {
    /// As shown, with the answers that the model has set since.
    pub form: Questionnaire,
    /// Answers that were shown in part.
    pub cut: Vec<QuestionId>,
}

#[derive(Serialize)]
struct Form {
    size: &'static str,
    sections: Vec<FormSection>,
    required_and_open: Vec<String>,
}

#[derive(Serialize)]
struct FormSection {
    section: &'static str,
    title: &'static str,
    questions: Vec<FormQuestion>,
}

#[derive(Serialize)]
struct FormQuestion {
    question: &'static str,
    label: &'static str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<&'static [&'static str]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
    /// Whether it is cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
}

impl Known {
    /// The form as shown to the model.
    pub fn of(form: &Questionnaire) -> Self {
        let mut room = ALL_SHOWN;
        let mut cut = Vec::new();
        for section in form.size.sections() {
            for question in section.questions {
                if shown_question(form, &section, question, &mut room).cut {
                    cut.push(QuestionId { section: section.id, question: question.id.to_owned() });
                }
            }
        }
        Self { form: form.clone(), cut }
    }
}

/// The form as JSON, so that answers cannot be mistaken for other content.
pub(super) fn json(form: &Questionnaire) -> String {
    let mut room = ALL_SHOWN;
    let sections = form.size.sections().map(|section| shown(form, section, &mut room)).collect();
    let size = form.size.name();
    let shown = Form { size, sections, required_and_open: open(form) };
    serde_json::to_string(&shown).unwrap_or_default()
}

/// Required questions without an answer, in order.
pub(super) fn open(form: &Questionnaire) -> Vec<String> {
    form.answers.progress(form.size).missing.iter().map(QuestionId::name).collect()
}

fn shown(form: &Questionnaire, section: Section, room: &mut usize) -> FormSection {
    let questions = section.questions.iter();
    let questions = questions.map(|question| shown_question(form, &section, question, room));
    FormSection { section: section.id.name(), title: section.title, questions: questions.collect() }
}

fn shown_question(
    form: &Questionnaire,
    section: &Section,
    question: &Question,
    room: &mut usize,
) -> FormQuestion {
    let (kind, options) = match question.kind {
        Kind::Line => ("line", None),
        Kind::Text => ("text", None),
        Kind::Choice { options } => ("choice, or free text", Some(options)),
        Kind::List => ("list", None),
    };
    let answer = form.answers.get(section.id, question.id);
    let begun = answer.map(|answer| beginning(answer, SHOWN.min(*room)));
    let cut = begun.as_ref() != answer;
    *room -= begun.as_ref().map_or(0, length).min(*room);
    FormQuestion {
        question: question.id,
        label: question.label,
        kind,
        options,
        required: question.required,
        answer: begun,
        cut,
    }
}

fn beginning(answer: &Answer, most: usize) -> Answer {
    match answer {
        Answer::Text(text) => Answer::Text(head(text, most).to_owned()),
        Answer::Items(items) => {
            let mut room = most;
            let fits = |item: &&String| {
                let fits = item.len() <= room;
                room -= item.len().min(room);
                fits
            };
            Answer::Items(items.iter().take_while(fits).cloned().collect())
        }
    }
}

fn length(answer: &Answer) -> usize {
    match answer {
        Answer::Text(text) => text.len(),
        Answer::Items(items) => items.iter().map(String::len).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::questionnaire::{Answers, SectionId, Size};
    use serde_json::{Value, json};

    fn form(size: Size, answers: Value) -> Questionnaire {
        Questionnaire { size, answers: serde_json::from_value(answers).unwrap() }
    }

    fn read(form: &Questionnaire) -> Value {
        serde_json::from_str(&json(form)).unwrap()
    }

    #[test]
    fn question_is_listed_with_its_answer() {
        let answers = json!({
            "product_intent": {"summary": "It \"counts\".\n# New rules", "features": ["count"]},
            "tech_stack": {"language": "Go"},
        });
        let shown = read(&form(Size::Mini, answers.clone()));
        assert_eq!(shown["size"], "mini");
        assert_eq!(shown["sections"].as_array().unwrap().len(), 3);
        let summary = &shown["sections"][0]["questions"][0];
        assert_eq!(summary["answer"], "It \"counts\".\n# New rules");
        assert_eq!((&summary["kind"], &summary["required"]), (&json!("text"), &json!(true)));
        assert_eq!(shown["sections"][0]["questions"][2]["answer"], json!(["count"]));
        assert_eq!(
            shown["required_and_open"],
            json!(["product_intent.users", "ui_requirements.kind"])
        );
        assert!(!shown.to_string().contains("Go"), "what is not asked is not told");
        let full = read(&form(Size::Full, answers));
        let language = &full["sections"][1]["questions"][0];
        assert_eq!(
            (&language["answer"], &language["options"][1]),
            (&json!("Go"), &json!("TypeScript"))
        );
    }

    #[test]
    fn long_answers_are_cut() {
        let long = "é".repeat(10_000);
        let items = vec!["x".repeat(500); 100];
        let mut answers = Answers::default();
        for section in Size::Full.sections() {
            for question in section.questions {
                let answer = match question.kind {
                    Kind::List => Answer::Items(items.clone()),
                    _ => Answer::Text(long.clone()),
                };
                answers.set(section.id, question.id, answer);
            }
        }
        let form = Questionnaire { size: Size::Full, answers };
        assert!(json(&form).len() < 60_000);
        assert_eq!(Known::of(&form).cut.len(), form.answers.progress(Size::Full).questions);
        let mut short = form.clone();
        short.answers = Answers::default();
        short.answers.set(SectionId::ProductIntent, "summary", Answer::Text(long));
        short.answers.set(SectionId::ProductIntent, "users", Answer::Text("Me".into()));
        let cut: Vec<String> = Known::of(&short).cut.iter().map(QuestionId::name).collect();
        assert_eq!(cut, ["product_intent.summary"]);
        assert_eq!(read(&short)["sections"][0]["questions"][0]["cut"], true);
    }
}
