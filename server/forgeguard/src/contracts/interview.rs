//! How a model fills the questionnaire from what a person says: it sets answers, and ends each of
//! its turns of the talk with a text that asks for what is missing. Nothing here waits for anything:
//! the caller asks the model and keeps what came of it.
//!
//! - [`form`]: the questionnaire as the model sees it
//! - [`tools`]: how the model sets answers
//! - [`prompt`]: what it is told first
//! - [`conversation`]: the turns

mod conversation;
mod form;
mod prompt;
mod tools;

pub use conversation::{Interview, Next, ReplyOutcome};
