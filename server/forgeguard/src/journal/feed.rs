//! The feed: the events of a build in order, first from the table and then live, without gaps.
//!
//! Readers pull: a reader has a cursor, is notified of new events, and reads them from a buffer of
//! the newest events, or from the table. A slow reader thus costs an occasional query and does not
//! delay others.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use domain::ids::BuildId;
use serde_json::Value;
use tokio::sync::{broadcast, watch};

use super::{
    committed::Committed,
    preview_relay::{self, PreviewKind, PreviewRelay},
};
use crate::store::{self, Db};

/// Newest events of a followed build in memory.
const EVENT_BUFFER_CAPACITY: usize = 2_048;
/// In addition to the limit on their number.
const MAX_BUFFER_BYTES: usize = 1024 * 1024;
/// A reader that falls behind by more loses previews.
const PREVIEW_CAPACITY: usize = 64;
/// Events per query.
const PAGE: i64 = 500;

/// The next item of a subscription.
#[derive(Debug)]
pub enum Item {
    /// The next events, in order, without a gap.
    Events(Vec<Committed>),
    /// A frame that is not stored; UTF-8.
    Preview(Bytes),
    /// The cursor is ahead of the journal.
    Reset {
        /// Of the journal's last event.
        head: u64,
    },
}

/// The feed of all followed builds, on this node. Clones share it.
#[derive(Clone, Debug)]
pub struct Feed {
    db: Db,
    channels: Arc<Mutex<HashMap<BuildId, Arc<Channel>>>>,
    relay: PreviewRelay,
}

#[derive(Debug)]
struct Channel {
    head: watch::Sender<u64>,
    newest: Mutex<Newest>,
    previews: broadcast::Sender<Bytes>,
}

#[derive(Debug, Default)]
struct Newest {
    events: VecDeque<Committed>,
    bytes: usize,
}

/// A reader of a build.
#[derive(Debug)]
pub struct Subscription {
    db: Db,
    build_id: BuildId,
    cursor: u64,
    checked: bool,
    channel: Arc<Channel>,
    head: watch::Receiver<u64>,
    previews: broadcast::Receiver<Bytes>,
    previews_on: bool,
}

impl Feed {
    /// A feed from this database; `relay` sends previews to other nodes.
    pub(super) fn new(db: Db, relay: PreviewRelay) -> Self {
        Self { db, channels: Arc::default(), relay }
    }

    /// Reads a build from the event after `after` on, without end.
    pub fn subscribe(&self, build_id: BuildId, after: u64) -> Subscription {
        let (channel, head) = self.join(build_id);
        let previews = channel.previews.subscribe();
        let db = self.db.clone();
        let cursor = after;
        Subscription {
            db,
            build_id,
            cursor,
            checked: false,
            channel,
            head,
            previews,
            previews_on: true,
        }
    }

    /// Changes whenever the build has new events; the value is their last seq, 0 if unknown.
    pub fn follow(&self, build_id: BuildId) -> watch::Receiver<u64> {
        self.join(build_id).1
    }

    /// Sends a frame that is not stored to all current readers, on any node. Never waits.
    pub fn preview(&self, build_id: BuildId, kind: PreviewKind, payload: &Value) {
        self.relay.send(build_id, kind, payload);
        if self.followed(build_id).is_some() {
            self.deliver_preview(build_id, preview_relay::frame(build_id, kind, payload));
        }
    }

    /// Sends a preview to the readers on this node.
    pub(super) fn deliver_preview(&self, build_id: BuildId, frame: Bytes) {
        if let Some(channel) = self.followed(build_id) {
            // An error means that there are no readers.
            let _ = channel.previews.send(frame);
        }
    }

    /// Publishes events that were just committed.
    pub(super) fn publish(&self, build_id: BuildId, events: &[Committed]) {
        let Some(last) = events.last().map(|event| event.seq) else { return };
        let Some(channel) = self.followed(build_id) else { return };
        channel.newest.lock().unwrap_or_else(PoisonError::into_inner).extend(events);
        channel.learn(last);
    }

    /// Another node has committed events up to `head`: reads them from the table, once for all
    /// readers.
    pub(super) async fn catch_up(&self, build_id: BuildId, head: u64) -> store::Result<()> {
        let Some(channel) = self.followed(build_id) else { return Ok(()) };
        let known = *channel.head.borrow();
        if known >= head {
            return Ok(());
        }
        if head - known <= EVENT_BUFFER_CAPACITY as u64 && known > 0 {
            let mut conn = self.db.read().await?;
            let rows =
                store::events::after(&mut conn, build_id, known, EVENT_BUFFER_CAPACITY as i64)
                    .await?;
            drop(conn);
            let events: Vec<_> =
                rows.iter().map(|row| Committed::new(row.seq, &row.body, &row.hash)).collect();
            self.publish(build_id, &events);
        }
        channel.learn(head);
        Ok(())
    }

    /// Reads the table for every followed build, because notifications may have been missed.
    pub(super) async fn catch_up_all(&self) -> store::Result<()> {
        let followed: Vec<BuildId> = {
            let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
            channels.keys().copied().collect()
        };
        // An error with one build does not affect the others.
        let mut failure = Ok(());
        for build_id in followed {
            let caught_up = async {
                let head = head_of_table(&self.db, build_id).await?;
                self.catch_up(build_id, head).await
            };
            failure = failure.and(caught_up.await);
        }
        failure
    }

    /// Subscribes under the lock: a channel without readers may be removed at any time.
    fn join(&self, build_id: BuildId) -> (Arc<Channel>, watch::Receiver<u64>) {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.retain(|id, channel| *id == build_id || channel.is_followed());
        let new = || {
            Arc::new(Channel {
                head: watch::Sender::new(0),
                newest: Mutex::default(),
                previews: broadcast::Sender::new(PREVIEW_CAPACITY),
            })
        };
        let channel = channels.entry(build_id).or_insert_with(new).clone();
        let head = channel.head.subscribe();
        (channel, head)
    }

    fn followed(&self, build_id: BuildId) -> Option<Arc<Channel>> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        let channel = channels.get(&build_id)?;
        if channel.is_followed() {
            return Some(channel.clone());
        }
        channels.remove(&build_id);
        None
    }
}

impl Channel {
    /// The journal extends at least to `head`.
    fn learn(&self, head: u64) {
        self.head.send_if_modified(|known| {
            let more = *known < head;
            *known = (*known).max(head);
            more
        });
    }

    fn is_followed(&self) -> bool {
        self.head.receiver_count() > 0
    }

    /// The events after `cursor`, if the buffer contains them without a gap.
    fn after(&self, cursor: u64) -> Vec<Committed> {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(first) = newest.events.front().map(|event| event.seq) else { return Vec::new() };
        if cursor + 1 < first {
            return Vec::new();
        }
        let skip = usize::try_from(cursor + 1 - first).unwrap_or(usize::MAX);
        newest.events.iter().skip(skip).take(PAGE as usize).cloned().collect()
    }
}

impl Newest {
    /// Buffers events in order and without gaps, from whichever source.
    fn extend(&mut self, events: &[Committed]) {
        for event in events {
            match self.events.back().map(|last| last.seq) {
                Some(last) if event.seq <= last => continue,
                Some(last) if event.seq > last + 1 => self.clear(),
                _ => {}
            }
            self.bytes += event.size();
            self.events.push_back(event.clone());
        }
        while self.events.len() > EVENT_BUFFER_CAPACITY
            || (self.bytes > MAX_BUFFER_BYTES && self.events.len() > 1)
        {
            let Some(dropped) = self.events.pop_front() else { break };
            self.bytes -= dropped.size();
        }
    }

    fn clear(&mut self) {
        self.events.clear();
        self.bytes = 0;
    }
}

impl Subscription {
    /// Without previews.
    pub fn without_previews(mut self) -> Self {
        self.previews_on = false;
        self
    }

    /// Of the last event that was returned.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// The next item. Cancel safe.
    pub async fn next(&mut self) -> store::Result<Item> {
        if !self.checked {
            // Boxed, like every query: readers that only wait do not need its space.
            let head = Box::pin(head_of_table(&self.db, self.build_id)).await?;
            self.channel.learn(head);
            self.checked = true;
            if self.cursor > head {
                self.cursor = head;
                return Ok(Item::Reset { head });
            }
        }
        loop {
            let known = *self.head.borrow_and_update();
            if self.cursor < known {
                let events = self.read().await?;
                if let Some(last) = events.last() {
                    self.cursor = last.seq;
                    return Ok(Item::Events(events));
                }
            }
            tokio::select! {
                changed = self.head.changed() => {
                    if changed.is_err() {
                        return std::future::pending().await;
                    }
                }
                preview = self.previews.recv(), if self.previews_on => match preview {
                    Ok(frame) => return Ok(Item::Preview(frame)),
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => self.previews_on = false,
                },
            }
        }
    }

    async fn read(&self) -> store::Result<Vec<Committed>> {
        let events = self.channel.after(self.cursor);
        if !events.is_empty() {
            return Ok(events);
        }
        Box::pin(self.read_table()).await
    }

    async fn read_table(&self) -> store::Result<Vec<Committed>> {
        let mut conn = self.db.read().await?;
        let rows = store::events::after(&mut conn, self.build_id, self.cursor, PAGE).await?;
        Ok(rows.iter().map(|row| Committed::new(row.seq, &row.body, &row.hash)).collect())
    }
}

async fn head_of_table(db: &Db, build_id: BuildId) -> store::Result<u64> {
    let mut conn = db.read().await?;
    store::events::head_seq(&mut conn, build_id).await
}
