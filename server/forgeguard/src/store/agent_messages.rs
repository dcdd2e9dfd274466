//! Transcripts of agents, so that a resumed build goes on without asking the model again.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use domain::ids::{BuildId, RunId};

use super::{
    conn::Conn,
    error::Result,
    statement::{MultiRow, fetch, insert_rows, row},
};

row! {
    /// One message of a run.
    pub struct AgentMessage {
        /// The place in the transcript, from 0.
        pub position: u32,
        /// Who speaks.
        pub role: String,
        /// The message as JSON text.
        pub message: String,
        /// When it was stored.
        pub created_at: DateTime<Utc>,
    }
}

/// Adds messages. A place that is taken is `Error::AlreadyExists`.
pub async fn insert_batch(
    conn: &mut Conn,
    build: BuildId,
    run: RunId,
    messages: &[AgentMessage],
) -> Result<()> {
    static INSERT: LazyLock<MultiRow> = LazyLock::new(|| {
        const HEAD: &str = "INSERT INTO agent_messages \
            (build_id, run_id, position, role, message, created_at) VALUES";
        MultiRow::new(HEAD, 6)
    });
    insert_rows!(
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

/// The next `limit` messages from place `from` on, in order.
pub async fn list(conn: &mut Conn, run: RunId, from: u32, limit: i64) -> Result<Vec<AgentMessage>> {
    const SQL: &str = "SELECT position, role, message, created_at FROM agent_messages \
        WHERE run_id = $1 AND position >= $2 ORDER BY position LIMIT $3";
    Ok(fetch!(conn, SQL, run, from, limit))
}
