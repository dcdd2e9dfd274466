//! What can go wrong with a call of a model, named by case, and how a caller should take it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Why a model gave no reply. Messages are for people; none holds a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The provider has no room right now (503, 529).
    #[error("the model's provider is overloaded")]
    Overloaded {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// Too many requests or tokens a minute (429).
    #[error("the model's provider limits the rate of requests")]
    RateLimited {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// No connection, a reset, or a gateway's answer (502).
    #[error("the model's provider cannot be reached: {reason}")]
    Unreachable {
        /// What the connection said.
        reason: String,
    },
    /// No answer, or no further delta, in time.
    #[error("the model did not answer within {} s", after.as_secs())]
    Timeout {
        /// How long was waited.
        after: Duration,
    },
    /// The stream ended before the reply did.
    #[error("the model's reply was cut off")]
    Cut,
    /// The key is missing, wrong or revoked (401, 403).
    #[error("the key for {provider} was refused: check {variable}")]
    BadKey {
        /// The provider's name.
        provider: String,
        /// The variable that holds the key.
        variable: String,
    },
    /// The provider has no such model, or not for this key (404).
    #[error("{provider} has no model named `{model}`: choose another in the configuration")]
    UnknownModel {
        /// The provider's name.
        provider: String,
        /// The model asked for.
        model: String,
    },
    /// Credit or spend cap is used up (402).
    #[error("the quota at {provider} is used up: add credit there or use another key")]
    QuotaGone {
        /// The provider's name.
        provider: String,
    },
    /// The conversation does not fit the model's window.
    #[error("the conversation is too long for the model")]
    TooLong,
    /// The provider refused the request as wrong (400): a fault of ours.
    #[error("the model's provider refused the request: {reason}")]
    Refused {
        /// What the provider said.
        reason: String,
    },
    /// The reply could not be understood.
    #[error("the model's reply could not be understood: {reason}")]
    Malformed {
        /// What did not fit.
        reason: String,
    },
    /// The offline model has nothing to say to this request.
    #[error(
        "{reason}. The offline model only replays what was written down for it; \
         set ANTHROPIC_API_KEY or OPENAI_API_KEY to use a real one"
    )]
    NoScenario {
        /// What is missing, and where.
        reason: String,
    },
    /// A scenario says that the call fails.
    #[error("{message}")]
    Scripted {
        /// How to take it.
        class: ErrorClass,
        /// As it was said when it was recorded.
        message: String,
    },
}

/// How a caller should take a [`ModelError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// Goes away by itself: ask again after a while.
    Transient,
    /// Stays until a person changes the configuration.
    Config,
    /// The rest: neither waiting nor a setting is known to help.
    Unknown,
}

impl ModelError {
    /// How to take it.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Overloaded { .. }
            | Self::RateLimited { .. }
            | Self::Unreachable { .. }
            | Self::Timeout { .. }
            | Self::Cut => ErrorClass::Transient,
            Self::BadKey { .. }
            | Self::UnknownModel { .. }
            | Self::QuotaGone { .. }
            | Self::NoScenario { .. } => ErrorClass::Config,
            Self::TooLong | Self::Refused { .. } | Self::Malformed { .. } => ErrorClass::Unknown,
            Self::Scripted { class, .. } => *class,
        }
    }

    /// How long the provider asked to wait, where it did.
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
    fn every_case_has_its_class() {
        let reason = String::from("r");
        let provider = String::from("p");
        let wait = Some(Duration::from_secs(7));
        for (error, class, retry_after) in [
            (ModelError::Overloaded { retry_after: wait }, ErrorClass::Transient, wait),
            (ModelError::RateLimited { retry_after: None }, ErrorClass::Transient, None),
            (ModelError::Unreachable { reason: reason.clone() }, ErrorClass::Transient, None),
            (ModelError::Timeout { after: Duration::ZERO }, ErrorClass::Transient, None),
            (ModelError::Cut, ErrorClass::Transient, None),
            (
                ModelError::BadKey { provider: provider.clone(), variable: "V".into() },
                ErrorClass::Config,
                None,
            ),
            (
                ModelError::UnknownModel { provider: provider.clone(), model: "m".into() },
                ErrorClass::Config,
                None,
            ),
            (ModelError::QuotaGone { provider }, ErrorClass::Config, None),
            (ModelError::NoScenario { reason: reason.clone() }, ErrorClass::Config, None),
            (ModelError::TooLong, ErrorClass::Unknown, None),
            (ModelError::Refused { reason: reason.clone() }, ErrorClass::Unknown, None),
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
    fn a_config_error_says_what_to_do() {
        let says = |error: ModelError| error.to_string();
        let no_scenario = says(ModelError::NoScenario { reason: "nothing for `x`".into() });
        for word in ["nothing for `x`", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
            assert!(no_scenario.contains(word), "{no_scenario}");
        }
        let bad_key = ModelError::BadKey { provider: "acme".into(), variable: "ACME_KEY".into() };
        assert!(says(bad_key).contains("ACME_KEY"));
    }
}
