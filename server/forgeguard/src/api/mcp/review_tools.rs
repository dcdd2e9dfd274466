//! Tools about reviews of builds: what a build's users and administrators read, and the decisions and
//! comments of administrators.

use axum::extract::State;
use domain::{
    ids::ReviewCommentId,
    key_scope::KeyScope,
    review::{DiffSide, ReviewProgress},
    user_role::UserRole,
};
use git::FileChange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    call::{Call, Intent, Rejection},
    client_tool::{
        About, ClientEffect, ClientReply, ClientTool, Properties, Replying, client_tool,
    },
    project_tools::body,
};
use crate::{
    api::{
        approvals, diff,
        extract::Json,
        list::Page,
        owned::ProjectBuild,
        review::{BuildReviews, Decision, ReviewComment},
        review_comments, review_decisions, reviews,
    },
    store,
    tools::input,
};

pub fn review_tools() -> Vec<Box<dyn ClientTool>> {
    vec![Box::new(GetReview), Box::new(ReviewBuild), Box::new(AddReviewComment)]
}

client_tool!(GetReview, GetReviewParams => Review, "forge_get_review", "Review of a build", Read, Read,
    Build, "Returns the review of a build: decisions, threads on lines of its diff, and the files that \
    it changes. Administrators read those of all sealed builds.", get_review);
client_tool!(ReviewBuild, DecideParams => DecisionRow, "forge_review_build", "Review a build", Review, Add,
    Build, "Approves a sealed build or requests changes, as the administrator whose key this is. \
    Contributors to the build cannot approve it. Decisions cannot be withdrawn.", review_build);
client_tool!(AddReviewComment, CommentParams => CommentRow, "forge_add_review_comment",
    "Comment on a build", Review, Add, Build, "Comments on lines of a sealed build's diff, or replies \
    to a comment, as the administrator whose key this is.", add_comment);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetReviewParams {
    /// `next_thread` of the previous page.
    #[serde(default)]
    threads_after: Option<String>,
    /// `next_file` of the previous page.
    #[serde(default)]
    files_after: Option<String>,
    /// Threads and files per page, at most 200 each; default 50.
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct Review {
    build_id: String,
    /// CERTIFIED, CONDITIONAL or FLAGGED, once it is sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    /// waiting, changes_requested or approved.
    review: Value,
    /// Administrators who have approved since changes were last requested.
    approvals: u32,
    required_approvals: u32,
    /// Why you cannot approve the build, if you are an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_obstacle: Option<String>,
    /// Newest first.
    decisions: Vec<DecisionRow>,
    /// Oldest first.
    threads: Vec<Thread>,
    /// The value of `threads_after` for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_thread: Option<String>,
    /// Changed since the baseline, by path.
    files: Vec<FileRow>,
    /// The value of `files_after` for the next page; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_file: Option<String>,
    /// More files are changed than can be listed.
    files_truncated: bool,
    /// The build that implements the requested changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    follow_up_build_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct DecisionRow {
    decision_id: String,
    /// approved or changes_requested.
    decision: Value,
    reviewer: String,
    reason: String,
    created_at: String,
}

#[derive(Serialize, JsonSchema)]
struct Thread {
    path: String,
    /// old or new: the side of the diff with the lines.
    side: Value,
    /// The first of several lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_line: Option<u32>,
    /// The only or last line.
    line: u32,
    line_text: String,
    is_resolved: bool,
    /// Oldest first.
    comments: Vec<CommentRow>,
}

#[derive(Serialize, JsonSchema)]
struct CommentRow {
    comment_id: String,
    author: String,
    text: String,
    created_at: String,
    /// What the text suggests instead of the lines; empty to remove them.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FileRow {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_path: Option<String>,
    /// added, modified, deleted or renamed.
    status: Value,
    insertions: usize,
    deletions: usize,
}

impl From<Decision> for DecisionRow {
    fn from(decision: Decision) -> Self {
        Self {
            decision_id: decision.id.to_string(),
            decision: json!(decision.decision),
            reviewer: decision.reviewer.name,
            reason: decision.reason,
            created_at: decision.created_at.to_rfc3339(),
        }
    }
}

impl From<&ReviewComment> for CommentRow {
    fn from(comment: &ReviewComment) -> Self {
        Self {
            comment_id: comment.id.to_string(),
            author: comment.author.name.clone(),
            text: comment.text.clone(),
            created_at: comment.created_at.to_rfc3339(),
            suggestion: comment.suggestion.clone(),
        }
    }
}

impl From<FileChange> for FileRow {
    fn from(file: FileChange) -> Self {
        Self {
            path: file.path,
            old_path: file.old_path,
            status: json!(file.status),
            insertions: file.insertions,
            deletions: file.deletions,
        }
    }
}

async fn get_review(call: &Call, params: GetReviewParams) -> Result<Review, Rejection> {
    let GetReviewParams { threads_after, files_after, limit } = params;
    let thread_page = Page { after: threads_after, limit };
    let after = thread_page.after::<ReviewCommentId>()?;
    let file_page = Page { after: files_after, limit };
    let build = reviewable(call).await?;
    let (app, user) = (&call.app, &call.by.user);
    let mut conn = app.db.read().await?;
    let decided = store::reviews::list(&mut conn, build.build.id).await?;
    let reviews = reviews::build_reviews(app, &mut conn, &build, user).await?;
    drop(conn);
    let may_review = user.role == UserRole::Admin && build.build.verdict.is_some();
    let obstacle = match may_review {
        true => approvals::obstacle(app, &build, &decided, user).await?,
        false => None,
    };
    let changed = diff::files(app, &build, None).await?;
    let BuildReviews { decisions, approvals, required_approvals, comments, follow_up, .. } =
        reviews;
    let newest = decisions.first().map(|newest| newest.decision);
    let (firsts, replies): (Vec<_>, Vec<_>) =
        comments.into_iter().partition(|comment| comment.parent_id.is_none());
    let rows = firsts.into_iter().filter(|first| after.is_none_or(|after| first.id > after));
    let rows = rows.take(thread_page.rows()? as usize).collect();
    let threads = thread_page.list(
        rows,
        |first: &ReviewComment| first.id.to_string(),
        |first| thread(&first, &replies),
    )?;
    let is_next =
        |file: &FileChange| file_page.after.as_ref().is_none_or(|after| file.path > *after);
    let rows = changed.files.into_iter().filter(is_next);
    let rows = rows.take(file_page.rows()? as usize).collect();
    let files = file_page.list(rows, |file: &FileChange| file.path.clone(), FileRow::from)?;
    Ok(Review {
        build_id: build.build.id.to_string(),
        verdict: build.build.verdict.map(|verdict| verdict.name()),
        review: json!(ReviewProgress::new(newest, approvals.into(), required_approvals)),
        approvals,
        required_approvals,
        approval_obstacle: obstacle.map(|obstacle| obstacle.explanation()),
        decisions: decisions.into_iter().map(DecisionRow::from).collect(),
        threads: threads.items,
        next_thread: threads.next,
        files: files.items,
        next_file: files.next,
        files_truncated: changed.truncated,
        follow_up_build_id: follow_up.map(|follow_up| follow_up.build_id.to_string()),
    })
}

/// The build: any sealed one for administrators, otherwise one of a project that the user may view.
async fn reviewable(call: &Call) -> Result<ProjectBuild, Rejection> {
    match call.reviewed().await {
        Ok(reviewed) => Ok(reviewed.build),
        Err(_) => Ok(call.build(Intent::Read).await?.resource),
    }
}

fn thread(first: &ReviewComment, replies: &[ReviewComment]) -> Thread {
    let own = replies.iter().filter(|reply| reply.parent_id == Some(first.id));
    Thread {
        path: first.path.clone(),
        side: json!(first.side),
        first_line: first.first_line,
        line: first.line,
        line_text: first.line_text.clone(),
        is_resolved: first.resolved_at.is_some(),
        comments: std::iter::once(first).chain(own).map(CommentRow::from).collect(),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DecideParams {
    /// approved or changes_requested.
    decision: String,
    /// At most 4,000 characters; required when requesting changes.
    #[serde(default)]
    reason: String,
    /// `decision_id` of the newest decision in forge_get_review, if there is one.
    #[serde(default)]
    seen: Option<String>,
}

async fn review_build(call: &Call, params: DecideParams) -> Result<DecisionRow, Rejection> {
    let DecideParams { decision, reason, seen } = params;
    let request = body(json!({ "decision": decision, "reason": reason, "seen": seen }))?;
    let reviewed = call.reviewed().await?;
    let (_, Json(decided)) =
        review_decisions::decide_review(State(call.app.clone()), reviewed, request).await?;
    Ok(decided.into())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CommentParams {
    /// 1 to 4,000 characters.
    text: String,
    /// `comment_id` to reply to, instead of a line.
    #[serde(default)]
    reply_to: Option<String>,
    /// The changed file, as in forge_get_review.
    #[serde(default)]
    path: Option<String>,
    /// The first of at most 50 lines; absent for a single line.
    #[serde(default)]
    first_line: Option<u32>,
    /// The number of the only or last line in that file, from 1.
    #[serde(default)]
    line: Option<u32>,
    /// old or new: the side of the diff with the lines; default new.
    #[serde(default)]
    side: Option<String>,
}

async fn add_comment(call: &Call, params: CommentParams) -> Result<CommentRow, Rejection> {
    let CommentParams { text, reply_to, path, first_line, line, side } = params;
    let line = match (path, line) {
        (Some(path), Some(number)) => {
            let side = side.map_or(json!(DiffSide::New), Value::from);
            let first = first_line;
            Some(json!({ "path": path, "side": side, "first_number": first, "number": number }))
        }
        (None, None) if first_line.is_none() => None,
        _ => return Err(Rejection("Send `path` and `line`, or `reply_to`.".into())),
    };
    let request = body(json!({ "text": text, "parent_id": reply_to, "line": line }))?;
    let reviewed = call.reviewed().await?;
    let app = State(call.app.clone());
    let (_, Json(comment)) = review_comments::create_review_comment(app, reviewed, request).await?;
    Ok((&comment).into())
}
