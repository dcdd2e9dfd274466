//! What a provider's refusal means, by its status and by its words.

use std::time::Duration;

use serde_json::Value;

use crate::{api_key::ApiKey, error::ModelError};

/// The most of a provider's message that is passed on, in characters.
const LONGEST_MESSAGE: usize = 500;

/// Who was asked for what: all that an error has to name, and the key that it must not.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) provider: &'static str,
    pub(crate) variable: &'static str,
    pub(crate) model: String,
    pub(crate) key: Option<ApiKey>,
}

/// A refusal: an answer that is no reply, or an error in the middle of one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure {
    status: Option<u16>,
    /// The provider's own names of the case, in lower case.
    kinds: Vec<String>,
    message: String,
    retry_after: Option<Duration>,
}

/// Names and phrases of one case. Providers agree on neither, so these are all that are known.
struct Words {
    kinds: &'static [&'static str],
    phrases: &'static [&'static str],
}

const QUOTA_GONE: Words = Words {
    kinds: &["insufficient_quota", "billing_error", "billing_hard_limit_reached"],
    phrases: &["credit balance", "insufficient balance", "insufficient credit"],
};
const TOO_LONG: Words = Words {
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
const UNKNOWN_MODEL: Words =
    Words { kinds: &["model_not_found", "not_found_error"], phrases: &["model_not_found"] };
const BAD_KEY: Words =
    Words { kinds: &["authentication_error", "permission_error", "invalid_api_key"], phrases: &[] };
const RATE_LIMITED: Words =
    Words { kinds: &["rate_limit_error", "rate_limit_exceeded"], phrases: &[] };
const OVERLOADED: Words =
    Words { kinds: &["overloaded_error", "server_overloaded", "engine_overloaded"], phrases: &[] };
const UNREACHABLE: Words = Words {
    kinds: &["api_error", "server_error", "internal_server_error", "timeout_error"],
    phrases: &[],
};

impl Failure {
    /// An answer with this status and body.
    pub(crate) fn of_answer(status: u16, body: &str, retry_after: Option<Duration>) -> Self {
        let told = match serde_json::from_str::<Value>(body) {
            Ok(body) => Self::of_event(body.get("error").unwrap_or(&body)),
            Err(_) => Self { message: body.trim().to_owned(), ..Self::default() },
        };
        Self { status: Some(status), retry_after, ..told }
    }

    /// What stands below `error`: an object as the providers write it, or a mere text.
    pub(crate) fn of_event(error: &Value) -> Self {
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

    /// The case. What the words say goes before the status, which some use for several cases.
    pub(crate) fn into_error(self, asked: &Asked) -> ModelError {
        let provider = || asked.provider.to_owned();
        let retry_after = self.retry_after;
        // A server's fault may quote anything, so there the status decides.
        let is_ours = self.status.is_none_or(|status| status < 500);
        if self.has(&[402]) || (is_ours && self.says(&QUOTA_GONE)) {
            return ModelError::QuotaGone { provider: provider() };
        }
        if self.has(&[429]) || self.says(&RATE_LIMITED) {
            return ModelError::RateLimited { retry_after };
        }
        if self.has(&[413]) || (is_ours && self.says(&TOO_LONG)) {
            return ModelError::TooLong;
        }
        if self.has(&[401, 403]) || self.says(&BAD_KEY) {
            let variable = asked.variable.to_owned();
            return ModelError::BadKey { provider: provider(), variable };
        }
        if self.has(&[404]) || (is_ours && self.says(&UNKNOWN_MODEL)) {
            let model = asked.model.clone();
            return ModelError::UnknownModel { provider: provider(), model };
        }
        if self.has(&[503, 529]) || self.says(&OVERLOADED) {
            return ModelError::Overloaded { retry_after };
        }
        let reason = self.reason(asked);
        if !is_ours || self.has(&[408]) || self.says(&UNREACHABLE) {
            return ModelError::Unreachable { reason };
        }
        match self.status {
            Some(200..300) => ModelError::Malformed { reason: format!("no stream: {reason}") },
            Some(300..400) => ModelError::Refused {
                reason: format!("{reason}: it wants to be asked elsewhere, check the base URL"),
            },
            _ => ModelError::Refused { reason },
        }
    }

    fn has(&self, statuses: &[u16]) -> bool {
        self.status.is_some_and(|status| statuses.contains(&status))
    }

    fn says(&self, words: &Words) -> bool {
        let message = lower(&self.message);
        self.kinds.iter().any(|kind| words.kinds.contains(&kind.as_str()))
            || words.phrases.iter().any(|phrase| message.contains(phrase))
    }

    /// Status and message, for a person.
    fn reason(&self, asked: &Asked) -> String {
        let message = readable(&self.message, asked.key.as_ref());
        match self.status {
            Some(status) if message.is_empty() => format!("status {status}"),
            Some(status) => format!("status {status}, {message}"),
            None => message,
        }
    }
}

/// A text from outside, safe to show: without the key, and not longer than a person reads.
pub(crate) fn readable(text: &str, key: Option<&ApiKey>) -> String {
    let text = key.map_or_else(|| text.to_owned(), |key| key.redact(text));
    match text.char_indices().nth(LONGEST_MESSAGE) {
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

    fn asked() -> Asked {
        Asked {
            provider: "acme",
            variable: "ACME_KEY",
            model: "m".into(),
            key: Some(ApiKey::new("sk-1")),
        }
    }

    fn of(status: u16, body: &str) -> ModelError {
        Failure::of_answer(status, body, Some(Duration::from_secs(3))).into_error(&asked())
    }

    fn named(error: &ModelError) -> String {
        let debug = format!("{error:?}");
        debug.split([' ', '{']).next().unwrap().to_owned()
    }

    #[test]
    fn every_status_and_body_has_its_case() {
        let anthropic = |kind: &str, message: &str| {
            json!({"type": "error", "error": {"type": kind, "message": message}}).to_string()
        };
        let openai = |code: &str, message: &str| {
            json!({"error": {"message": message, "type": "t", "code": code}}).to_string()
        };
        let refused = "invalid_request_error";
        for (status, body, case) in [
            (401, anthropic("authentication_error", "invalid x-api-key"), "BadKey"),
            (403, anthropic("permission_error", "no"), "BadKey"),
            (400, anthropic(refused, "Your credit balance is too low"), "QuotaGone"),
            (402, String::new(), "QuotaGone"),
            (429, openai("insufficient_quota", "You exceeded your quota"), "QuotaGone"),
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
            (422, json!({"error": "wrong"}).to_string(), "Refused"),
            (307, String::new(), "Refused"),
            (200, String::from("<html>welcome</html>"), "Malformed"),
            (200, openai("insufficient_quota", "x"), "QuotaGone"),
        ] {
            assert_eq!(named(&of(status, &body)), case, "{status} {body}");
        }
        let wait = Some(Duration::from_secs(3));
        assert_eq!([of(429, ""), of(503, "")].map(|error| error.retry_after()), [wait, wait]);
    }

    #[test]
    fn an_error_in_the_stream_goes_by_its_words_or_its_code() {
        for (error, case) in [
            (json!({"type": "overloaded_error", "message": "Overloaded"}), "Overloaded"),
            (json!({"type": "api_error", "message": "x"}), "Unreachable"),
            (json!({"type": "rate_limit_error", "message": "x"}), "RateLimited"),
            (json!({"type": "invalid_request_error", "message": "x"}), "Refused"),
            (json!({"code": 502, "message": "x"}), "Unreachable"),
            (json!({"code": 429, "message": "x"}), "RateLimited"),
            (json!("what happened"), "Refused"),
        ] {
            assert_eq!(named(&Failure::of_event(&error).into_error(&asked())), case, "{error}");
        }
    }

    #[test]
    fn a_reason_is_short_and_holds_no_key() {
        let body = json!({"error": {"message": format!("sk-1 {}", "ä".repeat(9_000))}});
        let shown = of(400, &body.to_string()).to_string();
        assert!(shown.contains("status 400, *** ää") && !shown.contains("sk-1"), "{shown}");
        assert!(shown.chars().count() < 700, "{shown}");
        assert!(of(401, "").to_string().contains("ACME_KEY"));
        assert!(of(404, "").to_string().contains("`m`"));
    }
}
