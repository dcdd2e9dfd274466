//! `/api/projects/{project}/contracts/generate` and `/api/generations/{generation}`: generating
//! contracts. A request only queues a generation; a worker runs it.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use domain::{
    contract::ContractType,
    generation::{GenerationKind, GenerationStatus},
    ids::GenerationId,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    check::Check,
    contracts::ContractParams,
    extract::{Json, PathParams, QueryParams},
    generation::Generation,
    idempotency,
    identity::Identity,
    list::{List, Page},
    owned::{Owned, ProjectGeneration},
};
use crate::{
    engine::Wanted,
    store::{generations, projects::Project},
};

/// In characters.
const MAX_NOTE_LENGTH: usize = 2_000;

#[derive(Debug, Deserialize, ToSchema)]
pub struct RegenerateContractRequest {
    /// True: also regenerate the contracts that come after it.
    #[serde(default)]
    following: bool,
    /// What to change, for the model; at most 2,000 characters.
    #[serde(default)]
    #[schema(max_length = 2000)]
    note: Option<String>,
}

/// Generates the contracts that the project does not have yet.
#[utoipa::path(post, path = "/api/projects/{project}/contracts/generate", tag = "projects",
    params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), responses(
        (status = 201, body = Generation),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn generate_contracts(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<Generation>), ApiError> {
    start(&app, &project, &by, &headers, Wanted::Missing, None).await
}

/// Regenerates a contract, alone or with all contracts after it. Existing versions stay in the
/// history.
#[utoipa::path(post, path = "/api/projects/{project}/contracts/{type}/regenerate", tag = "projects",
    params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("type" = ContractType, Path, description = "The contract's type"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), request_body = RegenerateContractRequest, responses(
        (status = 201, body = Generation),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn regenerate_contract(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    PathParams(ContractParams { kind }): PathParams<ContractParams>,
    headers: HeaderMap,
    Json(RegenerateContractRequest { following, note }): Json<RegenerateContractRequest>,
) -> Result<(StatusCode, Json<Generation>), ApiError> {
    let mut check = Check::new();
    let note = check.text("note", note.as_deref().unwrap_or_default(), 0, MAX_NOTE_LENGTH);
    check.done()?;
    let note = Some(note).filter(|note| !note.is_empty());
    let wanted = if following { Wanted::AgainFrom(kind) } else { Wanted::Again(kind) };
    start(&app, &project, &by, &headers, wanted, note).await
}

/// Lists the project's generations, newest first.
#[utoipa::path(get, path = "/api/projects/{project}/generations", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug"), Page), responses(
        (status = 200, body = List<Generation>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_generations(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<Generation>>, ApiError> {
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

/// Cancels a generation. Contracts that it has written are kept.
#[utoipa::path(post, path = "/api/generations/{generation}/cancel", tag = "projects",
    params(("generation" = GenerationId, Path, description = "The generation's id")), responses(
        (status = 200, body = Generation),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn cancel_generation(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectGeneration>,
) -> Result<Json<Generation>, ApiError> {
    app.engine.cancel_generation(resource.generation.id).await?;
    let generation = read(&app, resource.generation.id).await?;
    match generation.status {
        GenerationStatus::Done | GenerationStatus::Failed => {
            Err(ApiError::conflict("This generation has already ended."))
        }
        _ => Ok(Json(generation)),
    }
}

/// Resumes a generation that failed or was cancelled, at its first unwritten contract, or with the
/// last message of the interview.
#[utoipa::path(post, path = "/api/generations/{generation}/resume", tag = "projects",
    params(("generation" = GenerationId, Path, description = "The generation's id")), responses(
        (status = 200, body = Generation),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn resume_generation(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectGeneration>,
) -> Result<Json<Generation>, ApiError> {
    app.engine.resume_generation(&resource.generation).await?;
    read(&app, resource.generation.id).await.map(Json)
}

async fn start(
    app: &App,
    project: &Project,
    by: &Identity,
    headers: &HeaderMap,
    wanted: Wanted,
    note: Option<String>,
) -> Result<(StatusCode, Json<Generation>), ApiError> {
    let route = format!("generations of {}", project.id);
    let user = by.user.id;
    let work =
        async { Ok(app.engine.start_generation(project, wanted, note.as_deref(), user).await?) };
    let id = idempotency::run_once(&app.db, user, route, headers, work).await?;
    Ok((StatusCode::CREATED, Json(read(app, id).await?)))
}

async fn read(app: &App, id: GenerationId) -> Result<Generation, ApiError> {
    let mut conn = app.db.read().await?;
    let row = generations::get(&mut conn, id).await?;
    let row = row.ok_or_else(|| ApiError::not_found("generation"))?;
    Ok(Generation::read(&mut conn, row).await?)
}
