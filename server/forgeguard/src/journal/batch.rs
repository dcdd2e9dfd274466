//! What one build gets in one transaction: events chained, tried and projected.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use chrono::{DateTime, Utc};
use domain::{
    chain,
    event::EventBody,
    ids::BuildId,
    state::{BuildState, PhaseStatus, Status},
    step::{Illegal, step},
};

use super::{
    committed::Committed,
    entry::{AgentMessage, AppendError, Entry, Events},
    excerpt::{self, Blob},
    projection,
    states::Folded,
};
use crate::store::{self, Tx, builds::BuildProjection, events::EventRow};

/// Events between two stored checkpoints of a build's state.
const CHECKPOINT_EVERY: u64 = 512;

/// The events that one entry became.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Seq of the first.
    pub first_seq: u64,
    /// Seq of the last; one less than the first for an empty entry.
    pub last_seq: u64,
}

/// The end of a build's journal, being extended.
pub struct Chain {
    /// The build up to the last accepted event.
    pub folded: Folded,
    /// The accepted events as readers get them.
    pub committed: Vec<Committed>,
    build_id: BuildId,
    base: Folded,
    bodies: Vec<(DateTime<Utc>, EventBody)>,
    rows: Vec<EventRow>,
    blobs: Vec<Blob>,
    messages: Vec<AgentMessage>,
}

impl Chain {
    /// Goes on from this end.
    pub fn new(build_id: BuildId, folded: Folded) -> Self {
        Self {
            base: folded.clone(),
            folded,
            committed: Vec::new(),
            build_id,
            bodies: Vec::new(),
            rows: Vec::new(),
            blobs: Vec::new(),
            messages: Vec::new(),
        }
    }

    /// Accepts an entry whole, or leaves the chain as it was; also where trying it panics, for
    /// everyone's appends go through here.
    pub fn extend(&mut self, entry: Entry) -> Result<Span, AppendError> {
        let (before, blobs) = (self.bodies.len(), self.blobs.len());
        let tried = catch_unwind(AssertUnwindSafe(|| self.accept(entry)));
        let accepted = tried.unwrap_or(Err(AppendError::Panicked));
        if accepted.is_err() {
            self.blobs.truncate(blobs);
            self.roll_back(before);
        }
        accepted?;
        let count = (self.bodies.len() - before) as u64;
        let last_seq = self.folded.seq;
        Ok(Span { first_seq: last_seq + 1 - count, last_seq })
    }

    fn accept(&mut self, entry: Entry) -> Result<(), AppendError> {
        let at = store::now();
        let events = match entry.events {
            Events::Given(events) => events,
            Events::Derived(derive) => {
                let state = self.folded.state.as_deref().ok_or(AppendError::UnknownBuild)?;
                derive(state, at)?
            }
        };
        for body in events {
            self.push(at, body)?;
        }
        self.messages.extend(entry.messages);
        Ok(())
    }

    /// Inserts the accepted events and everything that follows from them.
    pub async fn store(&self, tx: &mut Tx) -> store::Result<()> {
        self.store_messages(tx).await?;
        let Some(state) = self.folded.state.as_deref().filter(|_| !self.rows.is_empty()) else {
            return Ok(());
        };
        for blob in &self.blobs {
            store::blobs::put(tx, &compressed(blob)).await?;
        }
        store::events::insert_batch(tx, self.build_id, &self.rows).await?;
        for (row, (at, body)) in self.rows.iter().zip(&self.bodies) {
            projection::project(tx, self.build_id, row.seq, *at, body).await?;
        }
        let due = self.base.seq / CHECKPOINT_EVERY != self.folded.seq / CHECKPOINT_EVERY;
        if let Some(text) = due.then(|| serde_json::to_string(state).ok()).flatten() {
            store::checkpoints::put(tx, self.build_id, self.folded.seq, &text).await?;
        }
        store::builds::update_projection(tx, self.build_id, &self.projected(state)).await
    }

    fn push(&mut self, at: DateTime<Utc>, body: EventBody) -> Result<(), Illegal> {
        let seq = self.folded.seq + 1;
        let link = |body: &EventBody| chain::link(&self.folded.hash, seq, self.build_id, at, body);
        let whole = link(&body);
        let (body, link, blobs) = if whole.body.len() > excerpt::LIMIT {
            let (short, blobs) = excerpt::cut(body);
            let link = link(&short);
            (short, link, blobs)
        } else {
            (body, whole, Vec::new())
        };
        let state = self.folded.state.take().map(Arc::unwrap_or_clone);
        // On a refusal the state is gone; the caller rolls back, which folds it again.
        self.folded.state = Some(Arc::new(step(state, seq, at, &body)?));
        self.committed.push(Committed::new(seq, &link.body, &link.hash));
        self.folded.seq = seq;
        self.folded.hash.clone_from(&link.hash);
        let kind = body.type_name().to_owned();
        self.rows.push(EventRow { seq, kind, at, body: link.body, hash: link.hash });
        self.bodies.push((at, body));
        self.blobs.extend(blobs);
        Ok(())
    }

    fn roll_back(&mut self, count: usize) {
        self.bodies.truncate(count);
        self.rows.truncate(count);
        self.committed.truncate(count);
        self.folded = self.base.clone();
        for (row, (at, body)) in self.rows.iter().zip(&self.bodies) {
            let state = self.folded.state.take().map(Arc::unwrap_or_clone);
            self.folded.state = step(state, row.seq, *at, body).ok().map(Arc::new);
            self.folded.seq = row.seq;
            self.folded.hash.clone_from(&row.hash);
        }
    }

    async fn store_messages(&self, tx: &mut Tx) -> store::Result<()> {
        for message in &self.messages {
            let row = store::agent_messages::AgentMessage {
                position: message.position,
                role: message.role.to_owned(),
                message: message.message.to_string(),
                created_at: store::now(),
            };
            store::agent_messages::insert_batch(tx, self.build_id, message.run_id, &[row]).await?;
        }
        Ok(())
    }

    fn projected<'a>(&'a self, state: &'a BuildState) -> BuildProjection<'a> {
        let branch = state.branch.as_ref();
        let complete = |phase: &&domain::state::PhaseState| phase.status == PhaseStatus::Complete;
        let bodies = || self.bodies.iter();
        let started = bodies().find_map(|(at, body)| match body {
            EventBody::BuildStarted(started) => Some((*at, started)),
            _ => None,
        });
        let node = bodies().rev().find_map(|(_, body)| match body {
            EventBody::BuildStarted(started) => Some(started.node.as_str()),
            EventBody::BuildResumed(resumed) => Some(resumed.node.as_str()),
            _ => None,
        });
        let ended = bodies().rev().find_map(|(at, body)| {
            matches!(body, EventBody::BuildSealed(_) | EventBody::BuildAbandoned(_)).then_some(*at)
        });
        BuildProjection {
            head_seq: self.folded.seq,
            head_hash: &self.folded.hash,
            status: state.status,
            verdict: state.sealed.as_ref().map(|sealed| sealed.verdict),
            branch: branch.map(|branch| branch.branch.as_str()),
            baseline_sha: branch.map(|branch| branch.baseline_sha.as_str()),
            head_sha: branch.map(|branch| branch.head_sha.as_str()),
            branch_status: branch.map(|branch| branch.status),
            commit_count: branch.map_or(0, |branch| branch.commit_count),
            model: Some(state.queued.model.as_str()),
            sandbox_level: started.map(|(_, started)| started.sandbox),
            node,
            attempt: state.attempt,
            phase_count: state.phases.len() as u32,
            phases_done: state.phases.iter().filter(complete).count() as u32,
            open_errors: state.open_errors() as u32,
            open_questions: u32::from(state.question.is_some()),
            blocked_reason: state.blocked.map(|reason| reason.name()),
            started_at: started.map(|(at, _)| at),
            finished_at: ended.filter(|_| state.status != Status::Queued),
        }
    }
}

fn compressed(blob: &Blob) -> store::blobs::Blob {
    let zstd = zstd::encode_all(blob.text.as_bytes(), zstd::DEFAULT_COMPRESSION_LEVEL)
        .unwrap_or_else(|e| unreachable!("memory can always be compressed: {e}"));
    let (sha256, size) = (blob.sha256.clone(), blob.text.len() as u64);
    store::blobs::Blob { sha256, size, zstd, created_at: store::now() }
}
