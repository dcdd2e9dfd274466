//! Maps a provider's error responses to error cases, by status, code and message.

use std::time::Duration;

use serde_json::Value;

use crate::{api_key::ApiKey, error::ModelError};

/// Length to which a provider's message is truncated, in characters.
const MAX_MESSAGE_CHARS: usize = 500;

/// Context of a request for error messages, and the key, which they must not contain.
#[derive(Clone, Debug)]
pub(crate) struct RequestContext {
    pub(crate) provider: &'static str,
    pub(crate) variable: &'static str,
    pub(crate) model: String,
    pub(crate) key: Option<ApiKey>,
}

/// An error response, or an error within a stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure {
    status: Option<u16>,
    /// The error's `type` and `code`, in lower case.
    kinds: Vec<String>,
    message: String,
    retry_after: Option<Duration>,
}

/// Error codes and message phrases of one case, from all known providers.
struct Indicators {
    kinds: &'static [&'static str],
    phrases: &'static [&'static str],
}

const QUOTA_EXCEEDED: Indicators = Indicators {
    kinds: &["insufficient_quota", "billing_error", "billing_hard_limit_reached"],
    phrases: &["credit balance", "insufficient balance", "insufficient credit"],
};
const TOO_LONG: Indicators = Indicators {
    kinds: &["context_length_exceeded", "request_too_large", "exceed_context_size_error"],
    phrases: &[
        "prompt is too long",
        "input is too long",
        "maximum context length",
        "context length exceeded",
        "context_length_exceeded",
        "exceed context limit",
        "exceeds the context",
        "exceeds the available context",
        "exceeds the model's context",
    ],
};
const UNKNOWN_MODEL: Indicators =
    Indicators { kinds: &["model_not_found", "not_found_error"], phrases: &["model_not_found"] };
const UNSUPPORTED_PARAMETER: Indicators =
    Indicators { kinds: &["unsupported_parameter"], phrases: &["unsupported parameter"] };
const INVALID_KEY: Indicators = Indicators {
    kinds: &["authentication_error", "permission_error", "invalid_api_key"],
    phrases: &[],
};
const RATE_LIMITED: Indicators =
    Indicators { kinds: &["rate_limit_error", "rate_limit_exceeded"], phrases: &[] };
const OVERLOADED: Indicators = Indicators {
    kinds: &["overloaded_error", "server_overloaded", "engine_overloaded"],
    phrases: &[],
};
const UNREACHABLE: Indicators = Indicators {
    kinds: &["api_error", "server_error", "internal_server_error", "timeout_error"],
    phrases: &[],
};

impl Failure {
    /// Parses a response with this status and body.
    pub(crate) fn from_response(status: u16, body: &str, retry_after: Option<Duration>) -> Self {
        let parsed = match serde_json::from_str::<Value>(body) {
            Ok(body) => Self::from_error(body.get("error").unwrap_or(&body)),
            Err(_) => Self { message: body.trim().to_owned(), ..Self::default() },
        };
        Self { status: Some(status), retry_after, ..parsed }
    }

    /// Parses the value of `error`: an object or a text.
    pub(crate) fn from_error(error: &Value) -> Self {
        let text = |name: &str| error.get(name).and_then(Value::as_str);
        let message = text("message").or_else(|| text("detail")).or_else(|| error.as_str());
        let code = error.get("code").and_then(Value::as_u64);
        Self {
            status: code.and_then(|code| u16::try_from(code).ok()),
            kinds: [text("type"), text("code")].into_iter().flatten().map(lower).collect(),
            message: message.map_or_else(|| error.to_string(), str::to_owned),
            retry_after: None,
        }
    }

    /// Classifies the error. Codes and phrases take precedence over the status, which some
    /// providers use for several cases.
    pub(crate) fn into_error(self, context: &RequestContext) -> ModelError {
        let provider = || context.provider.to_owned();
        let retry_after = self.retry_after;
        // Messages of server errors may quote anything, so only their status counts.
        let is_request_fault = self.status.is_none_or(|status| status < 500);
        if self.has(&[402]) || (is_request_fault && self.matches(&QUOTA_EXCEEDED)) {
            return ModelError::QuotaExceeded { provider: provider() };
        }
        if self.has(&[429]) || self.matches(&RATE_LIMITED) {
            return ModelError::RateLimited { retry_after };
        }
        if self.has(&[413]) || (is_request_fault && self.matches(&TOO_LONG)) {
            return ModelError::TooLong;
        }
        if self.has(&[401, 403]) || self.matches(&INVALID_KEY) {
            let variable = context.variable.to_owned();
            return ModelError::InvalidKey { provider: provider(), variable };
        }
        if self.has(&[404]) || (is_request_fault && self.matches(&UNKNOWN_MODEL)) {
            let (model, explanation) = (context.model.clone(), self.reason(context));
            return ModelError::UnknownModel { provider: provider(), model, explanation };
        }
        if self.has(&[503, 529]) || self.matches(&OVERLOADED) {
            return ModelError::Overloaded { retry_after };
        }
        let reason = self.reason(context);
        if !is_request_fault || self.has(&[408]) || self.matches(&UNREACHABLE) {
            return ModelError::Unreachable { reason };
        }
        match self.status {
            Some(200..300) => {
                ModelError::Malformed { reason: format!("not an event stream: {reason}") }
            }
            Some(300..400) => ModelError::Refused {
                reason: format!("{reason}: the server redirects, check the base URL"),
            },
            _ if self.matches(&UNSUPPORTED_PARAMETER) => {
                ModelError::UnsupportedParameter { reason }
            }
            _ => ModelError::Refused { reason },
        }
    }

    fn has(&self, statuses: &[u16]) -> bool {
        self.status.is_some_and(|status| statuses.contains(&status))
    }

    fn matches(&self, words: &Indicators) -> bool {
        let message = lower(&self.message);
        self.kinds.iter().any(|kind| words.kinds.contains(&kind.as_str()))
            || words.phrases.iter().any(|phrase| message.contains(phrase))
    }

    /// Status and message.
    fn reason(&self, context: &RequestContext) -> String {
        let message = sanitize(&self.message, context.key.as_ref());
        match self.status {
            Some(status) if message.is_empty() => format!("status {status}"),
            Some(status) => format!("status {status}, {message}"),
            None => message,
        }
    }
}

/// Makes an external text safe to show: without the key, and truncated.
pub(crate) fn sanitize(text: &str, key: Option<&ApiKey>) -> String {
    let text = key.map_or_else(|| text.to_owned(), |key| key.redact(text));
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn lower(text: &str) -> String {
    text.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn context() -> RequestContext {
        RequestContext {
            provider: "acme",
            variable: "ACME_KEY",
            model: "m".into(),
            key: Some(ApiKey::new("sk-1")),
        }
    }

    fn of(status: u16, body: &str) -> ModelError {
        Failure::from_response(status, body, Some(Duration::from_secs(3))).into_error(&context())
    }

    fn named(error: &ModelError) -> String {
        let debug = format!("{error:?}");
        debug.split([' ', '{']).next().unwrap().to_owned()
    }

    #[test]
    fn status_and_body_determine_the_error_case() {
        let anthropic = |kind: &str, message: &str| {
            json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
        };
        let openai = |code: &str, message: &str| {
            json!({"error": {"message": message, "type": "t", "code": code}}).to_string()
        };
        let refused = "invalid_request_error";
        for (status, body, case) in [
            (401, anthropic("authentication_error", "invalid x-api-key"), "InvalidKey"),
            (403, anthropic("permission_error", "no"), "InvalidKey"),
            (400, anthropic(refused, "Your credit balance is too low"), "QuotaExceeded"),
            (402, String::new(), "QuotaExceeded"),
            (429, openai("insufficient_quota", "You exceeded your quota"), "QuotaExceeded"),
            (429, openai("rate_limit_exceeded", "Request too large"), "RateLimited"),
            (429, String::from("slow down"), "RateLimited"),
            (404, anthropic("not_found_error", "model: m"), "UnknownModel"),
            (404, json!({"detail": "Not Found"}).to_string(), "UnknownModel"),
            (400, openai("model_not_found", "no such model"), "UnknownModel"),
            (413, String::from("<html>"), "TooLong"),
            (400, anthropic(refused, "prompt is too long: 210000 tokens"), "TooLong"),
            (400, openai("context_length_exceeded", "x"), "TooLong"),
            (400, openai("", "This model's maximum context length is 8192 tokens"), "TooLong"),
            (400, json!({"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error"}}).to_string(), "TooLong"),
            (503, String::new(), "Overloaded"),
            (529, anthropic("overloaded_error", "Overloaded"), "Overloaded"),
            (500, anthropic("api_error", "oops"), "Unreachable"),
            (500, openai("", "credit balance of the model_not_found table"), "Unreachable"),
            (502, String::from("<html>bad gateway</html>"), "Unreachable"),
            (504, String::new(), "Unreachable"),
            (524, String::new(), "Unreachable"),
            (408, String::new(), "Unreachable"),
            (400, anthropic(refused, "tools.0: wrong"), "Refused"),
            (400, openai("unsupported_parameter", "'max_tokens' is not"), "UnsupportedParameter"),
            (422, json!({"error": "wrong"}).to_string(), "Refused"),
            (307, String::new(), "Refused"),
            (200, String::from("<html>welcome</html>"), "Malformed"),
            (200, openai("insufficient_quota", "x"), "QuotaExceeded"),
        ] {
            assert_eq!(named(&of(status, &body)), case, "{status} {body}");
        }
        let wait = Some(Duration::from_secs(3));
        assert_eq!([of(429, ""), of(503, "")].map(|error| error.retry_after()), [wait, wait]);
    }

    #[test]
    fn error_in_the_stream_is_classified_by_its_type_or_code() {
        for (error, case) in [
            (json!({"type": "overloaded_error", "message": "Overloaded"}), "Overloaded"),
            (json!({"type": "api_error", "message": "x"}), "Unreachable"),
            (json!({"type": "rate_limit_error", "message": "x"}), "RateLimited"),
            (json!({"type": "invalid_request_error", "message": "x"}), "Refused"),
            (json!({"code": 502, "message": "x"}), "Unreachable"),
            (json!({"code": 429, "message": "x"}), "RateLimited"),
            (json!("what happened"), "Refused"),
        ] {
            assert_eq!(named(&Failure::from_error(&error).into_error(&context())), case, "{error}");
        }
    }

    #[test]
    fn reason_is_truncated_and_contains_no_key() {
        let body = json!({"error": {"message": format!("sk-1 {}", "ä".repeat(9_000))}});
        let shown = of(400, &body.to_string()).to_string();
        assert!(shown.contains("status 400, *** ää") && !shown.contains("sk-1"), "{shown}");
        assert!(shown.chars().count() < 700, "{shown}");
        assert!(of(401, "").to_string().contains("ACME_KEY"));
        let gone =
            of(404, &json!({"error": {"message": "only supported in v1/responses"}}).to_string());
        let shown = gone.to_string();
        assert!(
            shown.contains("`m`") && shown.contains("only supported in v1/responses"),
            "{shown}"
        );
    }
}
