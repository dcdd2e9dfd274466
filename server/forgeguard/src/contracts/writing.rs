//! How a model writes a contract: a conversation in which it fetches what it needs and submits a
//! valid text. No text is pasted into a prompt, and nothing here does I/O: the caller sends the
//! requests and stores the messages.
//!
//! - [`material`]: the inputs of a contract
//! - [`name_summary`]: a contract reduced to its names
//! - [`revision`]: a contract that is revised, with what is to be changed
//! - [`fence`]: removing what models put around a document
//! - [`fit`]: validation of a submission
//! - [`tools`]: the tools of the model
//! - [`submission`]: the latest submission and corrections to it
//! - [`prompt`]: the system prompt and the first message
//! - [`conversation`]: the turns, and the tokens that pasting everything would need

mod conversation;
mod fence;
mod fit;
mod material;
mod name_summary;
mod prompt;
mod revision;
mod submission;
mod tools;

pub use conversation::{Conversation, Heard, Next, pasted_tokens};
pub use fit::fits;
pub use material::Material;
