//! Questions of tool calls: a call asks, and gets the answer when it is repeated.

use chrono::TimeDelta;
use domain::{
    budget::MAX_PERMISSION_PROMPTS,
    event::questions::{ClarificationKind, ClarificationRequest, ResolvedHow},
};

use super::{context::ToolContext, tool::ToolReply};
use crate::store::{
    self,
    clarifications::{self, Clarification},
};

/// Questions of a build that are searched; far more than any budget allows.
const MAX_LOOKED_AT: i64 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// At most 200 characters.
    pub question: String,
    /// At most 300 characters.
    pub context: Option<String>,
    /// Two to four, or none for free text.
    pub options: Vec<String>,
}

/// All questions of the build so far.
pub(super) async fn asked(ctx: &ToolContext) -> store::Result<Vec<Clarification>> {
    let mut conn = ctx.db.read().await?;
    clarifications::list(&mut conn, ctx.build_id, None, MAX_LOOKED_AT).await
}

/// The question that this call asked earlier.
pub(super) fn by_this_call<'a>(
    ctx: &ToolContext,
    asked: &'a [Clarification],
) -> Option<&'a Clarification> {
    asked.iter().find(|asked| asked.run_id == ctx.run_id && asked.call_id == ctx.call_id)
}

/// How a question with this status was resolved; `None` while it is open.
pub(super) fn settled(status: &str) -> Option<ResolvedHow> {
    match status {
        "answered" => Some(ResolvedHow::Answered),
        "timed_out" => Some(ResolvedHow::TimedOut),
        "skipped" => Some(ResolvedHow::Skipped),
        "cancelled" => Some(ResolvedHow::Cancelled),
        _ => None,
    }
}

/// The limit of questions of this kind, if it is reached.
pub(super) fn exhausted_limit(ctx: &ToolContext, kind: ClarificationKind) -> Option<u32> {
    let (spent, budgets) = (&ctx.state.spent, &ctx.state.budgets);
    let (asked, limit) = match kind {
        ClarificationKind::Permission => (spent.permission_prompts, MAX_PERMISSION_PROMPTS),
        _ => (spent.clarifications, budgets.clarifications),
    };
    (asked >= limit).then_some(limit)
}

pub(super) fn ask(ctx: &ToolContext, kind: ClarificationKind, question: Question) -> ToolReply {
    let timeout = ctx.state.queued.clarification_timeout_s;
    let expires_at = timeout.map(|s| store::now() + TimeDelta::seconds(s.into()));
    let Question { question, context, options } = question;
    ToolReply::Ask(Box::new(ClarificationRequest {
        question_id: store::new_id(),
        kind,
        question,
        context,
        options,
        asked_by: ctx.role,
        run_id: ctx.run_id,
        call_id: ctx.call_id.clone(),
        requirement: None,
        expires_at,
    }))
}
