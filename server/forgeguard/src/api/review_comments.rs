//! `/api/reviews/{build}/comments`, `/api/builds/{build}/review-comments` and
//! `/api/review-comments/{comment}/resolve`: comments on lines of sealed builds.

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
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    check::Check,
    diff::{self, Whitespace},
    extract::{Json, PathParams},
    identity::Admin,
    list::List,
    owned::{Owned, ProjectBuild},
    review::ReviewComment,
    reviewed::Reviewed,
};
use crate::store::{
    self, Tx,
    audit_log::{self, NewEntry},
    review_comments,
    users::User,
};

/// In characters. Longer lines are truncated.
const MAX_LINE_LENGTH: usize = 500;
/// Lines of one comment.
const MAX_LINES: u32 = 50;

/// A comment on lines, or a reply.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateReviewCommentRequest {
    /// 1 to 4,000 characters.
    #[schema(min_length = 1, max_length = 4_000)]
    text: String,
    /// The comment to reply to; the reply is on the same lines.
    parent_id: Option<ReviewCommentId>,
    /// The line to comment on, or the last of several.
    line: Option<ReviewLine>,
}

/// Lines of the diff between the baseline and the sealed head.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ReviewLine {
    /// As in the diff.
    path: String,
    /// The side of the diff that contains the lines.
    side: DiffSide,
    /// The first of at most 50 consecutive lines; absent for a single line.
    first_number: Option<u32>,
    /// The only or last line, from 1.
    number: u32,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct AnswerReviewCommentRequest {
    /// 1 to 4,000 characters.
    #[schema(min_length = 1, max_length = 4_000)]
    text: String,
    /// The comment to reply to.
    parent_id: ReviewCommentId,
}

/// Lists the comments on a sealed build, oldest first.
#[utoipa::path(get, path = "/api/reviews/{build}/comments", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = List<ReviewComment>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_review_comments(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
) -> Result<Json<List<ReviewComment>>, ApiError> {
    let rows = review_comments::list(&mut app.db.read().await?, build.build.id).await?;
    Ok(Json(List::unpaginated(rows.into_iter().map(ReviewComment::from).collect())))
}

/// Adds a comment on lines, or a reply.
#[utoipa::path(post, path = "/api/reviews/{build}/comments", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = CreateReviewCommentRequest, responses(
        (status = 201, body = ReviewComment),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn create_review_comment(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
    Json(request): Json<CreateReviewCommentRequest>,
) -> Result<(StatusCode, Json<ReviewComment>), ApiError> {
    let CreateReviewCommentRequest { text, parent_id, line } = request;
    match (parent_id, line) {
        (Some(parent), None) => answer(&app, &build, &by, parent, &text).await,
        (None, Some(line)) => {
            let text = checked_text(&text)?;
            let line_text = find(&app, &build, &line).await?;
            let ReviewLine { path, side, first_number, number: line } = line;
            let first_line = first_number.filter(|first| *first < line);
            let position = Position { path, side, first_line, line, line_text, parent_id: None };
            write(app.db.write().await?, &build, &by, position, text).await
        }
        _ => Err(ApiError::invalid("line", "send either `line` or `parent_id`")),
    }
}

/// Replies to a comment on the user's own build.
#[utoipa::path(post, path = "/api/builds/{build}/review-comments", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")),
    request_body = AnswerReviewCommentRequest, responses(
        (status = 201, body = ReviewComment),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn answer_review_comment(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    Json(request): Json<AnswerReviewCommentRequest>,
) -> Result<(StatusCode, Json<ReviewComment>), ApiError> {
    answer(&app, &resource, &by.user, request.parent_id, &request.text).await
}

/// Resolves a thread. Resolving it again has no effect.
#[utoipa::path(post, path = "/api/review-comments/{comment}/resolve", tag = "reviews",
    params(("comment" = ReviewCommentId, Path, description = "The first comment of a thread")),
    responses(
        (status = 200, body = ReviewComment),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn resolve_review_comment(
    State(app): State<Shared>,
    Admin(by): Admin,
    PathParams(id): PathParams<ReviewCommentId>,
) -> Result<Json<ReviewComment>, ApiError> {
    let missing = || ApiError::not_found("comment");
    let now = store::now();
    let mut tx = app.db.write().await?;
    let settled = review_comments::resolve(&mut tx, id, by.id, now).await?;
    let comment = review_comments::get(&mut tx, id).await?.ok_or_else(missing)?;
    if comment.parent_id.is_some() {
        return Err(ApiError::invalid(
            "comment",
            "this is a reply; resolve the comment that it replies to",
        ));
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

/// The position of a comment.
struct Position {
    path: String,
    side: DiffSide,
    first_line: Option<u32>,
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
) -> Result<(StatusCode, Json<ReviewComment>), ApiError> {
    let text = checked_text(text)?;
    let mut tx = app.db.write().await?;
    let parent = review_comments::get(&mut tx, parent).await?;
    let parent = parent.filter(|parent| parent.build_id == build.build.id);
    let parent = parent.ok_or_else(|| ApiError::not_found("comment"))?;
    let position = Position {
        // Threads are flat: a reply to a reply belongs to the same first comment.
        parent_id: parent.parent_id.or(Some(parent.id)),
        path: parent.path,
        side: parent.side,
        first_line: parent.first_line,
        line: parent.line,
        line_text: parent.line_text,
    };
    write(tx, build, by, position, text).await
}

fn checked_text(text: &str) -> Result<String, ApiError> {
    let mut check = Check::new();
    let text = check.text("text", text.trim(), 1, 4_000);
    check.done()?;
    Ok(text)
}

async fn write(
    mut tx: Tx,
    build: &ProjectBuild,
    by: &User,
    position: Position,
    text: String,
) -> Result<(StatusCode, Json<ReviewComment>), ApiError> {
    let Position { path, side, first_line, line, line_text, parent_id } = position;
    let comment = review_comments::ReviewComment {
        id: store::new_id(),
        build_id: build.build.id,
        author_id: by.id,
        author_name: by.name.clone(),
        path,
        side,
        first_line,
        line,
        line_text,
        text,
        parent_id,
        created_at: store::now(),
        resolved_at: None,
        resolved_by: None,
        suggestion_accepted_at: None,
        suggestion_accepted_by: None,
    };
    review_comments::insert(&mut tx, &comment).await?;
    let detail = json!({
        "comment": comment.id, "path": comment.path, "first_line": comment.first_line,
        "line": comment.line, "side": comment.side, "line_text": comment.line_text,
        "answers": comment.parent_id, "text": comment.text,
    });
    let (action, subject) = (AuditAction::ReviewCommented, format!("build/{}", comment.build_id));
    let entry = NewEntry::by(by, comment.created_at, action, subject, detail);
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(comment.into())))
}

/// The text of lines of the diff; 422 if there are no such lines.
async fn find(app: &App, build: &ProjectBuild, line: &ReviewLine) -> Result<String, ApiError> {
    let first = line.first_number.unwrap_or(line.number);
    if first > line.number || line.number - first >= MAX_LINES {
        let problem =
            format!("must be at most `number`, and less than {MAX_LINES} lines before it");
        return Err(ApiError::invalid("line.first_number", problem));
    }
    let path: RepoPath = line
        .path
        .parse()
        .map_err(|e: git::GitError| ApiError::invalid("line.path", e.to_string()))?;
    let diff = diff::of_file(app, build, None, path, Whitespace::Compared).await?;
    let texts = (first..=line.number).map(|number| text_of(&diff, line.side, number));
    let texts: Option<Vec<String>> = texts.collect();
    let texts = texts.ok_or_else(|| match first == line.number {
        true => ApiError::invalid("line.number", "the diff has no such line"),
        false => {
            ApiError::invalid("line.first_number", "the diff does not have all of these lines")
        }
    })?;
    Ok(texts.join("\n"))
}

fn text_of(diff: &FileDiff, side: DiffSide, number: u32) -> Option<String> {
    let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    let found = lines.into_iter().find(|line| match side {
        DiffSide::Old => line.old_line == Some(number),
        DiffSide::New => line.new_line == Some(number),
    })?;
    let letters = found.spans.iter().flat_map(|span| span.text.chars());
    // PostgreSQL's text type cannot store this character.
    Some(letters.map(|c| if c == '\0' { '\u{fffd}' } else { c }).take(MAX_LINE_LENGTH).collect())
}
