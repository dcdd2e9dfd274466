//! `/api/reviews/{build}/comments`, `/api/builds/{build}/review-comments` and
//! `/api/review-comments/{comment}/resolve`: what is said about lines of sealed builds.

use axum::{extract::State, http::StatusCode};
use domain::{
    audit::AuditAction,
    ids::{BuildId, ReviewCommentId},
    review::DiffSide,
};
use git::{FileDiff, RepoPath};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    app::{App, Shared},
    check::Check,
    diff,
    extract::{Json, Params},
    identity::Admin,
    list::List,
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
    review::ReviewComment,
    reviewed::Reviewed,
};
use crate::store::{
    self, Tx,
    audit_log::{self, NewEntry},
    review_comments,
    users::User,
};

/// Characters that are kept of the line that a comment is about.
const LINE_KEPT: usize = 500;

/// A comment on a line, or an answer to one.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateReviewCommentRequest {
    /// 1 to 4,000 characters.
    text: String,
    /// The comment that this answers; then the line is that one's.
    parent_id: Option<ReviewCommentId>,
    /// The line that this is about.
    line: Option<ReviewLine>,
}

/// A line of the diff between the baseline and the sealed head.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ReviewLine {
    /// The file, as the diff names it.
    path: String,
    /// Which of the diff's two files the line stands in.
    side: DiffSide,
    /// Its number there, from 1.
    number: u32,
}

/// An answer to a comment.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AnswerReviewCommentRequest {
    /// 1 to 4,000 characters.
    text: String,
    /// The comment that this answers.
    parent_id: ReviewCommentId,
}

/// All comments on a sealed build, in the order they were made.
#[utoipa::path(get, path = "/api/reviews/{build}/comments", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = List<ReviewComment>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_review_comments(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
) -> Result<Json<List<ReviewComment>>, Problem> {
    let rows = review_comments::list(&mut app.db.read().await?, build.build.id).await?;
    Ok(Json(List::whole(rows.into_iter().map(ReviewComment::from).collect())))
}

/// Says something about a line, or answers what was said.
#[utoipa::path(post, path = "/api/reviews/{build}/comments", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = CreateReviewCommentRequest, responses(
        (status = 201, body = ReviewComment),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn create_review_comment(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
    Json(request): Json<CreateReviewCommentRequest>,
) -> Result<(StatusCode, Json<ReviewComment>), Problem> {
    let CreateReviewCommentRequest { text, parent_id, line } = request;
    match (parent_id, line) {
        (Some(parent), None) => answer(&app, &build, &by, parent, &text).await,
        (None, Some(line)) => {
            let text = said(&text)?;
            let line_text = find(&app, &build, &line).await?;
            let ReviewLine { path, side, number: line } = line;
            let place = Place { path, side, line, line_text, parent_id: None };
            write(app.db.write().await?, &build, &by, place, text).await
        }
        _ => Err(Problem::invalid("line", "send either a line or a parent_id")),
    }
}

/// Answers what an administrator said about one's own build.
#[utoipa::path(post, path = "/api/builds/{build}/review-comments", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = AnswerReviewCommentRequest, responses(
        (status = 201, body = ReviewComment),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn answer_review_comment(
    State(app): State<Shared>,
    Owned { thing, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<AnswerReviewCommentRequest>,
) -> Result<(StatusCode, Json<ReviewComment>), Problem> {
    answer(&app, &thing, &by.user, request.parent_id, &request.text).await
}

/// Settles a thread; the first of it says so from then on. Doing it again changes nothing.
#[utoipa::path(post, path = "/api/review-comments/{comment}/resolve", tag = "reviews",
    params(("comment" = ReviewCommentId, Path, description = "The first comment of a thread")),
    responses(
        (status = 200, body = ReviewComment),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn resolve_review_comment(
    State(app): State<Shared>,
    Admin(by): Admin,
    Params(id): Params<ReviewCommentId>,
) -> Result<Json<ReviewComment>, Problem> {
    let missing = || Problem::not_found("comment");
    let now = store::now();
    let mut tx = app.db.write().await?;
    let settled = review_comments::resolve(&mut tx, id, by.id, now).await?;
    let comment = review_comments::get(&mut tx, id).await?.ok_or_else(missing)?;
    if comment.parent_id.is_some() {
        return Err(Problem::invalid("comment", "this is an answer: settle what it answers"));
    }
    if settled {
        let detail = json!({ "comment": id, "path": comment.path, "line": comment.line });
        let subject = format!("build/{}", comment.build_id);
        let action = AuditAction::ReviewCommentResolved;
        audit_log::append(&mut tx, &NewEntry::by(&by, now, action, subject, detail)).await?;
    }
    tx.commit().await?;
    Ok(Json(comment.into()))
}

/// Where a comment belongs.
struct Place {
    path: String,
    side: DiffSide,
    line: u32,
    line_text: String,
    parent_id: Option<ReviewCommentId>,
}

async fn answer(
    app: &App,
    build: &ProjectBuild,
    by: &User,
    parent: ReviewCommentId,
    text: &str,
) -> Result<(StatusCode, Json<ReviewComment>), Problem> {
    let text = said(text)?;
    let mut tx = app.db.write().await?;
    let parent = review_comments::get(&mut tx, parent).await?;
    let parent = parent.filter(|parent| parent.build_id == build.build.id);
    let parent = parent.ok_or_else(|| Problem::not_found("comment"))?;
    let place = Place {
        // Threads are flat: an answer to an answer belongs to the same first comment.
        parent_id: parent.parent_id.or(Some(parent.id)),
        path: parent.path,
        side: parent.side,
        line: parent.line,
        line_text: parent.line_text,
    };
    write(tx, build, by, place, text).await
}

fn said(text: &str) -> Result<String, Problem> {
    let mut check = Check::new();
    let text = check.text("text", text.trim(), 1, 4_000);
    check.done()?;
    Ok(text)
}

async fn write(
    mut tx: Tx,
    build: &ProjectBuild,
    by: &User,
    place: Place,
    text: String,
) -> Result<(StatusCode, Json<ReviewComment>), Problem> {
    let Place { path, side, line, line_text, parent_id } = place;
    let comment = review_comments::ReviewComment {
        id: store::new_id(),
        build_id: build.build.id,
        author_id: by.id,
        author_name: by.name.clone(),
        path,
        side,
        line,
        line_text,
        text,
        parent_id,
        created_at: store::now(),
        resolved_at: None,
        resolved_by: None,
    };
    review_comments::insert(&mut tx, &comment).await?;
    let detail = json!({
        "comment": comment.id, "path": comment.path, "line": comment.line,
        "answers": comment.parent_id, "text": comment.text,
    });
    let (action, subject) = (AuditAction::ReviewCommented, format!("build/{}", comment.build_id));
    let entry = NewEntry::by(by, comment.created_at, action, subject, detail);
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(comment.into())))
}

/// The text of a line that the diff shows; a 422 where it shows none such.
async fn find(app: &App, build: &ProjectBuild, line: &ReviewLine) -> Result<String, Problem> {
    let path: RepoPath = line
        .path
        .parse()
        .map_err(|e: git::GitError| Problem::invalid("line.path", e.to_string()))?;
    let diff = diff::of_file(app, build, None, path).await?;
    let text = text_of(&diff, line.side, line.number);
    text.ok_or_else(|| Problem::invalid("line.number", "the diff shows no such line"))
}

fn text_of(diff: &FileDiff, side: DiffSide, number: u32) -> Option<String> {
    let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    let found = lines.into_iter().find(|line| match side {
        DiffSide::Old => line.old_line == Some(number),
        DiffSide::New => line.new_line == Some(number),
    })?;
    let letters = found.spans.iter().flat_map(|span| span.text.chars());
    // PostgreSQL's text has no place for this one.
    Some(letters.map(|c| if c == '\0' { '\u{fffd}' } else { c }).take(LINE_KEPT).collect())
}
