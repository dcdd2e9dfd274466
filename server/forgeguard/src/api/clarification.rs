//! A question of a builder as the API shows it.

use chrono::{DateTime, Utc};
use domain::{
    contract::ContractType,
    event::agents::Role,
    ids::{BuildId, ClarificationId, ProjectId, UserId},
    state::Status,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::store::clarifications;

/// Where a question is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClarificationStatus {
    /// It waits.
    Open,
    /// Somebody answered.
    Answered,
    /// Nobody answered in time.
    TimedOut,
    /// Somebody let the builder decide.
    Skipped,
    /// The build ended.
    Cancelled,
}

/// A question that the builder asked.
#[derive(Debug, Serialize, ToSchema)]
pub struct Clarification {
    /// Its id.
    id: ClarificationId,
    /// What is asked.
    question: String,
    /// Why it is asked.
    #[schema(required)]
    context: Option<String>,
    /// Two to four choices, or none for free text alone.
    options: Vec<String>,
    /// Who asks.
    asked_by: Role,
    /// When it was asked.
    asked_at: DateTime<Utc>,
    /// When the builder decides by itself; null is never.
    #[schema(required)]
    expires_at: Option<DateTime<Utc>>,
    /// Where it is in its life.
    status: ClarificationStatus,
    /// The answer, where there is one.
    #[schema(required)]
    answer: Option<String>,
    /// Who answered or skipped it.
    #[schema(required)]
    answered_by: Option<UserId>,
    /// That person's name.
    #[schema(required)]
    answered_by_name: Option<String>,
    /// When it was settled.
    #[schema(required)]
    resolved_at: Option<DateTime<Utc>>,
    /// The event that asks; null where it was not found for an old question.
    #[schema(required)]
    asked_seq: Option<u64>,
    /// The event that settles it.
    #[schema(required)]
    resolved_seq: Option<u64>,
    /// The contract that the asking agent had read last; null where it had read none, or that is not
    /// known.
    #[schema(required)]
    contract: Option<ContractType>,
}

/// A question among those of many builds.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlacedClarification {
    /// The project.
    project_id: ProjectId,
    /// Its name.
    project_name: String,
    /// The build.
    build_id: BuildId,
    /// When the build was queued.
    build_created_at: DateTime<Utc>,
    /// Where the build is in its life.
    build_status: Status,
    /// The question.
    clarification: Clarification,
}

impl TryFrom<clarifications::PlacedClarification> for PlacedClarification {
    type Error = serde_json::Error;

    fn try_from(row: clarifications::PlacedClarification) -> Result<Self, Self::Error> {
        let clarifications::PlacedClarification { clarification, place } = row;
        Ok(Self {
            project_id: place.project_id,
            project_name: place.project_name,
            build_id: clarification.build_id,
            build_created_at: place.build_created_at,
            build_status: place.build_status,
            clarification: clarification.try_into()?,
        })
    }
}

impl ClarificationStatus {
    /// As the table has it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::TimedOut => "timed_out",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What became of a question, to somebody who wanted to answer it too.
pub fn settled_words(row: &clarifications::Clarification) -> String {
    let who = row.answered_by_name.as_deref().unwrap_or("Somebody");
    match (row.status.as_str(), &row.answer) {
        ("answered", Some(answer)) => format!("{who} answered before you: “{answer}”."),
        ("skipped", _) => format!("{who} has let the builder decide."),
        ("timed_out", _) => "Nobody answered in time, so the builder decides by itself. \
            Send it as a hint instead."
            .to_owned(),
        _ => "The build has ended, so nobody needs the answer any more.".to_owned(),
    }
}

impl TryFrom<clarifications::Clarification> for Clarification {
    type Error = serde_json::Error;

    fn try_from(row: clarifications::Clarification) -> Result<Self, Self::Error> {
        Ok(Self {
            id: row.id,
            question: row.question,
            context: row.context,
            options: serde_json::from_str(&row.options)?,
            asked_by: row.asked_by,
            asked_at: row.asked_at,
            expires_at: row.expires_at,
            status: serde_json::from_value(row.status.into())?,
            answer: row.answer,
            answered_by: row.answered_by,
            answered_by_name: row.answered_by_name,
            resolved_at: row.resolved_at,
            asked_seq: row.asked_seq,
            resolved_seq: row.resolved_seq,
            contract: row.contract,
        })
    }
}
