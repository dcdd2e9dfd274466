//! The hash chain of a journal: how an event is serialised and hashed, and how a journal is verified.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{
    event::{Event, EventBody},
    ids::BuildId,
};

/// The hash before the first event: 64 zeros.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// An event's exact text without its hash, and its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// A JSON object with seq, build_id, at, type, payload, in this order.
    pub body: String,
    /// 64 hex digits.
    pub hash: String,
}

/// A record that does not continue the chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    #[error("expected event {expected}, found event {found}")]
    Gap { expected: u64, found: u64 },
    #[error("event {seq} was changed: its hash does not match its text")]
    Changed { seq: u64 },
    /// The text is not an event of this build.
    #[error("event {seq} cannot be read: {why}")]
    Unreadable { seq: u64, why: String },
}

#[derive(Serialize)]
struct Unhashed<'a> {
    seq: u64,
    build_id: BuildId,
    at: String,
    #[serde(flatten)]
    body: &'a EventBody,
}

/// Serialises an event and chains it to `previous`.
pub fn link(
    previous: &str,
    seq: u64,
    build_id: BuildId,
    at: DateTime<Utc>,
    body: &EventBody,
) -> Link {
    let at = at.to_rfc3339_opts(SecondsFormat::Millis, true);
    let body = serde_json::to_string(&Unhashed { seq, build_id, at, body })
        .unwrap_or_else(|e| unreachable!("an event is always JSON: {e}"));
    let hash = hash(previous, &body);
    Link { body, hash }
}

/// SHA-256 over the previous hash (its 64 digits) followed by the text; the same as
/// `printf %s%s "$previous" "$body" | sha256sum`.
pub fn hash(previous: &str, body: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(previous.as_bytes());
    digest.update(body.as_bytes());
    hex::encode(digest.finalize())
}

/// The event as streamed and exported: the text with `hash` as its last field.
pub fn with_hash(body: &str, hash: &str) -> String {
    let mut text = String::with_capacity(body.len() + hash.len() + 10);
    write_with_hash(&mut text, body, hash);
    text
}

/// Appends [`with_hash`] to `text`.
pub fn write_with_hash(text: &mut String, body: &str, hash: &str) {
    text.push_str(body.strip_suffix('}').unwrap_or(body));
    text.push_str(",\"hash\":\"");
    text.push_str(hash);
    text.push_str("\"}");
}

/// Splits an event as streamed and exported into the hashed text and its hash.
pub fn without_hash(text: &str) -> Option<Link> {
    let (open, rest) = text.rsplit_once(",\"hash\":\"")?;
    let hash = rest.strip_suffix("\"}")?;
    Some(Link { body: format!("{open}}}"), hash: hash.to_owned() })
}

/// Verifies a journal record by record, up to the first error.
#[derive(Clone, Debug)]
pub struct Walk {
    build_id: BuildId,
    seq: u64,
    hash: String,
}

impl Walk {
    /// A verifier for the journal of this build, before its first event.
    pub fn new(build_id: BuildId) -> Self {
        Self { build_id, seq: 0, hash: GENESIS.to_owned() }
    }

    /// Verifies the next record and returns its event.
    pub fn next(&mut self, record: &Link) -> Result<Event, ChainError> {
        let expected = self.seq + 1;
        if hash(&self.hash, &record.body) != record.hash {
            return Err(match serde_json::from_str::<SeqOnly>(&record.body) {
                Ok(SeqOnly { seq }) if seq != expected => ChainError::Gap { expected, found: seq },
                _ => ChainError::Changed { seq: expected },
            });
        }
        let event: Event = serde_json::from_str(&with_hash(&record.body, &record.hash))
            .map_err(|e| ChainError::Unreadable { seq: expected, why: e.to_string() })?;
        if event.seq != expected {
            return Err(ChainError::Gap { expected, found: event.seq });
        }
        if event.build_id != self.build_id {
            let why = format!("it belongs to build {}", event.build_id);
            return Err(ChainError::Unreadable { seq: expected, why });
        }
        self.seq = expected;
        self.hash.clone_from(&record.hash);
        Ok(event)
    }

    /// Seq and hash of the last verified event.
    pub fn head(&self) -> (u64, &str) {
        (self.seq, &self.hash)
    }
}

#[derive(serde::Deserialize)]
struct SeqOnly {
    seq: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::phases::{LogLevel, LogLine},
        ids::Id,
    };
    use proptest::prelude::*;

    fn journal(messages: &[String]) -> (BuildId, Vec<Link>) {
        let build = BuildId::from_uuid(uuid::Uuid::from_u128(7));
        let mut previous = GENESIS.to_owned();
        let links = messages.iter().enumerate().map(|(index, message)| {
            let body: EventBody =
                LogLine { level: LogLevel::Info, source: "test".into(), message: message.clone() }
                    .into();
            let at = DateTime::from_timestamp_millis(1_000 + index as i64).unwrap();
            let link = link(&previous, index as u64 + 1, build, at, &body);
            previous.clone_from(&link.hash);
            link
        });
        (build, links.collect())
    }

    fn check(build: BuildId, links: &[Link]) -> Result<(), ChainError> {
        let mut walk = Walk::new(build);
        links.iter().try_for_each(|link| walk.next(link).map(drop))
    }

    #[test]
    fn serialised_event_has_the_documented_form() {
        let (_, links) = journal(&["hello".into()]);
        let text = with_hash(&links[0].body, &links[0].hash);
        let start = r#"{"seq":1,"build_id":"00000000-0000-0000-0000-000000000007","at":"1970-01-01T00:00:01.000Z","type":"build_log","payload":{"level":"info","source":"test","message":"hello"},"hash":""#;
        assert!(text.starts_with(start), "{text}");
        assert_eq!(text.len(), start.len() + 64 + 2);
    }

    proptest! {
        #[test]
        fn an_untouched_journal_fits(messages in proptest::collection::vec(".*", 1..8)) {
            let (build, links) = journal(&messages);
            prop_assert_eq!(check(build, &links), Ok(()));
            for link in &links {
                let parts = without_hash(&with_hash(&link.body, &link.hash));
                prop_assert_eq!(parts.as_ref(), Some(link));
            }
        }

        #[test]
        fn any_changed_byte_is_found(
            messages in proptest::collection::vec("[a-z]{1,9}", 2..6),
            which in any::<prop::sample::Index>(),
            place in any::<prop::sample::Index>(),
        ) {
            let (build, mut links) = journal(&messages);
            let link = &mut links[which.index(messages.len())];
            let place = place.index(link.body.len());
            let mut bytes = link.body.clone().into_bytes();
            bytes[place] = if bytes[place] == b'x' { b'y' } else { b'x' };
            link.body = String::from_utf8(bytes).unwrap();
            prop_assert!(check(build, &links).is_err());
        }

        #[test]
        fn a_dropped_or_swapped_event_is_found(messages in proptest::collection::vec("[a-z]{1,9}", 3..6)) {
            let (build, links) = journal(&messages);
            let mut dropped = links.clone();
            dropped.remove(1);
            prop_assert!(check(build, &dropped).is_err());
            let mut swapped = links;
            swapped.swap(0, 1);
            prop_assert!(check(build, &swapped).is_err());
        }
    }
}
