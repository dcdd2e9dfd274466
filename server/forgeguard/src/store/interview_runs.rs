//! How far a model is with its answer to a person: its turns, what they used, its conversation.

use domain::ids::GenerationId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A run of the model, which is a generation of answers.
    pub struct InterviewRun {
        /// Replies so far.
        pub turn: u32,
        /// The version of the answers that it wrote last.
        pub version: Option<u32>,
        /// Tokens sent, as the provider counts them, without its cache's.
        pub tokens_in: u64,
        /// Tokens received.
        pub tokens_out: u64,
        /// Tokens read from the provider's cache.
        pub cache_read: u64,
        /// Tokens written to it.
        pub cache_write: u64,
        /// Millionths of a US dollar; none where nobody knows the price.
        pub cost_usd_micros: Option<u64>,
        /// What was said so far as JSON text; none before it begins and once it has ended.
        pub conversation: Option<String>,
    }
}

/// Adds one that has not begun.
pub async fn insert(conn: &mut Conn, generation: GenerationId) -> Result<()> {
    const SQL: &str = "INSERT INTO interview_runs (generation_id) VALUES ($1)";
    execute!(conn, SQL, generation);
    Ok(())
}

/// The run of a generation, if that is one of answers.
pub async fn get(conn: &mut Conn, generation: GenerationId) -> Result<Option<InterviewRun>> {
    const SQL: &str = "SELECT turn, version, tokens_in, tokens_out, cache_read, cache_write, \
            cost_usd_micros, conversation \
        FROM interview_runs WHERE generation_id = $1";
    Ok(fetch!(conn, SQL, generation).pop())
}

/// Writes how far it is.
pub async fn update(conn: &mut Conn, generation: GenerationId, run: &InterviewRun) -> Result<()> {
    const SQL: &str = "UPDATE interview_runs SET turn = $2, version = $3, tokens_in = $4, \
            tokens_out = $5, cache_read = $6, cache_write = $7, cost_usd_micros = $8, \
            conversation = $9 \
        WHERE generation_id = $1";
    execute!(
        conn,
        SQL,
        generation,
        run.turn,
        run.version,
        run.tokens_in,
        run.tokens_out,
        run.cache_read,
        run.cache_write,
        run.cost_usd_micros,
        run.conversation.as_deref(),
    );
    Ok(())
}
