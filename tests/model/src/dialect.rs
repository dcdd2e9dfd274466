//! The supported APIs.

/// The key that the server requires.
pub const KEY: &str = "sk-test-0123456789";

/// The API of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The Messages API at `/v1/messages`.
    Anthropic,
    /// Chat completions at `/v1/chat/completions`.
    OpenAi,
    /// OpenAI's Responses API at `/v1/responses`.
    Responses,
    /// Google's Gemini API below `/v1beta/models/`, which only agents of others use, and its chat
    /// completions at `/v1beta/openai/chat/completions`.
    Gemini,
}

const GEMINI_MODELS: &str = "/v1beta/models/";
const GOOGLE_CHAT: &str = "/v1beta/openai/chat/completions";

impl Dialect {
    /// All APIs that ForgeGuard uses itself.
    pub const ALL: [Self; 3] = [Self::Anthropic, Self::OpenAi, Self::Responses];

    /// The API that a server of this one has at a path.
    pub(crate) fn at(self, path: &str) -> Option<Self> {
        let is_served = match self {
            Dialect::Anthropic => path == "/v1/messages",
            Dialect::OpenAi => path == "/v1/chat/completions",
            Dialect::Responses => path == "/v1/responses",
            Dialect::Gemini if path == GOOGLE_CHAT => return Some(Dialect::OpenAi),
            Dialect::Gemini => path.starts_with(GEMINI_MODELS),
        };
        is_served.then_some(self)
    }

    /// The model that the path names; empty if it names none.
    pub(crate) fn model_in(path: &str) -> &str {
        let call = path.strip_prefix(GEMINI_MODELS).unwrap_or_default();
        call.rsplit_once(':').map_or("", |(model, _)| model)
    }
}
