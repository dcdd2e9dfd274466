//! Request bodies with timeouts: a maximum pause, and a minimum rate.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::api::BodyTimeout;

/// Each of these extends the total time by a second.
const MIN_BYTES_PER_SECOND: u64 = 1_024;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A body that fails with [`BodyTimeout`] if it arrives too slowly.
pub struct TimedBody<B = Incoming> {
    body: B,
    timeout: Duration,
    received: u64,
    /// The time spent waiting for the client, not for the reader of the body.
    waited: Duration,
    waiting_since: Option<Instant>,
    deadline: Pin<Box<Sleep>>,
}

impl<B> TimedBody<B> {
    /// Each pause may take `timeout`, and the whole body as long in excess of the minimum rate.
    pub fn new(body: B, timeout: Duration) -> Self {
        let deadline = Box::pin(sleep_until(Instant::now() + timeout));
        let (received, waited, waiting_since) = (0, Duration::ZERO, None);
        Self { body, timeout, received, waited, waiting_since, deadline }
    }

    /// The time until a pause is too long or the body too slow.
    fn left(&self) -> Duration {
        let earned = Duration::from_secs(self.received / MIN_BYTES_PER_SECOND);
        (self.timeout + earned).saturating_sub(self.waited).min(self.timeout)
    }
}

impl<B> Body for TimedBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            if let Some(since) = this.waiting_since.take() {
                this.waited += since.elapsed();
            }
            if let Some(Ok(frame)) = &frame {
                let length = frame.data_ref().map_or(0, Buf::remaining);
                this.received = this.received.saturating_add(length as u64);
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        if this.waiting_since.is_none() {
            let now = Instant::now();
            this.waiting_since = Some(now);
            let deadline = now + this.left();
            this.deadline.as_mut().reset(deadline);
        }
        ready!(this.deadline.as_mut().poll(cx));
        Poll::Ready(Some(Err(Box::new(BodyTimeout))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::body;
    use futures::{StreamExt, stream};
    use tokio::time::interval_at;

    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(30);

    /// Reads a body of chunks of `size` bytes that arrive at this interval; returns its size.
    async fn read(pieces_count: usize, size: usize, interval: Duration) -> Option<usize> {
        let ticks = interval_at(Instant::now() + interval, interval);
        let pieces = stream::unfold(ticks, move |mut ticks| async move {
            ticks.tick().await;
            Some((Ok::<_, std::io::Error>(vec![0; size]), ticks))
        });
        let pieces = pieces.take(pieces_count);
        let body = TimedBody::new(body::Body::from_stream(pieces), TIMEOUT);
        let read = body::to_bytes(body::Body::new(body), usize::MAX).await;
        read.ok().map(|bytes| bytes.len())
    }

    #[tokio::test(start_paused = true)]
    async fn body_fails_when_a_chunk_does_not_arrive() {
        assert_eq!(read(3, 1 << 20, Duration::from_secs(29)).await, Some(3 << 20));
        assert_eq!(read(3, 1 << 20, Duration::from_secs(31)).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn body_fails_below_the_minimum_rate() {
        assert_eq!(read(1_000, 2_048, Duration::from_secs(1)).await, Some(2_048_000));
        assert_eq!(read(1_000, 1, Duration::from_secs(1)).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn small_body_may_be_slow() {
        assert_eq!(read(20, 1, Duration::from_secs(1)).await, Some(20));
    }
}
