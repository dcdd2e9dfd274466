//! Transcripts of agents, so that a resumed build continues without repeating requests to the model.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use domain::ids::{BuildId, RunId};

use super::{
    conn::Conn,
    error::Result,
    statement::{MultiRow, execute_rows, fetch, row},
};

row! {
    pub struct AgentMessage {
        /// From 0.
        pub position: u32,
        pub role: String,
        /// JSON.
        pub message: String,
        pub created_at: DateTime<Utc>,
    }
}

/// Adds messages. `Error::AlreadyExists`, by the commit at the latest, if a position is taken.
pub async fn insert_batch(
    conn: &mut Conn,
    build: BuildId,
    run: RunId,
    messages: &[AgentMessage],
) -> Result<()> {
    static INSERT: LazyLock<MultiRow> = LazyLock::new(|| {
        const HEAD: &str = "INSERT INTO agent_messages \
            (build_id, run_id, position, role, message, created_at)";
        MultiRow::new(HEAD, 6, "")
    });
    execute_rows!(
        conn,
        INSERT,
        messages,
        |message| build,
        run,
        message.position,
        message.role.as_str(),
        message.message.as_str(),
        message.created_at,
    );
    Ok(())
}

/// The next `limit` messages from position `from` on.
pub async fn list(conn: &mut Conn, run: RunId, from: u32, limit: i64) -> Result<Vec<AgentMessage>> {
    const SQL: &str = "SELECT position, role, message, created_at FROM agent_messages \
        WHERE run_id = $1 AND position >= $2 ORDER BY position LIMIT $3";
    Ok(fetch!(conn, SQL, run, from, limit))
}
