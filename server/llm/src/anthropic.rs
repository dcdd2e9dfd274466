//! The `anthropic` provider: the Messages API.

mod content;
mod reply;
mod request;

pub(crate) use reply::AnthropicReader;

use async_trait::async_trait;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};

use crate::{
    api_key::ApiKey,
    delta_stream::deltas,
    error::ModelError,
    http::{Endpoint, RequestContext, sensitive},
    provider::{DeltaStream, Provider},
    request::Request,
    settings::{AnthropicCredential, AnthropicSettings, InvalidSettings},
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
        Ok(Self { endpoint, key, variable, authorization })
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
        let body = request::body(request);
        let events = self.endpoint.post(&context, &body, |post| {
            let post = post.header("anthropic-version", VERSION);
            match &self.authorization {
                Some((name, value)) => post.header(name.clone(), value.clone()),
                None => post,
            }
        });
        Ok(deltas(events.await?, AnthropicReader::new(context)))
    }
}
