//! The chat completions API of OpenAI and compatible servers.

mod provider_state;
mod reply;
mod request;

pub(crate) use reply::ChatReader;
pub(super) use request::{LimitName, body};
