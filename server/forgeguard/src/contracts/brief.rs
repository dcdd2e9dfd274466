//! What contracts are written from: the project's name and the answers of its questionnaire.

use domain::questionnaire::{Answer, Answers, SectionId, Size};

#[derive(Clone, Debug)]
pub struct Brief {
    pub name: String,
    pub size: Size,
    /// Answers to sections that the size does not include are stored but ignored.
    pub answers: Answers,
}

impl Brief {
    /// The trimmed answer to a line, a text or a choice; `None` if it is empty.
    pub fn text(&self, section: SectionId, question: &str) -> Option<&str> {
        match self.answer(section, question)? {
            Answer::Text(text) => Some(text.trim()).filter(|text| says_something(text)),
            Answer::Items(_) => None,
        }
    }

    /// The trimmed items of a list, without empty ones.
    pub fn items(&self, section: SectionId, question: &str) -> Vec<&str> {
        match self.answer(section, question) {
            Some(Answer::Items(items)) => {
                items.iter().map(|item| item.trim()).filter(|item| says_something(item)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The answer to a choice; `None` for no preference.
    pub fn choice(&self, section: SectionId, question: &str) -> Option<&str> {
        self.text(section, question).filter(|text| !text.eq_ignore_ascii_case("no preference"))
    }

    fn answer(&self, section: SectionId, question: &str) -> Option<&Answer> {
        let is_asked = self.size.sections().any(|asked| asked.id == section);
        self.answers.get(section, question).filter(|_| is_asked)
    }
}

/// Whether it contains visible characters.
fn says_something(text: &str) -> bool {
    let is_unseen = |c: char| {
        let marks = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}');
        marks || c == '\u{feff}' || c.is_whitespace() || c.is_control()
    };
    !text.chars().all(is_unseen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_questions_of_the_size_are_read() {
        let answers = json!({
            "product_intent": {"summary": " It counts.\n", "features": ["one", " ", " two "]},
            "tech_stack": {"language": "No preference", "avoid": "\u{202e}\u{200b} "},
            "deployment_target": {"target": "A container"},
        });
        let brief = |size| Brief {
            name: "Counter".into(),
            size,
            answers: serde_json::from_value(answers.clone()).unwrap(),
        };
        let full = brief(Size::Full);
        assert_eq!(full.text(SectionId::ProductIntent, "summary"), Some("It counts."));
        assert_eq!(full.items(SectionId::ProductIntent, "features"), ["one", "two"]);
        assert!(full.items(SectionId::ProductIntent, "summary").is_empty());
        assert_eq!(full.text(SectionId::TechStack, "avoid"), None);
        assert_eq!(full.text(SectionId::TechStack, "language"), Some("No preference"));
        assert_eq!(full.choice(SectionId::TechStack, "language"), None);
        assert_eq!(full.choice(SectionId::DeploymentTarget, "target"), Some("A container"));
        assert_eq!(brief(Size::Mini).choice(SectionId::DeploymentTarget, "target"), None);
    }
}
