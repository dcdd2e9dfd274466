//! Passing requests of an external agent to a provider, with the provider's key instead of its own.

use bytes::Bytes;
use reqwest::{
    Response,
    header::{HeaderMap, HeaderName, HeaderValue},
};

use crate::{
    api_key::ApiKey,
    error::ModelError,
    http::{Endpoint, RequestContext},
};

/// An API of a provider, by the format of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelApi {
    /// Anthropic's Messages API.
    Messages,
    /// OpenAI's chat completions.
    ChatCompletions,
    /// OpenAI's Responses API.
    Responses,
}

/// Posts requests to one API of a provider, unchanged except for its key.
#[derive(Clone, Debug)]
pub struct Relay {
    endpoint: Endpoint,
    key: Option<ApiKey>,
    authorization: Option<(HeaderName, HeaderValue)>,
}

impl Relay {
    pub(crate) fn new(
        endpoint: Endpoint,
        key: Option<ApiKey>,
        authorization: Option<(HeaderName, HeaderValue)>,
    ) -> Self {
        Self { endpoint, key, authorization }
    }

    /// Posts a body with these headers, none of which may authenticate. Waits for the head of the
    /// response.
    ///
    /// # Errors
    /// If the provider cannot be reached; a response that reports an error is returned.
    pub async fn post(&self, headers: HeaderMap, body: Bytes) -> Result<Response, ModelError> {
        let context = RequestContext {
            provider: "the provider",
            variable: "",
            model: String::new(),
            key: self.key.clone(),
        };
        self.endpoint
            .send(&context, |post| {
                let post = post.headers(headers).body(body);
                match &self.authorization {
                    Some((name, value)) => post.header(name.clone(), value.clone()),
                    None => post,
                }
            })
            .await
    }

    /// The text without the key, which providers may repeat in errors.
    pub fn redact(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text))
    }
}
