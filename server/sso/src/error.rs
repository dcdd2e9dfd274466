//! Errors, as sentences for administrators. They contain no secrets.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SsoError {
    /// The provider cannot be reached, or may not be called.
    #[error("{0}")]
    Unreachable(String),
    /// The settings do not fit the provider, or it does not follow the protocol.
    #[error("{0}")]
    Misconfigured(String),
    /// The provider rejects the client ID, the secret or the authorization code.
    #[error("{0}")]
    Rejected(String),
    /// The ID token does not prove who signs in.
    #[error("{0}")]
    InvalidToken(String),
}
