//! Interviews: a user describes what should be built, and a model asks for details.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Of a user's message, in characters.
pub const MAX_MESSAGE_CHARS: usize = 20_000;
/// Replies of the model to one message: to fill in the questionnaire, correct rejected answers, and
/// respond.
pub const MAX_TURNS: u32 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = InterviewAuthor)]
pub enum Author {
    /// The user.
    Person,
    Model,
}
