//! An API key that is never logged.

use std::fmt;

/// An API key. Its `Debug` output is redacted.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Surrounding white space, such as the trailing newline of a file, is removed.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }

    /// The key itself, for the request header only.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Replaces the key in a text that may contain it.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "***") }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_redacted_in_debug_output_and_messages() {
        let key = ApiKey::new(" sk-hunter2\n");
        assert_eq!(key.expose(), "sk-hunter2");
        assert_eq!(format!("{:?}", Some(&key)), "Some(***)");
        assert_eq!(key.redact("bad key sk-hunter2!"), "bad key ***!");
        assert_eq!(ApiKey::new("").redact("text"), "text");
    }
}
