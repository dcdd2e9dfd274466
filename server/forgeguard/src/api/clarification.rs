//! A clarification question as the API returns it.

use chrono::{DateTime, Utc};
use domain::{
    contract::ContractType,
    event::{agents::Role, questions::ClarificationKind},
    ids::{BuildId, ClarificationId, ProjectId, UserId},
    state::Status,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    journal::Appended,
    store::{clarifications, users::User},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClarificationStatus {
    Open,
    Answered,
    /// Not answered in time.
    TimedOut,
    /// A user let the agent decide.
    Skipped,
    /// The build ended first.
    Cancelled,
}

/// A question of an agent or of ForgeGuard to the project's owner.
#[derive(Debug, Serialize, ToSchema)]
pub struct Clarification {
    pub id: ClarificationId,
    kind: ClarificationKind,
    pub question: String,
    /// Why the agent asks.
    #[schema(required)]
    context: Option<String>,
    /// At most four options, or none for free text only.
    pub options: Vec<String>,
    /// Whether several options may be chosen; the answer then has one line for each choice.
    pub multiple: bool,
    /// The role that asks; not meaningful for questions of ForgeGuard itself.
    asked_by: Role,
    asked_at: DateTime<Utc>,
    /// When the agent decides; null: never.
    #[schema(required)]
    expires_at: Option<DateTime<Utc>>,
    status: ClarificationStatus,
    #[schema(required)]
    answer: Option<String>,
    /// Who answered or skipped it.
    #[schema(required)]
    answered_by: Option<UserId>,
    /// The name of `answered_by`.
    #[schema(required)]
    answered_by_name: Option<String>,
    #[schema(required)]
    resolved_at: Option<DateTime<Utc>>,
    /// The event that asked; null for questions recorded by an early version.
    #[schema(required)]
    asked_seq: Option<u64>,
    /// The event that resolved it.
    #[schema(required)]
    resolved_seq: Option<u64>,
    /// The contract that the agent read last before asking; null if it had read none or that is not
    /// known.
    #[schema(required)]
    contract: Option<ContractType>,
}

/// A question with its build and project.
#[derive(Debug, Serialize, ToSchema)]
pub struct PlacedClarification {
    project_id: ProjectId,
    project_name: String,
    project_slug: String,
    build_id: BuildId,
    /// The number of the build in its project.
    build_number: u32,
    #[schema(required)]
    build_title: Option<String>,
    /// When the build was queued.
    build_created_at: DateTime<Utc>,
    build_status: Status,
    clarification: Clarification,
}

impl TryFrom<clarifications::PlacedClarification> for PlacedClarification {
    type Error = serde_json::Error;

    fn try_from(row: clarifications::PlacedClarification) -> Result<Self, Self::Error> {
        let clarifications::PlacedClarification { clarification, place } = row;
        Ok(Self {
            project_id: place.project_id,
            project_name: place.project_name,
            project_slug: place.project_slug,
            build_id: clarification.build_id,
            build_number: place.build_number,
            build_title: place.build_title,
            build_created_at: place.build_created_at,
            build_status: place.build_status,
            clarification: clarification.try_into()?,
        })
    }
}

impl ClarificationStatus {
    fn of(row: &clarifications::Clarification) -> serde_json::Result<Self> {
        serde_json::from_value(row.status.as_str().into())
    }

    /// As stored.
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

impl Clarification {
    /// The question after a user answered it, or with `None` skipped it.
    pub fn resolved(self, answer: Option<String>, by: &User, appended: &Appended) -> Self {
        let status = match answer {
            Some(_) => ClarificationStatus::Answered,
            None => ClarificationStatus::Skipped,
        };
        Self {
            status,
            answer,
            answered_by: Some(by.id),
            answered_by_name: Some(by.name.clone()),
            resolved_at: Some(appended.at),
            resolved_seq: Some(appended.first_seq),
            ..self
        }
    }
}

/// What happened to a question, for users who answered too late.
pub fn resolution_message(row: &clarifications::Clarification) -> String {
    let who = row.answered_by_name.as_deref().unwrap_or("Another user");
    match (ClarificationStatus::of(row), &row.answer) {
        (Ok(ClarificationStatus::Answered), Some(answer)) => {
            format!("{who} answered first: “{}”.", answer.replace('\n', "”, “"))
        }
        (Ok(ClarificationStatus::Skipped), _) => format!("{who} let the agent decide."),
        (Ok(ClarificationStatus::TimedOut), _) => {
            "The time for an answer has expired, so the agent decides. Send it as a hint instead."
                .to_owned()
        }
        _ => "The build has ended, so the answer is no longer needed.".to_owned(),
    }
}

impl TryFrom<clarifications::Clarification> for Clarification {
    type Error = serde_json::Error;

    fn try_from(row: clarifications::Clarification) -> Result<Self, Self::Error> {
        let status = ClarificationStatus::of(&row)?;
        Ok(Self {
            id: row.id,
            kind: row.kind,
            question: row.question,
            context: row.context,
            options: serde_json::from_str(&row.options)?,
            multiple: row.multiple,
            asked_by: row.asked_by,
            asked_at: row.asked_at,
            expires_at: row.expires_at,
            status,
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
