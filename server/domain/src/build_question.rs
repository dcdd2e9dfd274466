//! Questions about builds, which a model answers from their records.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Of a question, in characters.
pub const MAX_QUESTION_CHARS: usize = 1_000;
/// Replies of the model to one question: to read, and to answer.
pub const MAX_TURNS: u32 = 12;
/// Tokens of one question, sent and received, after which the model has to answer.
pub const MAX_TOKENS: u64 = 200_000;
/// References of one answer.
pub const MAX_REFERENCES: usize = 20;

/// What shows that an answer is right. It existed when the answer was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schema(as = AnswerReference)]
pub enum Reference {
    /// An event of the build's journal.
    Event { seq: u64 },
    /// Lines of a file at a commit of the build's branch.
    Lines {
        /// From the root of the repository.
        path: String,
        /// From 1.
        first_line: u32,
        /// The same line, or a later one.
        last_line: u32,
        commit: String,
        /// Whether the build had changed the file.
        changed: bool,
    },
}

/// Whether a question may be asked another turn, or has to be answered now.
pub fn must_answer(turns: u32, tokens: u64) -> bool {
    turns + 1 >= MAX_TURNS || tokens >= MAX_TOKENS
}

/// Why lines are not in a file; `None` if they are.
pub fn lines_problem(first_line: u32, last_line: u32, line_count: usize) -> Option<String> {
    let is_inside = first_line >= 1 && last_line as usize <= line_count;
    if first_line > last_line {
        Some(format!("line {first_line} is after line {last_line}"))
    } else if !is_inside {
        Some(format!("the file has lines 1 to {line_count}"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_outside_the_file_are_no_reference() {
        for (first, last, count) in [(1, 1, 1), (3, 7, 7)] {
            assert_eq!(lines_problem(first, last, count), None);
        }
        for (first, last, count) in [(0, 1, 5), (5, 6, 5), (4, 3, 5), (1, 1, 0)] {
            assert!(lines_problem(first, last, count).is_some(), "{first}-{last} of {count}");
        }
    }

    #[test]
    fn question_must_be_answered_at_the_limit_of_turns_or_tokens() {
        assert!(!must_answer(0, 0) && !must_answer(MAX_TURNS - 2, MAX_TOKENS - 1));
        assert!(must_answer(MAX_TURNS - 1, 0) && must_answer(0, MAX_TOKENS));
    }

    #[test]
    fn references_keep_their_stored_format() {
        let lines = Reference::Lines {
            path: "src/a.rs".to_owned(),
            first_line: 1,
            last_line: 2,
            commit: "ab".to_owned(),
            changed: true,
        };
        let stored = json!([
            {"type": "event", "seq": 7},
            {"type": "lines", "path": "src/a.rs", "first_line": 1, "last_line": 2, "commit": "ab",
                "changed": true},
        ]);
        let references = [Reference::Event { seq: 7 }, lines];
        assert_eq!(serde_json::to_value(&references).unwrap(), stored);
        assert_eq!(serde_json::from_value::<Vec<Reference>>(stored).unwrap(), references);
    }
}
