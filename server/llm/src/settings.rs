//! Settings of providers. Nothing here reads the environment.

use std::time::Duration;

use crate::{
    api_key::ApiKey,
    catalog::{ModelCatalog, OpenAiApi},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// From the request to the start of the response.
    pub first_byte: Duration,
    /// Between two pieces of the response.
    pub idle: Duration,
}

impl Default for Timeouts {
    /// Long enough for models that reason before they reply.
    fn default() -> Self {
        Self { first_byte: Duration::from_secs(120), idle: Duration::from_secs(120) }
    }
}

/// Authentication for the Messages API.
#[derive(Clone, Debug)]
pub enum AnthropicCredential {
    /// Sent as `x-api-key`.
    ApiKey(ApiKey),
    /// Sent as a bearer token, as gateways expect.
    AuthToken(ApiKey),
    /// None, for self-hosted servers.
    Absent,
}

#[derive(Clone, Debug)]
pub struct AnthropicSettings {
    /// URL of the API without `/v1`; with or without a trailing slash.
    pub base_url: String,
    pub credential: AnthropicCredential,
    pub timeouts: Timeouts,
}

#[derive(Clone, Debug)]
pub struct OpenAiSettings {
    /// URL of the API including `/v1` or the server's equivalent; with or without a trailing slash.
    pub base_url: String,
    /// The bearer token. Self-hosted servers often require none.
    pub key: Option<ApiKey>,
    pub timeouts: Timeouts,
    /// The API to use; `None` selects it by model and host.
    pub api: Option<OpenAiApi>,
    /// Which APIs and parameters a model supports.
    pub catalog: ModelCatalog,
}

/// Why settings cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSettings {
    /// The base URL is not a valid HTTP URL.
    #[error("invalid base URL `{base_url}`: {reason}")]
    BaseUrl { base_url: String, reason: String },
    /// Does not contain the key.
    #[error("the key contains characters that are not allowed in a header")]
    Key,
    #[error("could not create an HTTP client: {reason}")]
    Client { reason: String },
}

impl AnthropicSettings {
    pub const BASE_URL: &str = "https://api.anthropic.com";

    pub fn new(credential: AnthropicCredential) -> Self {
        Self { base_url: Self::BASE_URL.into(), credential, timeouts: Timeouts::default() }
    }
}

impl OpenAiSettings {
    pub const BASE_URL: &str = "https://api.openai.com/v1";

    pub fn new(key: ApiKey) -> Self {
        Self {
            base_url: Self::BASE_URL.into(),
            key: Some(key),
            timeouts: Timeouts::default(),
            api: None,
            catalog: ModelCatalog::default(),
        }
    }
}
