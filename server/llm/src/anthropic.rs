//! The `anthropic` provider: the Messages API.

mod content;
mod reply;
mod request;

pub(crate) use {content::reasoning, reply::AnthropicReader};

use std::sync::Arc;

use async_trait::async_trait;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};

use crate::{
    api_key::ApiKey,
    delta_stream::deltas,
    error::ModelError,
    http::{Endpoint, RequestContext, sensitive},
    http_relay::HttpRelay,
    provider::{DeltaStream, Provider},
    relay::{ModelApi, Relay},
    request::Request,
    settings::{AnthropicCredential, AnthropicSettings, InvalidSettings},
    thinking::{AcceptedThinking, Thinking},
};

const NAME: &str = "anthropic";
const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";
const TOKEN_VARIABLE: &str = "ANTHROPIC_AUTH_TOKEN";
const KEY_HEADER: HeaderName = HeaderName::from_static("x-api-key");
const VERSION: &str = "2023-06-01";

/// A client of the Messages API, with prompt caching.
#[derive(Clone, Debug)]
pub struct Anthropic {
    endpoint: Endpoint,
    key: Option<ApiKey>,
    variable: &'static str,
    authorization: Option<(HeaderName, HeaderValue)>,
    thinking: AcceptedThinking,
}

impl Anthropic {
    /// Creates a client without sending a request.
    ///
    /// # Errors
    /// Settings that cannot be used.
    pub fn new(settings: AnthropicSettings) -> Result<Self, InvalidSettings> {
        let AnthropicSettings { base_url, credential, timeouts } = settings;
        let endpoint = Endpoint::new(&base_url, "v1/messages", timeouts)?;
        let (key, variable, authorization) = match credential {
            AnthropicCredential::ApiKey(key) => {
                let header = (KEY_HEADER, sensitive(key.expose())?);
                (Some(key), KEY_VARIABLE, Some(header))
            }
            AnthropicCredential::AuthToken(token) => {
                let header = (AUTHORIZATION, sensitive(&format!("Bearer {}", token.expose()))?);
                (Some(token), TOKEN_VARIABLE, Some(header))
            }
            AnthropicCredential::Absent => (None, KEY_VARIABLE, None),
        };
        Ok(Self { endpoint, key, variable, authorization, thinking: AcceptedThinking::default() })
    }

    /// The same client, whose errors say that its key comes from here.
    pub fn with_key_source(&self, source: &'static str) -> Self {
        Self { variable: source, ..self.clone() }
    }

    /// The same client for a model that thinks this much.
    pub fn with_thinking(&self, thinking: Thinking) -> Self {
        Self { thinking: AcceptedThinking::new(thinking), ..self.clone() }
    }
}

#[async_trait]
impl Provider for Anthropic {
    fn name(&self) -> &str {
        NAME
    }

    async fn stream(&self, request: &Request) -> Result<DeltaStream, ModelError> {
        let context = RequestContext {
            provider: NAME,
            variable: self.variable,
            model: request.model.clone(),
            key: self.key.clone(),
        };
        let events = loop {
            let body = request::body(request, self.thinking.current());
            let posted = self.endpoint.post(&context, &body, |post| {
                let post = post.header("anthropic-version", VERSION);
                match &self.authorization {
                    Some((name, value)) => post.header(name.clone(), value.clone()),
                    None => post,
                }
            });
            match posted.await {
                Err(error) if self.thinking.learn(&error, false) => {}
                posted => break posted?,
            }
        };
        Ok(deltas(events, AnthropicReader::new(context)))
    }

    fn relay(&self, api: ModelApi) -> Option<Arc<dyn Relay>> {
        (api == ModelApi::Messages).then(|| {
            let (key, authorization) = (self.key.clone(), self.authorization.clone());
            Arc::new(HttpRelay { api, endpoint: self.endpoint.clone(), key, authorization }) as _
        })
    }
}
