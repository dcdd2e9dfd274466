//! Providers of models whose keys can be set in the app.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModelProvider {
    /// Anthropic's Messages API, or a compatible endpoint.
    Anthropic,
    /// OpenAI's API, or a compatible endpoint.
    OpenAi,
}

impl ModelProvider {
    pub const ALL: [Self; 2] = [Self::Anthropic, Self::OpenAi];

    /// As in names of models, such as `anthropic/claude-sonnet-5-5`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }

    /// As in sentences.
    pub fn display_name(self) -> &'static str {
        match self {
            Self::Anthropic => "Anthropic",
            Self::OpenAi => "OpenAI",
        }
    }
}
