//! Receives the body of a git request into a file, decompressed and within a size limit.

use std::{
    fs::File,
    io::{self, Seek},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_compression::tokio::bufread::GzipDecoder;
use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use futures::TryStreamExt;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    time::timeout,
};
use tokio_util::{either::Either, io::StreamReader};

use super::api_error::ApiError;

/// Git's data is mostly compressed already; object names in text shrink to about a half.
const MAX_GZIP_RATIO: u64 = 50;
/// A body that expands to less is accepted regardless of the ratio.
const MIN_RATIO_CHECKED_BYTES: u64 = 1024 * 1024;
const BUFFER_SIZE: usize = 64 * 1024;
/// A client that sends nothing for this long is disconnected.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long the rest of a body that is too large is read before the response is sent: a client that
/// only writes would otherwise see a broken connection instead of the response.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

pub struct GitBody {
    /// The body from its start; incomplete if it exceeds a limit.
    pub file: File,
    /// The body exceeds the size limit, or expands too much.
    pub is_too_large: bool,
}

impl GitBody {
    /// Rewinds the file.
    pub fn into_reader(mut self) -> Result<tokio::fs::File, ApiError> {
        self.file.rewind().map_err(ApiError::internal)?;
        Ok(tokio::fs::File::from_std(self.file))
    }
}

/// Reads a body of at most `max_size` bytes into an unnamed file in `directory`.
///
/// # Errors
/// 415 for an encoding that git does not use, 400 for an incomplete body.
pub async fn receive(
    headers: &HeaderMap,
    body: Body,
    max_size: u64,
    directory: &Path,
) -> Result<GitBody, ApiError> {
    let received = Arc::new(AtomicU64::new(0));
    let counter = received.clone();
    let pieces = body.into_data_stream().map_err(io::Error::other).inspect_ok(move |piece| {
        counter.fetch_add(piece.len() as u64, Ordering::Relaxed);
    });
    let raw = StreamReader::new(pieces);
    let (mut reader, max_ratio) = match encoding(headers)? {
        Encoding::Identity => (Either::Left(raw), u64::MAX),
        Encoding::Gzip => (Either::Right(GzipDecoder::new(raw)), MAX_GZIP_RATIO),
    };
    let file = tempfile::tempfile_in(directory).map_err(ApiError::internal)?;
    let mut file = tokio::fs::File::from_std(file);
    let mut buffer = vec![0; BUFFER_SIZE];
    let mut size = 0;
    let is_too_large = loop {
        let count = read(&mut reader, &mut buffer).await?;
        if count == 0 {
            break false;
        }
        size += count as u64;
        let allowed = received.load(Ordering::Relaxed).saturating_mul(max_ratio);
        if size > max_size.min(allowed.max(MIN_RATIO_CHECKED_BYTES)) {
            break true;
        }
        file.write_all(&buffer[..count]).await.map_err(ApiError::internal)?;
    };
    file.flush().await.map_err(ApiError::internal)?;
    if is_too_large {
        let mut rest = match reader {
            Either::Left(raw) => raw,
            Either::Right(decoder) => decoder.into_inner(),
        };
        // The response is the same whether or not the body ended.
        let _ = timeout(DRAIN_TIMEOUT, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await;
    }
    Ok(GitBody { file: file.into_std().await, is_too_large })
}

async fn read(reader: &mut (impl AsyncRead + Unpin), buffer: &mut [u8]) -> Result<usize, ApiError> {
    let read = timeout(IDLE_TIMEOUT, reader.read(buffer)).await;
    let read = read.map_err(|_| ApiError::bad_request("The body stopped arriving."))?;
    read.map_err(|error| ApiError::bad_request(format!("The body cannot be read: {error}.")))
}

enum Encoding {
    Identity,
    Gzip,
}

fn encoding(headers: &HeaderMap) -> Result<Encoding, ApiError> {
    let mut values = headers.get_all(header::CONTENT_ENCODING).iter();
    let name = values.next().map_or("identity", |value| value.to_str().unwrap_or_default());
    match name.to_ascii_lowercase().as_str() {
        "identity" if values.next().is_none() => Ok(Encoding::Identity),
        "gzip" | "x-gzip" if values.next().is_none() => Ok(Encoding::Gzip),
        _ => Err(ApiError::unsupported_media_type("plain bytes or gzip")),
    }
}
