//! `/api/projects/{project}/contracts/{type}/versions`: the history of a contract, and
//! `/api/projects/{project}/contracts.zip`: a download of all contracts.

use std::{
    io::{Cursor, Write},
    time::Duration,
};

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use domain::{
    contract::{ContractFormat, ContractSource, ContractType, VersionSource},
    ids::ProjectId,
};
use git::FileDiff;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    contracts::ContractParams,
    extract::{Json, PathParams, QueryParams},
    list::{List, Page},
    owned::Owned,
};
use crate::{
    contracts as texts,
    store::{
        Conn,
        contracts::{self as rows, Edition},
        projects::Project,
    },
    threads,
};

const COMPARE_TIMEOUT: Duration = Duration::from_secs(60);

/// One version of a contract, without its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractVersion {
    /// From 1, without gaps.
    version: u32,
    /// How this version was created.
    source: VersionSource,
    /// The author's name; null for versions that no user wrote.
    #[schema(required)]
    author: Option<String>,
    /// Length of the text in characters.
    length: u32,
    created_at: DateTime<Utc>,
}

/// One version of a contract, with its text.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContractVersionText {
    /// From 1, without gaps.
    version: u32,
    /// How this version was created.
    source: VersionSource,
    format: ContractFormat,
    content: String,
    created_at: DateTime<Utc>,
}

#[derive(Debug, Deserialize)]
pub struct VersionParams {
    #[serde(rename = "type")]
    kind: ContractType,
    version: u32,
}

/// Which versions to compare.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CompareQuery {
    /// The older version; 0 is an empty text.
    from: u32,
    /// The newer version.
    to: u32,
}

impl From<Edition> for ContractVersion {
    fn from(edition: Edition) -> Self {
        let Edition { version, source, author, length, created_at } = edition;
        Self { version, source, author, length, created_at }
    }
}

/// Lists the versions of a contract, newest first.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/{type}/versions", tag = "projects",
    params(
        Page,
        ("project" = String, Path, description = "The project's id or slug"),
        ("type" = ContractType, Path, description = "The contract's type"),
    ), responses(
        (status = 200, body = List<ContractVersion>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_contract_versions(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    PathParams(ContractParams { kind }): PathParams<ContractParams>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<ContractVersion>>, ApiError> {
    let (before, limit) = (page.after()?, page.rows()?);
    let mut conn = app.db.read().await?;
    let found = rows::history(&mut conn, project.id, kind, before, limit).await?;
    page.list(found, |row| row.version.to_string(), ContractVersion::from).map(Json)
}

/// Gets a version of a contract.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/{type}/versions/{version}",
    tag = "projects", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("type" = ContractType, Path, description = "The contract's type"),
        ("version" = u32, Path, description = "From 1"),
    ), responses(
        (status = 200, body = ContractVersionText),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_contract_version(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    PathParams(VersionParams { kind, version }): PathParams<VersionParams>,
) -> Result<Json<ContractVersionText>, ApiError> {
    let row = read(&mut app.db.read().await?, project.id, kind, version).await?;
    let rows::Contract { version, source, format, content, created_at, .. } = row;
    Ok(Json(ContractVersionText { version, source, format, content, created_at }))
}

/// Compares two versions of a contract.
#[utoipa::path(get, path = "/api/projects/{project}/contracts/{type}/diff", tag = "projects",
    params(
        CompareQuery,
        ("project" = String, Path, description = "The project's id or slug"),
        ("type" = ContractType, Path, description = "The contract's type"),
    ), responses(
        (status = 200, body = FileDiff),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_contract_diff(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    PathParams(ContractParams { kind }): PathParams<ContractParams>,
    QueryParams(CompareQuery { from, to }): QueryParams<CompareQuery>,
) -> Result<Json<FileDiff>, ApiError> {
    let mut conn = app.db.read().await?;
    let old = match from {
        0 => String::new(),
        from => read(&mut conn, project.id, kind, from).await?.content,
    };
    let new = read(&mut conn, project.id, kind, to).await?.content;
    drop(conn);
    let compare = move || git::diff_texts(&kind.file_name(), &old, &new);
    let diff = threads::run(COMPARE_TIMEOUT, compare).await?;
    diff.map(Json).map_err(ApiError::internal)
}

/// Downloads all contracts of the project as a zip archive.
#[utoipa::path(get, path = "/api/projects/{project}/contracts.zip", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = Vec<u8>, content_type = "application/zip"),
        (status = 409, body = ProblemDetails, content_type = "application/problem+json",
            description = "The project has no contracts."),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn export_contracts(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Response, ApiError> {
    let set = texts::of_project(&mut app.db.read().await?, project.id).await?;
    let own = set.iter().filter(|text| text.source != ContractSource::Template);
    let files: Vec<(String, String)> =
        own.map(|text| (text.kind.file_name(), text.content.clone())).collect();
    if files.is_empty() {
        return Err(ApiError::conflict("This project has no contracts yet."));
    }
    let archive = threads::run(COMPARE_TIMEOUT, move || archive(&files)).await?;
    let archive = archive.map_err(ApiError::internal)?;
    let headers = [
        (header::CONTENT_TYPE, "application/zip"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"contracts.zip\""),
    ];
    Ok((headers, archive).into_response())
}

async fn read(
    conn: &mut Conn,
    project: ProjectId,
    kind: ContractType,
    version: u32,
) -> Result<rows::Contract, ApiError> {
    let row = rows::version(conn, project, kind, version).await?;
    row.ok_or_else(|| ApiError::not_found("version"))
}

fn archive(files: &[(String, String)]) -> zip::result::ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(format!("contracts/{name}"), SimpleFileOptions::default())?;
        zip.write_all(content.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}
