//! The system prompt of the model that answers questions.

use askama::Template;

#[derive(Template)]
#[template(path = "prompts/build-question.md")]
struct BuildQuestionPrompt;

/// # Errors
/// If the template fails.
pub(super) fn system() -> Result<String, askama::Error> {
    BuildQuestionPrompt.render()
}

#[cfg(test)]
mod tests {
    use super::{super::calls, *};

    #[test]
    fn fixed_texts_stay_within_their_token_limits() {
        let count = |text: &str| tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
        let prompt = count(&system().unwrap());
        assert!((200..=600).contains(&prompt), "{prompt} for the system prompt");
        let tools = count(&serde_json::to_string(&calls::definitions()).unwrap());
        assert!((200..=1_000).contains(&tools), "{tools} for the tools");
    }

    #[test]
    fn prompt_names_the_tool_that_ends_the_conversation() {
        assert!(system().unwrap().contains(calls::SUBMIT));
    }
}
