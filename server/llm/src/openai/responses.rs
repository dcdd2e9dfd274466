//! The Responses API, OpenAI's successor to chat completions.

mod provider_state;
mod reply;
mod request;

pub(super) use request::body;
pub(crate) use {provider_state::reasoning, reply::ResponsesReader};
