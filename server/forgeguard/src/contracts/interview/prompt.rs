//! The system prompt of the interview.

use askama::Template;

#[derive(Template)]
#[template(path = "prompts/interview.md")]
struct InterviewPrompt;

///
/// # Errors
/// If the template fails.
pub(super) fn system() -> Result<String, askama::Error> {
    InterviewPrompt.render()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::interview::{form, tools};
    use domain::questionnaire::{Questionnaire, Size};

    fn counted(text: &str) -> usize {
        tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
    }

    #[test]
    fn first_messages_stay_within_the_token_limit() {
        let prompt = counted(&system().unwrap());
        assert!((200..=1_000).contains(&prompt), "{prompt} for the system prompt");
        let tools = serde_json::to_string(&tools::definitions()).unwrap();
        let tools = counted(&tools);
        assert!((100..=2_500).contains(&tools), "{tools} for the tools");
        for size in [Size::Full, Size::Mini] {
            let form = form::json(&Questionnaire { size, answers: Default::default() });
            let form = counted(&form);
            assert!((200..=1_500).contains(&form), "{form} for the {} form", size.name());
        }
    }

    #[test]
    fn prompt_names_the_tool_and_not_this_product() {
        let prompt = system().unwrap();
        assert!(prompt.contains(tools::SET), "{prompt}");
        for word in ["forgeguard", "journal", "sandbox", "axum", "auditor"] {
            assert!(!prompt.to_lowercase().contains(word), "the prompt holds `{word}`");
        }
    }
}
