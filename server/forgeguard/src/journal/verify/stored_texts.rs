//! Texts stored outside a journal: full texts of truncated ones, and checkpoints.

use std::collections::BTreeSet;

use domain::{attestation::sha256, event::EventBody, state::BuildState};
use serde_json::Value;

use super::problem::Problem;
use crate::{
    journal::excerpt,
    store::{self, Conn, checkpoints::Checkpoint},
};

/// Digests of full texts that a journal refers to.
#[derive(Debug, Default)]
pub struct StoredTexts(BTreeSet<String>);

impl StoredTexts {
    /// Collects the digests of a stored event.
    pub fn note(&mut self, text: &str, event: &EventBody) {
        self.0.extend(excerpt::blobs_in(text).map(str::to_owned));
        self.0.extend(event.gate_log().map(|log| log.sha256.clone()));
    }

    /// Compares the stored texts with their digests. In journals of earlier versions the output of a
    /// command could name a text that never existed, so that a missing one counts only if
    /// `is_complete`.
    pub async fn compare(self, conn: &mut Conn, is_complete: bool) -> store::Result<Vec<Problem>> {
        let mut problems = Vec::new();
        for digest in self.0 {
            match store::blobs::get(conn, &digest).await? {
                Some(blob) => problems.extend(unpacked_problem(&blob).map(|why| {
                    Problem::of(format!("blobs: the text {digest} that an event refers to {why}"))
                })),
                None if is_complete => problems.push(Problem::of(format!(
                    "blobs: the text {digest} that an event refers to is missing"
                ))),
                None => {}
            }
        }
        Ok(problems)
    }
}

fn unpacked_problem(blob: &store::blobs::Blob) -> Option<String> {
    match blob.text() {
        Ok(text) if sha256(&text) != blob.sha256 => Some("was changed".to_owned()),
        Ok(text) if text.len() as u64 != blob.size => {
            let (stored, actual) = (blob.size, text.len());
            Some(format!("has {actual} bytes, but blobs.size is {stored}"))
        }
        Ok(_) => None,
        Err(error) => Some(format!("cannot be read: {error}")),
    }
}

/// Compares a checkpoint with the state folded up to its event. Checkpoints of earlier versions have
/// fewer fields, and those that cannot be read are never used.
pub fn compare_checkpoint(checkpoint: &Checkpoint, state: &BuildState) -> Option<Problem> {
    serde_json::from_str::<BuildState>(&checkpoint.state).ok()?;
    let stored: Value = serde_json::from_str(&checkpoint.state).ok()?;
    let derived = serde_json::to_value(state).ok()?;
    let field = difference(&stored, &derived, "")?;
    let seq = Some(checkpoint.seq);
    Some(Problem { seq, what: format!("build_checkpoints.state does not follow: {field}") })
}

/// The first common field whose values differ.
fn difference(stored: &Value, derived: &Value, at: &str) -> Option<String> {
    match (stored, derived) {
        (Value::Object(stored), Value::Object(derived)) => {
            stored.iter().find_map(|(name, value)| {
                difference(value, derived.get(name)?, &format!("{at}/{name}"))
            })
        }
        (Value::Array(stored), Value::Array(derived)) if stored.len() == derived.len() => {
            let mut pairs = stored.iter().zip(derived).enumerate();
            pairs.find_map(|(n, (stored, derived))| {
                difference(stored, derived, &format!("{at}/{n}"))
            })
        }
        (stored, derived) => (stored != derived).then(|| at.to_owned()),
    }
}
