//! Build errors: normalisation, fingerprints, and the record of an error.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use regex::Regex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::ids::{BuildErrorId, BuildId};

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Blocks nothing.
    Warning,
    Error,
    /// The build cannot continue; it cannot be dismissed.
    Fatal,
}

impl Severity {
    /// The name stored and hashed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }
}

/// How an error was resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResolutionMethod {
    /// A fix passed its gates.
    AutoFix,
    /// Its phase was signed off.
    PhaseComplete,
    /// A user dismissed it.
    Dismissed,
}

/// One distinct error of a build, with the number of its occurrences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BuildError)]
pub struct ErrorRecord {
    pub id: BuildErrorId,
    pub build_id: BuildId,
    /// 16 hex digits; equal for occurrences of the same error.
    pub fingerprint: String,
    pub first_seen: DateTime<Utc>,
    pub last_seen: DateTime<Utc>,
    pub occurrence_count: u32,
    /// The phase's label, such as `Phase 0: Lists`.
    pub phase: Option<String>,
    /// The file that the message names.
    pub file_path: Option<String>,
    /// `gate:test`, `tool:edit_file`, `audit`, `model` …
    pub source: String,
    pub severity: Severity,
    /// The message of the last occurrence.
    pub message: String,
    pub resolved: bool,
    pub resolved_at: Option<DateTime<Utc>>,
    pub resolution_method: Option<ResolutionMethod>,
    pub resolution_summary: Option<String>,
    /// Whether it was resolved before and occurred again.
    pub regression: bool,
}

/// The message without parts that differ between occurrences of the same error.
pub fn normalise(message: &str) -> String {
    static ESCAPE: LazyLock<Regex> = LazyLock::new(|| regex(r"\x1b\[[0-9;?]*[A-Za-z]"));
    static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        [
            (
                r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
                "<uuid>",
            ),
            (r"\b0x[0-9a-fA-F]+\b", "<address>"),
            (r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?", "<time>"),
            (r"\b\d{2}:\d{2}:\d{2}(\.\d+)?\b", "<time>"),
            (r"(/private)?(/var)?/tmp/[^\s:'\x22,)]+", "<tmp>"),
            (r"\b(duration_ms:?\s*)\d+(\.\d+)?", "${1}<duration>"),
            (r"\b\d+(\.\d+)?\s?(ns|µs|us|ms|s|secs?|seconds?|min|minutes?)\b", "<duration>"),
            (r"(?i)\b(lines?|columns?|col)\s+\d+(-\d+)?", "$1 <n>"),
            (r":\d+:\d+\b", ":<n>"),
            (r"(\.[A-Za-z]{1,6}):\d+\b", "$1:<n>"),
            (r"\((\d+),\s?(\d+)\)", "(<n>)"),
        ]
        .into_iter()
        .map(|(pattern, with)| (regex(pattern), with))
        .collect()
    });
    let plain = ESCAPE.replace_all(message, "");
    // Before the rules, whose patterns may contain a space.
    let mut text = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    for (pattern, with) in RULES.iter() {
        if let std::borrow::Cow::Owned(changed) = pattern.replace_all(&text, *with) {
            text = changed;
        }
    }
    text
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|e| panic!("{e}"))
}

/// First 16 hex digits of SHA-256 over `source:severity:normalised`.
pub fn fingerprint(source: &str, severity: Severity, message: &str) -> String {
    fingerprint_of(source, severity, &normalise(message))
}

/// [`fingerprint`] of a message that is already normalised.
pub fn fingerprint_of(source: &str, severity: Severity, normalised: &str) -> String {
    let text = format!("{source}:{}:{normalised}", severity.name());
    hex::encode(&Sha256::digest(text.as_bytes())[..8])
}

/// The first path of a source file in a text.
pub fn file_path(message: &str) -> Option<String> {
    static PATH: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?:^|[\s('\x22])((?:[\w.@-]+/)*[\w.@-]+\.[A-Za-z]{1,5}):\d+"));
    PATH.captures(message).map(|found| found[1].trim_start_matches("./").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn occurrences_that_differ_in_accidental_details_have_one_fingerprint() {
        for (a, b) in [
            ("src/a.js:10:5: unexpected token", "src/a.js:99:1: unexpected token"),
            ("TypeError at line 10", "TypeError at line 7"),
            ("freed 0xdeadbeef twice", "freed 0x1234 twice"),
            ("failed after 12.5ms", "failed after 900 ms"),
            ("cannot open /tmp/abc123/x.txt", "cannot open /tmp/zzz/x.txt"),
            ("at 2026-11-21T20:25:00.123Z: no", "at 2025-01-01 00:00:00: no"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            (
                "row 3f2504e0-4f89-11d3-9a0c-0305e82c3301 is gone",
                "row 00000000-0000-0000-0000-000000000000 is gone",
            ),
            ("main.rs:3 failed", "main.rs:33 failed"),
        ] {
            let print = |message| fingerprint("gate:test", Severity::Error, message);
            assert_eq!(print(a), print(b), "{} / {}", normalise(a), normalise(b));
        }
    }

    #[test]
    fn messages_that_differ_in_meaning_have_different_fingerprints() {
        let base = fingerprint("gate:test", Severity::Error, "cannot find `a`");
        assert_ne!(base, fingerprint("gate:test", Severity::Error, "cannot find `b`"));
        assert_ne!(base, fingerprint("gate:lint", Severity::Error, "cannot find `a`"));
        assert_ne!(base, fingerprint("gate:test", Severity::Warning, "cannot find `a`"));
        assert_eq!(base.len(), 16);
    }

    #[test]
    fn file_path_is_the_first_path_of_a_source_file() {
        for (message, path) in [
            ("not ok at test/list.test.js:12:3", Some("test/list.test.js")),
            ("./src/a.rs:1: oh", Some("src/a.rs")),
            ("nothing here", None),
            ("http://example.com:80", None),
        ] {
            assert_eq!(file_path(message).as_deref(), path, "{message}");
        }
    }

    proptest! {
        #[test]
        fn normalising_twice_changes_nothing_more(message in "[ -~\n]{0,200}") {
            let once = normalise(&message);
            prop_assert_eq!(normalise(&once), once);
        }
    }
}
