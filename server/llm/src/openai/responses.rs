//! The Responses API, OpenAI's successor to chat completions.

mod provider_state;
mod reply;
mod request;

pub(crate) use reply::ResponsesReader;
pub(super) use request::body;
