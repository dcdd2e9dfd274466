//! `/api/builds/{build}/report`: a report on a build, as Markdown or JSON.

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use domain::ids::BuildId;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    owned::{Owned, ProjectBuild},
};
use crate::engine::report::BuildReport;

/// Gets a report: verdict, evidence, why it does not continue, phases, changes, errors, questions,
/// costs. As Markdown, unless JSON is requested.
#[utoipa::path(get, path = "/api/builds/{build}/report", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, content((String = "text/markdown"), (BuildReport = "application/json"))),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_report(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let ProjectBuild { build, project } = resource;
    let report = app.engine.report(build, &project.name).await?;
    let accepted = headers.get_all(header::ACCEPT).into_iter();
    let is_json = accepted
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.trim().starts_with("application/json"));
    if is_json {
        return Ok(Json(report).into_response());
    }
    let text = report.markdown()?;
    Ok(([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], text).into_response())
}
