//! A value that may be used but never shown: not in logs, not in errors, not in settings.

use std::fmt;

use serde::Deserialize;

/// Wraps a value so that printing it, on purpose or by accident, shows three stars.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Takes a value into custody.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself, for the one call that needs it.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_shows_three_stars() {
        let shown = format!("{:?}", Some(Secret::new("hunter2")));
        assert_eq!(shown, "Some(***)");
    }
}
