//! Sends previews to readers on other nodes, as PostgreSQL notifications. The queue is bounded;
//! previews are dropped when it is full.

use std::time::Duration;

use bytes::Bytes;
use domain::ids::BuildId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::sleep};
use uuid::Uuid;

use crate::store::{self, Db};

/// The channel for previews.
pub(super) const PREVIEW_CHANNEL: &str = "forgeguard_previews";
/// PostgreSQL's limit is just under 8,000.
const MAX_NOTIFICATION_BYTES: usize = 7_900;
/// Previews waiting to be sent.
const QUEUE_CAPACITY: usize = 256;
/// Between two notifications, which are serialised across all nodes of a database.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(50);

/// The content of a preview. Previews are never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PreviewKind {
    /// A model's text as it is received.
    Text,
    /// A command's output as it is printed.
    Output,
    /// A heartbeat.
    Heartbeat,
}

/// Sends previews to other nodes. Clones share one queue.
#[derive(Clone, Debug)]
pub struct PreviewRelay(Option<mpsc::Sender<Bytes>>);

/// The receiving end of the queue.
pub(super) struct PreviewQueue {
    db: Db,
    node: Uuid,
    frames: mpsc::Receiver<Bytes>,
    /// The preview that did not fit into the last notification.
    next: Option<Bytes>,
}

#[derive(Deserialize)]
struct Addressed {
    build_id: BuildId,
}

impl PreviewRelay {
    /// The relay of this node, and its queue if there can be other nodes.
    pub(super) fn new(db: &Db, node: Uuid) -> (Self, Option<PreviewQueue>) {
        if !db.is_shared() {
            return (Self(None), None);
        }
        let (sender, frames) = mpsc::channel(QUEUE_CAPACITY);
        (Self(Some(sender)), Some(PreviewQueue { db: db.clone(), node, frames, next: None }))
    }

    /// Sends a preview. Never waits; dropped if the queue is full.
    pub(super) fn send(&self, build_id: BuildId, kind: PreviewKind, payload: &Value) {
        let Some(queue) = &self.0 else { return };
        if let Some(frame) = short_frame(build_id, kind, payload) {
            let _ = queue.try_send(frame);
        }
    }
}

impl PreviewQueue {
    /// Sends queued previews in batches, until it is aborted.
    pub(super) async fn run(&mut self) {
        while let Some(payload) = self.next_notification().await {
            if let Err(error) = self.notify(&payload).await {
                tracing::debug!(%error, "previews for other nodes were dropped");
            }
            sleep(NOTIFY_INTERVAL).await;
        }
    }

    /// The node and its frames, one per line.
    async fn next_notification(&mut self) -> Option<String> {
        let mut payload = self.node.to_string();
        let mut next = match self.next.take() {
            Some(frame) => frame,
            None => self.frames.recv().await?,
        };
        loop {
            payload.push('\n');
            payload.push_str(&String::from_utf8_lossy(&next));
            let Ok(frame) = self.frames.try_recv() else { break };
            if payload.len() + 1 + frame.len() > MAX_NOTIFICATION_BYTES {
                self.next = Some(frame);
                break;
            }
            next = frame;
        }
        Some(payload)
    }

    async fn notify(&self, payload: &str) -> store::Result<()> {
        let mut tx = self.db.write().await?;
        store::notify(&mut tx, PREVIEW_CHANNEL, payload).await?;
        tx.commit().await
    }
}

/// The frame for readers.
pub(super) fn frame(build_id: BuildId, kind: PreviewKind, payload: &Value) -> Bytes {
    let frame = json!({ "op": "preview", "build_id": build_id, "kind": kind, "payload": payload });
    frame.to_string().into()
}

/// The frames of a notification with their builds; none if `own` has sent it.
pub(super) fn received(notification: &str, own: Uuid) -> Vec<(BuildId, Bytes)> {
    let mut lines = notification.lines();
    if lines.next().is_none_or(|node| node == own.to_string()) {
        return Vec::new();
    }
    let frames = lines.filter_map(|line| {
        let Addressed { build_id } = serde_json::from_str(line).ok()?;
        Some((build_id, Bytes::copy_from_slice(line.as_bytes())))
    });
    frames.collect()
}

/// The frame, truncated to the end of its text if it is too long for a notification.
fn short_frame(build_id: BuildId, kind: PreviewKind, payload: &Value) -> Option<Bytes> {
    let fits = |frame: &Bytes| frame.len() + 40 <= MAX_NOTIFICATION_BYTES;
    let whole = frame(build_id, kind, payload);
    if fits(&whole) {
        return Some(whole);
    }
    let text = payload.get("text")?.as_str()?;
    let mut payload = payload.clone();
    let mut start = text.len().saturating_sub(MAX_NOTIFICATION_BYTES);
    while start < text.len() {
        start = text.ceil_char_boundary(start);
        payload["text"] = text[start..].into();
        let cut = frame(build_id, kind, &payload);
        if fits(&cut) {
            return Some(cut);
        }
        start += (text.len() - start) / 2 + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_truncated_to_its_end_and_other_long_payloads_are_dropped() {
        let build = store::new_id();
        for text in ["x".repeat(20_000), "\u{1b}".repeat(9_000), "ä€".repeat(4_000)] {
            let payload = json!({ "run_id": "r", "text": text });
            let frame = short_frame(build, PreviewKind::Text, &payload).unwrap();
            assert!(frame.len() <= MAX_NOTIFICATION_BYTES - 40);
            let shown: Value = serde_json::from_slice(&frame).unwrap();
            let end = shown["payload"]["text"].as_str().unwrap();
            assert!(end.len() > 500 && text.ends_with(end), "{} bytes", end.len());
            assert_eq!(shown["payload"]["run_id"], "r");
        }
        let other = json!({ "lines": ["x".repeat(9_000)] });
        assert_eq!(short_frame(build, PreviewKind::Output, &other), None);
    }

    #[test]
    fn notification_is_read_only_by_other_nodes() {
        let (build, own, other) = (store::new_id(), Uuid::now_v7(), Uuid::now_v7());
        let frame = frame(build, PreviewKind::Output, &json!({ "text": "a\nb" }));
        let notification = format!("{other}\n{}\nnonsense", String::from_utf8_lossy(&frame));
        assert_eq!(received(&notification, own), [(build, frame)]);
        assert_eq!(received(&notification, other), []);
        assert_eq!(received("", own), []);
    }
}
