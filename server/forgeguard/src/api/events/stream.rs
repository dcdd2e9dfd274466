//! A live journal over plain HTTP: server-sent events, or one line of JSON per event.

use std::{collections::VecDeque, io, sync::Arc};

use axum::{
    body::Body,
    http::header,
    response::{IntoResponse, Response},
};
use bytes::{BufMut, Bytes, BytesMut};
use domain::ids::BuildId;
use futures::stream;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::{
    api::{access::AccessWatch, app::App},
    journal::{Committed, Item, Subscription},
    store,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `text/event-stream`; the id is the seq.
    EventStream,
    /// `application/x-ndjson`.
    Lines,
}

/// In bytes.
const CHUNK_SIZE: usize = 32 * 1024;

/// Streams all events after `after` until the build has ended or the service stops. If access ends
/// before that, the response is aborted.
pub fn follow(
    app: Arc<App>,
    watch: AccessWatch,
    build: BuildId,
    after: u64,
    format: Format,
) -> Response {
    let subscription = app.journal.feed().subscribe(build, after).without_previews();
    let every = app.stream.ping_interval;
    let mut pings = interval_at(Instant::now() + every, every);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let follower = Follower {
        app,
        watch: Some(watch),
        build,
        subscription,
        format,
        pings,
        waiting: VecDeque::new(),
        drained: false,
    };
    let pieces = stream::unfold(follower, |mut follower| async move {
        let piece = follower.next_chunk().await?;
        Some((piece, follower))
    });
    let media_type = match format {
        Format::EventStream => "text/event-stream",
        Format::Lines => "application/x-ndjson",
    };
    let headers = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(pieces)).into_response()
}

struct Follower {
    app: Arc<App>,
    /// None once access was lost.
    watch: Option<AccessWatch>,
    build: BuildId,
    subscription: Subscription,
    format: Format,
    pings: Interval,
    waiting: VecDeque<Committed>,
    /// The build has ended and all events were sent.
    drained: bool,
}

impl Follower {
    async fn next_chunk(&mut self) -> Option<io::Result<Bytes>> {
        let mut watch = self.watch.take()?;
        tokio::select! {
            biased;
            _ = watch.lost() => Some(Err(io::Error::other("access has ended"))),
            piece = self.next_events() => {
                self.watch = Some(watch);
                piece
            }
        }
    }

    async fn next_events(&mut self) -> Option<io::Result<Bytes>> {
        while self.waiting.is_empty() {
            if self.drained {
                return None;
            }
            match self.wait().await {
                Ok(Some(early)) => return Some(Ok(early)),
                Ok(None) => {}
                Err(error) => return Some(Err(io::Error::other(error))),
            }
        }
        let mut piece = BytesMut::new();
        while piece.len() < CHUNK_SIZE {
            let Some(event) = self.waiting.pop_front() else { break };
            self.format.write(&event, &mut piece);
        }
        Some(Ok(piece.freeze()))
    }

    /// Waits for events; returns bytes that are not events, such as pings, or None at the end.
    async fn wait(&mut self) -> store::Result<Option<Bytes>> {
        if self.ended().await? {
            self.drained = true;
            return Ok(None);
        }
        tokio::select! {
            item = self.subscription.next() => match item? {
                Item::Events(events) => self.waiting = events.into(),
                Item::Preview(_) => {}
                // A cursor ahead of the journal: report it and continue at the end.
                Item::Reset { head } => return Ok(Some(self.format.reset(head))),
            },
            _ = self.pings.tick() => return Ok(Some(self.format.ping())),
            () = self.app.stopping.cancelled() => self.drained = true,
        }
        Ok(None)
    }

    async fn ended(&self) -> store::Result<bool> {
        let build = store::builds::get(&mut self.app.db.read().await?, self.build).await?;
        Ok(build.is_none_or(|build| {
            build.status.is_final() && build.head_seq <= self.subscription.cursor()
        }))
    }
}

impl Format {
    fn write(self, event: &Committed, piece: &mut BytesMut) {
        match self {
            Self::EventStream => {
                piece.put_slice(format!("id: {}\ndata: ", event.seq).as_bytes());
                piece.put_slice(&event.event());
                piece.put_slice(b"\n\n");
            }
            Self::Lines => {
                piece.put_slice(&event.event());
                piece.put_slice(b"\n");
            }
        }
    }

    fn reset(self, head: u64) -> Bytes {
        match self {
            Self::EventStream => format!("event: reset\nid: {head}\ndata: {head}\n\n").into(),
            Self::Lines => Bytes::from_static(b"\n"),
        }
    }

    /// Keeps the connection open through proxies; readers ignore it.
    fn ping(self) -> Bytes {
        match self {
            Self::EventStream => Bytes::from_static(b": ping\n\n"),
            Self::Lines => Bytes::from_static(b"\n"),
        }
    }
}
