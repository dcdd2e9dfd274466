//! All that one socket follows.

use std::{future::poll_fn, task::Poll};

use axum::extract::ws::{Message, Utf8Bytes};
use bytes::Bytes;
use domain::ids::BuildId;
use futures::{StreamExt, stream, stream::BoxStream};
use tokio_stream::StreamMap;

use super::frame::Reply;
use crate::{
    journal::{Item, Subscription},
    store,
};

/// The builds that a socket may follow at once.
pub const MOST: usize = 50;

type Items = BoxStream<'static, store::Result<Item>>;

/// The followed builds; each gets its turn, however loud another is.
#[derive(Default)]
pub struct Feeds(StreamMap<BuildId, Items>);

impl Feeds {
    /// Follows a build from where `subscription` begins. An older subscription to it ends.
    pub fn follow(&mut self, build: BuildId, subscription: Subscription) {
        let items = stream::unfold(subscription, |mut subscription| async {
            Some((subscription.next().await, subscription))
        });
        self.0.insert(build, items.boxed());
    }

    /// Follows a build no more.
    pub fn leave(&mut self, build: BuildId) {
        self.0.remove(&build);
    }

    /// Whether one more would be too many.
    pub fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }

    /// The frames that come next; waits for ever while nothing is followed. Can be dropped and
    /// called again.
    pub async fn next(&mut self) -> store::Result<Vec<Message>> {
        let next = poll_fn(|context| match self.0.poll_next_unpin(context) {
            Poll::Ready(None) => Poll::Pending,
            polled => polled,
        });
        let Some((build_id, item)) = next.await else { return Ok(Vec::new()) };
        Ok(match item? {
            Item::Events(events) => {
                events.into_iter().filter_map(|event| text(event.into_frame())).collect()
            }
            Item::Preview(frame) => text(frame).into_iter().collect(),
            Item::Reset { head } => vec![Reply::Reset { build_id, head }.message()],
        })
    }
}

/// The shared bytes as a frame: checked to be UTF-8, not copied.
fn text(frame: Bytes) -> Option<Message> {
    Utf8Bytes::try_from(frame).ok().map(Message::Text)
}
