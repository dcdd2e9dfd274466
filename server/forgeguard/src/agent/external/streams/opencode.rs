//! opencode's `run --format json`.

use serde_json::Value;

use super::item::{StreamItem, output_text, text};

pub(super) fn items(line: &Value) -> Vec<StreamItem> {
    let part = &line["part"];
    match line["type"].as_str() {
        Some("step_start") => vec![StreamItem::Session(text(line, "/sessionID"))],
        Some("text") => {
            let said = text(part, "/text");
            vec![StreamItem::Text(said.clone()), StreamItem::Finished(said)]
        }
        Some("tool_use") => call(part),
        Some("error") => vec![StreamItem::Failed(failure(&line["error"]))],
        _ => Vec::new(),
    }
}

/// Calls are reported when they have finished.
fn call(part: &Value) -> Vec<StreamItem> {
    let (id, state) = (text(part, "/callID"), &part["state"]);
    let ok = state["status"] == "completed";
    let output = output_text(if ok { &state["output"] } else { &state["error"] });
    let (tool, input) = (text(part, "/tool"), state["input"].clone());
    let started = StreamItem::CallStarted { id: id.clone(), tool, input };
    vec![started, StreamItem::CallFinished { id, ok, output }]
}

fn failure(error: &Value) -> String {
    let message = text(error, "/data/message");
    if message.is_empty() { text(error, "/name") } else { message }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::item::items_of, *};

    /// Printed by version 1.18.33 in a session with a scripted model, shortened.
    const RECORDED: &str = r#"
{"type":"step_start","timestamp":1795631408685,"sessionID":"ses_dec0","part":{"id":"prt_1","messageID":"msg_1","sessionID":"ses_dec0","snapshot":"7a28","type":"step-start"}}
{"type":"tool_use","timestamp":1795631408685,"sessionID":"ses_dec0","part":{"type":"tool","tool":"write","callID":"call_1","state":{"status":"completed","input":{"filePath":"/work/hello2.txt","content":"hi\n"},"output":"Wrote file successfully.","metadata":{"diagnostics":{},"filepath":"/work/hello2.txt","exists":false,"truncated":false},"title":"hello2.txt","time":{"start":1795631408606,"end":1795631408659}},"id":"prt_2","sessionID":"ses_dec0","messageID":"msg_1"}}
{"type":"step_finish","timestamp":1795631409349,"sessionID":"ses_dec0","part":{"id":"prt_3","reason":"tool-calls","messageID":"msg_1","sessionID":"ses_dec0","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}}
{"type":"text","timestamp":1795631410215,"sessionID":"ses_dec0","part":{"id":"prt_4","messageID":"msg_2","sessionID":"ses_dec0","type":"text","text":"=== TASK DONE: 1 ===\nDone.","time":{"start":1795631410189,"end":1795631410204}}}
{"type":"step_finish","timestamp":1795631410729,"sessionID":"ses_dec0","part":{"id":"prt_5","reason":"stop","messageID":"msg_2","sessionID":"ses_dec0","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}}
"#;

    #[test]
    fn recorded_session_is_read() {
        let found = items_of(RECORDED, items);
        let last = "=== TASK DONE: 1 ===\nDone.";
        assert_eq!(
            found,
            [
                StreamItem::Session("ses_dec0".into()),
                StreamItem::CallStarted {
                    id: "call_1".into(),
                    tool: "write".into(),
                    input: json!({"filePath": "/work/hello2.txt", "content": "hi\n"}),
                },
                StreamItem::CallFinished {
                    id: "call_1".into(),
                    ok: true,
                    output: "Wrote file successfully.".into(),
                },
                StreamItem::Text(last.into()),
                StreamItem::Finished(last.into()),
            ]
        );
    }

    #[test]
    fn failed_call_and_error_are_read() {
        let call = json!({"type": "tool_use", "part": {"tool": "bash", "callID": "c",
            "state": {"status": "error", "input": {}, "error": "denied"}}});
        let found = items(&call);
        let expected =
            StreamItem::CallFinished { id: "c".into(), ok: false, output: "denied".into() };
        assert_eq!(found.last(), Some(&expected));
        let error = json!({"type": "error",
            "error": {"name": "APIError", "data": {"message": "Insufficient quota"}}});
        let found = items(&error);
        assert_eq!(found, [StreamItem::Failed("Insufficient quota".into())]);
    }
}
