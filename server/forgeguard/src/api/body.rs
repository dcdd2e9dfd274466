//! Reads a request's body without ever holding more of it than is allowed.

use std::time::Duration;

use axum::{
    body::{Body, BodyDataStream},
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use tokio::time::timeout;

use super::problem::Problem;

/// The largest JSON body that any route takes.
pub const LIMIT: usize = 1024 * 1024;

/// A client that sends too much is read on for so long before it is answered: one that only
/// writes would otherwise see a broken connection instead of the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The whole body, or a 413 once more than `limit` bytes came.
pub async fn read(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Problem> {
    let mut stream = body.into_data_stream();
    if announced(headers).is_some_and(|length| length > limit) {
        return Err(refuse(stream, limit).await);
    }
    let mut whole = BytesMut::new();
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|_| Problem::unreadable("The body broke off."))?;
        if whole.len() + piece.len() > limit {
            return Err(refuse(stream, limit).await);
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}

fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn refuse(mut rest: BodyDataStream, limit: usize) -> Problem {
    let drained = timeout(PATIENCE, async { while let Some(Ok(_)) = rest.next().await {} });
    // Whether it came to its end or not, the answer is the same.
    let _ = drained.await;
    Problem::too_large(limit)
}
