//! Removes secrets from what the tools read, before it is shortened: a part of a secret is not
//! recognised.

use std::borrow::Cow;

use crate::redaction::redact;

pub(super) fn text(text: &str) -> String {
    String::from_utf8_lossy(&redact(text.as_bytes())).into_owned()
}

/// Each line without secrets, so that the lines keep their numbers. Private keys have several lines.
pub(super) fn lines<'a>(lines: impl Iterator<Item = Cow<'a, str>>) -> Vec<String> {
    let mut is_key = false;
    let redacted = lines.map(|line| {
        is_key |= line.contains("-----BEGIN ") && line.contains("PRIVATE KEY-----");
        let shown = if is_key { "[redacted]".to_owned() } else { text(&line) };
        is_key &= !line.contains("-----END ");
        shown
    });
    redacted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_private_key_are_redacted_and_keep_their_number() {
        let (begin, end) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
        let file = format!("a\n+{begin}\n+MIIE\n+{end}\nAPI_KEY=abcdefgh\nb");
        let shown = lines(file.lines().map(Cow::from));
        let gone = "[redacted]";
        assert_eq!(shown, ["a", gone, gone, gone, "API_KEY=[redacted]", "b"]);
    }
}
