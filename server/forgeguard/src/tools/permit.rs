//! Permission for a call, by the rules and by the user's answers.

#[cfg(test)]
mod tests;

use domain::{
    event::questions::{ClarificationKind, ResolvedHow},
    permission::{self, Action, Judgement, Layers, Permission},
};

use super::{
    asking::{self, Question},
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

/// The denial of a call, or the question to ask first; `None` if it is allowed.
///
/// # Errors
/// If earlier answers cannot be read.
pub(super) async fn objection(
    ctx: &ToolContext,
    (permission, subject): (Permission, String),
) -> Result<Option<ToolReply>, ToolError> {
    let (subject, judgement) = strictest(ctx, permission, subject).await?;
    let refused = |why: String| Some(ToolReply::failed(refusal(permission, &subject, &why)));
    match judgement.action() {
        Action::Allow => Ok(None),
        Action::Deny => Ok(refused(why(&judgement))),
        Action::Ask => match question(ctx, permission, &subject, &judgement) {
            Some(question) => Ok(ask(ctx, question).await?.unwrap_or_else(refused)),
            None => Ok(refused(format!(
                "the user must be asked ({}), and must see all of it: use at most {MAX_ASKED} \
                 plain characters",
                why(&judgement)
            ))),
        },
    }
}

/// The decision for a path, or for the target of its links if that is stricter.
async fn strictest(
    ctx: &ToolContext,
    permission: Permission,
    subject: String,
) -> Result<(String, Judgement), ToolError> {
    let judgement = judge(ctx, permission, &subject);
    if !matches!(permission, Permission::Read | Permission::Edit) {
        return Ok((subject, judgement));
    }
    let named = subject.clone();
    let resolve = move |tree: &Worktree| Ok(tree.resolve(&Worktree::path(&named)?)?.to_string());
    let place = ctx.on_files(resolve).await?;
    let of_place = judge(ctx, permission, &place);
    match of_place.action() > judgement.action() {
        true => Ok((place, of_place)),
        false => Ok((subject, judgement)),
    }
}

/// Decides which files can be read without asking, by their paths and the targets of links.
pub(super) fn readable(ctx: &ToolContext) -> impl Fn(&Worktree, &WorkPath) -> bool + Send + use<> {
    let ctx = ctx.clone();
    let may_read = move |path: &WorkPath| {
        judge(&ctx, Permission::Read, &path.to_string()).action() == Action::Allow
    };
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
    let all = asking::asked(ctx).await?;
    if let Some(asked) = asking::by_this_call(ctx, &all) {
        return Ok(answer(asked));
    }
    // Derived from the build's questions, so that it survives restarts.
    if all.iter().any(|asked| is_standing(asked, &question)) {
        return Ok(Ok(None));
    }
    if ctx.state.question.is_some() {
        return Ok(Ok(Some(ToolReply::Waiting)));
    }
    if let Some(limit) = asking::exhausted_limit(ctx, ClarificationKind::Permission) {
        return Ok(Err(format!(
            "the user must be asked, but all {limit} permission prompts of this build are used up"
        )));
    }
    Ok(Ok(Some(asking::ask(ctx, ClarificationKind::Permission, question))))
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
