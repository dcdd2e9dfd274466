//! A cache of the folded states of builds, updated from the table.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use chrono::{DateTime, Utc};
use domain::{
    chain,
    event::{Event, life::ClockCorrected},
    ids::BuildId,
    state::BuildState,
    step::step,
    working_time,
};
use lru::LruCache;

use super::entry::AppendError;
use crate::store::{self, Conn};

/// In builds.
const CACHE_CAPACITY: NonZeroUsize = NonZeroUsize::new(256).unwrap();
/// Events per query.
const PAGE: i64 = 1_000;

/// The state of a build up to an event.
#[derive(Clone, Debug)]
pub struct Folded {
    /// Of the last event included.
    pub seq: u64,
    /// Of the last event included.
    pub hash: String,
    /// `None` before the first event.
    pub state: Option<Arc<BuildState>>,
    /// The worker's clock at its last append, if that was on this node.
    pub measured: Option<Measured>,
}

/// Working time at a time of a monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    at: Instant,
    working_ms: i64,
}

impl Folded {
    /// The correction that must precede an append at the wall-clock time `at`, if that clock has
    /// jumped since the worker's last append.
    pub fn clock_correction(&self, at: DateTime<Utc>, now: Instant) -> Option<ClockCorrected> {
        let Measured { at: since, working_ms } = self.measured?;
        let elapsed = now.saturating_duration_since(since).as_millis();
        let measured_ms = working_ms.saturating_add(i64::try_from(elapsed).ok()?);
        working_time::correction(self.state.as_deref()?, at, measured_ms)
    }

    /// A worker has appended: its time is measured from now on.
    pub fn measure_from(&mut self, now: Instant) {
        let working = self.state.as_deref().filter(|state| state.status.is_working());
        self.measured =
            working.map(|state| Measured { at: now, working_ms: state.spent.working_ms });
    }
}

/// The states folded by this node.
#[derive(Debug)]
pub struct States(Mutex<LruCache<BuildId, Folded>>);

impl States {
    pub fn new() -> Self {
        Self(Mutex::new(LruCache::new(CACHE_CAPACITY)))
    }

    /// The state up to `head`: from memory, or from the stored checkpoint, or from the start.
    pub async fn at(
        &self,
        conn: &mut Conn,
        build_id: BuildId,
        head: u64,
    ) -> Result<Folded, AppendError> {
        let kept = self.lock().get(&build_id).cloned();
        let folded = match kept {
            Some(folded) if folded.seq <= head => folded,
            _ => checkpoint(conn, build_id).await?,
        };
        if folded.seq >= head {
            return Ok(folded);
        }
        let folded = fold(conn, build_id, folded, head).await?;
        self.keep(build_id, folded.clone());
        Ok(folded)
    }

    /// The state up to `head`, if it is in memory.
    pub fn kept_at(&self, build_id: BuildId, head: u64) -> Option<Folded> {
        self.lock().get(&build_id).filter(|kept| kept.seq == head).cloned()
    }

    /// Stores a state that is newer than the cached one.
    pub fn keep(&self, build_id: BuildId, folded: Folded) {
        let mut states = self.lock();
        if states.peek(&build_id).is_none_or(|kept| kept.seq < folded.seq) {
            states.put(build_id, folded);
        }
    }

    /// Removes a build, after a transaction whose result is unknown.
    pub fn forget(&self, build_id: BuildId) {
        self.lock().pop(&build_id);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, LruCache<BuildId, Folded>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn checkpoint(conn: &mut Conn, build_id: BuildId) -> Result<Folded, AppendError> {
    let start = Folded { seq: 0, hash: chain::GENESIS.to_owned(), state: None, measured: None };
    let Some(checkpoint) = store::checkpoints::get(conn, build_id).await? else {
        return Ok(start);
    };
    let seq = checkpoint.seq;
    let last = store::events::after(conn, build_id, seq.saturating_sub(1), 1).await?.pop();
    let Some(last) = last.filter(|row| row.seq == seq) else { return Ok(start) };
    // A checkpoint of an older version that cannot be read is ignored.
    Ok(serde_json::from_str::<BuildState>(&checkpoint.state).map_or(start, |state| Folded {
        seq,
        hash: last.hash,
        state: Some(Arc::new(state)),
        measured: None,
    }))
}

async fn fold(
    conn: &mut Conn,
    build_id: BuildId,
    from: Folded,
    head: u64,
) -> Result<Folded, AppendError> {
    let damaged = |why: String| AppendError::Damaged(build_id, why);
    let Folded { mut seq, mut hash, state, measured } = from;
    let mut state = state.map(Arc::unwrap_or_clone);
    while seq < head {
        let rows = store::events::after(conn, build_id, seq, PAGE).await?;
        if rows.is_empty() {
            return Err(damaged(format!("event {} is missing", seq + 1)));
        }
        for row in rows {
            if row.seq != seq + 1 {
                return Err(damaged(format!("event {} is missing", seq + 1)));
            }
            let text = chain::with_hash(&row.body, &row.hash);
            let event: Event = serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))?;
            let next = step(state, event.seq, event.at, &event.body);
            state = Some(next.map_err(|e| damaged(e.to_string()))?);
            seq = row.seq;
            hash = row.hash;
        }
    }
    Ok(Folded { seq, hash, state: state.map(Arc::new), measured })
}
