//! Validation of requests to the Responses API.

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
    faults.unless(!seen.model().is_empty(), "`model` is missing");
    faults.unless(json["max_output_tokens"].as_u64() > Some(0), "there is no limit of the reply");
    faults.unless(json["stream"] == true, "`stream` is not true");
    faults.unless(json["store"] == false, "`store` is not false");
    for name in ["messages", "max_tokens", "max_completion_tokens", "stream_options"] {
        faults.unless(json[name].is_null(), format!("`{name}` belongs to chat completions"));
    }
    check_tools(&mut faults, json);
    check_items(&mut faults, list(&json["input"]));
    faults.0
}

fn check_tools(faults: &mut Faults, json: &Value) {
    let tools = list(&json["tools"]);
    faults.unless(json["tools"].is_null() || !tools.is_empty(), "`tools` is empty");
    for tool in tools {
        faults.unless(tool["type"] == "function", format!("a tool is no function: {tool}"));
        faults.check_tool(&tool["name"], &tool["description"], &tool["parameters"]);
    }
    faults.check_once("the tool", tools.iter().map(|tool| text(&tool["name"])));
}

/// Calls must be answered before the next message, and reasoning must precede its item.
fn check_items(faults: &mut Faults, items: &[Value]) {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    let mut after_reasoning = false;
    for (at, item) in items.iter().enumerate() {
        let kind = text(&item["type"]);
        let is_output = kind == "function_call" || item["role"] == "assistant";
        let leads_on = !after_reasoning || is_output || kind == "reasoning";
        faults.unless(leads_on, format!("input.{at}: `{kind}` after reasoning"));
        after_reasoning = kind == "reasoning";
        match kind {
            "function_call" => {
                let arguments = item["arguments"].is_string() && item["name"].is_string();
                faults.unless(arguments, format!("input.{at}: a wrong call: {item}"));
                calls.push(text(&item["call_id"]));
            }
            "function_call_output" => {
                let has_text = item["output"].is_string();
                faults.unless(has_text, format!("input.{at}: a result without a text"));
                results.push(text(&item["call_id"]));
            }
            "reasoning" => {
                let whole = item["encrypted_content"].is_string() && item["id"].is_string();
                faults.unless(whole, format!("input.{at}: reasoning is not whole: {item}"));
            }
            "message" if item["role"] == "user" => {
                faults.check_answered(at, &calls, &results);
                (calls, results) = (Vec::new(), Vec::new());
                check_content(faults, at, item, "input_text");
            }
            "message" => check_content(faults, at, item, "output_text"),
            other => faults.unless(false, format!("input.{at}: an item of type `{other}`")),
        }
    }
    faults.check_answered(items.len(), &calls, &results);
    let last = items.last().map_or("", |item| text(&item["type"]));
    let ends_with_user =
        last == "function_call_output" || items.last().is_some_and(|item| item["role"] == "user");
    faults.unless(ends_with_user, "the last item is not the user's");
}

fn check_content(faults: &mut Faults, at: usize, item: &Value, kind: &str) {
    let parts = list(&item["content"]);
    let holds = !parts.is_empty()
        && parts.iter().all(|part| part["type"] == kind && !text(&part["text"]).trim().is_empty());
    faults.unless(holds, format!("input.{at}: the content is {}", item["content"]));
}
