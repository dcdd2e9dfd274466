//! Requests of external agents to models: what is checked and changed before they are passed on.
//! Pure.

use llm::{ModelApi, Price, Usage};
use serde_json::{Map, Value, json};

use domain::budget::CallCost;

/// Bytes per token in the densest texts; the same limit as for the built-in agent.
const MIN_BYTES_PER_TOKEN: u64 = 2;

/// Fields that would let the provider act for the agent, or at another price.
const REMOVED_FIELDS: [&str; 6] =
    ["mcp_servers", "container", "web_search_options", "background", "service_tier", "speed"];
/// Types of tools that the agent's program runs itself. Tools of the provider could reach other
/// hosts.
const CLIENT_TOOLS: [&str; 5] = ["custom", "function", "local_shell", "namespace", "apply_patch"];
const CLIENT_TOOL_PREFIXES: [&str; 3] = ["bash_", "text_editor_", "memory_"];
/// The names of the reply limit in chat completions.
const CHAT_LIMITS: [&str; 2] = ["max_completion_tokens", "max_tokens"];
/// What the Gemini API calls tools of the client.
const GEMINI_FUNCTIONS: &str = "functionDeclarations";
/// The fields of the Gemini API that are passed on, which accepts every name in a second spelling.
const GEMINI_FIELDS: [&str; 6] =
    ["contents", "generationConfig", "safetySettings", "systemInstruction", "toolConfig", "tools"];

/// What requests of one run may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// The only model, whose price is known.
    pub model: String,
    /// The reply limit of requests that have none, and the highest of all.
    pub max_tokens: u32,
}

/// A request that may be passed on.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedRequest {
    pub body: Value,
    /// Maximum tokens of the reply.
    pub max_tokens: u32,
}

/// Why a request is not passed on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RejectedRequest {
    #[error("the body is not a JSON object of this API")]
    Malformed,
    #[error("this build uses the model {expected}; the model {requested} is not available")]
    OtherModel { expected: String, requested: String },
    #[error("only one reply can be requested at a time")]
    SeveralReplies,
    #[error("files must be in the request itself; the provider would fetch {0}")]
    RemoteFile(String),
}

/// Checks a request, removes what it may not use, and limits its reply. `model` is the one that its
/// URL names, if any.
///
/// # Errors
/// If it cannot be passed on.
pub fn check(
    api: ModelApi,
    model: Option<&str>,
    body: &[u8],
    limits: &RequestLimits,
) -> Result<CheckedRequest, RejectedRequest> {
    let mut body: Value = serde_json::from_slice(body).map_err(|_| RejectedRequest::Malformed)?;
    let fields = body.as_object_mut().ok_or(RejectedRequest::Malformed)?;
    let requested = model.or(fields.get("model").and_then(Value::as_str)).unwrap_or_default();
    if requested != limits.model {
        let (expected, requested) = (limits.model.clone(), requested.to_owned());
        return Err(RejectedRequest::OtherModel { expected, requested });
    }
    if let Some(address) = remote_file_in(fields) {
        return Err(RejectedRequest::RemoteFile(address.to_owned()));
    }
    for name in REMOVED_FIELDS {
        fields.remove(name);
    }
    let max_tokens = match api {
        ModelApi::Messages => {
            let max_tokens = limit_reply(fields, "max_tokens", limits);
            limit_thinking(fields, max_tokens);
            max_tokens
        }
        ModelApi::ChatCompletions => {
            is_only_reply(fields.get("n"))?;
            if fields.get("stream") == Some(&Value::Bool(true)) {
                // Otherwise the stream does not say what the reply costs.
                fields.insert("stream_options".to_owned(), json!({ "include_usage": true }));
            }
            let is_set = |name: &&str| fields.get(*name).is_some_and(Value::is_u64);
            let limit = CHAT_LIMITS.into_iter().find(is_set).unwrap_or("max_tokens");
            // Servers differ in which one they observe.
            fields.retain(|name, _| name == limit || !CHAT_LIMITS.contains(&name.as_str()));
            limit_reply(fields, limit, limits)
        }
        ModelApi::Responses => limit_reply(fields, "max_output_tokens", limits),
        ModelApi::Gemini { .. } => {
            fields.retain(|name, _| GEMINI_FIELDS.contains(&name.as_str()));
            let settings = fields.entry("generationConfig").or_insert_with(|| json!({}));
            let settings = settings.as_object_mut().ok_or(RejectedRequest::Malformed)?;
            settings.retain(|name, _| !name.contains('_'));
            is_only_reply(settings.get("candidateCount"))?;
            limit_reply(settings, "maxOutputTokens", limits)
        }
    };
    match (api, fields.get_mut("tools")) {
        (_, None | Some(Value::Null)) => {}
        (ModelApi::Gemini { .. }, Some(Value::Array(tools))) => tools.retain_mut(|tool| {
            let Value::Object(tool) = tool else { return false };
            tool.retain(|kind, _| kind == GEMINI_FUNCTIONS);
            !tool.is_empty()
        }),
        (_, Some(Value::Array(tools))) => tools.retain(is_of_client),
        (_, Some(_)) => return Err(RejectedRequest::Malformed),
    }
    Ok(CheckedRequest { body, max_tokens })
}

fn is_only_reply(count: Option<&Value>) -> Result<(), RejectedRequest> {
    match count {
        Some(count) if *count != 1 => Err(RejectedRequest::SeveralReplies),
        _ => Ok(()),
    }
}

/// Limits the reply in this field, which is set if it is not a number. Returns the limit.
fn limit_reply(fields: &mut Map<String, Value>, name: &str, limits: &RequestLimits) -> u32 {
    let requested = fields.get(name).and_then(Value::as_u64).unwrap_or(u64::MAX);
    let max_tokens = requested.min(u64::from(limits.max_tokens)) as u32;
    fields.insert(name.to_owned(), max_tokens.into());
    max_tokens
}

/// The address of a file that the provider would fetch from another host.
fn remote_file(value: &Value) -> Option<&str> {
    match value {
        Value::Array(values) => values.iter().find_map(remote_file),
        Value::Object(fields) => remote_file_in(fields),
        _ => None,
    }
}

fn remote_file_in(fields: &Map<String, Value>) -> Option<&str> {
    fields.iter().find_map(|(name, value)| {
        let address = match name.as_str() {
            // What tools get and return is the agent's own data.
            "args" | "arguments" | "response" => return None,
            "input" if fields.get("type").is_some_and(|kind| kind == "tool_use") => return None,
            "image_url" | "video_url" | "audio_url" | "file_url" => {
                value.get("url").unwrap_or(value).as_str()
            }
            "source" if value["type"] == "url" => value["url"].as_str(),
            "fileData" | "file_data" => {
                value.get("fileUri").or_else(|| value.get("file_uri")).and_then(Value::as_str)
            }
            _ => None,
        };
        let address = address.filter(|address| !address.starts_with("data:"));
        address.or_else(|| remote_file(value))
    })
}

/// The budget for thinking must be below the reply limit.
fn limit_thinking(fields: &mut Map<String, Value>, max_tokens: u32) {
    let Some(budget) = fields.get_mut("thinking").and_then(|it| it.get_mut("budget_tokens")) else {
        return;
    };
    if budget.as_u64().is_some_and(|budget| budget >= u64::from(max_tokens)) {
        *budget = max_tokens.saturating_sub(1).into();
    }
}

fn is_of_client(tool: &Value) -> bool {
    let Some(kind) = tool.get("type").and_then(Value::as_str) else { return true };
    CLIENT_TOOLS.contains(&kind)
        || CLIENT_TOOL_PREFIXES.iter().any(|prefix| kind.starts_with(prefix))
}

/// The maximum cost of a request with a body of this size.
pub fn max_cost(body_bytes: u64, max_tokens: u32, price: Price) -> CallCost {
    let (prompt, output) = (body_bytes.div_ceil(MIN_BYTES_PER_TOKEN), u64::from(max_tokens));
    // The most expensive case: the whole prompt is uncached, or written to the provider's cache.
    let price = Price { input: price.input.max(price.cache_write), ..price };
    CallCost {
        tokens: prompt.saturating_add(output),
        usd_micros: price.cost_usd_micros(Usage { input: prompt, output, ..Usage::default() }),
    }
}

/// An error in the format of an API, which its clients show.
pub fn error_body(api: ModelApi, status: u16, kind: &str, message: &str) -> Value {
    match api {
        ModelApi::Messages => {
            json!({ "type": "error", "error": { "type": kind, "message": message } })
        }
        ModelApi::ChatCompletions | ModelApi::Responses => {
            json!({ "error": { "message": message, "type": kind, "code": kind, "param": null } })
        }
        ModelApi::Gemini { .. } => {
            json!({ "error": { "code": status, "message": message, "status": kind } })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(api: ModelApi, body: Value) -> Result<CheckedRequest, RejectedRequest> {
        let limits = RequestLimits { model: "m-1".into(), max_tokens: 1_000 };
        let model = matches!(api, ModelApi::Gemini { .. }).then_some("m-1");
        check(api, model, body.to_string().as_bytes(), &limits)
    }

    const GEMINI: ModelApi = ModelApi::Gemini { is_streamed: true };

    #[test]
    fn only_the_model_of_the_build_is_passed_on() {
        let rejected = checked(ModelApi::Messages, json!({"model": "m-2"})).unwrap_err();
        assert!(rejected.to_string().contains("the model m-2 is not available"));
        let rejected = checked(ModelApi::Responses, json!({})).unwrap_err();
        assert!(matches!(rejected, RejectedRequest::OtherModel { .. }));
        assert_eq!(checked(ModelApi::Messages, json!([])), Err(RejectedRequest::Malformed));
        let several = json!({"model": "m-1", "n": 2});
        let rejected = checked(ModelApi::ChatCompletions, several);
        assert_eq!(rejected, Err(RejectedRequest::SeveralReplies));
        let several = json!({"generationConfig": {"candidateCount": 2}});
        assert_eq!(checked(GEMINI, several), Err(RejectedRequest::SeveralReplies));
        let limits = RequestLimits { model: "m-1".into(), max_tokens: 1_000 };
        let rejected = check(GEMINI, Some("m-2"), br#"{"model": "m-1"}"#, &limits).unwrap_err();
        assert!(matches!(rejected, RejectedRequest::OtherModel { .. }));
    }

    #[test]
    fn files_that_the_provider_would_fetch_are_rejected() {
        let address = "https://example.com/a.png";
        let image = json!({"type": "image_url", "image_url": {"url": address}});
        let nested = json!({"type": "tool_result", "content": [
            {"type": "image", "source": {"type": "url", "url": address}}]});
        for (api, field, part) in [
            (ModelApi::ChatCompletions, "messages", image),
            (ModelApi::ChatCompletions, "messages", json!({"video_url": {"url": address}})),
            (ModelApi::Messages, "messages", nested),
            (ModelApi::Responses, "input", json!({"type": "input_image", "image_url": address})),
            (ModelApi::Responses, "input", json!({"type": "input_file", "file_url": address})),
            (GEMINI, "contents", json!({"fileData": {"fileUri": address}})),
            (GEMINI, "contents", json!({"file_data": {"file_uri": address}})),
            (GEMINI, "systemInstruction", json!({"fileData": {"fileUri": address}})),
        ] {
            let body = json!({"model": "m-1", field: [{"content": [part]}]});
            let expected = Err(RejectedRequest::RemoteFile(address.to_owned()));
            assert_eq!(checked(api, body), expected, "{api:?}");
        }
        let data = json!({"source": {"type": "url", "url": address}, "image_url": address});
        for (api, field, part) in [
            (ModelApi::Messages, "messages", json!({"type": "tool_use", "input": data})),
            (ModelApi::ChatCompletions, "messages", json!({"image_url": "data:image/png;base64,"})),
            (GEMINI, "contents", json!({"functionCall": {"name": "f", "args": data}})),
            (GEMINI, "contents", json!({"functionResponse": {"name": "f", "response": data}})),
        ] {
            let body = json!({"model": "m-1", field: [{"content": [part]}]});
            assert!(checked(api, body).is_ok(), "{api:?}");
        }
    }

    #[test]
    fn gemini_request_is_limited_in_either_spelling() {
        let body = json!({
            "contents": [], "cachedContent": "c", "generation_config": {"maxOutputTokens": 9_000},
            "generationConfig": {"max_output_tokens": 9_000, "temperature": 1},
            "tools": [
                {"functionDeclarations": [{"name": "f"}], "urlContext": {}}, {"googleSearch": {}},
                {"google_search": {}}, {"codeExecution": {}},
            ],
        });
        let request = checked(GEMINI, body).unwrap();
        let expected = json!({
            "contents": [], "generationConfig": {"temperature": 1, "maxOutputTokens": 1_000},
            "tools": [{"functionDeclarations": [{"name": "f"}]}],
        });
        assert_eq!((request.body, request.max_tokens), (expected, 1_000));
    }

    #[test]
    fn reply_is_limited_in_the_field_of_each_api() {
        for (api, body, field, expected) in [
            (ModelApi::Messages, json!({"max_tokens": 32_000}), "max_tokens", 1_000),
            (ModelApi::Messages, json!({"max_tokens": 10}), "max_tokens", 10),
            (ModelApi::Messages, json!({"max_tokens": -1}), "max_tokens", 1_000),
            (ModelApi::ChatCompletions, json!({}), "max_tokens", 1_000),
            (
                ModelApi::ChatCompletions,
                json!({"max_completion_tokens": 2_000}),
                "max_completion_tokens",
                1_000,
            ),
            (ModelApi::Responses, json!({}), "max_output_tokens", 1_000),
        ] {
            let mut body = body;
            body["model"] = "m-1".into();
            let request = checked(api, body).unwrap();
            assert_eq!(request.body[field], expected, "{api:?}");
            assert_eq!(request.max_tokens, expected, "{api:?}");
        }
    }

    #[test]
    fn chat_has_one_limit() {
        for (body, field) in [
            (json!({"max_completion_tokens": 10, "max_tokens": 1e6}), "max_completion_tokens"),
            (json!({"max_completion_tokens": 9_000.5, "max_tokens": 10}), "max_tokens"),
            (json!({"max_completion_tokens": "9000"}), "max_tokens"),
        ] {
            let mut body = body;
            body["model"] = "m-1".into();
            let request = checked(ModelApi::ChatCompletions, body).unwrap();
            let limits = CHAT_LIMITS.map(|name| request.body.get(name));
            assert_eq!(limits.iter().flatten().count(), 1, "{limits:?}");
            assert_eq!(request.body[field], request.max_tokens);
        }
    }

    #[test]
    fn tools_that_are_no_list_are_rejected() {
        for api in [ModelApi::Messages, ModelApi::ChatCompletions, ModelApi::Responses, GEMINI] {
            let body = json!({"model": "m-1", "tools": {"googleSearch": {}}});
            assert_eq!(checked(api, body), Err(RejectedRequest::Malformed), "{api:?}");
        }
    }

    #[test]
    fn thinking_stays_below_the_reply_limit() {
        let thinking = json!({"type": "enabled", "budget_tokens": 31_999});
        let body = json!({"model": "m-1", "max_tokens": 32_000, "thinking": thinking});
        let request = checked(ModelApi::Messages, body).unwrap();
        assert_eq!(request.body["thinking"]["budget_tokens"], 999);
    }

    #[test]
    fn tools_of_the_provider_are_removed() {
        let body = json!({
            "model": "m-1", "mcp_servers": [{}], "web_search_options": {}, "service_tier": "fast",
            "tools": [
                {"name": "Write"}, {"type": "custom", "name": "Bash"}, {"type": "function"},
                {"type": "bash_20250124"}, {"type": "web_search_20250305"}, {"type": "web_search"},
                {"type": "code_interpreter"}, {"type": "mcp"}, {"type": "web_fetch_20250910"},
            ],
        });
        let request = checked(ModelApi::Messages, body).unwrap();
        assert_eq!(request.body["tools"].as_array().unwrap().len(), 4);
        for field in ["mcp_servers", "web_search_options", "service_tier"] {
            assert!(request.body.get(field).is_none(), "{field}");
        }
    }

    #[test]
    fn streamed_chat_always_reports_its_usage() {
        let body = json!({"model": "m-1", "stream": true, "stream_options": {}});
        let request = checked(ModelApi::ChatCompletions, body).unwrap();
        assert_eq!(request.body["stream_options"]["include_usage"], true);
    }

    #[test]
    fn cost_is_that_of_the_whole_body_and_the_longest_reply() {
        let cost = max_cost(1_001, 500, Price::FREE);
        assert_eq!((cost.tokens, cost.usd_micros), (1_001, 0));
    }
}
