//! `/api/projects/{project}/builds` and `/api/builds/{build}`: starting builds and reading them.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use domain::ids::{BuildId, ProjectId};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    app::{App, Shared},
    build::{Build, BuildParts, BuildSummary},
    clarification::Clarification,
    extract::{Json, Search},
    idempotency::{self, Claim},
    list::{List, Page},
    owned::{Ownable, Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
};
use crate::store::{self, builds, clarifications, projects::Project, seals};

/// Nothing can be chosen yet: a build takes the project's contracts and settings as they are.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateBuildRequest {}

/// The project's builds, newest first.
#[utoipa::path(get, path = "/api/projects/{project}/builds", tag = "builds",
    params(("project" = ProjectId, Path, description = "The project's id"), Page), responses(
        (status = 200, body = List<BuildSummary>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_builds(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Search(page): Search<Page>,
) -> Result<Json<List<BuildSummary>>, Problem> {
    let mut conn = app.db.read().await?;
    let rows = builds::list(&mut conn, project.id, page.after()?, page.rows()?).await?;
    Ok(Json(page.list(rows, |build| build.id.to_string(), BuildSummary::from)?))
}

/// Starts a build. A project has at most one that has not ended.
#[utoipa::path(post, path = "/api/projects/{project}/builds", tag = "builds", params(
        ("project" = ProjectId, Path, description = "The project's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), request_body = CreateBuildRequest, responses(
        (status = 201, body = Build),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn create_build(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
    headers: HeaderMap,
    Json(CreateBuildRequest {}): Json<CreateBuildRequest>,
) -> Result<(StatusCode, Json<Build>), Problem> {
    let route = format!("builds of {}", project.id);
    let id = match idempotency::claim(&app.db, by.user.id, route, &headers).await? {
        Claim::Repeated(id) => id.parse().map_err(Problem::internal)?,
        Claim::First(first) => {
            let started = app.engine.start_build(&project, by.user.id).await;
            first.settle(&app.db, started.as_ref().ok().map(BuildId::to_string)).await?;
            started?
        }
    };
    let build = ProjectBuild::find(&mut app.db.read().await?, id).await?;
    let build = build.ok_or_else(|| Problem::not_found("build"))?;
    Ok((StatusCode::CREATED, Json(whole(&app, build).await?)))
}

/// One build with everything that its page shows at first.
#[utoipa::path(get, path = "/api/builds/{build}", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Build),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_build(
    State(app): State<Shared>,
    Owned { thing: build, .. }: Owned<ProjectBuild>,
) -> Result<Json<Build>, Problem> {
    whole(&app, build).await.map(Json)
}

/// The same build under the path that older clients know.
#[utoipa::path(get, path = "/api/build-cycles/{build}", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Build),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_build_cycle(
    state: State<Shared>,
    owned: Owned<ProjectBuild>,
) -> Result<Json<Build>, Problem> {
    get_build(state, owned).await
}

async fn whole(app: &App, build: ProjectBuild) -> Result<Build, Problem> {
    let state = app.journal.state(build.build.id).await?;
    // Read after the state, so that the row is never older than what it is shown with.
    let mut conn = app.db.read().await?;
    let row = builds::get(&mut conn, build.build.id).await?.unwrap_or(build.build);
    let question = clarifications::open(&mut conn, row.id).await?;
    let question = question.map(Clarification::try_from).transpose().map_err(Problem::internal)?;
    let seal = seals::get(&mut conn, row.id).await?;
    let (project_name, now) = (build.project.name, store::now());
    let parts = BuildParts { row, project_name, state, question, seal, now };
    Build::try_from(parts).map_err(Problem::internal)
}
