//! Why a request to a forge failed.

use std::time::Duration;

/// What the forge said is shortened; it never contains the token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForgeError {
    #[error("the forge cannot be reached: {0}")]
    Unreachable(String),
    /// A status of 500 or above.
    #[error("the forge has a problem (status {status}): {message}")]
    Unavailable { status: u16, message: String, wait: Option<Duration> },
    #[error("the forge limits the rate of requests: {message}")]
    RateLimited { message: String, wait: Option<Duration> },
    #[error("the forge rejected the token: {0}")]
    Unauthorized(String),
    #[error("the token may not do this: {0}")]
    Forbidden(String),
    #[error(
        "the forge has no such repository, pull request or issue, or the token cannot see it: {0}"
    )]
    NotFound(String),
    #[error("it exists already: {0}")]
    Exists(String),
    #[error("the forge rejected the request: {0}")]
    Invalid(String),
    #[error(
        "the forge redirects to {0}, which the token is not sent to; correct the remote's address"
    )]
    Redirected(String),
    #[error("the forge's reply cannot be used: {0}")]
    BadReply(String),
    #[error("the repository's address names no repository at a forge: {0}")]
    BadAddress(String),
}

/// Whether another attempt may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Yes; not before this time if the forge named one.
    After(Option<Duration>),
    /// Not until a person has changed something.
    Never,
}

impl ForgeError {
    pub fn retry(&self) -> Retry {
        match self {
            Self::Unreachable(_) | Self::BadReply(_) => Retry::After(None),
            Self::Unavailable { wait, .. } | Self::RateLimited { wait, .. } => Retry::After(*wait),
            Self::Unauthorized(_)
            | Self::Forbidden(_)
            | Self::NotFound(_)
            | Self::Exists(_)
            | Self::Invalid(_)
            | Self::Redirected(_)
            | Self::BadAddress(_) => Retry::Never,
        }
    }
}
