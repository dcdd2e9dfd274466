//! Texts too long for the journal, known by their hash.

use chrono::{DateTime, Utc};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A stored text.
    pub struct Blob {
        /// Hash of the text itself, 64 hex digits.
        pub sha256: String,
        /// Bytes of the text itself.
        pub size: u64,
        /// The text, compressed.
        pub zstd: Vec<u8>,
        /// When it was first stored.
        pub created_at: DateTime<Utc>,
    }
}

/// Stores a blob unless one with its hash is there. True if it was new.
pub async fn put(conn: &mut Conn, blob: &Blob) -> Result<bool> {
    const SQL: &str = "INSERT INTO blobs (sha256, size, zstd, created_at) \
        VALUES ($1, $2, $3, $4) ON CONFLICT (sha256) DO NOTHING";
    let bytes = blob.zstd.as_slice();
    Ok(execute!(conn, SQL, blob.sha256.as_str(), blob.size, bytes, blob.created_at) > 0)
}

/// The blob with this hash.
pub async fn get(conn: &mut Conn, sha256: &str) -> Result<Option<Blob>> {
    const SQL: &str = "SELECT sha256, size, zstd, created_at FROM blobs WHERE sha256 = $1";
    Ok(fetch!(conn, SQL, sha256).pop())
}
