//! The tool that sets answers.

use domain::questionnaire::{
    Answer, Filled, ProposedAnswers, QuestionId, Questionnaire, SectionId, Size,
};
use llm::{ToolCall, ToolDefinition};
use schemars::JsonSchema;
use serde::Deserialize;

use super::form::{self, Known};
use crate::tools::input;

/// The name of the tool that sets answers.
pub(super) const SET: &str = "set_answers";

/// Size limit of names in errors, in characters.
const NAME: usize = 60;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetAnswers {
    /// One for each question that the person said something about.
    #[serde(default)]
    answers: Vec<SetAnswer>,
    /// Only if the person asks for a small or a full form.
    size: Option<FormSize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SetAnswer {
    /// The section's id, such as product_intent.
    section: String,
    /// The question's id, such as summary.
    question: String,
    /// The answer to a text, a line or a choice. Empty removes the answer.
    text: Option<String>,
    /// The answer to a list: all of its items.
    items: Option<Vec<String>>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FormSize {
    Full,
    Mini,
}

/// The definitions of the tools.
pub(super) fn definitions() -> Vec<ToolDefinition> {
    vec![ToolDefinition {
        name: SET.to_owned(),
        description:
            "Writes what the person said into the form. Other questions stay as they are. Returns \
            what was rejected, and what is still open."
                .to_owned(),
        input_schema: input::schema::<SetAnswers>().into(),
    }]
}

/// Makes a call. Returns the result for the model, and whether anything was rejected.
pub(super) fn call(call: &ToolCall, form: &mut Questionnaire, known: &mut Known) -> (String, bool) {
    if call.name != SET {
        let name: String = call.name.chars().take(NAME).collect();
        return (format!("There is no tool `{name}`. The only tool is {SET}."), true);
    }
    let SetAnswers { answers, size } = match input::read(call.input.clone()) {
        Ok(input) => input,
        Err(error) => return (error.to_string(), true),
    };
    let (mut understood, mut refused) = (Vec::new(), Vec::new());
    for answer in answers {
        match read(answer) {
            Ok((place, _)) if known.cut.contains(&place) => refused.push(format!(
                "{}: you have seen only its beginning; the person can edit it in the form",
                place.name()
            )),
            Ok(answer) => understood.push(answer),
            Err(reason) => refused.push(reason),
        }
    }
    let size = size.map(|size| match size {
        FormSize::Full => Size::Full,
        FormSize::Mini => Size::Mini,
    });
    let mut filled = form.fill(&mut known.form, ProposedAnswers { answers: understood, size });
    filled.refused.extend(refused);
    (report(&filled, form), !filled.refused.is_empty())
}

fn read(answer: SetAnswer) -> Result<(QuestionId, Answer), String> {
    let SetAnswer { section, question, text, items } = answer;
    let short = |name: &str| name.chars().take(NAME).collect::<String>();
    let Some(id) = SectionId::named(&section) else {
        let names = SectionId::ALL.map(SectionId::name).join(", ");
        return Err(format!(
            "{}: there is no such section; the sections are {names}",
            short(&section)
        ));
    };
    let place = QuestionId { section: id, question: short(&question) };
    match (text, items) {
        (Some(text), None) => Ok((place, Answer::Text(text))),
        (None, Some(items)) => Ok((place, Answer::Items(items))),
        _ => Err(format!("{}: give either `text` or `items`", place.name())),
    }
}

fn report(filled: &Filled, form: &Questionnaire) -> String {
    let mut lines = Vec::new();
    if !filled.set.is_empty() {
        let names: Vec<String> = filled.set.iter().map(QuestionId::name).collect();
        lines.push(format!("Set: {}.", names.join(", ")));
    }
    lines.extend(filled.refused.iter().map(|refused| format!("Rejected: {refused}.")));
    let open = form::open(form);
    lines.push(match open.is_empty() {
        true => "All required questions are answered.".to_owned(),
        false => format!("Required and unanswered: {}.", open.join(", ")),
    });
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn made(form: &mut Questionnaire, name: &str, input: Value) -> (String, bool) {
        let mut known = Known::of(form);
        call(&ToolCall { id: "1".into(), name: name.into(), input }, form, &mut known)
    }

    fn empty() -> Questionnaire {
        Questionnaire { size: Size::Mini, answers: Default::default() }
    }

    #[test]
    fn result_lists_answers_and_open_questions() {
        let mut form = empty();
        let input = json!({"answers": [
            {"section": "product_intent", "question": "summary", "text": "It counts."},
            {"section": "product_intent", "question": "features", "items": ["count", "add"]},
        ]});
        let report = made(&mut form, SET, input);
        let expected = "Set: product_intent.summary, product_intent.features.\n\
            Required and unanswered: product_intent.users, ui_requirements.kind.";
        assert_eq!(report, (expected.to_owned(), false));
        let input = json!({"answers": [
            {"section": "product_intent", "question": "users", "text": "Me"},
            {"section": "ui_requirements", "question": "kind", "text": "In my head"},
        ]});
        let (report, refused) = made(&mut form, SET, input);
        assert!(report.ends_with("All required questions are answered.") && !refused, "{report}");
        assert!(!made(&mut form, SET, json!({"size": "full"})).1);
        assert_eq!(form.size, Size::Full);
    }

    #[test]
    fn failed_call_is_reported_and_others_are_run() {
        let answer = |section: &str, question: &str, rest: Value| {
            let mut answer = json!({"section": section, "question": question});
            answer.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            json!({"answers": [answer]})
        };
        for (name, input, expected) in [
            (SET, answer("weather", "today", json!({"text": "x"})), "no such section"),
            (
                SET,
                answer("product_intent", "x".repeat(500).as_str(), json!({"text": "x"})),
                "no such question",
            ),
            (SET, answer("product_intent", "summary", json!({})), "either `text` or `items`"),
            (SET, answer("product_intent", "summary", json!({"text": "x", "items": []})), "either"),
            (SET, answer("product_intent", "features", json!({"text": "x"})), "this is a list"),
            (SET, answer("product_intent", "summary", json!({"value": "x"})), "`value`"),
            (SET, json!({"answers": "all"}), "`answers`"),
            (SET, json!({"size": "huge"}), "`size`"),
            (SET, json!([]), "Invalid input"),
            ("run_command", json!({"command": "ls"}), "There is no tool `run_command`"),
        ] {
            let mut form = empty();
            let (report, refused) = made(&mut form, name, input.clone());
            assert!(refused && report.contains(expected), "{input}: {report}");
            assert!(report.len() < 700, "{report}");
            assert_eq!(form, empty());
        }
    }

    #[test]
    fn file_that_was_read_in_part_is_not_overwritten() {
        let mut form = empty();
        let items: Vec<String> = (0..100).map(|n| format!("{n} {}", "x".repeat(200))).collect();
        form.answers.set(SectionId::ProductIntent, "features", Answer::Items(items));
        let before = form.clone();
        let input = json!({"answers": [
            {"section": "product_intent", "question": "features", "items": ["only this"]},
        ]});
        let (report, refused) = made(&mut form, SET, input);
        assert!(refused && report.contains("only its beginning"), "{report}");
        assert_eq!(form, before);
    }
}
