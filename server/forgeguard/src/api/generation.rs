//! A generation as the API returns it.

use chrono::{DateTime, Utc};
use domain::{
    build_question,
    contract::{ContractType, VersionSource},
    generation::{DraftStatus, GenerationKind, GenerationStatus},
    ids::{GenerationId, ProjectId},
    interview,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::store::{
    self, Conn,
    generation_drafts::{self, Draft},
    generations::Generation as Row,
    interview_runs::{self, InterviewRun},
    users,
};

/// A run of a model that writes contracts, or that answers in an interview or a question about a
/// build.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct Generation {
    id: GenerationId,
    project_id: ProjectId,
    pub status: GenerationStatus,
    /// Null until it starts.
    #[schema(required)]
    model: Option<String>,
    /// The name of the user who requested it.
    started_by: String,
    /// When it was requested.
    created_at: DateTime<Utc>,
    #[schema(required)]
    started_at: Option<DateTime<Utc>>,
    #[schema(required)]
    finished_at: Option<DateTime<Utc>>,
    /// Why it failed, or what it is waiting for.
    #[schema(required)]
    failure: Option<String>,
    /// When a failed request to the provider is retried.
    #[schema(required)]
    retry_at: Option<DateTime<Utc>>,
    /// In the order in which they are written; empty without contracts.
    pub contracts: Vec<GenerationContract>,
    /// Progress of an answer; null for contracts.
    #[schema(required)]
    pub answers: Option<GenerationAnswers>,
}

/// Progress of a model that answers.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct GenerationAnswers {
    /// Turns of the model so far.
    pub turn: u32,
    /// The maximum number of turns.
    turn_limit: u32,
    /// The version of the questionnaire that it wrote last.
    #[schema(required)]
    version: Option<u32>,
    /// Tokens sent, except those read from or written to the provider's cache.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Millionths of a US dollar; null if the price is unknown.
    #[schema(required)]
    pub cost_usd_micros: Option<u64>,
}

#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct GenerationContract {
    #[serde(rename = "type")]
    pub kind: ContractType,
    status: DraftStatus,
    /// Turns of the model so far.
    pub turn: u32,
    /// The maximum number of turns.
    turn_limit: u32,
    /// The tool that was called last.
    #[schema(required)]
    tool: Option<String>,
    /// The number of submissions that were rejected.
    refusals: u32,
    /// Why the last submission was rejected.
    #[schema(required)]
    refusal: Option<String>,
    /// The version that was stored.
    #[schema(required)]
    version: Option<u32>,
    /// How that version was created.
    #[schema(required)]
    source: Option<VersionSource>,
    /// Tokens sent, except those read from or written to the provider's cache.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Millionths of a US dollar; null if the price is unknown.
    #[schema(required)]
    pub cost_usd_micros: Option<u64>,
    /// Estimated tokens sent in all turns.
    pub sent_tokens: u64,
    /// Estimated tokens if all answers and preceding contracts had been sent in full with each
    /// submission.
    pub pasted_tokens: u64,
}

impl From<Draft> for GenerationContract {
    fn from(draft: Draft) -> Self {
        Self {
            kind: draft.kind,
            status: draft.status,
            turn: draft.turn,
            turn_limit: draft.kind.turn_limit(),
            tool: draft.tool,
            refusals: draft.refusals,
            refusal: draft.refusal,
            version: draft.version,
            source: draft.source,
            tokens_in: draft.tokens_in,
            tokens_out: draft.tokens_out,
            cache_read: draft.cache_read,
            cache_write: draft.cache_write,
            cost_usd_micros: draft.cost_usd_micros,
            sent_tokens: draft.sent_tokens,
            pasted_tokens: draft.pasted_tokens,
        }
    }
}

impl GenerationAnswers {
    fn of(run: InterviewRun, kind: GenerationKind) -> Self {
        let turn_limit = match kind {
            GenerationKind::BuildQuestion => build_question::MAX_TURNS,
            GenerationKind::Contracts | GenerationKind::Answers => interview::MAX_TURNS,
        };
        Self {
            turn: run.turn,
            turn_limit,
            version: run.version,
            tokens_in: run.tokens_in,
            tokens_out: run.tokens_out,
            cache_read: run.cache_read,
            cache_write: run.cache_write,
            cost_usd_micros: run.cost_usd_micros,
        }
    }
}

impl Generation {
    /// Reads what belongs to the row.
    pub async fn read(conn: &mut Conn, row: Row) -> store::Result<Self> {
        let drafts = generation_drafts::list(conn, row.id).await?;
        let run = interview_runs::get(conn, row.id).await?;
        let by = users::get(conn, row.started_by).await?;
        let waits = row.status == GenerationStatus::Queued && row.failures > 0;
        Ok(Self {
            id: row.id,
            project_id: row.project_id,
            status: row.status,
            model: row.model,
            started_by: by.map_or_else(String::new, |user| user.name),
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
            failure: row.failure,
            retry_at: waits.then_some(row.run_after),
            contracts: drafts.into_iter().map(GenerationContract::from).collect(),
            answers: run.map(|run| GenerationAnswers::of(run, row.kind)),
        })
    }
}
