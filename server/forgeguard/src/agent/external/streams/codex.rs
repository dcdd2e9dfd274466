//! Codex's `exec --json`.

use serde_json::{Value, json};

use super::item::{StreamItem, output_text, text};

pub(super) fn items(line: &Value) -> Vec<StreamItem> {
    let item = &line["item"];
    match line["type"].as_str() {
        Some("thread.started") => vec![StreamItem::Session(text(line, "/thread_id"))],
        Some("item.started") => started(item).into_iter().collect(),
        Some("item.completed") => completed(item),
        Some("turn.failed") => vec![StreamItem::Failed(text(line, "/error/message"))],
        // Codex retries after some errors, and then completes its turn.
        Some("error") => vec![StreamItem::Noted(text(line, "/message"))],
        _ => Vec::new(),
    }
}

/// Files are reported only when they are changed.
fn started(item: &Value) -> Option<StreamItem> {
    let (tool, input) = call(item)?;
    (tool != "file_change").then(|| StreamItem::CallStarted { id: text(item, "/id"), tool, input })
}

fn completed(item: &Value) -> Vec<StreamItem> {
    if item["type"] == "agent_message" {
        let said = text(item, "/text");
        return vec![StreamItem::Text(said.clone()), StreamItem::Finished(said)];
    }
    if item["type"] == "error" {
        return vec![StreamItem::Noted(text(item, "/message"))];
    }
    let Some((tool, input)) = call(item) else { return Vec::new() };
    let id = text(item, "/id");
    let ok = item["status"] == "completed" && item["exit_code"].as_i64().is_none_or(|it| it == 0);
    let output = match tool.as_str() {
        "command_execution" => text(item, "/aggregated_output"),
        "file_change" => text(item, "/status"),
        _ => output_text(item.pointer("/result/content").unwrap_or(&Value::Null)),
    };
    let finished = StreamItem::CallFinished { id: id.clone(), ok, output };
    match tool.as_str() {
        "file_change" => vec![StreamItem::CallStarted { id, tool, input }, finished],
        _ => vec![finished],
    }
}

/// The tool and the input of an item that is a call.
fn call(item: &Value) -> Option<(String, Value)> {
    let kind = item["type"].as_str()?;
    let input = match kind {
        "command_execution" => json!({ "command": item["command"] }),
        "file_change" => json!({ "changes": item["changes"] }),
        "mcp_tool_call" => {
            let name = format!("{}.{}", text(item, "/server"), text(item, "/tool"));
            return Some((name, item["arguments"].clone()));
        }
        _ => return None,
    };
    Some((kind.to_owned(), input))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::item::items_of, *};

    /// Printed by version 0.169.0 in a session with a scripted model, shortened.
    const RECORDED: &str = r#"
{"type":"thread.started","thread_id":"01a213f8-77e9-7df1-b001-bffa6d50f83c"}
{"type":"turn.started"}
{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"/bin/bash -lc 'echo hi > hello.txt'","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"/bin/bash -lc 'echo hi > hello.txt'","aggregated_output":"","exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"=== TASK DONE: 1 ===\nDone."}}
{"type":"turn.completed","usage":{"input_tokens":200,"cached_input_tokens":20,"cache_write_input_tokens":0,"output_tokens":40,"reasoning_output_tokens":0}}
"#;

    #[test]
    fn recorded_session_is_read() {
        let found = items_of(RECORDED, items);
        let last = "=== TASK DONE: 1 ===\nDone.";
        assert_eq!(
            found,
            [
                StreamItem::Session("01a213f8-77e9-7df1-b001-bffa6d50f83c".into()),
                StreamItem::CallStarted {
                    id: "item_0".into(),
                    tool: "command_execution".into(),
                    input: json!({"command": "/bin/bash -lc 'echo hi > hello.txt'"}),
                },
                StreamItem::CallFinished { id: "item_0".into(), ok: true, output: String::new() },
                StreamItem::Text(last.into()),
                StreamItem::Finished(last.into()),
            ]
        );
    }

    #[test]
    fn failures_and_file_changes_are_read() {
        let failed = json!({"type": "turn.failed", "error": {"message": "402 Payment Required"}});
        let found = items(&failed);
        assert_eq!(found, [StreamItem::Failed("402 Payment Required".into())]);
        let retried = json!({"type": "error", "message": "Reconnecting... 1/5"});
        let found = items(&retried);
        assert_eq!(found, [StreamItem::Noted("Reconnecting... 1/5".into())]);
        let command = json!({"type": "item.completed", "item": {
            "id": "i", "type": "command_execution", "command": "false",
            "aggregated_output": "no", "exit_code": 1, "status": "failed",
        }});
        let found = items(&command);
        let expected = StreamItem::CallFinished { id: "i".into(), ok: false, output: "no".into() };
        assert_eq!(found, [expected]);
        let change = json!({"type": "item.completed", "item": {
            "id": "i", "type": "file_change", "status": "completed",
            "changes": [{"path": "a.js", "kind": "add"}],
        }});
        let [StreamItem::CallStarted { tool, input, .. }, StreamItem::CallFinished { ok, .. }] =
            &items(&change)[..]
        else {
            panic!("a call and its result");
        };
        assert_eq!((tool.as_str(), &input["changes"][0]["path"]), ("file_change", &json!("a.js")));
        assert!(ok);
    }
}
