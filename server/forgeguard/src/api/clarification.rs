//! A question of a builder as the API shows it.

use chrono::{DateTime, Utc};
use domain::{
    event::agents::Role,
    ids::{ClarificationId, UserId},
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
    /// When it was settled.
    #[schema(required)]
    resolved_at: Option<DateTime<Utc>>,
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
            resolved_at: row.resolved_at,
        })
    }
}
