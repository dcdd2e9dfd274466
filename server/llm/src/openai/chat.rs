//! The chat completions API of OpenAI and compatible servers.

mod provider_state;
mod reply;
mod request;

pub(super) use request::{LimitName, body};
pub(crate) use {provider_state::reasoning, reply::ChatReader};
