//! The Responses API.

mod check;
mod events;

pub(crate) use check::check;
pub(crate) use events::{events, specials};
