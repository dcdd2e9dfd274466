//! The contracts of a generation: their progress, usage and conversations.

use domain::{
    contract::{ContractType, VersionSource},
    generation::DraftStatus,
    ids::GenerationId,
};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// One contract of a generation.
    pub struct Draft {
        /// Position within the generation, from 0.
        pub position: u32,
        pub kind: ContractType = "type",
        pub status: DraftStatus,
        /// Number of the conversation, from 1.
        pub attempt: u32,
        /// Replies in this conversation.
        pub turn: u32,
        /// The last tool that was called.
        pub tool: Option<String>,
        /// Rejected submissions in all conversations.
        pub refusals: u32,
        /// The reason for the last rejection.
        pub refusal: Option<String>,
        /// The version that was written.
        pub version: Option<u32>,
        /// The origin of that version.
        pub source: Option<VersionSource>,
        /// Input tokens of all conversations, without the provider's cache.
        pub tokens_in: u64,
        pub tokens_out: u64,
        /// Tokens read from the provider's cache.
        pub cache_read: u64,
        /// Tokens written to the provider's cache.
        pub cache_write: u64,
        /// Millionths of a US dollar; None if the price is unknown.
        pub cost_usd_micros: Option<u64>,
        /// Input tokens by our estimate.
        pub sent_tokens: u64,
        /// Input tokens by the same estimate if all texts had been included.
        pub pasted_tokens: u64,
    }
}

pub async fn insert(
    conn: &mut Conn,
    generation: GenerationId,
    position: u32,
    kind: ContractType,
) -> Result<()> {
    const SQL: &str = "INSERT INTO generation_drafts (generation_id, position, type, status) \
        VALUES ($1, $2, $3, 'waiting')";
    execute!(conn, SQL, generation, position, kind);
    Ok(())
}

/// In order.
pub async fn list(conn: &mut Conn, generation: GenerationId) -> Result<Vec<Draft>> {
    const SQL: &str = "SELECT position, type, status, attempt, turn, tool, refusals, refusal, \
            version, source, tokens_in, tokens_out, cache_read, cache_write, cost_usd_micros, \
            sent_tokens, pasted_tokens \
        FROM generation_drafts WHERE generation_id = $1 ORDER BY position";
    Ok(fetch!(conn, SQL, generation))
}

/// The messages of a contract's conversation as JSON text.
pub async fn conversation(
    conn: &mut Conn,
    generation: GenerationId,
    position: u32,
) -> Result<Option<String>> {
    const SQL: &str = "SELECT conversation FROM generation_drafts \
        WHERE generation_id = $1 AND position = $2";
    let found: Vec<(String,)> = fetch!(conn, SQL, generation, position);
    Ok(found.into_iter().next().map(|(text,)| text))
}

/// Writes the progress of a contract, with its conversation.
pub async fn update(
    conn: &mut Conn,
    generation: GenerationId,
    draft: &Draft,
    conversation: &str,
) -> Result<()> {
    const SQL: &str = "UPDATE generation_drafts SET status = $3, attempt = $4, turn = $5, \
            tool = $6, refusals = $7, refusal = $8, version = $9, source = $10, tokens_in = $11, \
            tokens_out = $12, cache_read = $13, cache_write = $14, cost_usd_micros = $15, \
            sent_tokens = $16, pasted_tokens = $17, conversation = $18 \
        WHERE generation_id = $1 AND position = $2";
    execute!(
        conn,
        SQL,
        generation,
        draft.position,
        draft.status,
        draft.attempt,
        draft.turn,
        draft.tool.as_deref(),
        draft.refusals,
        draft.refusal.as_deref(),
        draft.version,
        draft.source,
        draft.tokens_in,
        draft.tokens_out,
        draft.cache_read,
        draft.cache_write,
        draft.cost_usd_micros,
        draft.sent_tokens,
        draft.pasted_tokens,
        conversation,
    );
    Ok(())
}

/// Contracts in progress wait again, with their conversations.
pub async fn reset_unfinished(conn: &mut Conn, generation: GenerationId) -> Result<()> {
    const SQL: &str = "UPDATE generation_drafts SET status = 'waiting' \
        WHERE generation_id = $1 AND status = 'writing'";
    execute!(conn, SQL, generation);
    Ok(())
}
