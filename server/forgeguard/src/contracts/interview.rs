//! The interview: a model fills in the questionnaire from the user's messages, and ends each turn with
//! a text that asks for missing answers. Nothing here does I/O: the caller sends the requests and
//! stores the results.
//!
//! - [`form`]: the questionnaire as JSON for the model
//! - [`tools`]: the tool that sets answers
//! - [`prompt`]: the system prompt
//! - [`conversation`]: the turns

mod conversation;
mod form;
mod prompt;
mod tools;

pub use conversation::{Interview, Next, ReplyOutcome};
