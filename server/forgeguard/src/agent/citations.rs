//! The lines of files that a run was shown.

use domain::sign_off::{Citation, ReadLines};

use super::transcript::Transcript;
use crate::tools::ToolName;

/// What the results of `read_file` and `search_code` in a conversation have shown.
pub fn read_lines(conversation: &Transcript) -> ReadLines {
    let mut read = ReadLines::default();
    for call in conversation.finished_calls().into_iter().filter(|call| !call.failed) {
        match call.tool_name() {
            Some(ToolName::ReadFile) => {
                let path = call.input["path"].as_str().unwrap_or_default();
                let numbers = call.result.lines().filter_map(|line| line.split_once('\t'));
                let numbers = numbers.filter_map(|(number, _)| number.trim().parse().ok());
                numbers.for_each(|number| read.add(path, number));
            }
            Some(ToolName::SearchCode) => {
                for found in call.result.lines().filter_map(|line| Citation::all_in(line).next()) {
                    read.add(&found.path, *found.lines.start());
                }
            }
            _ => {}
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use llm::{Message, ToolCall, UserBlock};
    use serde_json::{Value, json};

    use super::*;
    use crate::store::new_id;

    /// Whether the line of a citation counts as read after this call.
    fn shows(tool: &str, input: Value, result: &str, is_error: bool, cited: &str) -> bool {
        let mut transcript = Transcript::new(new_id());
        let call = ToolCall { id: "1".into(), name: tool.into(), input };
        let result =
            UserBlock::ToolResult { call_id: "1".into(), content: result.into(), is_error };
        transcript.extend([
            Message::Assistant { text: String::new(), tool_calls: vec![call], provider: None },
            Message::User { content: vec![result] },
        ]);
        let cited: Vec<Citation> = Citation::all_in(cited).collect();
        read_lines(&transcript).unread(&cited).is_none()
    }

    #[test]
    fn lines_of_a_file_have_been_read() {
        let shows = |cited| {
            let lines = "1\tuse a;\n2\tfn b() {\n3\t}\n";
            shows("read_file", json!({ "path": "./src/a.rs" }), lines, false, cited)
        };
        assert!(shows("src/a.rs:1-3"));
        assert!(!shows("src/a.rs:4") && !shows("src/b.rs:1"));
    }

    #[test]
    fn lines_that_a_search_found_have_been_read() {
        let shows = |is_error, cited| {
            let input = json!({ "pattern": "b" });
            shows("search_code", input, "src/a.rs:2:fn b() {\n", is_error, cited)
        };
        assert!(shows(false, "src/a.rs:2"));
        assert!(!shows(false, "src/a.rs:3"));
        assert!(!shows(true, "src/a.rs:2"));
    }
}
