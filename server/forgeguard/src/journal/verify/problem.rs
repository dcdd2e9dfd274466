//! The results of a verification.

use std::sync::Arc;

use domain::{event::life::Sealed, state::BuildState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longer values are truncated in messages.
const MAX_VALUE_CHARS: usize = 120;

/// The result of verifying a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Verification {
    /// Whether there are no problems.
    pub ok: bool,
    /// The number of valid events before the first invalid one.
    pub events: u64,
    /// The hash of the last valid event.
    pub head_hash: String,
    /// SHA-256 of the exported journal up to that event.
    pub journal_sha256: String,
    /// In the order of the journal.
    pub problems: Vec<Problem>,
    /// Checks that were impossible because an earlier version recorded the build; not problems.
    pub notes: Vec<String>,
    /// The seal in the journal; whether it follows from the journal is reported in `problems`.
    pub sealed: Option<Sealed>,
    /// The state after the last valid event, as far as it could be derived.
    #[serde(skip)]
    pub state: Option<Arc<BuildState>>,
}

/// A mismatch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// The event that shows it, if there is one.
    pub seq: Option<u64>,
    /// For display, with the table and column or the file.
    pub what: String,
}

impl Verification {
    /// Adds problems found elsewhere.
    pub fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.problems.extend(problems);
        self.ok = self.problems.is_empty();
    }
}

impl Problem {
    /// A problem that is not about a single event.
    pub fn of(what: impl Into<String>) -> Self {
        Self { seq: None, what: what.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.seq {
            Some(seq) => write!(f, "event {seq}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// The beginning of a value, on one line.
pub fn shorten(value: &str) -> String {
    let line = value.replace(['\n', '\r'], " ");
    match line.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
