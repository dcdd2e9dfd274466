//! Payloads about clarifications.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    event::{agents::Role, life::Actor},
    ids::{ClarificationId, RunId},
};

/// The kind of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClarificationKind {
    /// A question of the agent.
    #[default]
    Question,
    /// Whether a tool call is allowed, as required by a permission rule.
    Permission,
}

impl ClarificationKind {
    fn is_question(&self) -> bool {
        *self == Self::Question
    }
}

/// An agent asks the user, and waits for the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClarificationRequest {
    pub question_id: ClarificationId,
    /// Each kind has its own limit. Journals of older versions lack it.
    #[serde(default, skip_serializing_if = "ClarificationKind::is_question")]
    pub kind: ClarificationKind,
    /// At most 200 characters.
    pub question: String,
    /// At most 300 characters.
    pub context: Option<String>,
    /// Two to four choices, or none if only free text is allowed.
    pub options: Vec<String>,
    pub asked_by: Role,
    /// The waiting run.
    pub run_id: RunId,
    /// The waiting tool call.
    pub call_id: String,
    /// When the agent decides without an answer; `None`: never.
    pub expires_at: Option<DateTime<Utc>>,
}

/// How a question was resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResolvedHow {
    Answered,
    TimedOut,
    /// The user let the agent decide.
    Skipped,
    /// The build ended.
    Cancelled,
}

/// A question was resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClarificationResolved {
    pub question_id: ClarificationId,
    /// `None` unless it was answered.
    pub answer: Option<String>,
    pub how: ResolvedHow,
    pub by: Actor,
}
