//! Payloads about clarifications.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    event::{agents::Role, life::Actor},
    ids::{ClarificationId, RunId},
    requirement::RequirementId,
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
    /// Whether an assumption holds. ForgeGuard asks before the work begins.
    Assumption,
    /// Whether a plan is carried out. ForgeGuard asks if the build was started that way.
    Plan,
    /// Whether a user has pushed the work of a phase. A run without an agent waits for it.
    Work,
    /// What users confirm, clear and dismiss before the seal. ForgeGuard asks.
    Confirmation,
}

impl ClarificationKind {
    fn is_question(&self) -> bool {
        *self == Self::Question
    }

    /// Whether an agent waits for the answer.
    pub fn is_of_agent(self) -> bool {
        matches!(self, Self::Question | Self::Permission)
    }
}

/// An agent or ForgeGuard asks the user, and the build waits for the answer.
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
    /// At most four choices, or none if only free text is allowed.
    pub options: Vec<String>,
    /// Whether several of the options may be chosen. The answer then has one line for each choice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multiple: bool,
    /// If ForgeGuard asks, the role that works before or after the question.
    pub asked_by: Role,
    /// The waiting run; the nil id if no agent waits.
    pub run_id: RunId,
    /// The waiting tool call; empty if no agent waits.
    pub call_id: String,
    /// The assumption that is asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "R-7")]
    pub requirement: Option<RequirementId>,
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
