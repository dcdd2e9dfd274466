//! Requests of external agents to models: what is checked and changed before they are passed on.
//! Pure.

use llm::{ModelApi, Price, Usage};
use serde_json::{Value, json};

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
    #[error("the body is not a JSON object")]
    Malformed,
    #[error("this build uses the model {expected}; the model {requested} is not available")]
    OtherModel { expected: String, requested: String },
    #[error("only one reply can be requested at a time")]
    SeveralReplies,
}

/// Checks a request, removes what it may not use, and limits its reply.
///
/// # Errors
/// If it cannot be passed on.
pub fn check(
    api: ModelApi,
    body: &[u8],
    limits: &RequestLimits,
) -> Result<CheckedRequest, RejectedRequest> {
    let mut body: Value = serde_json::from_slice(body).map_err(|_| RejectedRequest::Malformed)?;
    let fields = body.as_object_mut().ok_or(RejectedRequest::Malformed)?;
    let requested = fields.get("model").and_then(Value::as_str).unwrap_or_default();
    if requested != limits.model {
        let (expected, requested) = (limits.model.clone(), requested.to_owned());
        return Err(RejectedRequest::OtherModel { expected, requested });
    }
    if fields.get("n").is_some_and(|n| *n != 1) {
        return Err(RejectedRequest::SeveralReplies);
    }
    for name in REMOVED_FIELDS {
        fields.remove(name);
    }
    if let Some(Value::Array(tools)) = fields.get_mut("tools") {
        tools.retain(is_of_client);
    }
    let names: &[&str] = match api {
        ModelApi::Messages => &["max_tokens"],
        ModelApi::ChatCompletions => &["max_completion_tokens", "max_tokens"],
        ModelApi::Responses => &["max_output_tokens"],
    };
    let named = names.iter().find(|name| fields.get(**name).is_some_and(Value::is_u64));
    let requested = named.and_then(|name| fields[*name].as_u64());
    let max_tokens = requested.unwrap_or(u64::MAX).min(u64::from(limits.max_tokens)) as u32;
    match (named, names) {
        (Some(name), _) | (None, [.., name]) => {
            fields.insert((*name).to_owned(), max_tokens.into());
        }
        (None, []) => {}
    }
    if api == ModelApi::Messages {
        limit_thinking(fields, max_tokens);
    }
    if api == ModelApi::ChatCompletions && fields.get("stream") == Some(&Value::Bool(true)) {
        // Otherwise the stream does not say what the reply costs.
        fields.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    Ok(CheckedRequest { body, max_tokens })
}

/// The budget for thinking must be below the reply limit.
fn limit_thinking(fields: &mut serde_json::Map<String, Value>, max_tokens: u32) {
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
pub fn error_body(api: ModelApi, kind: &str, message: &str) -> Value {
    match api {
        ModelApi::Messages => {
            json!({ "type": "error", "error": { "type": kind, "message": message } })
        }
        ModelApi::ChatCompletions | ModelApi::Responses => {
            json!({ "error": { "message": message, "type": kind, "code": kind, "param": null } })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(api: ModelApi, body: Value) -> Result<CheckedRequest, RejectedRequest> {
        let limits = RequestLimits { model: "m-1".into(), max_tokens: 1_000 };
        check(api, body.to_string().as_bytes(), &limits)
    }

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
