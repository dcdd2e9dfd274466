//! `/api/projects/{project}/contracts/generate` and `/api/generations/{generation}`: contracts that
//! a model writes, and what holds for answers, too. A request queues; the writing is a worker's.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use domain::{
    contract::ContractType,
    generation::{GenerationKind, GenerationStatus},
    ids::{GenerationId, ProjectId},
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    app::{App, Shared},
    contracts::ContractParams,
    extract::{Json, Params, Search},
    generation::Generation,
    idempotency::{self, Claim},
    identity::Identity,
    list::{List, Page},
    owned::{Owned, ProjectGeneration},
    problem::{Problem, ProblemBody},
};
use crate::{
    engine::Wanted,
    store::{generations, projects::Project},
};

/// How much is written again.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RegenerateContractRequest {
    /// True: those that come after it too.
    #[serde(default)]
    following: bool,
}

/// Lets the contracts be written that the project does not have yet.
#[utoipa::path(post, path = "/api/projects/{project}/contracts/generate", tag = "projects",
    params(
        ("project" = ProjectId, Path, description = "The project's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), responses(
        (status = 201, body = Generation),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn generate_contracts(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<Generation>), Problem> {
    start(&app, &project, &by, &headers, Wanted::Missing).await
}

/// Lets a contract be written again, alone or with all that come after it. The versions that are
/// there stay in the history.
#[utoipa::path(post, path = "/api/projects/{project}/contracts/{type}/regenerate", tag = "projects",
    params(
        ("project" = ProjectId, Path, description = "The project's id"),
        ("type" = ContractType, Path, description = "Which of the nine"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), request_body = RegenerateContractRequest, responses(
        (status = 201, body = Generation),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn regenerate_contract(
    State(app): State<Shared>,
    Owned { thing: project, by, .. }: Owned<Project>,
    Params(ContractParams { kind }): Params<ContractParams>,
    headers: HeaderMap,
    Json(RegenerateContractRequest { following }): Json<RegenerateContractRequest>,
) -> Result<(StatusCode, Json<Generation>), Problem> {
    let wanted = if following { Wanted::AgainFrom(kind) } else { Wanted::Again(kind) };
    start(&app, &project, &by, &headers, wanted).await
}

/// The project's generations, newest first.
#[utoipa::path(get, path = "/api/projects/{project}/generations", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id"), Page), responses(
        (status = 200, body = List<Generation>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_generations(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Search(page): Search<Page>,
) -> Result<Json<List<Generation>>, Problem> {
    let mut conn = app.db.read().await?;
    let kind = GenerationKind::Contracts;
    let rows = generations::list(&mut conn, project.id, kind, page.after()?, page.rows()?).await?;
    let List { items, next } = page.list(rows, |row| row.id.to_string(), |row| row)?;
    let mut read = Vec::with_capacity(items.len());
    for row in items {
        read.push(Generation::read(&mut conn, row).await?);
    }
    Ok(Json(List { items: read, next }))
}

/// Stops a generation. What it has written stays.
#[utoipa::path(post, path = "/api/generations/{generation}/cancel", tag = "projects",
    params(("generation" = GenerationId, Path, description = "The generation's id")), responses(
        (status = 200, body = Generation),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn cancel_generation(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectGeneration>,
) -> Result<Json<Generation>, Problem> {
    app.engine.cancel_generation(thing.generation.id).await?;
    let generation = read(&app, thing.generation.id).await?;
    match generation.status {
        GenerationStatus::Done | GenerationStatus::Failed => {
            Err(Problem::conflict("It has ended already."))
        }
        _ => Ok(Json(generation)),
    }
}

/// Goes on with a generation that failed or was cancelled: at its first unwritten contract, or with
/// what the person said last.
#[utoipa::path(post, path = "/api/generations/{generation}/resume", tag = "projects",
    params(("generation" = GenerationId, Path, description = "The generation's id")), responses(
        (status = 200, body = Generation),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn resume_generation(
    State(app): State<Shared>,
    Owned { thing, .. }: Owned<ProjectGeneration>,
) -> Result<Json<Generation>, Problem> {
    app.engine.resume_generation(&thing.generation).await?;
    read(&app, thing.generation.id).await.map(Json)
}

async fn start(
    app: &App,
    project: &Project,
    by: &Identity,
    headers: &HeaderMap,
    wanted: Wanted,
) -> Result<(StatusCode, Json<Generation>), Problem> {
    let route = format!("generations of {}", project.id);
    let id = match idempotency::claim(&app.db, by.user.id, route, headers).await? {
        Claim::Repeated(id) => id.parse().map_err(Problem::internal)?,
        Claim::First(first) => {
            let started = app.engine.start_generation(project, wanted, by.user.id).await;
            first.settle(&app.db, started.as_ref().ok().map(GenerationId::to_string)).await?;
            started?
        }
    };
    Ok((StatusCode::CREATED, Json(read(app, id).await?)))
}

async fn read(app: &App, id: GenerationId) -> Result<Generation, Problem> {
    let mut conn = app.db.read().await?;
    let row = generations::get(&mut conn, id).await?;
    let row = row.ok_or_else(|| Problem::not_found("generation"))?;
    Ok(Generation::read(&mut conn, row).await?)
}
