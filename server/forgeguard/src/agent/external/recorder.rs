//! Records the output of an external agent as events of its run.

use std::{collections::HashMap, time::Instant};

use domain::{
    event::{
        EventBody,
        agents::{ToolCallFinished, ToolCallStarted},
    },
    ids::RunId,
};
use serde_json::{Value, json};

use super::{
    program::ExternalAgent,
    streams::{StreamItem, parse_line},
};
use crate::text;

/// Longer lines are not read.
const MAX_LINE_BYTES: usize = 4 << 20;
/// Bytes of a call's input and output that are recorded.
const MAX_INPUT_BYTES: usize = 16 << 10;
const MAX_OUTPUT_BYTES: usize = 16 << 10;
/// Calls of one process that are recorded, so that its output cannot fill the journal.
const MAX_CALLS: usize = 5_000;
const MAX_NOTES: usize = 10;
/// Bytes of the text that is kept for the end of the run.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// What one process has said so far.
pub struct Recorder {
    run_id: RunId,
    agent: ExternalAgent,
    /// Makes the ids of calls unique within the run, which may start several processes.
    process: String,
    line: String,
    skips_line: bool,
    /// Calls without a result, with their tools and starts.
    open: HashMap<String, (String, Instant)>,
    calls: usize,
    /// A text of which parts were said.
    partial: String,
    /// Texts since the last call.
    said: String,
    summary: Option<String>,
    /// The id of its session that is not stored yet.
    pub new_session: Option<String>,
    session: Option<String>,
    pub failure: Option<String>,
    pub notes: Vec<String>,
}

/// What a piece of output adds to the journal.
#[derive(Default)]
pub struct Recorded {
    pub events: Vec<EventBody>,
    /// May contain markers.
    pub texts: String,
}

impl Recorder {
    pub fn new(run_id: RunId, agent: ExternalAgent, process: String) -> Self {
        Self {
            run_id,
            agent,
            process,
            line: String::new(),
            skips_line: false,
            open: HashMap::new(),
            calls: 0,
            partial: String::new(),
            said: String::new(),
            summary: None,
            new_session: None,
            session: None,
            failure: None,
            notes: Vec::new(),
        }
    }

    /// Reads a piece of output, of which `dropped_bytes` are missing before it.
    pub fn take(&mut self, piece: &str, dropped_bytes: u64, recorded: &mut Recorded) {
        if dropped_bytes > 0 {
            self.skips_line = true;
            self.note(format!("{dropped_bytes} bytes of output were not read"));
        }
        for part in piece.split_inclusive('\n') {
            if self.line.len() + part.len() > MAX_LINE_BYTES {
                self.skips_line = true;
            }
            if self.skips_line {
                self.line.clear();
            } else {
                self.line.push_str(part);
            }
            if part.ends_with('\n') {
                self.end_line(recorded);
            }
        }
    }

    /// Reads the last line, and closes calls that have no result.
    pub fn finish(&mut self, recorded: &mut Recorded) {
        self.end_line(recorded);
        self.end_text(recorded);
        for (call_id, (tool, start)) in std::mem::take(&mut self.open) {
            let output = "The agent ended before it reported a result.".to_owned();
            recorded.events.push(self.finished(call_id, tool, start, false, output));
        }
    }

    /// The agent's last text.
    pub fn last_text(&self) -> &str {
        self.summary.as_deref().unwrap_or(&self.said)
    }

    fn end_line(&mut self, recorded: &mut Recorded) {
        let line = std::mem::take(&mut self.line);
        if !std::mem::take(&mut self.skips_line) {
            for item in parse_line(&self.agent, &line) {
                self.record(item, recorded);
            }
        }
    }

    fn end_text(&mut self, recorded: &mut Recorded) {
        let text = std::mem::take(&mut self.partial);
        if !text.is_empty() {
            self.record(StreamItem::Text(text), recorded);
        }
    }

    fn record(&mut self, item: StreamItem, recorded: &mut Recorded) {
        if !matches!(item, StreamItem::TextPart(_)) {
            self.end_text(recorded);
        }
        match item {
            StreamItem::TextPart(part) => {
                self.partial.push_str(&part);
                if self.partial.len() > MAX_LINE_BYTES {
                    self.end_text(recorded);
                }
            }
            // Some agents repeat it.
            StreamItem::Session(id) if self.session.as_ref() == Some(&id) => {}
            StreamItem::Session(id) => {
                self.session = Some(id.clone());
                self.new_session = Some(id);
            }
            StreamItem::Text(said) => {
                recorded.texts.push_str(&said);
                recorded.texts.push('\n');
                self.said.push_str(&said);
                self.said.push('\n');
                if self.said.len() > MAX_TEXT_BYTES {
                    let start = self.said.ceil_char_boundary(self.said.len() - MAX_TEXT_BYTES / 2);
                    self.said.drain(..start);
                }
            }
            StreamItem::CallStarted { id, tool, input } => {
                let call_id = self.call_id(&id);
                if self.calls >= MAX_CALLS || self.open.contains_key(&call_id) {
                    return;
                }
                self.calls += 1;
                self.said.clear();
                self.open.insert(call_id.clone(), (tool.clone(), Instant::now()));
                let (run_id, input) = (self.run_id, shortened(input));
                recorded.events.push(ToolCallStarted { run_id, call_id, tool, input }.into());
            }
            StreamItem::CallFinished { id, ok, output } => {
                let call_id = self.call_id(&id);
                if let Some((tool, start)) = self.open.remove(&call_id) {
                    recorded.events.push(self.finished(call_id, tool, start, ok, output));
                }
            }
            StreamItem::Finished(summary) => {
                self.failure = None;
                self.summary = Some(text::ends(&summary, MAX_TEXT_BYTES));
            }
            StreamItem::Failed(why) => self.failure = Some(why),
            StreamItem::Noted(note) => self.note(note),
        }
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&note) {
            self.notes.push(text::head(&note, 300).to_owned());
        }
    }

    fn call_id(&self, id: &str) -> String {
        format!("{}-{}", self.process, text::head(id, 100))
    }

    fn finished(
        &self,
        call_id: String,
        tool: String,
        start: Instant,
        ok: bool,
        output: String,
    ) -> EventBody {
        let duration_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (run_id, output) = (self.run_id, text::ends(&output, MAX_OUTPUT_BYTES));
        ToolCallFinished { run_id, call_id, tool, ok, output, duration_ms }.into()
    }
}

fn shortened(input: Value) -> Value {
    let text = input.to_string();
    if text.len() <= MAX_INPUT_BYTES {
        return input;
    }
    json!({ "shortened": text::ends(&text, MAX_INPUT_BYTES) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store;

    #[test]
    fn parts_of_a_text_are_joined() {
        let mut recorder = Recorder::new(store::new_id(), ExternalAgent::GeminiCli, "p".into());
        let mut recorded = Recorded::default();
        let part = |content: &str| json!({"type": "message", "role": "assistant", "content": content, "delta": true});
        let call = json!({"type": "tool_use", "tool_id": "c", "tool_name": "f"});
        let parts =
            [part("=== TASK DO"), part("NE: 1 ===\nIt"), call, part("It "), part("greets.")];
        for line in parts {
            recorder.take(&format!("{line}\n"), 0, &mut recorded);
        }
        recorder.finish(&mut recorded);
        assert_eq!(recorded.texts, "=== TASK DONE: 1 ===\nIt\nIt greets.\n");
        assert_eq!(recorder.last_text(), "It greets.\n");
    }

    #[test]
    fn lines_are_joined_and_open_calls_are_closed() {
        let mut recorder = Recorder::new(store::new_id(), ExternalAgent::Codex, "p".into());
        let mut recorded = Recorded::default();
        let line = r#"{"type":"item.started","item":{"id":"i","type":"command_execution","command":"ls"}}"#;
        recorder.take(&line[..30], 0, &mut recorded);
        assert!(recorded.events.is_empty());
        recorder.take(&line[30..], 0, &mut recorded);
        recorder.take("\n", 0, &mut recorded);
        recorder.take("lost\n", 5, &mut recorded);
        recorder.finish(&mut recorded);
        let [EventBody::BuildToolCallStarted(started), EventBody::BuildToolCallFinished(finished)] =
            &recorded.events[..]
        else {
            panic!("{:?}", recorded.events);
        };
        assert_eq!((started.call_id.as_str(), finished.call_id.as_str()), ("p-i", "p-i"));
        assert!(!finished.ok);
        assert_eq!(recorder.notes, ["5 bytes of output were not read"]);
    }
}
