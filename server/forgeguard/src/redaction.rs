//! Secrets in texts: keys of known formats, and values of variables that are named like secrets.

use std::{borrow::Cow, sync::LazyLock};

use regex::bytes::{Captures, Regex};
use serde_json::Value;

/// What replaces a secret.
const REDACTED: &[u8] = b"[redacted]";

static KEYS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (
            r"-----BEGIN (?:RSA |EC |OPENSSH |DSA )?PRIVATE KEY-----(?s:.*?-----END [A-Z ]*PRIVATE KEY-----|[A-Za-z0-9+/=\s]*)",
            "a private key",
        ),
        (r"\bAKIA[0-9A-Z]{16}\b", "a cloud access key"),
        (r"\bgh[pousr]_[A-Za-z0-9]{36,}\b", "a forge's access token"),
        (r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}\b", "a model provider's key"),
        (r"\bxox[abprs]-[A-Za-z0-9-]{20,}\b", "a chat service's token"),
        (r"\bAIza[0-9A-Za-z_-]{35}\b", "a cloud service's key"),
        (r"\bfgk_[A-Za-z0-9_-]{40,}\b", "a forge key"),
    ]
    .into_iter()
    .map(|(pattern, kind)| (regex(pattern), kind))
    .collect()
});

/// `DB_PASSWORD=…`, the password in a URL, and a token in a header. The first group is kept, the next
/// is a value.
static VALUES: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        regex(
            r#"(\b[A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|PASSWD|CREDENTIAL|(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION)_?KEY)[A-Z0-9_]*=["']?)([^\s"'\[]{6,})"#,
        ),
        regex(r#"(\b[a-z][a-z0-9+.-]*://[^\s/:@"']*:)[^\s/@"'\[]{3,}@"#),
        regex(r"(?i:(\bBearer +))[A-Za-z0-9._~+/-]{20,}=*"),
    ]
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| panic!("{error}"))
}

/// The kind of key that a line contains.
pub fn key_kind(line: &str) -> Option<&'static str> {
    KEYS.iter().find(|(pattern, _)| pattern.is_match(line.as_bytes())).map(|(_, kind)| *kind)
}

/// The text without secrets; borrowed if it has none.
pub fn redact(text: &[u8]) -> Cow<'_, [u8]> {
    let mut redacted = Cow::Borrowed(text);
    for (pattern, _) in KEYS.iter() {
        replace(&mut redacted, pattern, |_| REDACTED.to_vec());
    }
    let [assignment, url, bearer] = &*VALUES;
    replace(&mut redacted, assignment, |found| match found[2].iter().all(u8::is_ascii_digit) {
        // Such as MAX_TOKENS.
        true => found[0].to_vec(),
        false => [&found[1], REDACTED].concat(),
    });
    replace(&mut redacted, url, |found| [&found[1], REDACTED, b"@".as_slice()].concat());
    replace(&mut redacted, bearer, |found| [&found[1], REDACTED].concat());
    redacted
}

/// [`redact`] for text.
pub fn redact_text(text: &str) -> String {
    String::from_utf8_lossy(&redact(text.as_bytes())).into_owned()
}

/// [`redact_text`] for every text in the value.
pub fn redact_json(value: &mut Value) {
    match value {
        Value::String(text) => *text = redact_text(text),
        Value::Array(values) => values.iter_mut().for_each(redact_json),
        Value::Object(fields) => fields.values_mut().for_each(redact_json),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn replace(text: &mut Cow<'_, [u8]>, pattern: &Regex, with: impl Fn(&Captures<'_>) -> Vec<u8>) {
    if let Cow::Owned(replaced) = pattern.replace_all(text, |found: &Captures<'_>| with(found)) {
        *text = Cow::Owned(replaced);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(text: &str) -> String {
        redact_text(text)
    }

    #[test]
    fn every_text_of_a_value_is_redacted() {
        let mut value = serde_json::json!({"env": ["API_KEY=abcdef123", 1], "path": "a.txt"});
        redact_json(&mut value);
        let expected = serde_json::json!({"env": ["API_KEY=[redacted]", 1], "path": "a.txt"});
        assert_eq!(value, expected);
    }

    #[test]
    fn keys_of_known_formats_are_redacted() {
        let key = format!("AKIA{}", "A".repeat(16));
        assert_eq!(key_kind(&format!("const key = '{key}'")), Some("a cloud access key"));
        assert_eq!(redacted(&format!("using {key}.\n")), "using [redacted].\n");
        let token = format!("ghp_{}", "a1".repeat(20));
        assert_eq!(redacted(&format!("{token} {token}")), "[redacted] [redacted]");
        let (begin, end) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
        assert_eq!(redacted(&format!("a\n{begin}\nMIIE\nabc=\n{end}\nb")), "a\n[redacted]\nb");
        assert_eq!(redacted(&format!("a\n{begin}\nMIIE\nabc=")), "a\n[redacted]");
    }

    #[test]
    fn values_of_secret_variables_are_redacted() {
        for (text, expected) in [
            ("DB_PASSWORD=hunter22 next", "DB_PASSWORD=[redacted] next"),
            ("export API_KEY='abc123def'\n", "export API_KEY='[redacted]'\n"),
            ("GITHUB_TOKEN=abcdefgh", "GITHUB_TOKEN=[redacted]"),
            ("MAX_TOKENS=1000000", "MAX_TOKENS=1000000"),
            (
                "authorization: Bearer abcdefghijklmnopqrstuvwxyz",
                "authorization: Bearer [redacted]",
            ),
            ("postgres://ada:s3cret@db/x", "postgres://ada:[redacted]@db/x"),
        ] {
            assert_eq!(redacted(text), expected);
            assert_eq!(redacted(expected), expected);
        }
    }

    #[test]
    fn text_without_secrets_is_unchanged() {
        for text in [
            "test result: ok. 3 passed; 0 failed",
            "expected token `=`, found `==`",
            "TOKEN= expected",
            "https://example.com:8080/a@b",
            "http://[::1]:3000/",
            "let password = read_password();",
            "sk-short",
            "the bearer of good news",
        ] {
            assert!(matches!(redact(text.as_bytes()), Cow::Borrowed(_)), "{text}");
        }
    }
}
