//! The feed: events of a build in order, first from the table and then live, without a gap.
//!
//! A reader pulls: it has a cursor, is told that there is more, and takes it from the newest
//! events in memory or else from the table. So a slow reader costs the table a page now and then,
//! and slows nobody.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use domain::ids::BuildId;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{broadcast, watch};

use super::committed::Committed;
use crate::store::{self, Db};

/// Newest events of a followed build that are kept in memory.
const KEPT_EVENTS: usize = 2_048;
/// The same in bytes.
const KEPT_BYTES: usize = 1024 * 1024;
/// Previews that a reader may fall behind before some are dropped.
const KEPT_PREVIEWS: usize = 64;
/// Events read from the table at once.
const PAGE: i64 = 500;

/// What a preview shows. Previews are never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PreviewKind {
    /// A model's words as they come.
    Text,
    /// A command's output as it comes.
    Output,
    /// A sign of life.
    Heartbeat,
}

/// What a subscription gives next.
#[derive(Debug)]
pub enum Item {
    /// The next events, in order, without a gap to the ones before.
    Events(Vec<Committed>),
    /// A frame to show and forget; UTF-8.
    Preview(Bytes),
    /// The cursor is ahead of the journal, whose last event is this one.
    Reset {
        /// Seq of the last event.
        head: u64,
    },
}

/// All followed builds of this node. Clones share them.
#[derive(Clone, Debug)]
pub struct Feed {
    db: Db,
    channels: Arc<Mutex<HashMap<BuildId, Arc<Channel>>>>,
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

/// One reader of one build.
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
    /// A feed over this database.
    pub fn new(db: Db) -> Self {
        Self { db, channels: Arc::default() }
    }

    /// Reads a build from the event after `after` on, for ever.
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

    /// Sends a frame that is not stored to whoever reads now. Never waits.
    pub fn preview(&self, build_id: BuildId, kind: PreviewKind, payload: &Value) {
        let Some(channel) = self.followed(build_id) else { return };
        if channel.previews.receiver_count() > 0 {
            let frame = serde_json::json!({
                "op": "preview", "build_id": build_id, "kind": kind, "payload": payload
            });
            // An error means that nobody listens any more, which is no loss.
            let _ = channel.previews.send(frame.to_string().into());
        }
    }

    /// Hands on events that were just committed.
    pub(super) fn publish(&self, build_id: BuildId, events: &[Committed]) {
        let Some(last) = events.last().map(|event| event.seq) else { return };
        let Some(channel) = self.followed(build_id) else { return };
        channel.newest.lock().unwrap_or_else(PoisonError::into_inner).extend(events);
        channel.learn(last);
    }

    /// Another node has committed events up to `head`: take them from the table, once for all.
    pub(super) async fn catch_up(&self, build_id: BuildId, head: u64) -> store::Result<()> {
        let Some(channel) = self.followed(build_id) else { return Ok(()) };
        let known = *channel.head.borrow();
        if known >= head {
            return Ok(());
        }
        if head - known <= KEPT_EVENTS as u64 && known > 0 {
            let mut conn = self.db.read().await?;
            let rows = store::events::after(&mut conn, build_id, known, KEPT_EVENTS as i64).await?;
            drop(conn);
            let events: Vec<_> =
                rows.iter().map(|row| Committed::new(row.seq, &row.body, &row.hash)).collect();
            self.publish(build_id, &events);
        }
        channel.learn(head);
        Ok(())
    }

    /// Word from other nodes may have been missed: look at the table for every followed build.
    pub(super) async fn catch_up_all(&self) -> store::Result<()> {
        let followed: Vec<BuildId> = {
            let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
            channels.keys().copied().collect()
        };
        for build_id in followed {
            let head = head_of_table(&self.db, build_id).await?;
            self.catch_up(build_id, head).await?;
        }
        Ok(())
    }

    /// Joins under the lock: a channel that nobody follows may go at any moment.
    fn join(&self, build_id: BuildId) -> (Arc<Channel>, watch::Receiver<u64>) {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.retain(|id, channel| *id == build_id || channel.is_followed());
        let new = || {
            Arc::new(Channel {
                head: watch::Sender::new(0),
                newest: Mutex::default(),
                previews: broadcast::Sender::new(KEPT_PREVIEWS),
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
    /// The journal goes at least up to `head`.
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

    /// The events after `cursor`, if memory holds them without a gap.
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
    /// Keeps the events in order and without a gap, whoever brings them.
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
        while self.events.len() > KEPT_EVENTS || (self.bytes > KEPT_BYTES && self.events.len() > 1)
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
    /// Does without previews.
    pub fn without_previews(mut self) -> Self {
        self.previews_on = false;
        self
    }

    /// Seq of the last event that was given.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// What comes next. Can be dropped and called again: nothing is lost or doubled.
    pub async fn next(&mut self) -> store::Result<Item> {
        if !self.checked {
            // Boxed like every look at the table: a reader who only waits does not carry its room.
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
    let head = store::events::head(&mut conn, build_id).await?;
    Ok(head.map_or(0, |row| row.seq))
}
