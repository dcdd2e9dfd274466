//! Bodies over 64 KiB are cut for the journal; the whole text goes to `blobs`.

use domain::event::EventBody;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Bytes of a body that the journal stores whole.
pub const LIMIT: usize = 64 * 1024;
/// Bytes kept of each text that is cut, at its start and at its end.
const KEPT: usize = 4 * 1024;
/// Texts shorter than this are never cut.
const SHORT: usize = 3 * KEPT;

/// A text that was taken out of an event.
pub struct Blob {
    /// Hash of the text, in hex.
    pub sha256: String,
    /// The text.
    pub text: String,
}

/// The body as the journal stores it, and what was taken out.
pub fn cut(body: EventBody) -> (EventBody, Vec<Blob>) {
    let Ok(value) = serde_json::to_value(&body) else { return (body, Vec::new()) };
    if value.to_string().len() <= LIMIT {
        return (body, Vec::new());
    }
    let mut value = value;
    let mut blobs = Vec::new();
    cut_texts(&mut value, &mut blobs);
    match serde_json::from_value(value) {
        Ok(shortened) => (shortened, blobs),
        Err(_) => (body, Vec::new()),
    }
}

fn cut_texts(value: &mut Value, blobs: &mut Vec<Blob>) {
    match value {
        Value::String(text) if text.len() > SHORT => {
            let sha256 = hex::encode(Sha256::digest(text.as_bytes()));
            let head = &text[..text.floor_char_boundary(KEPT)];
            let tail = &text[text.ceil_char_boundary(text.len() - KEPT)..];
            let left_out = text.len() - head.len() - tail.len();
            let short =
                format!("{head}\n… {left_out} bytes left out; whole text: blob {sha256} …\n{tail}");
            blobs.push(Blob { sha256, text: std::mem::replace(text, short) });
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
    fn a_small_body_stays_as_it_is() {
        let body = log("é".repeat(1_000));
        let (kept, blobs) = cut(body.clone());
        assert_eq!(kept, body);
        assert!(blobs.is_empty());
    }

    #[test]
    fn a_large_body_keeps_head_and_tail_and_names_the_blob() {
        let text = format!("first {} last", "é".repeat(LIMIT));
        let (kept, blobs) = cut(log(text.clone()));
        let EventBody::BuildLog(line) = kept else { panic!("another type") };
        assert!(line.message.len() < LIMIT && line.message.contains(&blobs[0].sha256));
        assert!(line.message.starts_with("first ") && line.message.ends_with(" last"));
        assert_eq!(blobs[0].text, text);
    }
}
