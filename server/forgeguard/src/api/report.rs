//! `/api/builds/{build}/report`: a report on a build, as Markdown.

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use domain::ids::BuildId;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    owned::{Owned, ProjectBuild},
};

/// Gets a report: verdict, evidence, phases, errors, questions, costs.
#[utoipa::path(get, path = "/api/builds/{build}/report", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = String, content_type = "text/markdown"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_report(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
) -> Result<Response, ApiError> {
    let ProjectBuild { build, project } = resource;
    let text = app.engine.report(build, &project.name).await?;
    Ok(([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], text).into_response())
}
