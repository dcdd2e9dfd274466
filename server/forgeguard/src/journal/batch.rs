//! The events of one build in one transaction: applied, chained and projected.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

use chrono::{DateTime, Utc};
use domain::{
    chain,
    event::EventBody,
    ids::BuildId,
    state::BuildState,
    step::{Illegal, step},
};

use super::{
    committed::Committed,
    entry::{AgentMessage, AppendError, Claim, Entry, Events},
    excerpt, projection,
    states::Folded,
};
use crate::store::{
    self, Tx,
    events::EventRow,
    work_items::{self, Lease},
};

/// Events between two checkpoints of a build, each of which contains its whole state.
const CHECKPOINT_INTERVAL: u64 = 2_048;

/// The events of one entry.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Of the first event.
    pub first_seq: u64,
    /// Of the last event; one less than the first for an empty entry.
    pub last_seq: u64,
    pub at: DateTime<Utc>,
}

/// The end of a build's journal, while it is extended.
pub struct Chain {
    /// The build up to the last accepted event.
    pub folded: Folded,
    /// The accepted events in the form for readers.
    pub committed: Vec<Committed>,
    build_id: BuildId,
    base: Folded,
    bodies: Vec<(DateTime<Utc>, EventBody)>,
    rows: Vec<EventRow>,
    /// The full texts of truncated ones.
    blobs: Vec<String>,
    messages: Vec<AgentMessage>,
    /// The lease by which this transaction claims the build, and its expiry.
    claimed: Option<(Lease, DateTime<Utc>)>,
}

impl Chain {
    /// Starts at this end.
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
            claimed: None,
        }
    }

    /// Accepts an entry as a whole, or leaves the chain unchanged; also if applying it panics, because
    /// this task writes the entries of all builds.
    pub fn extend(&mut self, entry: Entry, at: DateTime<Utc>) -> Result<Span, AppendError> {
        let (before, blobs) = (self.bodies.len(), self.blobs.len());
        let tried = catch_unwind(AssertUnwindSafe(|| self.accept(entry, at)));
        let accepted = tried.unwrap_or(Err(AppendError::Panicked));
        if accepted.is_err() {
            self.blobs.truncate(blobs);
            self.roll_back(before);
        }
        accepted?;
        let count = (self.bodies.len() - before) as u64;
        let last_seq = self.folded.seq;
        Ok(Span { first_seq: last_seq + 1 - count, last_seq, at })
    }

    /// Claims the build with this fence, and accepts that its worker continues it.
    pub fn claim(&mut self, claim: &Claim, fence: u64, at: DateTime<Utc>) -> Lease {
        let lease = Lease { id: self.build_id, owner: claim.owner.clone(), fence };
        self.claimed = Some((lease.clone(), claim.lease_until));
        let state = self.folded.state.as_deref();
        let resumed = state.and_then(|it| it.resumed(self.folded.seq, &claim.node, fence as u32));
        if let Some(resumed) = resumed {
            let entry = Entry::given(self.build_id, Some(fence), vec![resumed.into()]);
            // The worker would fail in the same way, and reports that.
            let _ = self.extend(entry, at);
        }
        lease
    }

    fn accept(&mut self, entry: Entry, at: DateTime<Utc>) -> Result<(), AppendError> {
        let (now, is_worker) = (Instant::now(), entry.fence.is_some());
        if is_worker && let Some(corrected) = self.folded.clock_correction(at, now) {
            self.push(at, corrected.into())?;
        }
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
        if is_worker {
            self.push_budget_warnings(at)?;
            self.folded.measure_from(now);
        }
        self.messages.extend(entry.messages);
        Ok(())
    }

    /// Warnings follow the event that used up most of a limit.
    fn push_budget_warnings(&mut self, at: DateTime<Utc>) -> Result<(), Illegal> {
        let state = self.folded.state.as_deref();
        for warning in state.map(BuildState::due_budget_warnings).unwrap_or_default() {
            self.push(at, warning.into())?;
        }
        Ok(())
    }

    /// Inserts the accepted events and the rows derived from them.
    pub async fn store(&self, tx: &mut Tx) -> store::Result<()> {
        self.store_messages(tx).await?;
        if let Some((lease, until)) = &self.claimed {
            work_items::claim(tx, lease, *until).await?;
        }
        let Some(state) = self.folded.state.as_deref().filter(|_| !self.rows.is_empty()) else {
            return Ok(());
        };
        let of = |text: &String| store::blobs::Blob::of(text.as_bytes(), store::now());
        let blobs: Vec<_> = self.blobs.iter().map(of).collect();
        store::blobs::insert_batch(tx, &blobs).await?;
        let row = projection::build_row((self.folded.seq, &self.folded.hash), state, &self.bodies);
        let first_seq = self.base.seq + 1;
        projection::write(tx, self.build_id, first_seq, &self.bodies, &self.rows, &row).await?;
        let work = self.bodies.iter().rev().find(|(_, body)| projection::needs_worker(body));
        if let Some((at, _)) = work.filter(|_| self.claimed.is_none()) {
            work_items::requeue(tx, self.build_id, *at).await?;
        }
        let due = self.base.seq / CHECKPOINT_INTERVAL != self.folded.seq / CHECKPOINT_INTERVAL;
        if let Some(text) = due.then(|| serde_json::to_string(state).ok()).flatten() {
            store::checkpoints::put(tx, self.build_id, self.folded.seq, &text).await?;
        }
        Ok(())
    }

    fn push(&mut self, at: DateTime<Utc>, body: EventBody) -> Result<(), Illegal> {
        let seq = self.folded.seq + 1;
        let link = |body: &EventBody| chain::link(&self.folded.hash, seq, self.build_id, at, body);
        let whole = link(&body);
        let is_cut =
            whole.body.len() > excerpt::MAX_BODY_BYTES || whole.body.contains(excerpt::MARKER);
        let (body, link, blobs) = if is_cut {
            let (short, blobs) = excerpt::cut(body);
            let link = link(&short);
            (short, link, blobs)
        } else {
            (body, whole, Vec::new())
        };
        let state = self.folded.state.take().map(Arc::unwrap_or_clone);
        // After a rejection the state is lost; the caller rolls back, and it is folded again.
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
        // The messages of a batch are nearly always of one run.
        for run in self.messages.chunk_by(|one, next| one.run_id == next.run_id) {
            let row = |message: &AgentMessage| store::agent_messages::AgentMessage {
                position: message.position,
                role: message.role.to_owned(),
                message: message.message.to_string(),
                created_at: store::now(),
            };
            let rows: Vec<_> = run.iter().map(row).collect();
            store::agent_messages::insert_batch(tx, self.build_id, run[0].run_id, &rows).await?;
        }
        Ok(())
    }
}
