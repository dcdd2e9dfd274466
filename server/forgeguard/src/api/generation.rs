//! A generation as clients see it.

use chrono::{DateTime, Utc};
use domain::{
    contract::{ContractType, VersionSource},
    generation::{DraftStatus, GenerationStatus},
    ids::{GenerationId, ProjectId},
    interview::TURN_LIMIT,
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

/// What a model writes: contracts, one after another, or answers from what a person said.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct Generation {
    /// Its id.
    id: GenerationId,
    /// The project.
    project_id: ProjectId,
    /// How it stands.
    pub status: GenerationStatus,
    /// The model that writes; null until it begins.
    #[schema(required)]
    model: Option<String>,
    /// Name of whoever asked for it.
    started_by: String,
    /// When it was asked for.
    created_at: DateTime<Utc>,
    /// When it began.
    #[schema(required)]
    started_at: Option<DateTime<Utc>>,
    /// When it ended.
    #[schema(required)]
    finished_at: Option<DateTime<Utc>>,
    /// In plain words, why it failed or what it waits for.
    #[schema(required)]
    failure: Option<String>,
    /// When a provider that failed is asked again.
    #[schema(required)]
    retry_at: Option<DateTime<Utc>>,
    /// Its contracts, in the order in which they are written; none where it writes answers.
    pub contracts: Vec<GenerationContract>,
    /// How far it is with answers; null where it writes contracts.
    #[schema(required)]
    pub answers: Option<GenerationAnswers>,
}

/// How far a model is with its answer to a person.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct GenerationAnswers {
    /// Replies of the model so far.
    pub turn: u32,
    /// Replies that it has.
    turn_limit: u32,
    /// The version of the questionnaire that it wrote last.
    #[schema(required)]
    version: Option<u32>,
    /// Tokens sent, without those that the provider's cache read or wrote.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Millionths of a US dollar; null where nobody knows the price.
    #[schema(required)]
    pub cost_usd_micros: Option<u64>,
}

/// One contract of a generation.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct GenerationContract {
    /// Which of the nine.
    #[serde(rename = "type")]
    pub kind: ContractType,
    /// How it stands.
    status: DraftStatus,
    /// Replies of the model so far.
    pub turn: u32,
    /// Replies that it has.
    turn_limit: u32,
    /// The tool that was called last.
    #[schema(required)]
    tool: Option<String>,
    /// Texts that were handed in and did not fit.
    refusals: u32,
    /// Why the last of them did not.
    #[schema(required)]
    refusal: Option<String>,
    /// The version that it became.
    #[schema(required)]
    version: Option<u32>,
    /// How that came to be.
    #[schema(required)]
    source: Option<VersionSource>,
    /// Tokens sent, without those that the provider's cache read or wrote.
    pub tokens_in: u64,
    /// Tokens received.
    pub tokens_out: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Millionths of a US dollar; null where nobody knows the price.
    #[schema(required)]
    pub cost_usd_micros: Option<u64>,
    /// Tokens sent over all turns, estimated.
    pub sent_tokens: u64,
    /// Tokens that would have been sent with all answers and all contracts before it pasted, once
    /// for each text that was handed in; estimated the same way.
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

impl From<InterviewRun> for GenerationAnswers {
    fn from(run: InterviewRun) -> Self {
        Self {
            turn: run.turn,
            turn_limit: TURN_LIMIT,
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
    /// The row with everything that belongs to it.
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
            answers: run.map(GenerationAnswers::from),
        })
    }
}
