//! Tracking: from a failure that was seen to the events that say so and settle it.

use std::collections::HashSet;

use chrono::{DateTime, Utc};

use crate::{
    diagnostics::Diagnostic,
    errors::{self, ErrorRecord, ResolutionMethod, Severity},
    event::{
        EventBody,
        gates::{ErrorResolved, ErrorTracked},
    },
    ids::{BuildErrorId, BuildId},
    state::{BuildState, ErrorState, PhaseState},
};

/// Characters of a message that are kept.
const MESSAGE_LENGTH: usize = 4_000;

/// A failure as it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Where: `gate:test`, `audit`, `model`, `engine` …
    pub source: String,
    /// How grave.
    pub severity: Severity,
    /// Its words.
    pub message: String,
    /// The file it is about; without one, the first that the words name.
    pub file: Option<String>,
    /// What it is known by, already normalised; without it, its words.
    pub identity: Option<String>,
}

impl Seen {
    /// A failure that is known by its words.
    pub fn new(source: impl Into<String>, severity: Severity, message: impl Into<String>) -> Self {
        let (source, message) = (source.into(), message.into());
        Self { source, severity, message, file: None, identity: None }
    }

    /// What a tool complained of.
    pub fn diagnostic(source: impl Into<String>, severity: Severity, told: Diagnostic) -> Self {
        let message = told.text();
        let (file, identity) = (told.file, Some(told.identity));
        Self { file, identity, ..Self::new(source, severity, message) }
    }

    /// Equal for failures that are the same.
    pub fn fingerprint(&self) -> String {
        match &self.identity {
            Some(identity) => errors::fingerprint_of(&self.source, self.severity, identity),
            None => errors::fingerprint(&self.source, self.severity, &self.message),
        }
    }
}

/// The event that counts a failure: a new record with `new_id`, or one more of an old one.
pub fn track(
    state: &BuildState,
    build_id: BuildId,
    new_id: BuildErrorId,
    now: DateTime<Utc>,
    seen: Seen,
) -> EventBody {
    let fingerprint = seen.fingerprint();
    let before = state.errors.get(&fingerprint);
    let record = ErrorRecord {
        id: before.map_or(new_id, |error| error.id),
        build_id,
        first_seen: before.map_or(now, |error| error.first_seen),
        last_seen: now,
        occurrence_count: before.map_or(0, |error| error.occurrence_count) + 1,
        phase: state.phase().map(PhaseState::label),
        file_path: seen.file.or_else(|| errors::file_path(&seen.message)),
        source: seen.source,
        severity: seen.severity,
        message: seen.message.chars().take(MESSAGE_LENGTH).collect(),
        resolved: false,
        resolved_at: None,
        resolution_method: None,
        resolution_summary: None,
        regression: before.is_some_and(|error| error.regression || error.resolved),
        fingerprint,
    };
    ErrorTracked { record }.into()
}

/// The events that count failures seen at once, each distinct one once.
pub fn track_all(
    state: &BuildState,
    build_id: BuildId,
    mut new_id: impl FnMut() -> BuildErrorId,
    now: DateTime<Utc>,
    seen: impl IntoIterator<Item = Seen>,
) -> Vec<EventBody> {
    let mut known = HashSet::new();
    let distinct = seen.into_iter().filter(|seen| known.insert(seen.fingerprint()));
    distinct.map(|seen| track(state, build_id, new_id(), now, seen)).collect()
}

/// Events that settle all open errors for which `how` has a note.
pub fn resolve(
    state: &BuildState,
    method: ResolutionMethod,
    how: impl Fn(&ErrorState) -> Option<String>,
) -> Vec<EventBody> {
    let open = state.errors.values().filter(|error| !error.resolved);
    let resolved = open.filter_map(|error| {
        let summary = Some(how(error)?);
        Some(ErrorResolved { error_id: error.id, method, summary })
    });
    resolved.map(EventBody::from).collect()
}
