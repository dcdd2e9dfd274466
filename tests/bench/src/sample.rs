//! Events as an agent at work makes them: about 350 bytes each as they are sent.

use chrono::{DateTime, Utc};
use domain::{
    event::{
        EventBody,
        agents::{ToolCallFinished, ToolCallStarted},
        phases::{LogLevel, LogLine},
    },
    ids::{BuildId, RunId},
};
use serde_json::json;

/// The `number`th event of a run: a call, its result, a line of log, and again.
pub fn event(run_id: RunId, number: u64) -> EventBody {
    let call_id = format!("call-{}", number / 3);
    let tool = "read_file".to_owned();
    match number % 3 {
        0 => ToolCallStarted {
            run_id,
            call_id,
            tool,
            input: json!({ "path": "src/components/shelf-list.js", "from_line": number, "lines": 120 }),
        }
        .into(),
        1 => ToolCallFinished {
            run_id,
            call_id,
            tool,
            ok: true,
            output: "export function list(shelf, on) {\n  return shelf.books.map((book) => \
                     `${book.title} ${place(book, on)}`);\n}\n"
                .to_owned(),
            duration_ms: number % 40,
        }
        .into(),
        _ => LogLine {
            level: LogLevel::Info,
            source: "engine".to_owned(),
            message: format!(
                "The coder has read src/components/shelf-list.js and continues with step {number} of \
                 the plan; nothing was changed so far."
            ),
        }
        .into(),
    }
}

/// The frame of an event that was neither stored nor hashed.
pub fn bare_frame(build_id: BuildId, seq: u64, at: DateTime<Utc>, body: EventBody) -> String {
    let hash = domain::chain::GENESIS.to_owned();
    let event = domain::event::Event { seq, build_id, at, body, hash };
    let text = serde_json::to_string(&event).unwrap_or_default();
    format!("{{\"op\":\"event\",\"event\":{text}}}")
}
