//! How a model writes a contract: a conversation in which it fetches what it needs and hands in a
//! text that fits. No text is pasted, and nothing here waits for anything: the caller asks the
//! model and keeps what came of it.
//!
//! - [`material`]: what a contract is written from
//! - [`name_summary`]: a contract as its names alone
//! - [`fence`]: a text without the marks that models put around it
//! - [`fit`]: whether a text can stand
//! - [`tools`]: what the model can fetch, and how it hands in
//! - [`prompt`]: what it is told first
//! - [`conversation`]: the turns, and what pasting everything would have cost

mod conversation;
mod fence;
mod fit;
mod material;
mod name_summary;
mod prompt;
mod tools;

pub use conversation::{Conversation, Heard, Next, pasted_tokens};
pub use fit::fits;
pub use material::Material;
