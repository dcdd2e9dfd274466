//! Payloads about clarifications.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    event::{agents::Role, life::Actor},
    ids::{ClarificationId, RunId},
};

/// The builder asks and waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClarificationRequest {
    /// The question's id.
    pub question_id: ClarificationId,
    /// At most 200 characters.
    pub question: String,
    /// At most 300 characters.
    pub context: Option<String>,
    /// Two to four choices, or none for free text alone.
    pub options: Vec<String>,
    /// Who asks.
    pub asked_by: Role,
    /// The run that waits.
    pub run_id: RunId,
    /// The tool call that waits.
    pub call_id: String,
    /// When the builder decides by itself; `None` is never.
    pub expires_at: Option<DateTime<Utc>>,
}

/// How a question was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResolvedHow {
    /// Somebody answered.
    Answered,
    /// Nobody answered in time.
    TimedOut,
    /// Somebody let the builder decide.
    Skipped,
    /// The build ended.
    Cancelled,
}

/// A question is settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClarificationResolved {
    /// Which.
    pub question_id: ClarificationId,
    /// The answer, where there is one.
    pub answer: Option<String>,
    /// How.
    pub how: ResolvedHow,
    /// By whom.
    pub by: Actor,
}
