//! The times at which nodes last wrote to the database.

use chrono::{DateTime, Utc};

use super::{conn::Conn, error::Result, statement::execute};

/// Records that a node has written, and removes nodes that have not since `forgotten`.
pub async fn put(
    conn: &mut Conn,
    node: &str,
    now: DateTime<Utc>,
    forgotten: DateTime<Utc>,
) -> Result<()> {
    const PUT: &str = "INSERT INTO node_heartbeats (node, written_at) VALUES ($1, $2) \
        ON CONFLICT (node) DO UPDATE SET written_at = excluded.written_at";
    const FORGET: &str = "DELETE FROM node_heartbeats WHERE written_at < $1";
    execute!(conn, PUT, node, now);
    execute!(conn, FORGET, forgotten);
    Ok(())
}
