//! The changes of one transaction to a build's errors: each error is written once.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    event::{
        EventBody,
        gates::{ErrorReopened, ErrorResolved, ErrorTracked},
    },
    ids::BuildErrorId,
};

use super::storable::storable;
use crate::store::{
    Conn, Result,
    build_errors::{self, Resolution, TrackedError},
};

/// Errors that occurred, and errors whose resolution changed after that.
#[derive(Debug, Default)]
pub struct ErrorChanges<'a> {
    tracked: BTreeMap<BuildErrorId, TrackedError<'a>>,
    resolutions: BTreeMap<BuildErrorId, Option<Resolution<'a>>>,
}

impl<'a> ErrorChanges<'a> {
    /// The changes by events, which are in order, with the seq of the first.
    pub fn of(first_seq: u64, events: &'a [(DateTime<Utc>, EventBody)]) -> Self {
        let mut changes = Self::default();
        for (seq, (at, body)) in (first_seq..).zip(events) {
            match body {
                EventBody::BuildErrorTracked(tracked) => changes.track(seq, tracked),
                EventBody::BuildErrorResolved(resolved) => changes.resolve(*at, resolved),
                EventBody::BuildErrorReopened(reopened) => changes.reopen(reopened),
                _ => {}
            }
        }
        changes
    }

    /// The errors that have a row and occurred again.
    pub fn known(&self) -> Vec<&TrackedError<'a>> {
        self.tracked.values().filter(|error| !error.is_new).collect()
    }

    /// Writes all changes but those of the known errors.
    pub async fn store_others(self, conn: &mut Conn) -> Result<()> {
        let new: Vec<_> = self.tracked.into_values().filter(|error| error.is_new).collect();
        let resolutions: Vec<_> = self.resolutions.into_iter().collect();
        build_errors::insert_batch(conn, &new).await?;
        build_errors::set_resolutions(conn, &resolutions).await
    }

    /// An occurrence, with the tracked state of the error.
    fn track(&mut self, seq: u64, tracked: &'a ErrorTracked) {
        let record = &tracked.record;
        let earlier = self.tracked.get(&record.id);
        let error = TrackedError {
            id: record.id,
            build_id: record.build_id,
            is_new: earlier.map_or(record.occurrence_count == 1, |earlier| earlier.is_new),
            seq: earlier.map_or(seq, |earlier| earlier.seq),
            fingerprint: &record.fingerprint,
            first_seen: record.first_seen,
            last_seen: record.last_seen,
            occurrence_count: record.occurrence_count,
            phase: record.phase.as_deref(),
            file_path: record.file_path.as_deref().or(earlier.and_then(|e| e.file_path)),
            source: &record.source,
            severity: record.severity,
            message: storable(&record.message),
            regression: record.regression,
        };
        self.resolutions.remove(&record.id);
        self.tracked.insert(record.id, error);
    }

    /// A resolution.
    fn resolve(&mut self, at: DateTime<Utc>, resolved: &'a ErrorResolved) {
        let summary = resolved.summary.as_deref().map(storable);
        let resolution = Resolution { at, method: resolved.method, summary };
        self.resolutions.insert(resolved.error_id, Some(resolution));
    }

    /// A reopening.
    fn reopen(&mut self, reopened: &ErrorReopened) {
        self.resolutions.insert(reopened.error_id, None);
    }
}
