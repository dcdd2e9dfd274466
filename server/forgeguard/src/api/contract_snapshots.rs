//! `/api/projects/{project}/contracts/snapshots`: the contract versions that builds are bound to.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    contract::ContractType,
    ids::{BuildId, SnapshotId},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::{Json, QueryParams},
    list::{List, Page},
    owned::Owned,
};
use crate::store::{builds, contracts, projects::Project};

/// The contract versions of a build; later edits do not change them.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractSnapshot {
    /// Referenced by the build's first event.
    id: SnapshotId,
    build_id: BuildId,
    /// The number of the build in its project.
    build_number: u32,
    #[schema(required)]
    build_title: Option<String>,
    /// When the build was started.
    created_at: DateTime<Utc>,
    /// The version of each contract that the project had.
    contracts: Vec<FrozenContract>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FrozenContract {
    #[serde(rename = "type")]
    kind: ContractType,
    version: u32,
}

/// Lists the snapshots of the project's builds, newest first.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/snapshots", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug"), Page), responses(
        (status = 200, body = List<ContractSnapshot>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_contract_snapshots(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<ContractSnapshot>>, ApiError> {
    let mut conn = app.db.read().await?;
    let rows = builds::list(&mut conn, project.id, page.after()?, page.rows()?).await?;
    let List { items, next } = page.list(rows, |build| build.id.to_string(), |build| build)?;
    let mut snapshots = Vec::with_capacity(items.len());
    for build in items {
        let Some(id) = build.snapshot_batch else { continue };
        let mut versions = contracts::frozen_versions(&mut conn, id).await?;
        versions.sort_unstable();
        let frozen = |(kind, version)| FrozenContract { kind, version };
        let contracts = versions.into_iter().map(frozen).collect();
        snapshots.push(ContractSnapshot {
            id,
            build_id: build.id,
            build_number: build.number,
            build_title: build.title,
            created_at: build.created_at,
            contracts,
        });
    }
    Ok(Json(List { items: snapshots, next }))
}
