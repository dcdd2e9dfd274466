//! An interview: a person says in their own words what should be built, and a model asks on.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Characters of the longest message that a person can write.
pub const LONGEST_MESSAGE: usize = 20_000;
/// Replies that a model has for one message: to fill the questionnaire, to correct what was
/// refused, and to answer.
pub const TURN_LIMIT: u32 = 8;

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = InterviewAuthor)]
pub enum Author {
    /// Whoever wants something built.
    Person,
    /// The model that asks.
    Model,
}
