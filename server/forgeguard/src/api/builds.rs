//! `/api/projects/{project}/builds` and `/api/builds/{build}`: starting and reading builds.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use domain::{
    budget_limits::BudgetLimits,
    ids::{BuildId, ProjectId},
    state::Status,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    build::{Build, BuildParts, BuildSummary},
    clarification::Clarification,
    extract::{Json, QueryParams},
    idempotency,
    list::{List, Page},
    owned::{Owned, ProjectBuild, ProjectResource},
};
use crate::{
    engine::settings::validate_budgets,
    store::{self, builds, clarifications, projects::Project, reviews, seals, work_items},
};

/// A build uses the project's contracts and settings at the time it is queued.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateBuildRequest {
    /// Limits of this build; those omitted are inherited from the project.
    #[serde(default)]
    budgets: BudgetLimits,
}

/// Lists the project's builds, newest first.
#[utoipa::path(get, path = "/api/projects/{project}/builds", tag = "builds",
    params(("project" = ProjectId, Path, description = "The project's id"), Page), responses(
        (status = 200, body = List<BuildSummary>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_builds(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<BuildSummary>>, ApiError> {
    let mut conn = app.db.read().await?;
    let rows = builds::list(&mut conn, project.id, page.after()?, page.rows()?).await?;
    let returned = reviews::with_changes_requested(&mut conn, project.id, project.id).await?;
    let show = |build: builds::Build| BuildSummary::new(returned.contains(&build.id), build);
    Ok(Json(page.list(rows, |build| build.id.to_string(), show)?))
}

/// Starts a build. A project has at most one unfinished build.
#[utoipa::path(post, path = "/api/projects/{project}/builds", tag = "builds", params(
        ("project" = ProjectId, Path, description = "The project's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), request_body = CreateBuildRequest, responses(
        (status = 201, body = Build),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn create_build(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    headers: HeaderMap,
    Json(CreateBuildRequest { budgets }): Json<CreateBuildRequest>,
) -> Result<(StatusCode, Json<Build>), ApiError> {
    validate_budgets("budgets", &budgets)
        .map_err(|invalid| ApiError::invalid(invalid.field, invalid.reason))?;
    let route = format!("builds of {}", project.id);
    let (engine, user) = (app.engine.clone(), by.user.id);
    let work = async move { Ok(engine.start_build(&project, user, &budgets).await?) };
    let id = idempotency::run_once(&app.db, user, route, &headers, work).await?;
    let build = ProjectBuild::find(&mut app.db.read().await?, id).await?;
    let build = build.ok_or_else(|| ApiError::not_found("build"))?;
    Ok((StatusCode::CREATED, Json(response(&app, build).await?)))
}

/// Gets a build.
#[utoipa::path(get, path = "/api/builds/{build}", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Build),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build(
    State(app): State<Shared>,
    Owned { resource: build, .. }: Owned<ProjectBuild>,
) -> Result<Json<Build>, ApiError> {
    response(&app, build).await.map(Json)
}

/// Gets a build, at the path used by older clients.
#[utoipa::path(get, path = "/api/build-cycles/{build}", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Build),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_cycle(
    state: State<Shared>,
    owned: Owned<ProjectBuild>,
) -> Result<Json<Build>, ApiError> {
    get_build(state, owned).await
}

async fn response(app: &App, build: ProjectBuild) -> Result<Build, ApiError> {
    let state = app.journal.state(build.build.id).await?;
    // Read after the state, so that the row is never older than the state.
    let mut conn = app.db.read().await?;
    let row = builds::get(&mut conn, build.build.id).await?.unwrap_or(build.build);
    let question = clarifications::open(&mut conn, row.id).await?;
    let question = question.map(Clarification::try_from).transpose().map_err(ApiError::internal)?;
    let project = build.project.id;
    let (seal, changes_requested) = match row.status {
        Status::Sealed => {
            let returned = reviews::with_changes_requested(&mut conn, project, project).await?;
            (seals::get(&mut conn, row.id).await?, returned.contains(&row.id))
        }
        _ => (None, false),
    };
    let item = work_items::get(&mut conn, row.id).await?;
    let is_claimed = item.is_some_and(|item| item.is_claimed());
    let (project_name, now) = (build.project.name, store::now());
    let parts =
        BuildParts { row, changes_requested, project_name, state, question, seal, is_claimed, now };
    Build::try_from(parts).map_err(ApiError::internal)
}
