//! `/api/mcp/…`: contracts for scripts, as the tools over MCP return them.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    contract::{ContractSource, ContractType},
    ids::{BuildId, ProjectId, SnapshotId},
    state::Status,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    contracts::ContractParams,
    extract::{Json, PathParams},
    owned::{Owned, ProjectBuild},
};
use crate::{
    contract_set::ContractText,
    contracts,
    store::{builds, projects::Project},
};

/// A project and its contracts, without their texts.
#[derive(Debug, Serialize, ToSchema)]
pub struct McpContext {
    project: McpProject,
    contracts: Vec<McpContractSummary>,
    /// The contract versions that the newest build has pinned; null without a build.
    #[schema(required)]
    latest_batch: Option<SnapshotId>,
    build_count: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct McpProject {
    id: ProjectId,
    name: String,
    /// The status of its newest build; null without one.
    #[schema(required)]
    status: Option<Status>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct McpContractSummary {
    contract_type: ContractType,
    version: u32,
    size_chars: usize,
    #[schema(required)]
    updated_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct McpContract {
    project_id: ProjectId,
    contract_type: ContractType,
    version: u32,
    source: ContractSource,
    content: String,
}

/// The contracts that a build has pinned. Later edits do not change them.
#[derive(Debug, Serialize, ToSchema)]
pub struct McpBuildContracts {
    build_id: BuildId,
    batch: SnapshotId,
    pinned_at: DateTime<Utc>,
    contracts: Vec<McpBuildContract>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct McpBuildContract {
    contract_type: ContractType,
    version: u32,
    content: String,
}

fn is_written(text: &&ContractText) -> bool {
    text.source != ContractSource::Template
}

/// Gets a project with the versions and sizes of its contracts.
#[utoipa::path(get, path = "/api/mcp/context/{project}", tag = "mcp",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = McpContext),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_mcp_context(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<McpContext>, ApiError> {
    let mut conn = app.db.read().await?;
    let set = contracts::of_project(&mut conn, project.id).await?;
    let newest = builds::list(&mut conn, project.id, None, 1).await?.pop();
    let build_count = builds::count_of_project(&mut conn, project.id).await?;
    let contracts = set.iter().filter(is_written).map(|text| McpContractSummary {
        contract_type: text.kind,
        version: text.version,
        size_chars: text.content.chars().count(),
        updated_at: text.updated_at,
    });
    let status = newest.as_ref().map(|build| build.status);
    Ok(Json(McpContext {
        contracts: contracts.collect(),
        project: McpProject { id: project.id, name: project.name, status },
        latest_batch: newest.and_then(|build| build.snapshot_batch),
        build_count,
    }))
}

/// Gets the current version of a contract that the project has.
#[utoipa::path(get, path = "/api/mcp/context/{project}/{type}", tag = "mcp", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("type" = ContractType, Path, description = "The contract's type"),
    ), responses(
        (status = 200, body = McpContract),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_mcp_contract(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    PathParams(ContractParams { kind }): PathParams<ContractParams>,
) -> Result<Json<McpContract>, ApiError> {
    let set = contracts::of_project(&mut app.db.read().await?, project.id).await?;
    let text = Some(set.get(kind)).filter(is_written);
    let text = text.ok_or_else(|| ApiError::not_found("contract"))?;
    Ok(Json(McpContract {
        project_id: project.id,
        contract_type: text.kind,
        version: text.version,
        source: text.source,
        content: text.content.clone(),
    }))
}

/// Gets the contracts that a build has pinned.
#[utoipa::path(get, path = "/api/mcp/build/{build}/contracts", tag = "mcp",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = McpBuildContracts),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_mcp_build_contracts(
    State(app): State<Shared>,
    Owned { resource, .. }: Owned<ProjectBuild>,
) -> Result<Json<McpBuildContracts>, ApiError> {
    let build = resource.build;
    let state = app.journal.state(build.id).await?;
    let batch = state.queued.snapshot_batch;
    let set = contracts::of_snapshot(&mut app.db.read().await?, batch).await?;
    let contracts = set.iter().filter(is_written).map(|text| McpBuildContract {
        contract_type: text.kind,
        version: text.version,
        content: text.content.clone(),
    });
    Ok(Json(McpBuildContracts {
        build_id: build.id,
        batch,
        pinned_at: state.queued.pinned_at.unwrap_or(build.created_at),
        contracts: contracts.collect(),
    }))
}
