//! Notifications between nodes.

use domain::ids::BuildId;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{
    conn::{Conn, Tx},
    error::Result,
    statement::execute,
};

/// Sends `payload` (under 8,000 bytes) to all listeners on `channel` when the transaction commits.
/// Nothing on SQLite, which has one node.
pub async fn notify(conn: &mut Conn, channel: &str, payload: &str) -> Result<()> {
    if conn.is_postgres() {
        execute!(conn, "SELECT pg_notify($1, $2)", channel, payload);
    }
    Ok(())
}

/// Commits, and sends `node:build:head` for each build to all listeners on `channel`, in one round
/// trip. On SQLite it only commits.
pub async fn commit_and_notify(
    tx: Tx,
    channel: &'static str,
    node: Uuid,
    heads: &[(BuildId, u64)],
) -> Result<()> {
    if !tx.is_postgres() {
        return tx.commit().await;
    }
    // Ids and numbers need no quoting.
    let notify =
        |(build, head): &(BuildId, u64)| format!("NOTIFY {channel}, '{node}:{build}:{head}'; ");
    let notifications: String = heads.iter().map(notify).collect();
    tx.commit_by(AssertSqlSafe(notifications + "COMMIT")).await
}
