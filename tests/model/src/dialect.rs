//! The two languages that models are spoken to in.

/// The key that a server asks for.
pub const KEY: &str = "sk-test-0123456789";

/// Which API a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The Messages API at `/v1/messages`.
    Anthropic,
    /// Chat completions at `/v1/chat/completions`.
    OpenAi,
}

impl Dialect {
    /// Both, for tests that hold for either.
    pub const ALL: [Self; 2] = [Self::Anthropic, Self::OpenAi];
}
