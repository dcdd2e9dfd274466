//! Response bodies: streamed with an idle timeout, or read up to a limit.

use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use tokio::time::timeout;

use crate::error::ModelError;

/// Limits the memory that an endless reply can use.
const MAX_REPLY_BYTES: usize = 64 << 20;

const MAX_ERROR_BYTES: usize = 64 << 10;

/// Fails with a timeout if no bytes arrive for `idle`. A broken connection truncates the reply.
pub(crate) fn with_idle_timeout<S, E>(
    bytes: S,
    idle: Duration,
) -> impl Stream<Item = Result<Bytes, ModelError>>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    stream::try_unfold((bytes, 0), move |(mut bytes, size)| async move {
        let next = timeout(idle, bytes.next()).await;
        let next = next.map_err(|_| ModelError::Timeout { after: idle })?;
        let Some(piece) = next.transpose().map_err(|_| ModelError::Truncated)? else {
            return Ok(None);
        };
        let size = size + piece.len();
        if size > MAX_REPLY_BYTES {
            let reason = format!("it is longer than {MAX_REPLY_BYTES} bytes");
            return Err(ModelError::Malformed { reason });
        }
        Ok(Some((piece, (bytes, size))))
    })
}

/// Reads the start of a body as text, until the limit or the first error.
pub(crate) async fn read_prefix<S>(bytes: S) -> String
where
    S: Stream<Item = Result<Bytes, ModelError>>,
{
    let mut bytes = std::pin::pin!(bytes);
    let mut text = Vec::new();
    while let Ok(Some(piece)) = bytes.try_next().await {
        text.extend_from_slice(&piece);
        if text.len() >= MAX_ERROR_BYTES {
            text.truncate(MAX_ERROR_BYTES);
            break;
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::{Instant, interval};

    const IDLE: Duration = Duration::from_secs(120);

    fn piece(size: usize) -> Result<Bytes, ModelError> {
        Ok(Bytes::from(vec![b'x'; size]))
    }

    #[tokio::test(start_paused = true)]
    async fn stream_times_out_after_no_bytes_for_the_idle_timeout() {
        let every_minute = stream::unfold(interval(IDLE / 2), |mut interval| async move {
            interval.tick().await;
            Some((piece(1), interval))
        });
        let then_nothing = every_minute.take(10).chain(stream::pending());
        let started_at = Instant::now();
        let items: Vec<_> = with_idle_timeout(then_nothing.boxed(), IDLE).collect().await;
        assert_eq!(items.len(), 11);
        assert_eq!(items[10], Err(ModelError::Timeout { after: IDLE }));
        assert_eq!(started_at.elapsed(), IDLE / 2 * 9 + IDLE);
    }

    #[tokio::test]
    async fn broken_connection_truncates_and_oversized_reply_is_rejected() {
        let broken = stream::iter([piece(1), Err(ModelError::TooLong)]);
        let items: Vec<_> = with_idle_timeout(broken, IDLE).collect().await;
        assert_eq!(items[1], Err(ModelError::Truncated));

        let flood = stream::repeat_with(|| piece(1 << 20));
        let items: Vec<_> = with_idle_timeout(flood.boxed(), IDLE).collect().await;
        assert_eq!(items.len(), 65);
        assert!(matches!(items[64], Err(ModelError::Malformed { .. })));
    }

    #[tokio::test]
    async fn read_prefix_stops_at_the_limit_or_the_first_error() {
        let huge = stream::repeat_with(|| piece(1_000));
        assert_eq!(read_prefix(huge).await.len(), MAX_ERROR_BYTES);
        let broken = stream::iter([piece(2), Err(ModelError::Truncated), piece(2)]);
        assert_eq!(read_prefix(broken).await, "xx");
    }
}
