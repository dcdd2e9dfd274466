//! The text that a model has submitted in a conversation, and corrections to it.

use llm::{Message, ToolCall, UserBlock};

use super::tools::{self, Submitted};

/// Why a submission in a truncated reply is rejected.
pub(super) const TRUNCATED: &str = "your reply reached its length limit; write a shorter text";

/// The latest submission with all corrections. `None` if nothing was submitted, or the text was too
/// long to be kept in the conversation.
pub(super) fn latest(messages: &[Message]) -> Option<String> {
    let mut text = None;
    let replies = messages.iter().zip(messages.iter().skip(1));
    for (reply, results) in replies {
        let Message::Assistant { text: said, tool_calls, .. } = reply else { continue };
        let Message::User { content: results } = results else { continue };
        if tool_calls.is_empty() {
            let is_truncated = results.iter().any(|block| block.content().contains(TRUNCATED));
            if !said.trim().is_empty() && !is_truncated {
                text = Some(said.clone());
            }
        }
        for call in tool_calls {
            if !is_truncated(results, call) {
                text = after(text, call);
            }
        }
    }
    text.filter(|text| !is_placeholder(text))
}

/// The submission after a call; unchanged by calls that submit nothing.
fn after(before: Option<String>, call: &ToolCall) -> Option<String> {
    match tools::submitted(call) {
        Some(Submitted::Whole(text)) => Some(text),
        Some(Submitted::Edit { old, new }) => {
            let edited = before.as_deref().and_then(|text| edit(text, &old, &new).ok());
            edited.or(before)
        }
        None => before,
    }
}

/// Replaces a piece that occurs exactly once.
///
/// # Errors
/// The reason, for the model.
pub(super) fn edit(text: &str, old: &str, new: &str) -> Result<String, String> {
    match text.matches(old).count() {
        _ if old.is_empty() => Err("`old` is empty".into()),
        0 => Err("`old` does not occur in your last submission".into()),
        1 => Ok(text.replacen(old, new, 1)),
        count => Err(format!("`old` occurs {count} times; include more of the text around it")),
    }
}

/// Replaces a text that is too long to be sent again.
pub(super) fn placeholder(text: &str) -> String {
    format!("[{} characters{PLACEHOLDER_END}", text.chars().count())
}

const PLACEHOLDER_END: &str = ", left out here]";

fn is_placeholder(text: &str) -> bool {
    text.starts_with('[') && text.ends_with(PLACEHOLDER_END) && !text.contains('\n')
}

fn is_truncated(results: &[UserBlock], call: &ToolCall) -> bool {
    results.iter().any(|block| match block {
        UserBlock::ToolResult { call_id, content, .. } => {
            *call_id == call.id && content.contains(TRUNCATED)
        }
        UserBlock::Text { .. } => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_replaces_exactly_one_piece() {
        assert_eq!(edit("a b c", "b", "x"), Ok("a x c".into()));
        for (old, reason) in [("", "empty"), ("z", "does not occur"), ("a", "2 times")] {
            assert!(edit("a a", old, "x").unwrap_err().contains(reason));
        }
    }
}
