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
}

impl Dialect {
    /// All APIs.
    pub const ALL: [Self; 3] = [Self::Anthropic, Self::OpenAi, Self::Responses];

    pub(crate) fn path(self) -> &'static str {
        match self {
            Dialect::Anthropic => "/v1/messages",
            Dialect::OpenAi => "/v1/chat/completions",
            Dialect::Responses => "/v1/responses",
        }
    }
}
