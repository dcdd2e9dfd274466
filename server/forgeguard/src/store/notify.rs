//! Notifications between nodes.

use super::{conn::Conn, error::Result, statement::execute};

/// Sends `payload` (under 8,000 bytes) to all listeners on `channel` when the transaction commits.
/// Nothing on SQLite, which has one node.
pub async fn notify(conn: &mut Conn, channel: &str, payload: &str) -> Result<()> {
    if conn.is_postgres() {
        execute!(conn, "SELECT pg_notify($1, $2)", channel, payload);
    }
    Ok(())
}
