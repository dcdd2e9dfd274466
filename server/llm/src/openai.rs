//! The `openai` provider: chat completions, as `OpenAI` and many other servers answer them.

mod reply;
mod request;

use async_trait::async_trait;
use reqwest::header::{AUTHORIZATION, HeaderValue};

use crate::{
    api_key::ApiKey,
    error::ModelError,
    http::{Asked, Endpoint, sensitive},
    provider::{DeltaStream, Provider},
    reading::deltas,
    request::Request,
    settings::{InvalidSettings, OpenAiSettings},
};

const NAME: &str = "openai";
const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// Asks models over chat completions.
#[derive(Clone, Debug)]
pub struct OpenAi {
    endpoint: Endpoint,
    key: Option<ApiKey>,
    key_header: Option<HeaderValue>,
    limit_name: &'static str,
}

impl OpenAi {
    /// Makes a client; nothing is sent yet.
    ///
    /// # Errors
    /// Settings that no call could be made with.
    pub fn new(settings: OpenAiSettings) -> Result<Self, InvalidSettings> {
        let OpenAiSettings { base_url, key, idle } = settings;
        let endpoint = Endpoint::new(&base_url, "chat/completions", idle)?;
        let bearer = key.as_ref().map(|key| sensitive(&format!("Bearer {}", key.expose())));
        let limit_name = request::limit_name(endpoint.url().host_str().unwrap_or_default());
        Ok(Self { endpoint, key_header: bearer.transpose()?, key, limit_name })
    }
}

#[async_trait]
impl Provider for OpenAi {
    fn name(&self) -> &str {
        NAME
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        let asked = Asked {
            provider: NAME,
            variable: KEY_VARIABLE,
            model: request.model.clone(),
            key: self.key.clone(),
        };
        let body = request::body(request, self.limit_name);
        let events = self.endpoint.post(&asked, &body, |post| match &self.key_header {
            Some(bearer) => post.header(AUTHORIZATION, bearer.clone()),
            None => post,
        });
        Ok(deltas(events.await?, reply::OpenAiReader::new(asked, request)))
    }
}
