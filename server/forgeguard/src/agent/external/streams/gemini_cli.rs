//! The Gemini CLI's `--output-format stream-json`.

use serde_json::Value;

use super::item::{StreamItem, output_text, text};

pub(super) fn items(line: &Value) -> Vec<StreamItem> {
    let item = match line["type"].as_str() {
        Some("init") => StreamItem::Session(text(line, "/session_id")),
        Some("message") if line["role"] == "assistant" => match line["delta"] == true {
            true => StreamItem::TextPart(text(line, "/content")),
            false => StreamItem::Text(text(line, "/content")),
        },
        Some("tool_use") => StreamItem::CallStarted {
            id: text(line, "/tool_id"),
            tool: text(line, "/tool_name"),
            input: line["parameters"].clone(),
        },
        Some("tool_result") => returned(line),
        Some("error") => match line["severity"] == "error" {
            true => StreamItem::Failed(text(line, "/message")),
            false => StreamItem::Noted(text(line, "/message")),
        },
        // Without a message, the reason was printed before.
        Some("result") if line["error"]["message"].is_string() => {
            StreamItem::Failed(text(line, "/error/message"))
        }
        _ => return Vec::new(),
    };
    vec![item]
}

fn returned(line: &Value) -> StreamItem {
    let (output, error) = (output_text(&line["output"]), text(line, "/error/message"));
    StreamItem::CallFinished {
        id: text(line, "/tool_id"),
        ok: line["status"] == "success",
        output: if output.is_empty() { error } else { output },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::item::items_of, *};

    /// Printed by version 0.61.0 in a session with a scripted model, shortened.
    const RECORDED: &str = r#"
{"type":"init","timestamp":"2026-11-28T04:35:36.883Z","session_id":"f359e0cb","model":"m-1"}
{"type":"message","timestamp":"2026-11-28T04:35:36.885Z","role":"user","content":"Do it"}
{"type":"message","timestamp":"2026-11-28T04:35:36.925Z","role":"assistant","content":"Writing ","delta":true}
{"type":"message","timestamp":"2026-11-28T04:35:36.925Z","role":"assistant","content":"it.","delta":true}
{"type":"tool_use","timestamp":"2026-11-28T04:35:36.975Z","tool_name":"run_shell_command","tool_id":"run_shell_command_1","parameters":{"command":"ls","description":"Look"}}
{"type":"tool_result","timestamp":"2026-11-28T04:35:37.075Z","tool_id":"run_shell_command_1","status":"success","output":"a.js"}
{"type":"message","timestamp":"2026-11-28T04:35:37.098Z","role":"assistant","content":"=== TASK DONE: 1 ===\nIt greets.","delta":true}
{"type":"result","timestamp":"2026-11-28T04:35:37.100Z","status":"success","stats":{"total_tokens":250,"input_tokens":200,"output_tokens":40,"cached":80,"input":120,"duration_ms":217,"tool_calls":1}}
"#;

    #[test]
    fn recorded_session_is_read() {
        let found = items_of(RECORDED, items);
        let call = "run_shell_command_1";
        assert_eq!(
            found,
            [
                StreamItem::Session("f359e0cb".into()),
                StreamItem::TextPart("Writing ".into()),
                StreamItem::TextPart("it.".into()),
                StreamItem::CallStarted {
                    id: call.into(),
                    tool: "run_shell_command".into(),
                    input: json!({"command": "ls", "description": "Look"}),
                },
                StreamItem::CallFinished { id: call.into(), ok: true, output: "a.js".into() },
                StreamItem::TextPart("=== TASK DONE: 1 ===\nIt greets.".into()),
            ]
        );
    }

    #[test]
    fn failures_and_warnings_are_read() {
        let line = json!({"type": "tool_result", "tool_id": "c", "status": "error",
            "error": {"type": "TOOL_EXECUTION_ERROR", "message": "denied"}});
        let expected =
            StreamItem::CallFinished { id: "c".into(), ok: false, output: "denied".into() };
        assert_eq!(items(&line), [expected]);
        let line = json!({"type": "error", "severity": "warning", "message": "Loop detected"});
        assert_eq!(items(&line), [StreamItem::Noted("Loop detected".into())]);
        let line = json!({"type": "error", "severity": "error", "message": "Too many turns"});
        assert_eq!(items(&line), [StreamItem::Failed("Too many turns".into())]);
        assert_eq!(items(&json!({"type": "result", "status": "error"})), []);
        let line = json!({"type": "result", "status": "error",
            "error": {"type": "ApiError", "message": "Quota exceeded"}});
        assert_eq!(items(&line), [StreamItem::Failed("Quota exceeded".into())]);
    }
}
