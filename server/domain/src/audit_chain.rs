//! The hash chain of the audit log: how an entry's text is made, and how the log is checked.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

use crate::{audit::AuditHead, chain, ids::UserId};

impl Default for AuditHead {
    fn default() -> Self {
        Self { seq: 0, hash: chain::GENESIS.to_owned() }
    }
}

/// An entry as it is hashed. The order of the fields is part of the format.
#[derive(Clone, Debug, Serialize)]
pub struct AuditRecord<'a> {
    /// From 1, without gaps.
    pub seq: u64,
    /// Hashed with microseconds.
    #[serde(serialize_with = "micros")]
    pub at: DateTime<Utc>,
    /// `None` for the service itself.
    pub actor_id: Option<UserId>,
    /// The actor's name at that time.
    pub actor_name: &'a str,
    /// The action's name, such as `review_decided`.
    pub action: &'a str,
    /// Kind and id, such as `build/0190…`.
    pub subject: &'a str,
    /// The stored text, byte for byte; not the JSON in it.
    pub detail: &'a str,
}

impl AuditRecord<'_> {
    /// The exact text that is hashed: a JSON object without spaces.
    pub fn text(&self) -> String {
        serde_json::to_string(self)
            .unwrap_or_else(|e| unreachable!("an audit entry is always JSON: {e}"))
    }

    /// sha256 over the previous entry's hash followed by this entry's text, in hex.
    pub fn hash(&self, previous: &str) -> String {
        chain::hash(previous, &self.text())
    }
}

/// An entry that breaks the chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditMismatch {
    /// Entries are missing, or were inserted.
    #[error("the audit log has entry {found} where entry {expected} should be")]
    Gap { expected: u64, found: u64 },
    /// Its text does not have its hash.
    #[error("entry {0} of the audit log, or one before it, was changed: the hash does not match")]
    Changed(u64),
    /// An earlier entry has a hash, this one has none.
    #[error("entry {0} of the audit log has no hash, although entries before it have one")]
    Unhashed(u64),
}

/// Walks the audit log entry by entry.
///
/// Entries written before the log was chained have no hash of their own. They are hashed like all
/// others, so the first stored hash covers them.
#[derive(Clone, Debug, Default)]
pub struct AuditWalk {
    head: AuditHead,
    is_chained: bool,
}

impl AuditWalk {
    /// Checks the next entry against the hash stored with it.
    ///
    /// # Errors
    /// When the entry breaks the chain; the walk cannot continue after that.
    pub fn next(
        &mut self,
        record: &AuditRecord<'_>,
        stored: Option<&str>,
    ) -> Result<(), AuditMismatch> {
        let expected = self.head.seq + 1;
        if record.seq != expected {
            return Err(AuditMismatch::Gap { expected, found: record.seq });
        }
        let hash = record.hash(&self.head.hash);
        match stored {
            Some(stored) if stored != hash => return Err(AuditMismatch::Changed(expected)),
            Some(_) => self.is_chained = true,
            None if self.is_chained => return Err(AuditMismatch::Unhashed(expected)),
            None => {}
        }
        self.head = AuditHead { seq: expected, hash };
        Ok(())
    }

    /// The newest entry that was checked.
    pub fn head(&self) -> &AuditHead {
        &self.head
    }

    /// Whether a stored hash covers the entries up to the newest.
    pub fn is_chained(&self) -> bool {
        self.is_chained || self.head.seq == 0
    }
}

fn micros<S: serde::Serializer>(at: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&at.to_rfc3339_opts(SecondsFormat::Micros, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(seq: u64, detail: &str) -> AuditRecord<'_> {
        AuditRecord {
            seq,
            at: DateTime::from_timestamp_micros(1_500).unwrap(),
            actor_id: None,
            actor_name: "Ada",
            action: "user_created",
            subject: "user/1",
            detail,
        }
    }

    #[test]
    fn entry_text_has_the_documented_format() {
        let text = r#"{"seq":1,"at":"1970-01-01T00:00:00.001500Z","actor_id":null,"actor_name":"Ada","action":"user_created","subject":"user/1","detail":"{}"}"#;
        assert_eq!(record(1, "{}").text(), text);
    }

    #[test]
    fn entries_before_the_chain_are_covered_by_its_first_hash() {
        let first = record(1, "{}").hash(chain::GENESIS);
        let second = record(2, "{}").hash(&first);
        let mut walk = AuditWalk::default();
        walk.next(&record(1, "{}"), None).unwrap();
        assert!(!walk.is_chained());
        walk.next(&record(2, "{}"), Some(&second)).unwrap();
        assert!(walk.is_chained());
        assert_eq!(walk.next(&record(3, "{}"), None), Err(AuditMismatch::Unhashed(3)));

        let mut changed = AuditWalk::default();
        changed.next(&record(1, "[]"), None).unwrap();
        let found = changed.next(&record(2, "{}"), Some(&second));
        assert_eq!(found, Err(AuditMismatch::Changed(2)));
    }

    #[test]
    fn missing_entry_is_reported_as_a_gap() {
        let mut walk = AuditWalk::default();
        let found = walk.next(&record(2, "{}"), None);
        assert_eq!(found, Err(AuditMismatch::Gap { expected: 1, found: 2 }));
    }
}
