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

/// An observed failure. What is expensive is computed when it is created, so that the journal's writer,
/// which all builds share, does not have to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedFailure {
    /// `gate:test`, `audit`, `model`, `engine` …
    pub source: String,
    pub severity: Severity,
    pub message: String,
    /// The file that it is about.
    pub file: Option<String>,
    fingerprint: String,
}

impl ObservedFailure {
    /// A failure that is identified by its message, about the first file that the message names.
    pub fn new(source: impl Into<String>, severity: Severity, message: impl Into<String>) -> Self {
        let (source, message) = (source.into(), message.into());
        let fingerprint = errors::fingerprint(&source, severity, &message);
        Self::with_fingerprint(source, severity, message, fingerprint)
    }

    /// A failure that is identified by a text that is already normalised.
    pub fn identified(
        source: impl Into<String>,
        severity: Severity,
        message: impl Into<String>,
        identity: &str,
    ) -> Self {
        let source = source.into();
        let fingerprint = errors::fingerprint_of(&source, severity, identity);
        Self::with_fingerprint(source, severity, message.into(), fingerprint)
    }

    fn with_fingerprint(
        source: String,
        severity: Severity,
        message: String,
        fingerprint: String,
    ) -> Self {
        let file = errors::file_path(&message);
        Self { source, severity, message, file, fingerprint }
    }

    /// A diagnostic of a tool.
    pub fn diagnostic(source: impl Into<String>, severity: Severity, told: Diagnostic) -> Self {
        Self::identified(source, severity, told.text(), &told.identity).about(told.file)
    }

    /// The same failure about this file, if there is one.
    pub fn about(self, file: Option<String>) -> Self {
        Self { file: file.or(self.file), ..self }
    }

    /// Equal for occurrences of the same failure.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
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
    let before = state.errors.get(&seen.fingerprint);
    let record = ErrorRecord {
        id: before.map_or(new_id, |error| error.id),
        build_id,
        first_seen: before.map_or(now, |error| error.first_seen),
        last_seen: now,
        occurrence_count: before.map_or(0, |error| error.occurrence_count) + 1,
        phase: state.phase().map(PhaseState::label),
        file_path: seen.file,
        source: seen.source,
        severity: seen.severity,
        message: shortened(seen.message),
        resolved: false,
        resolved_at: None,
        resolution_method: None,
        resolution_summary: None,
        regression: before.is_some_and(|error| error.regression || error.resolved),
        fingerprint: seen.fingerprint,
    };
    ErrorTracked { record }.into()
}

fn shortened(mut message: String) -> String {
    if message.len() > MAX_MESSAGE_CHARS
        && let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE_CHARS)
    {
        message.truncate(end);
    }
    message
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
    let distinct = seen.into_iter().filter(|seen| known.insert(seen.fingerprint.clone()));
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
