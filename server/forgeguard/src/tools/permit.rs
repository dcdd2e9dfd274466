//! Permission for a call, by the rules and by the user's answers.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use domain::{
    event::questions::{ClarificationKind, ResolvedHow},
    permission::{self, Action, Judgement, Layers, Permission},
};

use super::{
    asking::{self, Asker, Question},
    context::ToolContext,
    error::ToolError,
    tool::ToolReply,
    work_path::WorkPath,
    worktree::Worktree,
};
use crate::store::clarifications::Clarification;
use crate::text::head;

const ONCE: &str = "Once";
const ALWAYS: &str = "Always";
const DENY: &str = "Deny";
/// Size limit of a subject in characters; a user must be able to read all of it.
const MAX_ASKED: usize = 150;
/// Size limit of the reason in a question, in bytes.
const MAX_REASON: usize = 160;

/// The context of an allowed call, whose worktree applies the rules to what it opens; otherwise the
/// denial, or the question to ask first.
///
/// # Errors
/// If earlier answers cannot be read.
pub(super) async fn permit(
    ctx: &ToolContext,
    (permission, subject): (Permission, String),
) -> Result<Result<ToolContext, ToolReply>, ToolError> {
    let Strictest { subject, judgement, place } = strictest(ctx, permission, subject).await?;
    let refused = |why: String| Some(ToolReply::failed(refusal(permission, &subject, &why)));
    let objection = match judgement.action() {
        Action::Allow => None,
        Action::Deny => refused(why(&judgement)),
        Action::Ask => match question(ctx, permission, &subject, &judgement) {
            Some(question) => ask(ctx, question).await?.unwrap_or_else(refused),
            None => refused(format!(
                "the user must be asked ({}), and must see all of it: use at most {MAX_ASKED} \
                 plain characters",
                why(&judgement)
            )),
        },
    };
    Ok(match objection {
        Some(reply) => Err(reply),
        None => Ok(bound_to_rules(ctx, permission, place)),
    })
}

/// A link may be swapped after its target was judged: what is opened must be that target, or allowed
/// without asking.
fn bound_to_rules(
    ctx: &ToolContext,
    permission: Permission,
    judged: Option<WorkPath>,
) -> ToolContext {
    let Some(judged) = judged else { return ctx.clone() };
    let allows = allows(ctx, permission);
    let rule = move |place: &WorkPath| *place == judged || allows(place);
    ToolContext { worktree: Arc::new(ctx.worktree.with_rule(Arc::new(rule))), ..ctx.clone() }
}

/// The denial of a path that a call changes in addition to its subject. A question could not tell
/// the two apart, so what the rules do not allow without one is denied.
///
/// # Errors
/// If the path cannot be resolved.
pub(super) async fn denial(
    ctx: &ToolContext,
    (permission, subject): (Permission, String),
) -> Result<Option<String>, ToolError> {
    let Strictest { subject, judgement, .. } = strictest(ctx, permission, subject).await?;
    let is_allowed = judgement.action() == Action::Allow;
    Ok((!is_allowed).then(|| refusal(permission, &subject, &why(&judgement))))
}

/// The decision for a path, or for the target of its links if that is stricter.
struct Strictest {
    subject: String,
    judgement: Judgement,
    /// The target of the links, if the subject is a path.
    place: Option<WorkPath>,
}

async fn strictest(
    ctx: &ToolContext,
    permission: Permission,
    subject: String,
) -> Result<Strictest, ToolError> {
    let judgement = judge(ctx, permission, &subject);
    if !matches!(permission, Permission::Read | Permission::Edit) {
        return Ok(Strictest { subject, judgement, place: None });
    }
    let named = subject.clone();
    let resolve = move |tree: &Worktree| Ok(tree.resolve(&Worktree::path(&named)?)?);
    let place = ctx.on_files(resolve).await?;
    let of_place = judge(ctx, permission, &place.to_string());
    let (subject, judgement) = match of_place.action() > judgement.action() {
        true => (place.to_string(), of_place),
        false => (subject, judgement),
    };
    Ok(Strictest { subject, judgement, place: Some(place) })
}

/// Decides which paths are allowed without asking.
pub(super) fn allows(
    ctx: &ToolContext,
    permission: Permission,
) -> impl Fn(&WorkPath) -> bool + Send + Sync + use<> {
    let ctx = ctx.clone();
    move |path| judge(&ctx, permission, &path.to_string()).action() == Action::Allow
}

/// Decides which files can be read without asking, by their paths and the targets of links.
pub(super) fn readable(ctx: &ToolContext) -> impl Fn(&Worktree, &WorkPath) -> bool + Send + use<> {
    let may_read = allows(ctx, Permission::Read);
    move |tree, path| may_read(path) && tree.resolve(path).is_ok_and(|place| may_read(&place))
}

fn judge(ctx: &ToolContext, permission: Permission, subject: &str) -> Judgement {
    let layers = Layers {
        built_in: permission::built_in(),
        installation: &ctx.permissions,
        project: &ctx.state.queued.permissions,
    };
    permission::judge(&layers, permission, subject)
}

fn why(judgement: &Judgement) -> String {
    let deciding = judgement.deciding();
    let reason = deciding.reason();
    match judgement.parts.first() {
        Some(whole) if whole.subject.trim() != deciding.subject => {
            format!("{reason}, for `{}` in it", deciding.subject)
        }
        _ => reason,
    }
}

fn refusal(permission: Permission, subject: &str, why: &str) -> String {
    let (shown, verb) = (head(subject, MAX_REASON), permission.verb());
    let cut = if shown.len() < subject.len() { "…" } else { "" };
    format!(
        "You may not {verb} `{shown}{cut}`: {why}. Continue without it; if the task requires it, say so \
         at the end."
    )
}

/// The question to the user; `None` if the subject cannot be displayed in full.
fn question(
    ctx: &ToolContext,
    permission: Permission,
    subject: &str,
    judgement: &Judgement,
) -> Option<Question> {
    let subject = subject.trim();
    let plain = |c: char| !hides(c) && (c == '\n' || !c.is_control());
    if subject.chars().count() > MAX_ASKED || !subject.chars().all(plain) {
        return None;
    }
    let subject = subject.replace('\n', " ⏎ ");
    let why = why(judgement);
    let why = head(&why, MAX_REASON);
    Some(Question {
        question: format!("Allow the {} to {} `{subject}`?", ctx.role.name(), permission.verb()),
        context: Some(format!(
            "Asked because of {why}. “{ALWAYS}” holds for the rest of this build; anything but \
             “{ONCE}” and “{ALWAYS}” means no."
        )),
        options: [ONCE, ALWAYS, DENY].map(str::to_owned).to_vec(),
        multiple: false,
    })
}

/// Characters that are invisible, change how others are displayed, or represent a line end here.
fn hides(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '⏎')
}

/// The result of asking: allowed, waiting, or denied.
async fn ask(
    ctx: &ToolContext,
    question: Question,
) -> Result<Result<Option<ToolReply>, String>, ToolError> {
    let asker = Asker::of(ctx);
    let all = asking::asked(&asker).await?;
    if let Some(asked) = asking::by_this_call(&asker, &all) {
        return Ok(answer(asked));
    }
    // Derived from the build's questions, so that it survives restarts.
    if all.iter().any(|asked| is_standing(asked, &question)) {
        return Ok(Ok(None));
    }
    if !ctx.state.questions.is_empty() {
        return Ok(Ok(Some(ToolReply::Waiting)));
    }
    if let Some(limit) = asking::exhausted_limit(&asker, ClarificationKind::Permission) {
        return Ok(Err(format!(
            "the user must be asked, but all {limit} permission prompts of this build are used up"
        )));
    }
    Ok(Ok(Some(asking::ask(&asker, ClarificationKind::Permission, question))))
}

fn answer(asked: &Clarification) -> Result<Option<ToolReply>, String> {
    match asking::settled(&asked.status) {
        None => Ok(Some(ToolReply::Waiting)),
        Some(ResolvedHow::Answered) => match asked.answer.as_deref().unwrap_or_default().trim() {
            answer if is(answer, ONCE) || is(answer, ALWAYS) => Ok(None),
            answer if is(answer, DENY) => Err("the user denied it".to_owned()),
            answer => Err(format!("the user declined and answered: {answer}")),
        },
        Some(ResolvedHow::TimedOut) => Err("the user did not answer in time".to_owned()),
        Some(ResolvedHow::Skipped | ResolvedHow::Cancelled) => {
            Err("the user skipped the question".to_owned())
        }
    }
}

/// Whether the same question was answered for the rest of the build.
fn is_standing(asked: &Clarification, question: &Question) -> bool {
    let answer = asked.answer.as_deref().unwrap_or_default();
    let options: Vec<String> = serde_json::from_str(&asked.options).unwrap_or_default();
    asked.status == "answered"
        && is(answer.trim(), ALWAYS)
        && asked.question == question.question
        && asked.context == question.context
        && options == question.options
}

fn is(answer: &str, option: &str) -> bool {
    answer.eq_ignore_ascii_case(option)
}
