//! The bytes of an answer: watched for silence while they stream, or read up to a limit.

use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use tokio::time::timeout;

use crate::error::ModelError;

/// No reply is longer; what goes on and on is stopped before it fills the memory.
const LARGEST_REPLY: usize = 64 << 20;

/// Of an error's body, as much as could matter.
const LARGEST_ERROR: usize = 64 << 10;

/// The same bytes, until none come for `idle`. A connection that breaks has cut the reply.
pub(crate) fn watched<S, E>(
    bytes: S,
    idle: Duration,
) -> impl Stream<Item = Result<Bytes, ModelError>>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    stream::try_unfold((bytes, 0), move |(mut bytes, size)| async move {
        let next = timeout(idle, bytes.next()).await;
        let next = next.map_err(|_| ModelError::Timeout { after: idle })?;
        let Some(piece) = next.transpose().map_err(|_| ModelError::Cut)? else { return Ok(None) };
        let size = size + piece.len();
        if size > LARGEST_REPLY {
            let reason = format!("it is longer than {LARGEST_REPLY} bytes");
            return Err(ModelError::Malformed { reason });
        }
        Ok(Some((piece, (bytes, size))))
    })
}

/// The beginning of a body as text, as far as it came.
pub(crate) async fn beginning<S>(bytes: S) -> String
where
    S: Stream<Item = Result<Bytes, ModelError>>,
{
    let mut bytes = std::pin::pin!(bytes);
    let mut text = Vec::new();
    while let Ok(Some(piece)) = bytes.try_next().await {
        text.extend_from_slice(&piece);
        if text.len() >= LARGEST_ERROR {
            text.truncate(LARGEST_ERROR);
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
    async fn any_byte_is_a_sign_of_life_and_silence_is_not() {
        let every_minute = stream::unfold(interval(IDLE / 2), |mut interval| async move {
            interval.tick().await;
            Some((piece(1), interval))
        });
        let then_nothing = every_minute.take(10).chain(stream::pending());
        let begun = Instant::now();
        let heard: Vec<_> = watched(then_nothing.boxed(), IDLE).collect().await;
        assert_eq!(heard.len(), 11);
        assert_eq!(heard[10], Err(ModelError::Timeout { after: IDLE }));
        assert_eq!(begun.elapsed(), IDLE / 2 * 9 + IDLE);
    }

    #[tokio::test]
    async fn a_broken_connection_cuts_and_a_flood_is_stopped() {
        let broken = stream::iter([piece(1), Err(ModelError::TooLong)]);
        let heard: Vec<_> = watched(broken, IDLE).collect().await;
        assert_eq!(heard[1], Err(ModelError::Cut));

        let flood = stream::repeat_with(|| piece(1 << 20));
        let heard: Vec<_> = watched(flood.boxed(), IDLE).collect().await;
        assert_eq!(heard.len(), 65);
        assert!(matches!(heard[64], Err(ModelError::Malformed { .. })));
    }

    #[tokio::test]
    async fn of_a_huge_body_the_beginning_is_read() {
        let huge = stream::repeat_with(|| piece(1_000));
        assert_eq!(beginning(huge).await.len(), LARGEST_ERROR);
        let broken = stream::iter([piece(2), Err(ModelError::Cut), piece(2)]);
        assert_eq!(beginning(broken).await, "xx");
    }
}
