//! What providers are made from. Values that are passed in: nothing here reads the environment.

use std::time::Duration;

use crate::api_key::ApiKey;

/// Waits longer than a model thinks, and shorter than a person.
const IDLE: Duration = Duration::from_secs(120);

/// For [`Anthropic`](crate::Anthropic).
#[derive(Clone, Debug)]
pub struct AnthropicSettings {
    /// Where the API is, without `/v1`; with or without a slash at the end.
    pub base_url: String,
    /// Goes into the header `x-api-key`.
    pub key: ApiKey,
    /// How long the provider may send nothing at all before the call is given up.
    pub idle: Duration,
}

/// For [`OpenAi`](crate::OpenAi).
#[derive(Clone, Debug)]
pub struct OpenAiSettings {
    /// Where the API is, with `/v1` or whatever the server has in its place; with or without a
    /// slash at the end.
    pub base_url: String,
    /// The bearer token. Servers of one's own often need none.
    pub key: Option<ApiKey>,
    /// How long the provider may send nothing at all before the call is given up.
    pub idle: Duration,
}

/// Settings that no call could be made with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSettings {
    /// The base URL is none, or not of HTTP.
    #[error("the base URL `{base_url}` cannot be used: {reason}")]
    BaseUrl {
        /// As it was given.
        base_url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The key has characters that no header can carry. It is not shown.
    #[error("the key holds characters that cannot be sent")]
    Key,
    /// What a client needs of the system is not to be had.
    #[error("no HTTP client can be made: {reason}")]
    Client {
        /// What is missing.
        reason: String,
    },
}

impl AnthropicSettings {
    /// The provider's own address.
    pub const BASE_URL: &str = "https://api.anthropic.com";

    /// At the provider's own address.
    pub fn new(key: ApiKey) -> Self {
        Self { base_url: Self::BASE_URL.into(), key, idle: IDLE }
    }
}

impl OpenAiSettings {
    /// `OpenAI`'s own address.
    pub const BASE_URL: &str = "https://api.openai.com/v1";

    /// At `OpenAI`'s own address.
    pub fn new(key: ApiKey) -> Self {
        Self { base_url: Self::BASE_URL.into(), key: Some(key), idle: IDLE }
    }
}
