//! What a gate's command printed, without secrets.

use std::borrow::Cow;

use domain::attestation::sha256;
use sandbox::CappedOutput;

use crate::redaction::redact;

/// Of the output of one run that is read for errors and tests.
const MAX_READ_BYTES: usize = 1 << 20;
/// Longer output is stored as a log.
const MAX_EVENT_BYTES: usize = 32 << 10;

/// All output that is kept, if it is longer than what an event should contain.
pub struct PrintedLog {
    pub bytes: Vec<u8>,
    /// Bytes of output that were not kept.
    pub left_out_bytes: u64,
}

pub struct PrintedOutput {
    /// Possibly shortened.
    pub text: String,
    pub log: Option<PrintedLog>,
    /// Of the complete output, or of what is stored if it contained a secret.
    pub sha256: String,
}

impl PrintedOutput {
    /// Reads up to 16 MiB, so it may take a while.
    pub fn of(printed: CappedOutput) -> Self {
        let left_out_bytes = printed.cut_bytes;
        let mut sha = printed.sha256.clone();
        let shortened = printed.limited(MAX_READ_BYTES).text();
        let (text, has_secret) = redacted(shortened);
        if printed.kept_bytes() <= MAX_EVENT_BYTES {
            if has_secret {
                sha = sha256(text.as_bytes());
            }
            return Self { text, log: None, sha256: sha };
        }
        let all = bytes(printed);
        let bytes = match redact(&all) {
            Cow::Borrowed(_) => all,
            Cow::Owned(redacted) => {
                sha = sha256(&redacted);
                redacted
            }
        };
        Self { text, log: Some(PrintedLog { bytes, left_out_bytes }), sha256: sha }
    }
}

fn redacted(text: String) -> (String, bool) {
    match redact(text.as_bytes()) {
        Cow::Borrowed(_) => (text, false),
        Cow::Owned(bytes) => (String::from_utf8_lossy(&bytes).into_owned(), true),
    }
}

/// Start and end, with a line between them that says what is missing.
fn bytes(printed: CappedOutput) -> Vec<u8> {
    let mut bytes = printed.head;
    if printed.cut_bytes > 0 {
        bytes.extend(format!("\n[… {} bytes cut …]\n", printed.cut_bytes).into_bytes());
    }
    bytes.extend(printed.tail);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> PrintedOutput {
        PrintedOutput::of(CappedOutput {
            head: text.as_bytes().to_vec(),
            tail: Vec::new(),
            cut_bytes: 0,
            total_bytes: text.len() as u64,
            sha256: sha256(text.as_bytes()),
        })
    }

    #[test]
    fn secrets_are_in_neither_text_nor_log_and_the_digest_is_that_of_what_is_stored() {
        let short = printed("DB_PASSWORD=hunter22\n");
        assert_eq!(short.text, "DB_PASSWORD=[redacted]\n");
        assert_eq!(short.sha256, sha256(short.text.as_bytes()));

        let line = "DB_PASSWORD=hunter22 ok\n";
        let long = printed(&line.repeat(MAX_EVENT_BYTES / line.len() + 1));
        let log = long.log.expect("a log").bytes;
        let is_clean = |text: &str| text.contains("[redacted]") && !text.contains("hunter22");
        assert!(is_clean(&long.text) && is_clean(&String::from_utf8_lossy(&log)));
        assert_eq!(long.sha256, sha256(&log));
    }

    #[test]
    fn output_without_secrets_is_stored_as_printed() {
        let output = printed("ok 1\n");
        assert_eq!((output.text.as_str(), output.sha256), ("ok 1\n", sha256(b"ok 1\n")));
        assert!(output.log.is_none());
    }
}
