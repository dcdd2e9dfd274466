//! Errors that a build tracks, and the failures that its report lists.

use std::sync::Arc;

use super::guards::{Reason, ensure};
use crate::{
    errors::{ResolutionMethod, Severity},
    event::{
        EventBody,
        agents::Finding,
        gates::{ErrorReopened, ErrorResolved, ErrorTracked, RetryScheduled},
    },
    rounds::{ENGINE_SOURCE, finding_failure},
    state::{BuildState, Dismissal, DismissedFinding, ErrorState, Status},
};

/// In the report of a blocked build.
const MAX_LAST_FAILURES: usize = 5;
const MAX_FAILURE_CHARS: usize = 400;

impl BuildState {
    pub(super) fn track_error(&mut self, tracked: &ErrorTracked) -> Result<(), Reason> {
        let record = &tracked.record;
        let before = self.errors.get(&record.fingerprint);
        let count = before.map_or(0, |error| error.occurrence_count);
        ensure(record.occurrence_count == count + 1, "its number of occurrences is wrong")?;
        ensure(before.is_none_or(|error| error.id == record.id), "that error has another id")?;
        let came_back = before.is_some_and(|error| error.regression || error.resolved);
        ensure(record.regression == came_back, "its regression flag is wrong")?;
        let round = self.phase().map_or(0, |phase| phase.iteration);
        Arc::make_mut(&mut self.errors).insert(
            record.fingerprint.clone(),
            ErrorState {
                id: record.id,
                first_seen: record.first_seen,
                occurrence_count: record.occurrence_count,
                severity: record.severity,
                source: record.source.clone(),
                phase: record.phase.clone(),
                round,
                dismissed: false,
                dismissal: None,
                resolved: false,
                regression: record.regression,
            },
        );
        Ok(())
    }

    pub(super) fn resolve_error(&mut self, resolved: &ErrorResolved) -> Result<(), Reason> {
        let dismissed = resolved.method == ResolutionMethod::Dismissed;
        // The seal covers the errors that were open when its commit was made.
        ensure(!(dismissed && self.status == Status::Sealing), "it is being sealed")?;
        let mut errors = Arc::make_mut(&mut self.errors).iter_mut();
        let error = errors.find(|(_, error)| error.id == resolved.error_id);
        let (fingerprint, error) = error.ok_or("there is no such error")?;
        ensure(!error.resolved, "it is already resolved")?;
        ensure(
            !(dismissed && error.severity == Severity::Fatal),
            "a fatal error cannot be dismissed",
        )?;
        error.resolved = true;
        error.dismissed = dismissed;
        let reason = resolved.summary.as_deref().unwrap_or_default();
        let dismissal = resolved.by.as_ref().map(|by| Dismissal::by(by, reason));
        error.dismissal = dismissal.clone().map(Box::new);
        if dismissed {
            // A finding without an id is from an older version, in which it stays open.
            let is_dismissed = |finding: &Finding| {
                finding.id.is_some() && finding_failure(finding).fingerprint() == fingerprint
            };
            let mut removed = Vec::new();
            for phase in &mut self.phases {
                let number = phase.outline.number;
                let found = phase.findings.extract_if(.., |finding| is_dismissed(finding));
                removed.extend(found.map(|finding| (number, finding)));
            }
            // The clause about findings names the user instead of the one about errors.
            if let Some(dismissal) = dismissal
                && !removed.is_empty()
            {
                error.dismissal = None;
                self.dismissed_findings.extend(removed.into_iter().map(|(phase, finding)| {
                    DismissedFinding { phase, finding, dismissal: dismissal.clone() }
                }));
            }
        }
        Ok(())
    }

    pub(super) fn reopen_error(&mut self, reopened: &ErrorReopened) -> Result<(), Reason> {
        ensure(self.status != Status::Sealing, "it is being sealed")?;
        let mut errors = Arc::make_mut(&mut self.errors).iter_mut();
        let error = errors.find(|(_, error)| error.id == reopened.error_id);
        let (fingerprint, error) = error.ok_or("there is no such error")?;
        ensure(error.resolved && error.dismissed, "it was not dismissed")?;
        (error.resolved, error.dismissed, error.dismissal) = (false, false, None);
        let fingerprint = fingerprint.clone();
        let is_it =
            |it: &mut DismissedFinding| finding_failure(&it.finding).fingerprint() == fingerprint;
        let reopened: Vec<_> = self.dismissed_findings.extract_if(.., is_it).collect();
        for DismissedFinding { phase, finding, .. } in reopened {
            let phase = self.phases.iter_mut().find(|it| it.outline.number == phase);
            phase.ok_or("there is no such phase")?.findings.push(finding);
        }
        Ok(())
    }

    pub(super) fn schedule_retry(&mut self, retry: &RetryScheduled) -> Result<(), Reason> {
        self.expect(&[Status::Running, Status::Sealing])?;
        match (&mut self.exhausted_gate, self.status) {
            (Some(gate), _) => gate.retries = retry.attempt,
            (None, Status::Running) => {
                let phase = self.phase_mut().ok_or("no phase is open")?;
                ensure(phase.failure.is_some(), "nothing failed")?;
                *phase.retries.entry(retry.error_class).or_default() += 1;
            }
            (None, _) => return Err("nothing failed"),
        }
        self.status = Status::Retrying;
        self.retry = Some(retry.clone());
        Ok(())
    }

    /// Events that a worker repeats, and commands, are not progress.
    pub(super) fn count_engine_failures(&mut self, body: &EventBody) {
        match body {
            EventBody::BuildErrorTracked(tracked) if tracked.record.source == ENGINE_SOURCE => {
                self.engine_failures += 1;
            }
            body if body.is_repeated_after_crash() || body.is_command() => {}
            _ => self.engine_failures = 0,
        }
    }

    pub(super) fn record_failure(&mut self, text: String) {
        if self.last_failures.len() == MAX_LAST_FAILURES {
            self.last_failures.remove(0);
        }
        self.last_failures.push(text.chars().take(MAX_FAILURE_CHARS).collect());
    }
}
