//! Validation of requests to chat completions.

use serde_json::Value;

use crate::{
    faults::{Faults, list, text},
    seen::Seen,
};

/// All faults. `key` is the expected key.
pub(crate) fn check(seen: &Seen, key: Option<&str>) -> Vec<String> {
    let mut faults = Faults::default();
    let json = &seen.json;
    let bearer = key.map(|key| format!("Bearer {key}"));
    faults.unless(seen.header("authorization") == bearer.as_deref(), "not the key was sent");
    let kind = seen.header("content-type");
    faults.unless(kind == Some("application/json"), format!("`content-type` is {kind:?}"));
    faults.unless(!seen.model().is_empty(), "`model` is missing");
    let limits = ["max_tokens", "max_completion_tokens"].map(|name| json[name].as_u64());
    let one_limit = limits.iter().flatten().count() == 1 && !limits.contains(&Some(0));
    faults.unless(one_limit, format!("the limits of the reply are {limits:?}"));
    faults.unless(json["stream"] == true, "`stream` is not true");
    let usage = &json["stream_options"]["include_usage"];
    faults.unless(*usage == true, "`stream_options.include_usage` is not true");
    let marks = json.to_string().matches("\"cache_control\":{").count();
    faults.unless(marks == 0, "there are cache marks, which this API does not have");
    check_tools(&mut faults, json);
    check_messages(&mut faults, seen.messages());
    faults.0
}

fn check_tools(faults: &mut Faults, json: &Value) {
    let tools = list(&json["tools"]);
    faults.unless(json["tools"].is_null() || !tools.is_empty(), "`tools` is empty");
    for tool in tools {
        faults.unless(tool["type"] == "function", format!("a tool is no function: {tool}"));
        let function = &tool["function"];
        faults.check_tool(&function["name"], &function["description"], &function["parameters"]);
    }
    faults.check_once("the tool", tools.iter().map(|tool| text(&tool["function"]["name"])));
}

fn check_messages(faults: &mut Faults, messages: &[Value]) {
    let mut waiting: Vec<&str> = Vec::new();
    let mut results: Vec<&str> = Vec::new();
    let mut last = "";
    for (at, message) in messages.iter().enumerate() {
        let role = text(&message["role"]);
        if role == "tool" {
            results.push(text(&message["tool_call_id"]));
            let has_text = message["content"].is_string();
            faults.unless(has_text, format!("messages.{at}: a result without a text"));
            continue;
        }
        faults.check_answered(at, &waiting, &results);
        let follows = match role {
            "system" => at == 0,
            "user" => last != "user",
            // The model may reply directly to results.
            "assistant" => last == "user" || !results.is_empty(),
            _ => false,
        };
        faults.unless(follows, format!("messages.{at}: `{role}` after `{last}`"));
        waiting = calls(message);
        results.clear();
        check_content(faults, at, message);
        last = role;
    }
    faults.check_answered(messages.len(), &waiting, &results);
    faults.unless(last == "user" || !results.is_empty(), "the last message is not the user's");
    faults.check_once("the call", messages.iter().flat_map(calls));
}

fn check_content(faults: &mut Faults, at: usize, message: &Value) {
    let calls = list(&message["tool_calls"]);
    for call in calls {
        let function = &call["function"];
        // Arguments are sent back unchanged, even if invalid.
        let is_text = function["name"].is_string() && function["arguments"].is_string();
        let holds = call["type"] == "function" && is_text;
        faults.unless(holds, format!("messages.{at}: a wrong call: {call}"));
    }
    let says = !text(&message["content"]).trim().is_empty();
    let has_calls = message["content"].is_null() && !calls.is_empty();
    faults.unless(says || has_calls, format!("messages.{at}: there is no content"));
}

fn calls(message: &Value) -> Vec<&str> {
    list(&message["tool_calls"]).iter().map(|call| text(&call["id"])).collect()
}
