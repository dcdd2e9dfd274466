//! Text in a form that both databases can store.

use std::borrow::Cow;

/// Replaces NUL characters, which PostgreSQL cannot store and commands may print.
pub fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{fffd}").into() } else { text.into() }
}
