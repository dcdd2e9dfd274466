//! The tools of the model: their definitions, and the calls parsed from its replies.

use llm::{ToolCall, ToolDefinition};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::tools::input;

/// The tool that ends the conversation.
pub(super) const SUBMIT: &str = "submit_answer";

/// Size limit of names in errors, in characters.
const MAX_NAME_CHARS: usize = 60;

#[derive(Debug)]
pub(super) enum Call {
    Read(ReadCall),
    Submit(SubmitAnswer),
}

#[derive(Debug)]
pub(super) enum ReadCall {
    Report(ReadReport),
    SearchEvents(SearchEvents),
    Event(ReadEvent),
    Changes(ReadChanges),
    File(ReadFile),
    SearchFiles(SearchFiles),
    Contract(ReadContract),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadReport {
    /// Where to continue, in bytes.
    pub offset: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchEvents {
    /// Words that the event contains.
    pub text: Option<String>,
    /// A part of the type's name, such as gate_finished.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The first event number.
    pub from_seq: Option<u64>,
    /// The last event number.
    pub to_seq: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadEvent {
    /// The event's number.
    pub seq: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadChanges {
    /// A changed file. Left out: the list of changed files.
    pub path: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadFile {
    pub path: String,
    /// The first line to read, from 1.
    pub first_line: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchFiles {
    /// Text within a line, in any case.
    pub text: String,
    /// Only files below this folder.
    pub folder: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadContract {
    /// manifesto, blueprint, stack, schema, physics, boundaries, ui, phases or builder_directive.
    pub name: String,
    /// Where to continue, in bytes.
    pub offset: Option<usize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SubmitAnswer {
    /// Markdown.
    pub text: String,
    /// What shows that the answer is right.
    #[serde(default)]
    pub references: Vec<GivenReference>,
}

/// Either `event`, or `path` with lines.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenReference {
    /// The number of an event.
    pub event: Option<u64>,
    /// A file.
    pub path: Option<String>,
    pub first_line: Option<u32>,
    /// Left out for a single line.
    pub last_line: Option<u32>,
}

/// The definitions of all tools.
pub(super) fn definitions() -> Vec<ToolDefinition> {
    vec![
        definition::<ReadReport>(
            "read_report",
            "Reads the report on the build: verdict with its reasons, phases with plans, \
             requirements with proofs, errors, clarifications, cost.",
        ),
        definition::<SearchEvents>(
            "search_events",
            "Lists events of the journal, oldest first, with their numbers and beginnings.",
        ),
        definition::<ReadEvent>("read_event", "Reads one event of the journal."),
        definition::<ReadChanges>(
            "read_changes",
            "Lists the files that the build has changed, or shows the changes of one.",
        ),
        definition::<ReadFile>("read_file", "Reads lines of a file at the newest commit."),
        definition::<SearchFiles>(
            "search_files",
            "Finds lines that contain a text, in all files at the newest commit.",
        ),
        definition::<ReadContract>("read_contract", "Reads a contract that the build implements."),
        submit_definition(),
    ]
}

/// The definition of the tool that ends the conversation.
pub(super) fn submit_definition() -> ToolDefinition {
    definition::<SubmitAnswer>(
        SUBMIT,
        "Submits the answer. Each reference is checked; wrong ones are returned.",
    )
}

fn definition<T: JsonSchema>(name: &str, description: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: input::schema::<T>().into(),
    }
}

/// The call with its input; otherwise the error for the model.
pub(super) fn parse(call: &ToolCall) -> Result<Call, String> {
    let input = call.input.clone();
    let call = match call.name.as_str() {
        "read_report" => ReadCall::Report(read(input)?),
        "search_events" => ReadCall::SearchEvents(read(input)?),
        "read_event" => ReadCall::Event(read(input)?),
        "read_changes" => ReadCall::Changes(read(input)?),
        "read_file" => ReadCall::File(read(input)?),
        "search_files" => ReadCall::SearchFiles(read(input)?),
        "read_contract" => ReadCall::Contract(read(input)?),
        SUBMIT => return Ok(Call::Submit(read(input)?)),
        name => {
            let name: String = name.chars().take(MAX_NAME_CHARS).collect();
            let all: Vec<String> = definitions().into_iter().map(|tool| tool.name).collect();
            return Err(format!("There is no tool `{name}`. The tools are {}.", all.join(", ")));
        }
    };
    Ok(Call::Read(call))
}

fn read<T: DeserializeOwned>(input: Value) -> Result<T, String> {
    input::read(input).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(name: &str, input: Value) -> Result<Call, String> {
        parse(&ToolCall { id: "1".into(), name: name.into(), input })
    }

    #[test]
    fn every_defined_tool_can_be_called() {
        for tool in definitions() {
            let error = parsed(&tool.name, json!({ "unknown": 1 })).unwrap_err();
            assert!(error.contains("unknown"), "{}: {error}", tool.name);
        }
    }

    #[test]
    fn no_tool_can_change_anything() {
        for name in ["write_file", "run_command", "pause_build", "sign_off"] {
            let error = parsed(name, json!({})).unwrap_err();
            assert!(error.contains("There is no tool"), "{error}");
        }
    }

    #[test]
    fn references_are_events_or_lines() {
        let references = json!([{ "event": 7 }, { "path": "a", "first_line": 1 }]);
        let input = json!({ "text": "It did.", "references": references });
        let Ok(Call::Submit(answer)) = parsed(SUBMIT, input) else { panic!() };
        assert_eq!((answer.references.len(), answer.references[0].event), (2, Some(7)));
        assert!(parsed(SUBMIT, json!({ "references": [] })).is_err());
    }
}
