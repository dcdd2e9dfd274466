//! Starting, resuming and continuing a build.

use chrono::{DateTime, Utc};

use super::guards::{Reason, ensure};
use crate::{
    budget::Exhausted,
    event::{
        branch::{BranchLife, BranchStatus},
        life::{ResumeRequested, Started, Unpaused},
    },
    state::{BuildState, Status},
};

impl BuildState {
    pub(super) fn start(&mut self, at: DateTime<Utc>, started: &Started) -> Result<(), Reason> {
        self.expect(&[Status::Queued])?;
        ensure(self.cancel_requested.is_none(), "its end was requested")?;
        self.status = Status::Running;
        self.started_at = Some(at);
        self.attempt = started.attempt;
        self.branch = Some(BranchStatus {
            branch: started.branch.clone(),
            baseline_sha: started.baseline_sha.clone(),
            head_sha: started.baseline_sha.clone(),
            commit_count: 0,
            status: BranchLife::Active,
        });
        Ok(())
    }

    pub(super) fn request_resume(&mut self, request: &ResumeRequested) -> Result<(), Reason> {
        ensure(self.resume_requested.is_none(), "it was already requested")?;
        if let Some(added) = request.budget_added {
            self.budgets = self.budgets.with(added);
            self.warned_limits.retain(|limit| !limit.is_raised_by(&added));
        }
        if self.pause_requested.take().is_some() {
            return Ok(());
        }
        ensure(
            matches!(self.status, Status::Paused | Status::Blocked),
            "it is neither paused nor blocked",
        )?;
        if let Some(reason) = self.blocked {
            let added = request.budget_added.unwrap_or_default();
            let limit = reason.limit().filter(|limit| !added.adds_to(*limit));
            // Otherwise it would be blocked again immediately.
            limit.or(self.exhausted()).map_or(Ok(()), |limit| Err(exhausted_reason(limit)))?;
        }
        self.resume_requested = Some(request.by.clone());
        Ok(())
    }

    pub(super) fn unpause(&mut self, at: DateTime<Utc>, unpaused: &Unpaused) -> Result<(), Reason> {
        self.expect(&[Status::Paused, Status::Blocked])?;
        ensure(self.resume_requested.take().is_some(), "it was not requested")?;
        self.gate_request = None;
        self.block_explanation = None;
        if self.blocked.take().is_some() {
            self.exhausted_gate = None;
            if let Some(open) = &mut self.base.conflict {
                open.is_outdated = true;
            }
            // Gates that lacked a program run on the baseline again.
            self.baseline.retain(|_, result| !result.blocks());
            if let Some(phase) = self.phase_mut() {
                phase.failure = None;
                phase.retries.clear();
                phase.fix_attempts = 0;
            }
        }
        for open in self.questions.iter_mut().filter(|open| open.remaining_ms.is_some()) {
            let (id, mut expiries) = (open.request.question_id, unpaused.question_expiries.iter());
            let expiry = expiries.find(|it| it.question_id == id).map(|it| it.expires_at);
            // Journals of older versions do not contain it.
            let expiry = expiry.or(unpaused.question_expires_at);
            open.request.expires_at = expiry.or(open.expiry_after_pause(at));
            open.remaining_ms = None;
        }
        self.status = match &self.retry {
            // It was blocked before it was started.
            _ if self.branch.is_none() => Status::Queued,
            _ if !self.questions.is_empty() => Status::AwaitingInput,
            Some(_) => Status::Retrying,
            None => Status::Running,
        };
        Ok(())
    }
}

fn exhausted_reason(limit: Exhausted) -> Reason {
    match limit {
        Exhausted::Iterations => "its limit of rounds is exhausted: resume it with more rounds",
        Exhausted::Minutes => "its time limit is exhausted: resume it with more minutes",
        Exhausted::Tokens => "its token limit is exhausted: resume it with more tokens",
        Exhausted::Usd => "its cost limit is exhausted: resume it with a higher limit",
    }
}
