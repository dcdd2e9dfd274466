//! Reads request bodies within a size limit.

use std::{error::Error, time::Duration};

use axum::{
    body::{Body, BodyDataStream},
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use tokio::time::timeout;

use super::api_error::ApiError;

/// The limit of JSON bodies, in bytes.
pub const MAX_JSON_BYTES: usize = 1024 * 1024;

/// How long the rest of a body that is too large is read before the response is sent: a client that
/// only writes would otherwise see a broken connection instead of the response.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// A client sent its body too slowly.
#[derive(Debug, thiserror::Error)]
#[error("the body was sent too slowly")]
pub struct BodyTimeout;

impl BodyTimeout {
    /// Whether the error was caused by this timeout.
    fn caused(error: &axum::Error) -> bool {
        let mut cause: Option<&(dyn Error + 'static)> = Some(error);
        while let Some(error) = cause {
            if error.is::<Self>() {
                return true;
            }
            cause = error.source();
        }
        false
    }
}

/// The whole body, or a 413 if it exceeds `limit` bytes.
pub async fn read(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, ApiError> {
    let mut stream = body.into_data_stream();
    if content_length(headers).is_some_and(|length| length > limit) {
        return Err(reject_too_large(stream, limit).await);
    }
    let mut bytes = BytesMut::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| match BodyTimeout::caused(&error) {
            true => ApiError::request_timeout(),
            false => ApiError::bad_request("The body ended early."),
        })?;
        if bytes.len() + chunk.len() > limit {
            return Err(reject_too_large(stream, limit).await);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.freeze())
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn reject_too_large(mut rest: BodyDataStream, limit: usize) -> ApiError {
    let drained = timeout(DRAIN_TIMEOUT, async { while let Some(Ok(_)) = rest.next().await {} });
    // The response is the same whether or not the body ended.
    let _ = drained.await;
    ApiError::payload_too_large(limit)
}
