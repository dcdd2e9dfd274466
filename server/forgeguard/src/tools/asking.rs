//! Questions of tool calls: a call asks, and gets the answer when it is repeated.

use chrono::TimeDelta;
use domain::{
    event::{
        agents::Role,
        questions::{ClarificationKind, ClarificationRequest, ResolvedHow},
    },
    ids::{BuildId, RunId},
    state::BuildState,
};

use super::{context::ToolContext, tool::ToolReply};
use crate::store::{
    self, Db,
    clarifications::{self, Clarification},
};

/// Questions of a build that are searched; far more than any budget allows.
const MAX_LOOKED_AT: i64 = 1_000;

/// Of two questions that count as the same, from 0 to 1.
const MIN_SIMILARITY: f64 = 0.9;

/// The call that asks.
pub struct Asker<'a> {
    pub db: &'a Db,
    pub build_id: BuildId,
    pub run_id: RunId,
    /// Unique within the run.
    pub call_id: &'a str,
    pub role: Role,
    pub state: &'a BuildState,
}

impl<'a> Asker<'a> {
    pub(super) fn of(ctx: &'a ToolContext) -> Self {
        let ToolContext { db, build_id, run_id, call_id, role, state, .. } = ctx;
        Self { db, build_id: *build_id, run_id: *run_id, call_id, role: *role, state }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// At most 200 characters.
    pub question: String,
    /// At most 300 characters.
    pub context: Option<String>,
    /// Two to four, or none for free text.
    pub options: Vec<String>,
    /// Whether several options may be chosen.
    pub multiple: bool,
}

/// All questions of the build so far.
pub(super) async fn asked(asker: &Asker<'_>) -> store::Result<Vec<Clarification>> {
    let mut conn = asker.db.read().await?;
    clarifications::list(&mut conn, asker.build_id, None, MAX_LOOKED_AT).await
}

/// The question that this call asked earlier.
pub(super) fn by_this_call<'a>(
    asker: &Asker<'_>,
    asked: &'a [Clarification],
) -> Option<&'a Clarification> {
    asked.iter().find(|asked| asked.run_id == asker.run_id && asked.call_id == asker.call_id)
}

/// An earlier question of an agent, with the same words or nearly so, that the user has answered.
pub(super) fn answered_before<'a>(
    asked: &'a [Clarification],
    question: &str,
) -> Option<&'a Clarification> {
    let is_answered = |asked: &&Clarification| {
        asked.kind == ClarificationKind::Question
            && asked.answer.is_some()
            && is_same(&asked.question, question)
    };
    asked.iter().rev().find(is_answered)
}

/// Whether two questions have the same words or nearly so.
fn is_same(one: &str, other: &str) -> bool {
    strsim::sorensen_dice(&significant(one), &significant(other)) >= MIN_SIMILARITY
}

/// Adds a question to those that are asked together, or returns the result of its call: it may repeat
/// another one or exceed the limit of the build.
pub fn add_question(
    state: &BuildState,
    together: &mut Vec<ClarificationRequest>,
    request: ClarificationRequest,
) -> Option<ToolReply> {
    if together.iter().any(|other| is_same(&other.question, &request.question)) {
        return Some(ToolReply::failed("Another call of this reply asks the same."));
    }
    let limit = state.budgets.clarifications;
    if state.spent.clarifications + together.len() as u32 >= limit {
        return Some(used_up(limit));
    }
    together.push(request);
    None
}

/// The result of a question when all are used up.
pub(super) fn used_up(limit: u32) -> ToolReply {
    ToolReply::failed(format!(
        "All {limit} questions of this build are used up: decide yourself and say what you chose."
    ))
}

/// Letters and digits in lower case, with single spaces.
fn significant(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// How a question with this status was resolved; `None` while it is open.
pub fn settled(status: &str) -> Option<ResolvedHow> {
    match status {
        "answered" => Some(ResolvedHow::Answered),
        "timed_out" => Some(ResolvedHow::TimedOut),
        "skipped" => Some(ResolvedHow::Skipped),
        "cancelled" => Some(ResolvedHow::Cancelled),
        _ => None,
    }
}

/// The limit of questions of this kind, if it is reached.
pub(super) fn exhausted_limit(asker: &Asker<'_>, kind: ClarificationKind) -> Option<u32> {
    let (spent, budgets) = (&asker.state.spent, &asker.state.budgets);
    let (asked, limit) = match kind {
        ClarificationKind::Permission => (spent.permission_prompts, budgets.permission_prompts),
        _ => (spent.clarifications, budgets.clarifications),
    };
    (asked >= limit).then_some(limit)
}

pub(super) fn ask(asker: &Asker<'_>, kind: ClarificationKind, question: Question) -> ToolReply {
    let timeout = asker.state.queued.clarification_timeout_s;
    let expires_at = timeout.map(|s| store::now() + TimeDelta::seconds(s.into()));
    let Question { question, context, options, multiple } = question;
    ToolReply::Ask(Box::new(ClarificationRequest {
        question_id: store::new_id(),
        kind,
        question,
        context,
        options,
        multiple,
        asked_by: asker.role,
        run_id: asker.run_id,
        call_id: asker.call_id.to_owned(),
        requirement: None,
        expires_at,
    }))
}
