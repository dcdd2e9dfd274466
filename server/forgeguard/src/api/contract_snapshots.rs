//! `/api/projects/{project}/contracts/snapshots`: the versions that builds are bound to.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    contract::ContractType,
    ids::{BuildId, ProjectId, SnapshotId},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    app::Shared,
    extract::{Json, Search},
    list::{List, Page},
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::store::{builds, contracts, projects::Project};

/// The contracts as a build found them; later edits change nothing about it.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractSnapshot {
    /// Its id, which the build's first event names.
    id: SnapshotId,
    /// The build that is bound to it.
    build_id: BuildId,
    /// When the build was started.
    created_at: DateTime<Utc>,
    /// Which version of each contract; without those that the project did not have.
    contracts: Vec<FrozenContract>,
}

/// A version that a build is bound to.
#[derive(Debug, Serialize, ToSchema)]
pub struct FrozenContract {
    /// Which of the nine.
    #[serde(rename = "type")]
    kind: ContractType,
    /// Its version.
    version: u32,
}

/// What the project's builds are bound to, newest first.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/snapshots", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id"), Page), responses(
        (status = 200, body = List<ContractSnapshot>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_contract_snapshots(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Search(page): Search<Page>,
) -> Result<Json<List<ContractSnapshot>>, Problem> {
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
        let (build_id, created_at) = (build.id, build.created_at);
        snapshots.push(ContractSnapshot { id, build_id, created_at, contracts });
    }
    Ok(Json(List { items: snapshots, next }))
}
