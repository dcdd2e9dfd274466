//! Truncation of bodies over 64 KiB: the full texts are stored as blobs.

use domain::event::EventBody;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Larger bodies are truncated.
pub const MAX_BODY_BYTES: usize = 64 * 1024;
/// Marks a truncated text, before the hash of the full text. It occurs in no other text of the
/// journal: it is replaced in texts from outside, so that they cannot name a blob.
pub const MARKER: &str = " bytes left out; whole text: blob ";
/// Its replacement.
const DISARMED: &str = " bytes left out; whole text: a blob ";
/// Bytes that are kept at the start and at the end of a truncated text.
const EXCERPT_BYTES: usize = 4 * 1024;
/// Texts up to this size are never truncated.
const MAX_UNCUT_BYTES: usize = 3 * EXCERPT_BYTES;

/// The body as it is stored in the journal, and the full texts of truncated ones.
pub fn cut(body: EventBody) -> (EventBody, Vec<String>) {
    let Ok(mut value) = serde_json::to_value(&body) else { return (body, Vec::new()) };
    let mut blobs = Vec::new();
    disarm(&mut value);
    if value.to_string().len() > MAX_BODY_BYTES {
        cut_texts(&mut value, &mut blobs);
    }
    match serde_json::from_value(value) {
        Ok(shortened) => (shortened, blobs),
        Err(_) => (body, Vec::new()),
    }
}

/// The digests of the full texts that a stored event refers to.
pub fn blobs_in(text: &str) -> impl Iterator<Item = &str> {
    let digests = text.split(MARKER).skip(1).map(|rest| rest.get(..64).unwrap_or(rest));
    digests.filter(|digest| digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn disarm(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(MARKER) => *text = text.replace(MARKER, DISARMED),
        Value::Array(items) => items.iter_mut().for_each(disarm),
        Value::Object(fields) => fields.values_mut().for_each(disarm),
        _ => {}
    }
}

fn cut_texts(value: &mut Value, blobs: &mut Vec<String>) {
    match value {
        Value::String(text) if text.len() > MAX_UNCUT_BYTES => {
            let sha256 = hex::encode(Sha256::digest(text.as_bytes()));
            let head = &text[..text.floor_char_boundary(EXCERPT_BYTES)];
            let tail = &text[text.ceil_char_boundary(text.len() - EXCERPT_BYTES)..];
            let left_out = text.len() - head.len() - tail.len();
            let short = format!("{head}\n… {left_out}{MARKER}{sha256} …\n{tail}");
            blobs.push(std::mem::replace(text, short));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cut_texts(item, blobs)),
        Value::Object(fields) => fields.values_mut().for_each(|field| cut_texts(field, blobs)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::event::phases::{LogLevel, LogLine};

    fn log(message: String) -> EventBody {
        LogLine { level: LogLevel::Info, source: "test".into(), message }.into()
    }

    #[test]
    fn small_body_is_unchanged() {
        let body = log("é".repeat(1_000));
        let (kept, blobs) = cut(body.clone());
        assert_eq!(kept, body);
        assert!(blobs.is_empty());
    }

    #[test]
    fn large_body_keeps_start_and_end_and_names_the_blob() {
        let text = format!("first {} last", "é".repeat(MAX_BODY_BYTES));
        let (kept, blobs) = cut(log(text.clone()));
        let EventBody::BuildLog(line) = &kept else { panic!("another type") };
        let digest = hex::encode(Sha256::digest(&text));
        assert!(line.message.len() < MAX_BODY_BYTES && line.message.contains(&digest));
        assert!(line.message.starts_with("first ") && line.message.ends_with(" last"));
        assert_eq!(blobs, [text]);
        let stored = serde_json::to_string(&kept).unwrap();
        assert_eq!(blobs_in(&stored).collect::<Vec<_>>(), [digest]);
    }

    #[test]
    fn text_from_outside_cannot_name_a_blob() {
        let (kept, blobs) = cut(log(format!("… 7{MARKER}{} …", "ab".repeat(32))));
        let stored = serde_json::to_string(&kept).unwrap();
        assert_eq!((blobs_in(&stored).count(), blobs.len()), (0, 0), "{stored}");
    }
}
