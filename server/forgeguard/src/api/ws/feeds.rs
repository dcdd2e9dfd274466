//! The builds that a socket follows.

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

pub const MAX_FOLLOWED_BUILDS: usize = 50;

type Items = BoxStream<'static, store::Result<Item>>;

/// The followed builds, served fairly.
#[derive(Default)]
pub struct Feeds(StreamMap<BuildId, Items>);

impl Feeds {
    /// Follows a build. Replaces an older subscription to it.
    pub fn follow(&mut self, build: BuildId, subscription: Subscription) {
        let items = stream::unfold(subscription, |mut subscription| async {
            Some((subscription.next().await, subscription))
        });
        self.0.insert(build, items.boxed());
    }

    pub fn leave(&mut self, build: BuildId) {
        self.0.remove(&build);
    }

    pub fn is_full(&self) -> bool {
        self.0.len() >= MAX_FOLLOWED_BUILDS
    }

    /// The next frames; pending while nothing is followed. Cancellation-safe.
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

/// A text frame of the shared bytes, checked to be UTF-8 without copying.
fn text(frame: Bytes) -> Option<Message> {
    Utf8Bytes::try_from(frame).ok().map(Message::Text)
}
