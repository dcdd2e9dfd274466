//! `/api/builds/{build}/review-comments/{comment}/suggestion`: accepting suggested edits.
//!
//! The branch of a sealed build is final, so accepted suggestions become the first commit of its
//! follow-up.

use std::collections::HashMap;

use axum::extract::State;
use domain::{
    event::life::Origin,
    ids::{BuildId, ReviewCommentId},
    suggestion::{LineEdit, apply_suggestions},
};
use git::{DiffTarget, RepoPath};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    branch_view,
    extract::{Json, PathParams},
    owned::{Owned, ProjectBuild},
    review::{ReviewComment, suggestion_of},
};
use crate::{
    engine::{EngineError, MAX_SUGGESTION_FILE_BYTES},
    store::{self, builds, review_comments},
};

#[derive(Debug, Deserialize, ToSchema)]
pub struct AcceptSuggestionRequest {
    /// False withdraws the acceptance.
    accepted: bool,
}

/// Accepts the suggested edit of a comment on the user's own build, or withdraws the acceptance. The
/// follow-up commits accepted suggestions before its work starts.
#[utoipa::path(put, path = "/api/builds/{build}/review-comments/{comment}/suggestion",
    tag = "reviews", params(
        ("build" = BuildId, Path, description = "The build's id"),
        ("comment" = ReviewCommentId, Path, description = "The comment with the suggestion"),
    ), request_body = AcceptSuggestionRequest, responses(
        (status = 200, body = ReviewComment),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn accept_suggestion(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    PathParams(named): PathParams<HashMap<String, String>>,
    Json(AcceptSuggestionRequest { accepted }): Json<AcceptSuggestionRequest>,
) -> Result<Json<ReviewComment>, ApiError> {
    let missing = || ApiError::not_found("comment");
    let id = named.get("comment").and_then(|id| id.parse::<ReviewCommentId>().ok());
    let id = id.ok_or_else(missing)?;
    let build = resource.build.id;
    let comments = review_comments::list(&mut app.db.read().await?, build).await?;
    let comment = comments.iter().find(|comment| comment.id == id).ok_or_else(missing)?;
    if accepted {
        check(&app, &resource, comment, &comments).await?;
    }
    let mut tx = app.db.write().await?;
    if let Some(follow_up) = builds::follow_up_of(&mut tx, build).await? {
        return Err(ApiError::conflict(format!(
            "The follow-up, build {}, has started, so its suggestions cannot change.",
            follow_up.display_name()
        )));
    }
    let by = accepted.then(|| (by.user.id, store::now()));
    review_comments::set_acceptance(&mut tx, id, by).await?;
    let comment = review_comments::get(&mut tx, id).await?.ok_or_else(missing)?;
    tx.commit().await?;
    Ok(Json(comment.into()))
}

/// Checks that a suggestion can be committed together with those that are accepted already.
async fn check(
    app: &App,
    build: &ProjectBuild,
    comment: &review_comments::ReviewComment,
    all: &[review_comments::ReviewComment],
) -> Result<(), ApiError> {
    if build.project.origin == Origin::Demo {
        return Err(EngineError::Scripted.into());
    }
    let Some(text) = suggestion_of(comment.side, &comment.text) else {
        return Err(ApiError::invalid("comment", "this comment suggests no edit"));
    };
    let edit = edit_of(comment, &text);
    let overlaps = |other: &review_comments::ReviewComment| {
        other.id != comment.id
            && other.suggestion_accepted_at.is_some()
            && other.path == comment.path
            && edit_of(other, "").overlaps(&edit)
    };
    if all.iter().any(overlaps) {
        return Err(ApiError::conflict(
            "Another suggestion for the same lines is accepted. Withdraw it first.",
        ));
    }
    let path: RepoPath = comment.path.parse().map_err(ApiError::from)?;
    let read = branch_view::read(app, build, move |branch| {
        let head = DiffTarget::Commit(branch.head());
        git::read_side(branch.clone(), head, &path, MAX_SUGGESTION_FILE_BYTES)
    });
    let content = read.await?.ok_or_else(|| ApiError::not_found("file"))?;
    let file = String::from_utf8(content.bytes).ok().filter(|_| !content.truncated);
    match file.and_then(|file| apply_suggestions(&file, &[edit])) {
        Some(_) => Ok(()),
        None => Err(ApiError::invalid("comment", "these lines cannot be edited as text")),
    }
}

fn edit_of<'a>(comment: &review_comments::ReviewComment, text: &'a str) -> LineEdit<'a> {
    let first_line = comment.first_line.unwrap_or(comment.line);
    LineEdit { first_line, last_line: comment.line, text }
}
