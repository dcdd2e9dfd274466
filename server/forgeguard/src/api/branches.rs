//! `/api/projects/{project}/branches`: the branches that a build can start from.

use axum::extract::State;
use domain::ids::BuildId;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    owned::Owned,
};
use crate::{engine, store::projects::Project};

#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectBranches {
    /// The default branch first, then users' branches and those of sealed builds, newest first.
    items: Vec<ProjectBranch>,
}

/// A branch that a build can start from.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectBranch {
    name: String,
    /// Its newest commit.
    sha: String,
    is_default: bool,
    /// The sealed build whose branch it is.
    #[schema(required)]
    build_id: Option<BuildId>,
    /// The number of that build.
    #[schema(required)]
    build_number: Option<u32>,
    /// The title of that build.
    #[schema(required)]
    build_title: Option<String>,
}

/// Lists the branches that a build can start from.
#[utoipa::path(get, path = "/api/projects/{project}/branches", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = ProjectBranches),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_project_branches(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<ProjectBranches>, ApiError> {
    let branches = app.engine.baseline_branches(&project).await?;
    Ok(Json(ProjectBranches { items: branches.into_iter().map(show).collect() }))
}

fn show(branch: engine::BaselineBranch) -> ProjectBranch {
    ProjectBranch {
        build_id: branch.build.as_ref().map(|build| build.id),
        build_number: branch.build.as_ref().map(|build| build.number),
        build_title: branch.build.and_then(|build| build.title),
        name: branch.name,
        sha: branch.sha.to_string(),
        is_default: branch.is_default,
    }
}
