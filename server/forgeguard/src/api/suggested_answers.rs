//! `/api/projects/{project}/questionnaire/suggestions`: answers suggested by the repository.

use axum::extract::State;
use domain::suggested_answers::SuggestedAnswer;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    owned::Owned,
};
use crate::store::projects::Project;

/// Answers suggested by the repository, not yet saved.
#[derive(Debug, Serialize, ToSchema)]
pub struct SuggestedAnswers {
    /// The commit that was inspected; null if the default branch is empty.
    #[schema(required)]
    sha: Option<String>,
    /// The branch that was inspected.
    branch: String,
    /// In the order of the questions.
    items: Vec<SuggestedAnswer>,
}

/// Suggests answers from manifests, CI files and the README of the default branch, each with the
/// line that it was read from. Nothing is executed.
#[utoipa::path(get, path = "/api/projects/{project}/questionnaire/suggestions", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = SuggestedAnswers),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_suggested_answers(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<SuggestedAnswers>, ApiError> {
    let found = app.engine.suggest_answers(&project).await?;
    let sha = found.sha.map(|sha| sha.to_string());
    Ok(Json(SuggestedAnswers { sha, branch: project.default_branch, items: found.answers }))
}
