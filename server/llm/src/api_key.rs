//! A provider's key: used in one header, shown nowhere.

use std::fmt;

/// A key. Printing it, on purpose or by accident, shows three stars.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key into custody; white space around it, such as a file's last line end, is dropped.
    pub fn new(key: impl AsRef<str>) -> Self {
        Self(key.as_ref().trim().to_owned())
    }

    /// The key itself, for the one header that carries it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// A text from outside with the key taken out, should it repeat it.
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
    fn it_shows_nowhere() {
        let key = ApiKey::new(" sk-hunter2\n");
        assert_eq!(key.expose(), "sk-hunter2");
        assert_eq!(format!("{:?}", Some(&key)), "Some(***)");
        assert_eq!(key.redact("bad key sk-hunter2!"), "bad key ***!");
        assert_eq!(ApiKey::new("").redact("text"), "text");
    }
}
