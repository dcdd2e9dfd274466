//! A relay to an HTTP endpoint.

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::{
    Response, Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};

use crate::{
    api_key::ApiKey,
    error::ModelError,
    http::{Endpoint, RequestContext},
    relay::{ModelApi, Relay},
};

/// Posts requests to an endpoint with a provider's key.
pub(crate) struct HttpRelay {
    pub api: ModelApi,
    /// Where requests are posted. URLs of the Gemini API are below it.
    pub endpoint: Endpoint,
    pub key: Option<ApiKey>,
    pub authorization: Option<(HeaderName, HeaderValue)>,
}

#[async_trait]
impl Relay for HttpRelay {
    async fn post(
        &self,
        model: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, ModelError> {
        let endpoint = match self.api {
            ModelApi::Gemini { is_streamed } => {
                self.endpoint.at(gemini_url(self.endpoint.url(), model, is_streamed))
            }
            ModelApi::Messages | ModelApi::ChatCompletions | ModelApi::Responses => {
                self.endpoint.clone()
            }
        };
        let context = RequestContext {
            provider: "the provider",
            variable: "",
            model: model.to_owned(),
            key: self.key.clone(),
        };
        let request = |post: reqwest::RequestBuilder| {
            let post = post.headers(headers).body(body);
            match &self.authorization {
                Some((name, value)) => post.header(name.clone(), value.clone()),
                None => post,
            }
        };
        endpoint.send(&context, request).await
    }

    fn redact(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.redact(text))
    }
}

fn gemini_url(models: &Url, model: &str, is_streamed: bool) -> Url {
    let method = if is_streamed { "streamGenerateContent" } else { "generateContent" };
    let mut url = models.clone();
    // Only URLs without a host, such as `data:`, have no segments.
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.push(&format!("{model}:{method}"));
    }
    url.set_query(is_streamed.then_some("alt=sse"));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_of_a_model_cannot_leave_its_segment() {
        let models = Url::parse("https://h/v1beta/models").unwrap();
        for (model, is_streamed, expected) in [
            ("gemini-3", false, "https://h/v1beta/models/gemini-3:generateContent"),
            ("gemini-3", true, "https://h/v1beta/models/gemini-3:streamGenerateContent?alt=sse"),
            ("../a/b?c#d", false, "https://h/v1beta/models/..%2Fa%2Fb%3Fc%23d:generateContent"),
        ] {
            assert_eq!(gemini_url(&models, model, is_streamed).as_str(), expected);
        }
    }
}
