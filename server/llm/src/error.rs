//! Errors of model calls, and their classification.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Why a call failed. Messages are shown to users and contain no keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The provider is overloaded (503, 529).
    #[error("the model's provider is overloaded")]
    Overloaded { retry_after: Option<Duration> },
    /// Too many requests or tokens per minute (429).
    #[error("the model's provider limits the rate of requests")]
    RateLimited { retry_after: Option<Duration> },
    /// No connection, a reset, or a gateway error (502).
    #[error("the model's provider cannot be reached: {reason}")]
    Unreachable { reason: String },
    /// No response, or no further data, in time.
    #[error("the model did not answer within {} s", after.as_secs())]
    Timeout { after: Duration },
    /// The stream ended before the reply was complete.
    #[error("the model's reply was cut off")]
    Truncated,
    /// The key is missing, wrong or revoked (401, 403).
    #[error("the key for {provider} was refused: check {variable}")]
    InvalidKey {
        provider: String,
        /// Where the key comes from, such as an environment variable.
        variable: String,
    },
    /// The provider has no such model, or not for this key (404).
    #[error(
        "{provider} does not serve the model `{model}` here ({explanation}): choose another \
        model, or check the base URL"
    )]
    UnknownModel {
        provider: String,
        model: String,
        /// Status and message of the provider.
        explanation: String,
    },
    /// Credit or spending limit exhausted (402).
    #[error("the quota at {provider} is used up: add credit there or use another key")]
    QuotaExceeded { provider: String },
    /// The conversation exceeds the model's context window.
    #[error("the conversation is too long for the model")]
    TooLong,
    /// The provider rejected the request as invalid (400).
    #[error("the model's provider refused the request: {reason}")]
    Refused { reason: String },
    /// The provider does not support a parameter for this model (400).
    #[error("the model's provider refused a parameter: {reason}")]
    UnsupportedParameter {
        /// The provider's message, which names the parameter.
        reason: String,
    },
    /// The reply could not be understood.
    #[error("the model's reply could not be understood: {reason}")]
    Malformed { reason: String },
    /// The offline model has no recorded reply for this request.
    #[error(
        "{reason}. The offline model only replays recorded replies; \
         set ANTHROPIC_API_KEY or OPENAI_API_KEY, or a key in the installation settings, to use a \
         real one"
    )]
    NoScenario {
        /// What is missing.
        reason: String,
    },
    /// A failure defined by a scenario.
    #[error("{message}")]
    Scripted { class: ErrorClass, message: String },
}

/// Classification of a [`ModelError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Temporary: retry later.
    Transient,
    /// Requires a change of the configuration.
    Config,
    /// All others: neither retrying nor a setting is known to help.
    Unknown,
}

impl ModelError {
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Overloaded { .. }
            | Self::RateLimited { .. }
            | Self::Unreachable { .. }
            | Self::Timeout { .. }
            | Self::Truncated => ErrorClass::Transient,
            Self::InvalidKey { .. }
            | Self::UnknownModel { .. }
            | Self::QuotaExceeded { .. }
            | Self::NoScenario { .. } => ErrorClass::Config,
            Self::TooLong
            | Self::Refused { .. }
            | Self::UnsupportedParameter { .. }
            | Self::Malformed { .. } => ErrorClass::Unknown,
            Self::Scripted { class, .. } => *class,
        }
    }

    /// How long the provider context to wait, where it did.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Overloaded { retry_after } | Self::RateLimited { retry_after } => *retry_after,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_a_class() {
        let reason = String::from("r");
        let provider = String::from("p");
        let wait = Some(Duration::from_secs(7));
        for (error, class, retry_after) in [
            (ModelError::Overloaded { retry_after: wait }, ErrorClass::Transient, wait),
            (ModelError::RateLimited { retry_after: None }, ErrorClass::Transient, None),
            (ModelError::Unreachable { reason: reason.clone() }, ErrorClass::Transient, None),
            (ModelError::Timeout { after: Duration::ZERO }, ErrorClass::Transient, None),
            (ModelError::Truncated, ErrorClass::Transient, None),
            (
                ModelError::InvalidKey { provider: provider.clone(), variable: "V".into() },
                ErrorClass::Config,
                None,
            ),
            (
                ModelError::UnknownModel {
                    provider: provider.clone(),
                    model: "m".into(),
                    explanation: reason.clone(),
                },
                ErrorClass::Config,
                None,
            ),
            (ModelError::QuotaExceeded { provider }, ErrorClass::Config, None),
            (ModelError::NoScenario { reason: reason.clone() }, ErrorClass::Config, None),
            (ModelError::TooLong, ErrorClass::Unknown, None),
            (ModelError::Refused { reason: reason.clone() }, ErrorClass::Unknown, None),
            (
                ModelError::UnsupportedParameter { reason: reason.clone() },
                ErrorClass::Unknown,
                None,
            ),
            (ModelError::Malformed { reason: reason.clone() }, ErrorClass::Unknown, None),
            (
                ModelError::Scripted { class: ErrorClass::Transient, message: reason },
                ErrorClass::Transient,
                None,
            ),
        ] {
            assert_eq!((error.class(), error.retry_after()), (class, retry_after), "{error}");
        }
    }

    #[test]
    fn config_error_names_the_setting() {
        let says = |error: ModelError| error.to_string();
        let no_scenario = says(ModelError::NoScenario { reason: "nothing for `x`".into() });
        for word in ["nothing for `x`", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
            assert!(no_scenario.contains(word), "{no_scenario}");
        }
        let bad_key =
            ModelError::InvalidKey { provider: "acme".into(), variable: "ACME_KEY".into() };
        assert!(says(bad_key).contains("ACME_KEY"));
    }
}
