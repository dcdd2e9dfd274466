//! The changes of one transaction to a build's errors: each error is written once.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{
    event::gates::{ErrorReopened, ErrorResolved, ErrorTracked},
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
    /// An occurrence, with the tracked state of the error.
    pub fn track(&mut self, seq: u64, tracked: &'a ErrorTracked) {
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
    pub fn resolve(&mut self, at: DateTime<Utc>, resolved: &'a ErrorResolved) {
        let summary = resolved.summary.as_deref().map(storable);
        let resolution = Resolution { at, method: resolved.method, summary };
        self.resolutions.insert(resolved.error_id, Some(resolution));
    }

    /// A reopening.
    pub fn reopen(&mut self, reopened: &ErrorReopened) {
        self.resolutions.insert(reopened.error_id, None);
    }

    /// Writes the changes, in at most three statements.
    pub async fn store(self, conn: &mut Conn) -> Result<()> {
        let tracked: Vec<_> = self.tracked.into_values().collect();
        let resolutions: Vec<_> = self.resolutions.into_iter().collect();
        build_errors::write_batch(conn, &tracked).await?;
        build_errors::set_resolutions(conn, &resolutions).await
    }
}
