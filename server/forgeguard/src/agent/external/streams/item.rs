//! What lines of output say, in whatever format.

use serde_json::Value;

/// What a line of output says.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    /// The id of its session.
    Session(String),
    /// A text of the agent.
    Text(String),
    /// A part of a text, which ends before the next item that is none.
    TextPart(String),
    CallStarted {
        id: String,
        tool: String,
        input: Value,
    },
    CallFinished {
        id: String,
        ok: bool,
        output: String,
    },
    /// The agent's last text, as its summary.
    Finished(String),
    /// Why the agent says that it failed.
    Failed(String),
    /// Something that its user should know although it does not decide.
    Noted(String),
}

/// A field as text; empty if it is absent.
pub(super) fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A tool's output as text, whether it is a string or content blocks.
pub(super) fn output_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// What a recorded session says, by the parser of its lines.
#[cfg(test)]
pub(super) fn items_of(recorded: &str, items: fn(&Value) -> Vec<StreamItem>) -> Vec<StreamItem> {
    let lines = recorded.trim().lines();
    lines.flat_map(|line| items(&serde_json::from_str(line).unwrap())).collect()
}
