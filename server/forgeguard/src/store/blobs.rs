//! Texts that are too long for the journal, by their hash.

use std::{
    io::{self, Read},
    sync::LazyLock,
};

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};

use super::{
    conn::Conn,
    error::Result,
    statement::{MultiRow, execute_rows, fetch, row},
};

row! {
    pub struct Blob {
        /// Of the uncompressed text, 64 hex digits.
        pub sha256: String,
        /// Of the uncompressed text, in bytes.
        pub size: u64,
        /// The text, compressed.
        pub zstd: Vec<u8>,
        pub created_at: DateTime<Utc>,
    }
}

impl Blob {
    /// Compresses a text.
    pub fn of(text: &[u8], now: DateTime<Utc>) -> Self {
        let zstd = zstd::encode_all(text, zstd::DEFAULT_COMPRESSION_LEVEL)
            .unwrap_or_else(|e| unreachable!("memory can always be compressed: {e}"));
        let sha256 = hex::encode(Sha256::digest(text));
        Self { sha256, size: text.len() as u64, zstd, created_at: now }
    }

    /// The text, decompressed to no more than the stored size, whatever the compressed data contains.
    pub fn text(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let reader = zstd::Decoder::new(self.zstd.as_slice())?;
        reader.take(self.size.saturating_add(1)).read_to_end(&mut text)?;
        Ok(text)
    }
}

/// Stores blobs, except those that exist.
pub async fn insert_batch(conn: &mut Conn, blobs: &[Blob]) -> Result<()> {
    static INSERT: LazyLock<MultiRow> = LazyLock::new(|| {
        const INSERT: &str = "INSERT INTO blobs (sha256, size, zstd, created_at)";
        MultiRow::new(INSERT, 4, "ON CONFLICT (sha256) DO NOTHING")
    });
    execute_rows!(
        conn,
        INSERT,
        blobs,
        |blob| blob.sha256.as_str(),
        blob.size,
        blob.zstd.as_slice(),
        blob.created_at,
    );
    Ok(())
}

pub async fn get(conn: &mut Conn, sha256: &str) -> Result<Option<Blob>> {
    const SQL: &str = "SELECT sha256, size, zstd, created_at FROM blobs WHERE sha256 = $1";
    Ok(fetch!(conn, SQL, sha256).pop())
}
