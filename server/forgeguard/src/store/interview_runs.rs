//! Runs of a model that answers, in interviews or questions about builds: their progress, usage and
//! conversations.

use domain::ids::GenerationId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A run, which is a generation of answers or for a question about a build.
    pub struct InterviewRun {
        /// Replies so far.
        pub turn: u32,
        /// The version of the questionnaire that it wrote last.
        pub version: Option<u32>,
        /// Input tokens, without the provider's cache.
        pub tokens_in: u64,
        pub tokens_out: u64,
        /// Tokens read from the provider's cache.
        pub cache_read: u64,
        /// Tokens written to the provider's cache.
        pub cache_write: u64,
        /// Millionths of a US dollar; None if the price is unknown.
        pub cost_usd_micros: Option<u64>,
        /// The messages as JSON text; None before the first reply and after the last.
        pub conversation: Option<String>,
    }
}

pub async fn insert(conn: &mut Conn, generation: GenerationId) -> Result<()> {
    const SQL: &str = "INSERT INTO interview_runs (generation_id) VALUES ($1)";
    execute!(conn, SQL, generation);
    Ok(())
}

/// The run of a generation, if it has one.
pub async fn get(conn: &mut Conn, generation: GenerationId) -> Result<Option<InterviewRun>> {
    const SQL: &str = "SELECT turn, version, tokens_in, tokens_out, cache_read, cache_write, \
            cost_usd_micros, conversation \
        FROM interview_runs WHERE generation_id = $1";
    Ok(fetch!(conn, SQL, generation).pop())
}

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
