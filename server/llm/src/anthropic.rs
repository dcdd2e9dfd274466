//! The `anthropic` provider: the Messages API.

mod content;
mod reply;
mod request;

use async_trait::async_trait;
use reqwest::header::HeaderValue;

use crate::{
    api_key::ApiKey,
    error::ModelError,
    http::{Asked, Endpoint, sensitive},
    provider::{DeltaStream, Provider},
    reading::deltas,
    request::Request,
    settings::{AnthropicSettings, InvalidSettings},
};

const NAME: &str = "anthropic";
const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";
const VERSION: &str = "2023-06-01";

/// Asks models over the Messages API, with marks for its prompt cache.
#[derive(Clone, Debug)]
pub struct Anthropic {
    endpoint: Endpoint,
    key: ApiKey,
    key_header: HeaderValue,
}

impl Anthropic {
    /// Makes a client; nothing is sent yet.
    ///
    /// # Errors
    /// Settings that no call could be made with.
    pub fn new(settings: AnthropicSettings) -> Result<Self, InvalidSettings> {
        let AnthropicSettings { base_url, key, idle } = settings;
        let endpoint = Endpoint::new(&base_url, "v1/messages", idle)?;
        Ok(Self { endpoint, key_header: sensitive(key.expose())?, key })
    }
}

#[async_trait]
impl Provider for Anthropic {
    fn name(&self) -> &str {
        NAME
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        let asked = Asked {
            provider: NAME,
            variable: KEY_VARIABLE,
            model: request.model.clone(),
            key: Some(self.key.clone()),
        };
        let body = request::body(request);
        let events = self.endpoint.post(&asked, &body, |post| {
            post.header("x-api-key", self.key_header.clone()).header("anthropic-version", VERSION)
        });
        Ok(deltas(events.await?, reply::AnthropicReader::new(asked)))
    }
}
