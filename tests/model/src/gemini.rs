//! Google's Gemini API, as agents of others use it.

mod check;
mod events;

pub(crate) use check::check;
pub(crate) use events::{document, events, specials};
