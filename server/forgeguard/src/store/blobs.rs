//! Texts that are too long for the journal, by their hash.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};

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
