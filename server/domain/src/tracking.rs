//! Tracking: from a failure that was seen to the events that say so and settle it.

use chrono::{DateTime, Utc};

use crate::{
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
}

/// The event that counts a failure: a new record with `new_id`, or one more of an old one.
pub fn track(
    state: &BuildState,
    build_id: BuildId,
    new_id: BuildErrorId,
    now: DateTime<Utc>,
    seen: Seen,
) -> EventBody {
    let fingerprint = errors::fingerprint(&seen.source, seen.severity, &seen.message);
    let before = state.errors.get(&fingerprint);
    let record = ErrorRecord {
        id: before.map_or(new_id, |error| error.id),
        build_id,
        first_seen: before.map_or(now, |error| error.first_seen),
        last_seen: now,
        occurrence_count: before.map_or(0, |error| error.occurrence_count) + 1,
        phase: state.phase().map(PhaseState::label),
        file_path: errors::file_path(&seen.message),
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

/// Events that settle all open errors for which `which` holds.
pub fn resolve(
    state: &BuildState,
    method: ResolutionMethod,
    summary: &str,
    which: impl Fn(&ErrorState) -> bool,
) -> Vec<EventBody> {
    let open = state.errors.values().filter(|error| !error.resolved && which(error));
    let resolved = open.map(|error| ErrorResolved {
        error_id: error.id,
        method,
        summary: Some(summary.to_owned()),
    });
    resolved.map(EventBody::from).collect()
}
