//! The folded state of builds, kept while it is used and brought up to date from the table.

use std::{
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

use domain::{chain, event::Event, ids::BuildId, state::BuildState, step::step};
use lru::LruCache;

use super::entry::AppendError;
use crate::store::{self, Conn};

/// Builds whose state is kept.
const KEPT: NonZeroUsize = NonZeroUsize::new(256).unwrap();
/// Events folded at once.
const PAGE: i64 = 1_000;

/// A build as its journal says, up to one event.
#[derive(Clone, Debug)]
pub struct Folded {
    /// Seq of the last event that is in it.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// `None` before the first event.
    pub state: Option<Arc<BuildState>>,
}

/// The states that this node has folded.
#[derive(Debug)]
pub struct States(Mutex<LruCache<BuildId, Folded>>);

impl States {
    /// None yet.
    pub fn new() -> Self {
        Self(Mutex::new(LruCache::new(KEPT)))
    }

    /// The state up to `head`: from memory, else from the stored checkpoint, else from the start.
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

    /// The state up to `head`, where just that is in memory.
    pub fn kept_at(&self, build_id: BuildId, head: u64) -> Option<Folded> {
        self.lock().get(&build_id).filter(|kept| kept.seq == head).cloned()
    }

    /// Remembers a state that is newer than what is kept.
    pub fn keep(&self, build_id: BuildId, folded: Folded) {
        let mut states = self.lock();
        if states.peek(&build_id).is_none_or(|kept| kept.seq < folded.seq) {
            states.put(build_id, folded);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, LruCache<BuildId, Folded>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn checkpoint(conn: &mut Conn, build_id: BuildId) -> Result<Folded, AppendError> {
    let start = Folded { seq: 0, hash: chain::GENESIS.to_owned(), state: None };
    let Some(checkpoint) = store::checkpoints::get(conn, build_id).await? else {
        return Ok(start);
    };
    let seq = checkpoint.seq;
    let last = store::events::after(conn, build_id, seq.saturating_sub(1), 1).await?.pop();
    let Some(last) = last.filter(|row| row.seq == seq) else { return Ok(start) };
    // A checkpoint of an older version that cannot be read any more is folded again.
    Ok(serde_json::from_str::<BuildState>(&checkpoint.state).map_or(start, |state| Folded {
        seq,
        hash: last.hash,
        state: Some(Arc::new(state)),
    }))
}

async fn fold(
    conn: &mut Conn,
    build_id: BuildId,
    from: Folded,
    head: u64,
) -> Result<Folded, AppendError> {
    let damaged = |why: String| AppendError::Damaged(build_id, why);
    let Folded { mut seq, mut hash, state } = from;
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
    Ok(Folded { seq, hash, state: state.map(Arc::new) })
}
