//! Validation of requests to the Messages API, including cache breakpoints.

use serde_json::{Value, json};

use crate::{
    faults::{Faults, list, text},
    seen::Seen,
};

/// All faults. `key` is the expected key, `thinking` all signed blocks.
pub(crate) fn check(seen: &Seen, key: Option<&str>, thinking: &[Value]) -> Vec<String> {
    let mut faults = Faults::default();
    check_headers(&mut faults, seen, key);
    let json = &seen.json;
    faults.unless(!seen.model().is_empty(), "`model` is missing");
    faults.unless(json["max_tokens"].as_u64() > Some(0), "`max_tokens` is not above 0");
    faults.unless(json["stream"] == true, "`stream` is not true");
    check_marks(&mut faults, json);
    check_tools(&mut faults, list(&json["tools"]));
    for block in list(&json["system"]) {
        check_block(&mut faults, 0, "system", block, thinking);
    }
    check_messages(&mut faults, seen.messages(), thinking);
    faults.0
}

fn check_headers(faults: &mut Faults, seen: &Seen, key: Option<&str>) {
    faults.unless(seen.header("x-api-key") == key, "`x-api-key` is not the key");
    let version = seen.header("anthropic-version");
    faults.unless(version == Some("2023-06-01"), format!("`anthropic-version` is {version:?}"));
    let kind = seen.header("content-type");
    faults.unless(kind == Some("application/json"), format!("`content-type` is {kind:?}"));
    faults.unless(seen.header("authorization").is_none(), "`authorization` is sent too");
}

/// Cache breakpoints must be at the ends of system, tools and conversation only.
fn check_marks(faults: &mut Faults, json: &Value) {
    let ephemeral = json!({"type": "ephemeral"});
    let messages = list(&json["messages"]);
    let last_blocks = messages.last().map_or(&Value::Null, |message| &message["content"]);
    let mut marked = 0;
    for (place, blocks) in
        [("system", &json["system"]), ("tools", &json["tools"]), ("the last message", last_blocks)]
    {
        if let Some(last) = list(blocks).last() {
            let is_marked = last["cache_control"] == ephemeral;
            faults.unless(is_marked, format!("the end of {place} has no cache mark"));
            marked += usize::from(is_marked);
        }
    }
    let all = json.to_string().matches("\"cache_control\":{").count();
    faults.unless(all <= 4, format!("{all} cache marks, and 4 are allowed"));
    faults.unless(all == marked, format!("{} cache marks where none belongs", all - marked));
}

fn check_tools(faults: &mut Faults, tools: &[Value]) {
    for tool in tools {
        faults.check_tool(&tool["name"], &tool["description"], &tool["input_schema"]);
    }
    faults.check_once("the tool", tools.iter().map(|tool| text(&tool["name"])));
}

fn check_messages(faults: &mut Faults, messages: &[Value], thinking: &[Value]) {
    faults.unless(!messages.is_empty(), "there are no messages");
    for (at, message) in messages.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        faults.unless(message["role"] == role, format!("messages.{at}: the role is not {role}"));
        let content = list(&message["content"]);
        faults.unless(!content.is_empty(), format!("messages.{at}: there is no content"));
        for block in content {
            check_block(faults, at, role, block, thinking);
        }
        let is_result = |block: &Value| block["type"] == "tool_result";
        let results_first = content.is_sorted_by_key(|block| !is_result(block));
        faults.unless(results_first, format!("messages.{at}: results come after other blocks"));
        let before = at.checked_sub(1).map_or(&Value::Null, |before| &messages[before]["content"]);
        let (calls, results) = (ids(before, "tool_use", "id"), results_of(content));
        faults.check_answered(at, &calls, &results);
    }
    let last = messages.last().map_or("", |message| text(&message["role"]));
    faults.unless(last == "user", "the last message is not the user's");
    let calls = messages.iter().flat_map(|message| ids(&message["content"], "tool_use", "id"));
    faults.check_once("the call", calls);
}

fn check_block(faults: &mut Faults, at: usize, role: &str, block: &Value, thinking: &[Value]) {
    let kind = text(&block["type"]);
    let holds = match (role, kind) {
        (_, "text") => !text(&block["text"]).trim().is_empty(),
        ("user", "tool_result") => block["content"].is_null() || block["content"].is_string(),
        ("assistant", "tool_use") => block["input"].is_object() && block["name"].is_string(),
        ("assistant", "thinking") => thinking.contains(block),
        _ => false,
    };
    faults.unless(holds, format!("messages.{at}: a wrong block of {role}: {block}"));
}

fn results_of(content: &[Value]) -> Vec<&str> {
    let results = content.iter().filter(|block| block["type"] == "tool_result");
    results.map(|block| text(&block["tool_use_id"])).collect()
}

fn ids<'a>(content: &'a Value, kind: &str, name: &str) -> Vec<&'a str> {
    let blocks = list(content).iter().filter(|block| block["type"] == kind);
    blocks.map(|block| text(&block[name])).collect()
}
