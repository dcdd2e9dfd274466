//! Tracking: the events that record and resolve errors.

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

/// In characters; longer messages are truncated.
const MAX_MESSAGE_CHARS: usize = 4_000;

/// An observed failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedFailure {
    /// `gate:test`, `audit`, `model`, `engine` …
    pub source: String,
    pub severity: Severity,
    pub message: String,
    /// The file that it is about; if absent, the first that the message names.
    pub file: Option<String>,
    /// Already normalised; if absent, the message identifies the failure.
    pub identity: Option<String>,
}

impl ObservedFailure {
    /// A failure that is identified by its message.
    pub fn new(source: impl Into<String>, severity: Severity, message: impl Into<String>) -> Self {
        let (source, message) = (source.into(), message.into());
        Self { source, severity, message, file: None, identity: None }
    }

    /// A diagnostic of a tool.
    pub fn diagnostic(source: impl Into<String>, severity: Severity, told: Diagnostic) -> Self {
        let message = told.text();
        let (file, identity) = (told.file, Some(told.identity));
        Self { file, identity, ..Self::new(source, severity, message) }
    }

    /// Equal for occurrences of the same failure.
    pub fn fingerprint(&self) -> String {
        match &self.identity {
            Some(identity) => errors::fingerprint_of(&self.source, self.severity, identity),
            None => errors::fingerprint(&self.source, self.severity, &self.message),
        }
    }
}

/// The event that records a failure: a new record with `new_id`, or another occurrence.
pub fn track(
    state: &BuildState,
    build_id: BuildId,
    new_id: BuildErrorId,
    now: DateTime<Utc>,
    seen: ObservedFailure,
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
        message: seen.message.chars().take(MAX_MESSAGE_CHARS).collect(),
        resolved: false,
        resolved_at: None,
        resolution_method: None,
        resolution_summary: None,
        regression: before.is_some_and(|error| error.regression || error.resolved),
        fingerprint,
    };
    ErrorTracked { record }.into()
}

/// The events that record several failures, each distinct one once.
pub fn track_all(
    state: &BuildState,
    build_id: BuildId,
    mut new_id: impl FnMut() -> BuildErrorId,
    now: DateTime<Utc>,
    seen: impl IntoIterator<Item = ObservedFailure>,
) -> Vec<EventBody> {
    let mut known = HashSet::new();
    let distinct = seen.into_iter().filter(|seen| known.insert(seen.fingerprint()));
    distinct.map(|seen| track(state, build_id, new_id(), now, seen)).collect()
}

/// Events that resolve all open errors for which `how` returns a note.
pub fn resolve(
    state: &BuildState,
    method: ResolutionMethod,
    how: impl Fn(&ErrorState) -> Option<String>,
) -> Vec<EventBody> {
    let open = state.errors.values().filter(|error| !error.resolved);
    let resolved = open.filter_map(|error| {
        let summary = Some(how(error)?);
        Some(ErrorResolved { error_id: error.id, method, summary, by: None })
    });
    resolved.map(EventBody::from).collect()
}
