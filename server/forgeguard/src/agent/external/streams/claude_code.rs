//! Claude Code's `--output-format stream-json`.

use serde_json::Value;

use super::item::{StreamItem, output_text, text};

pub(super) fn items(line: &Value) -> Vec<StreamItem> {
    match line["type"].as_str() {
        Some("system") if line["subtype"] == "init" => begun(line),
        Some("assistant") => blocks(line).filter_map(said).collect(),
        Some("user") => blocks(line).filter_map(returned).collect(),
        Some("result") => result(line),
        _ => Vec::new(),
    }
}

fn blocks(line: &Value) -> impl Iterator<Item = &Value> {
    line.pointer("/message/content").and_then(Value::as_array).into_iter().flatten()
}

fn said(block: &Value) -> Option<StreamItem> {
    match block["type"].as_str()? {
        "text" => Some(StreamItem::Text(text(block, "/text"))),
        "tool_use" => Some(StreamItem::CallStarted {
            id: text(block, "/id"),
            tool: text(block, "/name"),
            input: block["input"].clone(),
        }),
        _ => None,
    }
}

fn returned(block: &Value) -> Option<StreamItem> {
    (block["type"] == "tool_result").then(|| StreamItem::CallFinished {
        id: text(block, "/tool_use_id"),
        ok: block["is_error"] != true,
        output: output_text(&block["content"]),
    })
}

/// The session, and MCP servers that the agent was configured with and that it could not connect to.
fn begun(line: &Value) -> Vec<StreamItem> {
    let session = line["session_id"].as_str().map(|id| StreamItem::Session(id.to_owned()));
    let servers = line["mcp_servers"].as_array().into_iter().flatten();
    let failed = servers.filter(|server| server["status"] != "connected").map(|server| {
        let (name, status) = (text(server, "/name"), text(server, "/status"));
        StreamItem::Noted(format!("the MCP server {name} is not connected: {status}"))
    });
    session.into_iter().chain(failed).collect()
}

/// `subtype` is `success` even if the API failed or tools were denied.
fn result(line: &Value) -> Vec<StreamItem> {
    let denials = line["permission_denials"].as_array().into_iter().flatten();
    let denied: Vec<String> = denials.map(|denial| text(denial, "/tool_name")).collect();
    let mut items = Vec::new();
    if !denied.is_empty() {
        items.push(StreamItem::Noted(format!("calls were denied: {}", denied.join(", "))));
    }
    let (said, subtype) = (text(line, "/result"), text(line, "/subtype"));
    let failed = line["is_error"] == true || subtype.starts_with("error");
    items.push(match (failed, said.is_empty()) {
        (false, _) => StreamItem::Finished(said),
        (true, false) => StreamItem::Failed(said),
        (true, true) => StreamItem::Failed(subtype),
    });
    items
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::item::items_of, *};

    /// Printed by version 2.1.197 in a session with a scripted model, shortened.
    const RECORDED: &str = r#"
{"type":"system","subtype":"init","cwd":"/work","session_id":"7bc0622a","tools":["Task","Bash","Write"],"mcp_servers":[],"model":"claude-sonnet-4-5","permissionMode":"bypassPermissions","apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.197"}
{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"Writing the file."}],"stop_reason":null,"usage":{"input_tokens":100,"output_tokens":1},"context_management":null},"parent_tool_use_id":null,"session_id":"7bc0622a","uuid":"55ad9b91"}
{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"toolu_1","name":"Write","input":{"file_path":"/work/hello.txt","content":"hi\n"}}],"stop_reason":null,"usage":{"input_tokens":100,"output_tokens":1},"context_management":null},"parent_tool_use_id":null,"session_id":"7bc0622a","uuid":"a3ad596f"}
{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"File created successfully at: /work/hello.txt (file state is current in your context — no need to Read it back)"}]},"parent_tool_use_id":null,"session_id":"7bc0622a","uuid":"0549f5f5","timestamp":"2026-11-25T18:21:32.246Z","tool_use_result":{"type":"create","filePath":"/work/hello.txt","content":"hi\n"}}
{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"=== TASK DONE: 1 ===\nDone."}],"stop_reason":null},"parent_tool_use_id":null,"session_id":"7bc0622a","uuid":"df0543af"}
{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"duration_ms":200,"num_turns":2,"result":"=== TASK DONE: 1 ===\nDone.","stop_reason":"end_turn","session_id":"7bc0622a","total_cost_usd":0.0012,"usage":{"input_tokens":200,"output_tokens":40},"permission_denials":[],"terminal_reason":"completed","uuid":"9c0e1733"}
"#;

    #[test]
    fn recorded_session_is_read() {
        let found = items_of(RECORDED, items);
        let last = "=== TASK DONE: 1 ===\nDone.";
        assert_eq!(
            found,
            [
                StreamItem::Session("7bc0622a".into()),
                StreamItem::Text("Writing the file.".into()),
                StreamItem::CallStarted {
                    id: "toolu_1".into(),
                    tool: "Write".into(),
                    input: json!({"file_path": "/work/hello.txt", "content": "hi\n"}),
                },
                StreamItem::CallFinished {
                    id: "toolu_1".into(),
                    ok: true,
                    output: "File created successfully at: /work/hello.txt (file state is current \
                        in your context — no need to Read it back)"
                        .into(),
                },
                StreamItem::Text(last.into()),
                StreamItem::Finished(last.into()),
            ]
        );
    }

    #[test]
    fn success_with_an_error_is_a_failure_and_denials_are_noted() {
        let line = json!({
            "type": "result", "subtype": "success", "is_error": true,
            "result": "API Error: 402", "permission_denials": [{"tool_name": "Write"}],
        });
        assert_eq!(
            items(&line),
            [
                StreamItem::Noted("calls were denied: Write".into()),
                StreamItem::Failed("API Error: 402".into())
            ]
        );
        let line = json!({"type": "result", "subtype": "error_max_turns", "is_error": false});
        let found = items(&line);
        assert_eq!(found, [StreamItem::Failed("error_max_turns".into())]);
    }

    #[test]
    fn failed_call_and_unconnected_server_are_reported() {
        let line = json!({"type": "user", "message": {"content": [{
            "type": "tool_result", "tool_use_id": "t", "is_error": true,
            "content": [{"type": "text", "text": "no"}, {"type": "text", "text": "such file"}],
        }]}});
        let expected =
            StreamItem::CallFinished { id: "t".into(), ok: false, output: "no\nsuch file".into() };
        assert_eq!(items(&line), [expected]);
        let line = json!({"type": "system", "subtype": "init", "mcp_servers": [
            {"name": "forge", "status": "failed"}, {"name": "other", "status": "connected"},
        ]});
        let expected = StreamItem::Noted("the MCP server forge is not connected: failed".into());
        assert_eq!(items(&line), [expected]);
    }
}
