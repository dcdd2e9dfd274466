//! Passing requests of an external agent to a provider, with the provider's key instead of its own.

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::{Response, header::HeaderMap};

use crate::error::ModelError;

/// An API of a provider, by the format of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelApi {
    /// Anthropic's Messages API.
    Messages,
    /// OpenAI's chat completions.
    ChatCompletions,
    /// OpenAI's Responses API.
    Responses,
    /// Google's Gemini API, whose URLs name the model and whether the response is streamed.
    Gemini { is_streamed: bool },
}

/// Posts requests to one API of a provider, unchanged except for its key.
#[async_trait]
pub trait Relay: Send + Sync {
    /// Posts a body for this model with these headers, none of which may authenticate. Waits for the
    /// head of the response.
    ///
    /// # Errors
    /// If the provider cannot be reached; a response that reports an error is returned.
    async fn post(
        &self,
        model: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, ModelError>;

    /// The text without the key, which providers may repeat in errors.
    fn redact(&self, text: &str) -> String;
}
