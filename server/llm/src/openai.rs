//! The `openai` provider: the Responses API and chat completions.

mod chat;
mod responses;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

pub(crate) use {
    chat::{ChatReader, reasoning as chat_reasoning},
    responses::{ResponsesReader, reasoning as responses_reasoning},
};

use async_trait::async_trait;
use reqwest::{
    RequestBuilder,
    header::{AUTHORIZATION, HeaderName, HeaderValue},
};

use crate::{
    api_key::ApiKey,
    catalog::{ModelCatalog, OpenAiApi},
    delta_stream::deltas,
    error::ModelError,
    http::{Endpoint, RequestContext, sensitive},
    http_relay::HttpRelay,
    openai::chat::LimitName,
    provider::{DeltaStream, Provider},
    relay::{ModelApi, Relay},
    request::Request,
    settings::{InvalidSettings, OpenAiSettings},
    thinking::{AcceptedThinking, Thinking},
};

const NAME: &str = "openai";
const KEY_VARIABLE: &str = "OPENAI_API_KEY";
const GEMINI_KEY_HEADER: HeaderName = HeaderName::from_static("x-goog-api-key");
/// How the base URL of Google's chat completions ends, beside which its Gemini API is.
const GOOGLE_SUFFIX: &str = "/v1beta/openai";

/// A client of OpenAI, or of a compatible server.
#[derive(Clone, Debug)]
pub struct OpenAi {
    chat: Endpoint,
    responses: Endpoint,
    gemini: Option<GeminiEndpoint>,
    key: Option<ApiKey>,
    variable: &'static str,
    key_header: Option<HeaderValue>,
    api: Option<OpenAiApi>,
    catalog: ModelCatalog,
    is_openai: bool,
    /// The server rejected the expected parameter name for the reply limit.
    limit_name_refused: Arc<AtomicBool>,
    thinking: AcceptedThinking,
}

/// The Gemini API of a server that also has chat completions.
#[derive(Clone, Debug)]
struct GeminiEndpoint {
    models: Endpoint,
    key_header: Option<HeaderValue>,
}

impl OpenAi {
    /// Creates a client without sending a request.
    ///
    /// # Errors
    /// Settings that cannot be used.
    pub fn new(settings: OpenAiSettings) -> Result<Self, InvalidSettings> {
        let OpenAiSettings { base_url, key, timeouts, api, catalog } = settings;
        let chat = Endpoint::new(&base_url, "chat/completions", timeouts)?;
        let responses = Endpoint::new(&base_url, "responses", timeouts)?;
        let gemini = match base_url.trim().trim_end_matches('/').strip_suffix(GOOGLE_SUFFIX) {
            Some(host) => Some(GeminiEndpoint {
                models: Endpoint::new(host, "v1beta/models", timeouts)?,
                key_header: key.as_ref().map(|key| sensitive(key.expose())).transpose()?,
            }),
            None => None,
        };
        let bearer = key.as_ref().map(|key| sensitive(&format!("Bearer {}", key.expose())));
        let host = chat.url().host_str().unwrap_or_default();
        let is_openai = host == "api.openai.com" || host.ends_with(".openai.azure.com");
        let (key_header, limit_name_refused) = (bearer.transpose()?, Arc::default());
        let thinking = AcceptedThinking::default();
        Ok(Self {
            chat,
            responses,
            gemini,
            key,
            variable: KEY_VARIABLE,
            key_header,
            api,
            catalog,
            is_openai,
            limit_name_refused,
            thinking,
        })
    }

    /// The same client, whose errors say that its key comes from here.
    pub fn with_key_source(&self, source: &'static str) -> Self {
        Self { variable: source, ..self.clone() }
    }

    /// The same client for a model that thinks this much.
    pub fn with_thinking(&self, thinking: Thinking) -> Self {
        Self { thinking: AcceptedThinking::new(thinking), ..self.clone() }
    }

    /// Selects the API for a model: the configured one, or the only one it supports. Otherwise the
    /// Responses API at OpenAI, where newer models reject tools on chat completions, and chat
    /// completions elsewhere, because every compatible server has it.
    fn api(&self, model: &str) -> OpenAiApi {
        let known = self.catalog.facts(model).apis;
        match (self.api, known.as_slice()) {
            (Some(configured), _) => configured,
            (None, [only]) => *only,
            (None, known) if self.is_openai && known.contains(&OpenAiApi::Responses) => {
                OpenAiApi::Responses
            }
            (None, _) => OpenAiApi::Chat,
        }
    }

    /// The parameter name for the reply limit that this model is expected to accept.
    fn limit_name(&self, model: &str) -> LimitName {
        let expected = match self.catalog.facts(model).reasons && is_openai_name(model) {
            true => LimitName::MaxCompletionTokens,
            false => LimitName::MaxTokens,
        };
        match self.limit_name_refused.load(Ordering::Relaxed) {
            true => expected.other(),
            false => expected,
        }
    }

    fn authorize(&self, post: RequestBuilder) -> RequestBuilder {
        match &self.key_header {
            Some(bearer) => post.header(AUTHORIZATION, bearer.clone()),
            None => post,
        }
    }

    /// Posts to chat completions, and retries with the other parameter name if the server rejects
    /// the first.
    async fn stream_chat(
        &self,
        request: &Request,
        context: RequestContext,
    ) -> Result<DeltaStream, ModelError> {
        let limit_name = self.limit_name(&request.model);
        let post = async |limit_name| {
            loop {
                let body = chat::body(request, limit_name, self.thinking.current().effort);
                match self.chat.post(&context, &body, |post| self.authorize(post)).await {
                    Err(error) if self.thinking.learn(&error, false) => {}
                    posted => break posted,
                }
            }
        };
        let events = match post(limit_name).await {
            Err(ModelError::UnsupportedParameter { reason })
                if reason.contains(limit_name.as_str()) =>
            {
                let events = post(limit_name.other()).await?;
                self.limit_name_refused.fetch_xor(true, Ordering::Relaxed);
                events
            }
            posted => posted?,
        };
        Ok(deltas(events, ChatReader::new(context, request)))
    }

    async fn stream_responses(
        &self,
        request: &Request,
        context: RequestContext,
    ) -> Result<DeltaStream, ModelError> {
        let reasons = self.catalog.facts(&request.model).reasons;
        let events = loop {
            let effort = self.thinking.current().effort;
            let has_summary = (reasons || effort.is_some()) && self.thinking.allows_summary();
            let body = responses::body(request, reasons, effort, has_summary);
            match self.responses.post(&context, &body, |post| self.authorize(post)).await {
                Err(error) if self.thinking.learn(&error, has_summary) => {}
                posted => break posted?,
            }
        };
        Ok(deltas(events, ResponsesReader::new(context)))
    }
}

/// Reasoning models of other providers use the old parameter name.
fn is_openai_name(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    name.starts_with("gpt-")
        || name.starts_with("o1")
        || name.starts_with("o3")
        || name.starts_with("o4")
}

#[async_trait]
impl Provider for OpenAi {
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
        match self.api(&request.model) {
            OpenAiApi::Chat => self.stream_chat(request, context).await,
            OpenAiApi::Responses => self.stream_responses(request, context).await,
        }
    }

    fn relay(&self, api: ModelApi) -> Option<Arc<dyn Relay>> {
        let (endpoint, header, value) = match api {
            ModelApi::Messages => return None,
            ModelApi::ChatCompletions => (&self.chat, AUTHORIZATION, &self.key_header),
            ModelApi::Responses => (&self.responses, AUTHORIZATION, &self.key_header),
            ModelApi::Gemini { .. } => {
                let gemini = self.gemini.as_ref()?;
                (&gemini.models, GEMINI_KEY_HEADER, &gemini.key_header)
            }
        };
        let authorization = value.clone().map(|value| (header, value));
        let (endpoint, key) = (endpoint.clone(), self.key.clone());
        Some(Arc::new(HttpRelay { api, endpoint, key, authorization }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider(base_url: &str, api: Option<OpenAiApi>) -> OpenAi {
        let base_url = base_url.to_owned();
        let settings = OpenAiSettings::new(ApiKey::new("k"));
        OpenAi::new(OpenAiSettings { base_url, api, ..settings }).unwrap()
    }

    #[test]
    fn api_follows_settings_then_model_then_host() {
        use OpenAiApi::{Chat, Responses};
        let (openai, own) = ("https://api.openai.com/v1", "http://localhost:11434/v1");
        for (base_url, api, model, expected) in [
            (openai, None, "gpt-5.5", Responses),
            (openai, None, "gpt-5.5-pro", Responses),
            (openai, None, "gpt-4o", Chat),
            (openai, None, "gpt-99", Chat),
            (openai, Some(Chat), "gpt-5.5", Chat),
            (own, None, "gpt-5.5", Chat),
            (own, None, "gpt-5.5-pro", Responses),
            (own, None, "qwen3", Chat),
            (own, Some(Responses), "qwen3", Responses),
        ] {
            assert_eq!(provider(base_url, api).api(model), expected, "{base_url} {model}");
        }
    }

    #[test]
    fn gemini_api_is_beside_the_chat_completions_of_google() {
        let has_gemini = |base_url: &str| {
            provider(base_url, None).relay(ModelApi::Gemini { is_streamed: true }).is_some()
        };
        let google = "https://generativelanguage.googleapis.com/v1beta/openai";
        assert!(has_gemini(google) && has_gemini(&format!("{google}/")));
        assert!(!has_gemini("https://api.openai.com/v1"));
        assert!(!has_gemini("https://gateway.example.com/account/openai"));
    }

    #[test]
    fn limit_name_depends_on_the_model_not_the_host() {
        let provider = provider("http://localhost:1/v1", None);
        for (model, name) in [
            ("gpt-5.5", "max_completion_tokens"),
            ("o3", "max_completion_tokens"),
            ("gpt-4o", "max_tokens"),
            ("qwen3", "max_tokens"),
            ("deepseek/deepseek-reasoner", "max_tokens"),
        ] {
            assert_eq!(provider.limit_name(model).as_str(), name, "{model}");
        }
    }
}
