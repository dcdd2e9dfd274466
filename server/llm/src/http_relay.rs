//! A relay to an HTTP endpoint.

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::{
    Response,
    header::{HeaderMap, HeaderName, HeaderValue},
};

use crate::{
    api_key::ApiKey,
    error::ModelError,
    http::{Endpoint, RequestContext},
    relay::Relay,
};

/// Posts requests to an endpoint with a provider's key.
pub(crate) struct HttpRelay {
    pub endpoint: Endpoint,
    pub key: Option<ApiKey>,
    pub authorization: Option<(HeaderName, HeaderValue)>,
}

#[async_trait]
impl Relay for HttpRelay {
    async fn post(&self, headers: HeaderMap, body: Bytes) -> Result<Response, ModelError> {
        let context = RequestContext {
            provider: "the provider",
            variable: "",
            model: String::new(),
            key: self.key.clone(),
        };
        let request = |post: reqwest::RequestBuilder| {
            let post = post.headers(headers).body(body);
            match &self.authorization {
                Some((name, value)) => post.header(name.clone(), value.clone()),
                None => post,
            }
        };
        self.endpoint.send(&context, request).await
    }

    fn redact(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text))
    }
}
