//! Merging a model's proposed answers into answers that users change concurrently.

use serde::{Deserialize, Serialize};

use super::{
    answers::{Answer, Answers, QuestionId},
    form::Size,
};

/// A project's questionnaire: its size and answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Questionnaire {
    pub size: Size,
    pub answers: Answers,
}

/// Answers proposed by a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProposedAnswers {
    /// Answers by question; an empty one removes the answer.
    pub answers: Vec<(QuestionId, Answer)>,
    /// The size of the project, if the user chose one.
    pub size: Option<Size>,
}

/// The result of merging.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Questions whose answers were set.
    pub set: Vec<QuestionId>,
    /// Rejected answers, each with the reason.
    pub refused: Vec<String>,
}

impl Questionnaire {
    /// Merges answers that were proposed for the questionnaire as `seen`, which is updated too. An
    /// answer that was changed since then is not overwritten.
    pub fn fill(&mut self, seen: &mut Self, understood: ProposedAnswers) -> Filled {
        let mut filled = Filled::default();
        match understood.size {
            Some(size) if self.size != seen.size && self.size != size => {
                let name = self.size.name();
                filled.refused.push(format!("size: it was just set to {name} in the form"));
            }
            Some(size) => (self.size, seen.size) = (size, size),
            None => {}
        }
        for (place, answer) in understood.answers {
            let answer = answer.trimmed();
            match self.refusal(seen, &place, &answer) {
                Some(reason) => filled.refused.push(format!("{}: {reason}", place.name())),
                None => {
                    self.answers.set(place.section, place.question.clone(), answer.clone());
                    seen.answers.set(place.section, place.question.clone(), answer);
                    filled.set.push(place);
                }
            }
        }
        filled
    }

    fn refusal(&self, seen: &Self, place: &QuestionId, answer: &Answer) -> Option<String> {
        let QuestionId { section, question: id } = place;
        if !self.size.sections().any(|asked| asked.id == *section) {
            return Some(format!("the {} form does not ask this", self.size.name()));
        }
        let questions = section.section().questions;
        let Some(question) = questions.iter().find(|question| question.id == id) else {
            let ids: Vec<&str> = questions.iter().map(|question| question.id).collect();
            return Some(format!("there is no such question; there are {}", ids.join(", ")));
        };
        if let Some(reason) = answer.mismatch(question.kind) {
            return Some(reason);
        }
        let (now, before) = (self.answers.get(*section, id), seen.answers.get(*section, id));
        let wanted = (!answer.is_empty()).then_some(answer);
        (now != before && now != wanted)
            .then(|| "this was changed in the form in the meantime and is kept".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questionnaire::SectionId;
    use serde_json::{Value, json};

    fn questionnaire(size: Size, answers: Value) -> Questionnaire {
        Questionnaire { size, answers: serde_json::from_value(answers).unwrap() }
    }

    fn text(name: &str, text: &str) -> (QuestionId, Answer) {
        (place(name), Answer::Text(text.into()))
    }

    fn items(name: &str, items: &[&str]) -> (QuestionId, Answer) {
        (place(name), Answer::Items(items.iter().map(|item| (*item).to_owned()).collect()))
    }

    fn place(name: &str) -> QuestionId {
        let (section, question) = name.split_once('.').unwrap();
        QuestionId { section: SectionId::named(section).unwrap(), question: question.to_owned() }
    }

    fn names(filled: &Filled) -> Vec<String> {
        filled.set.iter().map(QuestionId::name).collect()
    }

    #[test]
    fn only_proposed_answers_change() {
        let before = json!({
            "product_intent": {"summary": "It counts.", "users": "Me"},
            "tech_stack": {"language": "Go"},
        });
        let mut seen = questionnaire(Size::Full, before.clone());
        let mut now = seen.clone();
        let understood = ProposedAnswers {
            answers: vec![
                text("product_intent.summary", "  It counts sheep.\n"),
                items("product_intent.features", &["count", " ", " add "]),
                text("tech_stack.language", ""),
            ],
            size: None,
        };
        let filled = now.fill(&mut seen, understood);
        assert_eq!(filled.refused, [""; 0]);
        let expected = json!({
            "product_intent": {
                "summary": "It counts sheep.", "users": "Me", "features": ["count", "add"]
            },
            "tech_stack": {},
        });
        assert_eq!(now, questionnaire(Size::Full, expected));
        assert_eq!(now, seen, "what was set is known");
    }

    #[test]
    fn invalid_answer_is_rejected_alone() {
        let mut seen = questionnaire(Size::Mini, json!({}));
        let mut now = seen.clone();
        let understood = ProposedAnswers {
            answers: vec![
                text("product_intent.features", "one"),
                items("product_intent.users", &["one"]),
                text("product_intent.users", "Shepherds"),
                text("product_intent.budget", "none"),
                text("tech_stack.language", "Go"),
                text("dev_platform.test_command", "a\nb"),
                text("dev_platform.habits", &"x".repeat(20_001)),
            ],
            size: None,
        };
        let filled = now.fill(&mut seen, understood);
        assert_eq!(names(&filled), ["product_intent.users"]);
        let expected = [
            "product_intent.features: this is a list",
            "product_intent.users: this is one text",
            "product_intent.budget: there is no such question; there are summary, users",
            "tech_stack.language: the mini form does not ask this",
            "dev_platform.test_command: write one line",
            "dev_platform.habits: write at most 20000",
        ];
        for (refused, expected) in filled.refused.iter().zip(expected) {
            assert!(refused.starts_with(expected), "{refused} / {expected}");
        }
        assert_eq!(filled.refused.len(), expected.len());
    }

    #[test]
    fn answer_that_was_changed_meanwhile_is_kept() {
        let mut seen = questionnaire(
            Size::Full,
            json!({"product_intent": {"summary": "It counts.", "success": "It adds up."}}),
        );
        let mut now = questionnaire(
            Size::Full,
            json!({"product_intent": {"summary": "It sings.", "users": "Me"}}),
        );
        let understood = || ProposedAnswers {
            answers: vec![
                text("product_intent.summary", "It counts sheep."),
                text("product_intent.users", "Me"),
                text("product_intent.success", "All are there."),
                text("product_intent.out_of_scope", "No wolves."),
                text("product_intent.out_of_scope", "No wolves, no dogs."),
            ],
            size: None,
        };
        for _ in 0..2 {
            let filled = now.fill(&mut seen, understood());
            assert_eq!(
                names(&filled),
                [
                    "product_intent.users",
                    "product_intent.out_of_scope",
                    "product_intent.out_of_scope"
                ]
            );
            assert_eq!(filled.refused.len(), 2, "however often it is tried: {filled:?}");
        }
        let expected = json!({"product_intent": {
            "summary": "It sings.", "users": "Me", "out_of_scope": "No wolves, no dogs."
        }});
        assert_eq!(now, questionnaire(Size::Full, expected));
    }

    #[test]
    fn size_is_chosen_by_the_user() {
        let full = || questionnaire(Size::Full, json!({}));
        let (mut seen, mut now) = (full(), full());
        let to = |size| ProposedAnswers { answers: Vec::new(), size: Some(size) };
        assert_eq!(now.fill(&mut seen, to(Size::Mini)), Filled::default());
        assert_eq!((now.size, seen.size), (Size::Mini, Size::Mini));
        now.size = Size::Full;
        let refused = now.fill(&mut seen, to(Size::Mini)).refused;
        assert!(refused[0].contains("set to full"), "{refused:?}");
        assert_eq!(now.size, Size::Full);
    }
}
