//! Questions about builds and their answers. Status and usage are those of the generation.

use domain::ids::{BuildId, GenerationId, Id};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct BuildQuestion {
        /// The generation of the answer.
        pub id: GenerationId = "generation_id",
        pub build_id: BuildId,
        pub question: String,
        /// Markdown; None until it is answered.
        pub answer: Option<String>,
        /// As JSON text.
        pub references: String = "answer_references",
    }
}

row! {
    /// The usage of all questions about a build.
    pub struct QuestionsUsage {
        /// Questions that a model has replied to.
        pub question_count: u64,
        pub tokens_in: u64,
        pub tokens_out: u64,
        pub cache_read: u64,
        pub cache_write: u64,
        /// Millionths of a US dollar, of the questions whose price is known.
        pub cost_usd_micros: u64,
        /// Questions whose price is unknown.
        pub unpriced_count: u64,
    }
}

macro_rules! columns {
    () => {
        "generation_id, build_id, question, answer, answer_references"
    };
}

pub async fn insert(
    conn: &mut Conn,
    id: GenerationId,
    build: BuildId,
    question: &str,
) -> Result<()> {
    const SQL: &str = "INSERT INTO build_questions (generation_id, build_id, question) \
        VALUES ($1, $2, $3)";
    execute!(conn, SQL, id, build, question);
    Ok(())
}

pub async fn get(conn: &mut Conn, id: GenerationId) -> Result<Option<BuildQuestion>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM build_questions WHERE generation_id = $1");
    Ok(fetch!(conn, SQL, id).pop())
}

/// The next `limit` questions about a build with an id below `before`, newest first.
pub async fn list(
    conn: &mut Conn,
    build: BuildId,
    before: Option<GenerationId>,
    limit: i64,
) -> Result<Vec<BuildQuestion>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM build_questions WHERE build_id = $1 AND generation_id < $2 \
         ORDER BY generation_id DESC LIMIT $3"
    );
    let before = before.unwrap_or(GenerationId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, build, before, limit))
}

/// Records the answer, with its references as JSON text.
pub async fn set_answer(
    conn: &mut Conn,
    id: GenerationId,
    answer: &str,
    references: &str,
) -> Result<()> {
    const SQL: &str = "UPDATE build_questions SET answer = $2, answer_references = $3 \
        WHERE generation_id = $1";
    execute!(conn, SQL, id, answer, references);
    Ok(())
}

/// The usage of all questions about a build; None if no model has replied yet.
pub async fn usage(conn: &mut Conn, build: BuildId) -> Result<Option<QuestionsUsage>> {
    const SQL: &str = "SELECT COUNT(*) AS question_count, \
            CAST(SUM(tokens_in) AS BIGINT) AS tokens_in, \
            CAST(SUM(tokens_out) AS BIGINT) AS tokens_out, \
            CAST(SUM(cache_read) AS BIGINT) AS cache_read, \
            CAST(SUM(cache_write) AS BIGINT) AS cache_write, \
            CAST(COALESCE(SUM(cost_usd_micros), 0) AS BIGINT) AS cost_usd_micros, \
            COUNT(*) - COUNT(cost_usd_micros) AS unpriced_count \
        FROM build_questions q JOIN interview_runs r ON r.generation_id = q.generation_id \
        WHERE q.build_id = $1 AND r.tokens_in + r.tokens_out > 0 HAVING COUNT(*) > 0";
    Ok(fetch!(conn, SQL, build).pop())
}
